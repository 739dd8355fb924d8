// Two FIFOs in one memory. One push of FIFO `who` is marked, any one; what is ahead of it is counted down by pops.
module checks (input clk);
  reg reset = 1;
  always @(posedge clk) reset <= 0;

  (* anyseq *) wire push, pop, mark;
  (* anyseq *) wire to, from;
  (* anyseq *) wire [1:0] value;
  (* anyconst *) wire who;
  wire [1:0] head, occupied, full, room;
  wire [2:0] used0, used1;
  MultiQueue dut (
      .clk, .reset,
      .io_push_valid(push), .io_push_payload_queue(to), .io_push_payload_entry(value),
      .io_look_valid(1'b1), .io_look_payload({who, !who}), .io_head(head), .io_pop_valid(pop), .io_pop_payload(from),
      .io_occupied(occupied), .io_full(full), .io_room(room), .io_used_0(used0), .io_used_1(used1));

  reg [2:0] count = 0, ahead = 0;
  reg marked = 0, looked = 0;
  reg [1:0] kept;
  wire pushes = push && to == who, pops = pop && from == who;
  always @(posedge clk) begin
    // What the users of a MultiQueue promise.
    assume (!(push && full[to]));
    assume (!(pop && !occupied[from]));
    looked <= !reset && marked && ahead == 0;
    if (!reset) begin
      count <= count + pushes - pops;
      if (mark && pushes && !marked) begin
        marked <= 1;
        kept <= value;
        ahead <= count - pops;
      end else if (marked && pops) begin
        marked <= ahead != 0;
        ahead <= ahead - 1;
      end
      counted: assert ((who ? used1 : used0) == count && count <= 4);
      signalled: assert (full[who] == (count == 4) && occupied[who] == (count != 0) && room[who] == (count < 3));
      inside: assert (!marked || ahead < count);
      whole: assert (!looked || head == kept);
      cover (marked && ahead == 3);
      cover (count == 4 && push && to != who);
    end else begin
      assume (!push && !pop);
    end
  end
endmodule
