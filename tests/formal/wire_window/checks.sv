// The sending end: whatever acknowledgements come. The frames are as FrameSender makes them: a new one begins when there is room, is told of when it ends, and the next
// begins later; one that is sent again, of any number, is told of, too.
module checks (input clk);
  localparam FRAMES = 256;
  reg reset = 1;
  always @(posedge clk) reset <= 0;

  (* anyseq *) wire begins, resends, ends, heard;
  (* anyseq *) wire [15:0] ack, old;
  wire room;

  reg [15:0] next = 0;
  reg busy = 0, repeats = 0, rests = 0; // a frame is built, one that was sent before; the cycle behind it
  reg [15:0] number = 0;
  wire sent = busy && ends;
  wire idle = !busy && !rests;
  wire starts = begins && room && idle;
  always @(posedge clk) begin
    rests <= sent;
    if (starts || resends && idle)
      {busy, repeats, number} <= {1'b1, !starts, starts ? next : old};
    else if (sent)
      busy <= 0;
    if (starts)
      next <= next + 1;
    if (reset)
      {busy, rests, next} <= 0;
  end

  SendWindow window (
      .clk, .reset, .io_clear(1'b0), .io_next(next),
      .io_sent_valid(sent && !reset), .io_sent_payload_number(number), .io_sent_payload_again(repeats),
      .io_heard_valid(heard), .io_heard_payload_ack(ack), .io_room(room));
  (* hierconn *) wire [15:0] \window.oldest , \window.stored , \window.acked ;
  (* hierconn *) wire \window.releasing , \window.judges ;
  wire [15:0] under_way = next - \window.oldest , unacknowledged = \window.stored - \window.acked , unreleased = \window.acked - \window.oldest ;
  reg [15:0] oldest_before, acked_before;
  reg due = 0;
  always @(posedge clk) begin
    due <= !reset;
    {oldest_before, acked_before} <= {\window.oldest , \window.acked };
    if (!reset) begin
      at_most: assert (under_way <= FRAMES - 2);
      room_is_old: assert (!(room && idle) || under_way < FRAMES - 2);
      all_told: assert (next - \window.stored == (busy && !repeats));
      numbered: assert (!(busy && !repeats) || number == 16'(next - 1) && under_way != 0);
      stored_in_window: assert (\window.stored - \window.oldest <= under_way);
      acked_is_stored: assert (unreleased <= \window.stored - \window.oldest );
      released_is_acked: assert (!due || \window.oldest == oldest_before || \window.oldest == oldest_before + 16'd1 && oldest_before != acked_before);
      releasing_is_old: assert (!(\window.releasing && \window.judges ) || unreleased != 0);
      cover (under_way == 3 && unreleased == 1);
    end
  end
endmodule
