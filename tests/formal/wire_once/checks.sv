// The receiving end of a wire that loses, repeats and reorders: three frames of one or two flits, of any channels, come in any order, as often as it likes or never.
// It begins where all that came was given, and with numbers that wrap: of the frames, and of the flits of both channels.
module checks (input clk);
  localparam FRAMES = 3;
  reg first = 1;
  always @(posedge clk) first <= 0;

  localparam [15:0] number = 16'hfffe, flit0 = 16'hffff, flit1 = 16'hfffd; // of the first frame, the first flits
  (* anyconst *) wire [FRAMES-1:0] vcs, two;
  (* anyconst *) wire magic_vc;
  (* anyconst *) wire [2:0] magic; // the flit that is marked, from the first
  (* anyseq *) wire valid;
  (* anyseq *) wire [1:0] which;

  // What the sender made: each frame's flits follow those of its channel before.
  reg [2:0] start [FRAMES-1:0], total [1:0];
  integer i;
  always @* begin
    total[0] = 0;
    total[1] = 0;
    for (i = 0; i < FRAMES; i = i + 1) begin
      start[i] = total[vcs[i]];
      total[vcs[i]] = total[vcs[i]] + 1 + two[i];
    end
  end

  // A frame stays until it is taken.
  reg open = 0;
  reg [1:0] held;
  wire [1:0] frame = open ? held : which;
  wire seen = open || valid, taken;
  wire vc = vcs[frame];
  wire marked0 = vc == magic_vc && start[frame] == magic, marked1 = vc == magic_vc && start[frame] + 1 == magic;
  wire flit, flit_last, flit_vc;
  wire [63:0] data;
  wire [15:0] ack;
  ReceiveWindow window (
      .clk, .reset(1'b0), .io_clear(1'b0), .io_up(1'b1), .io_roundTrip(14'd100), .io_begins(1'b0), .io_control_ready(1'b1),
      .io_seen_valid(seen), .io_seen_ready(taken), .io_seen_payload_kind(4'd2), .io_seen_payload_vc(vc),
      .io_seen_payload_numbers_number(16'(number + frame)), .io_seen_payload_numbers_start(16'((vc ? flit1 : flit0) + start[frame])),
      .io_seen_payload_foot_limit_0(16'd0), .io_seen_payload_foot_limit_1(16'd0), .io_seen_payload_foot_ack(16'd0),
      .io_seen_payload_foot_count(8'(1 + two[frame])), .io_seen_payload_lasts({62'd0, marked1, marked0}),
      .io_body_valid(seen), .io_body_payload({63'd0, \window.take_position [0] ? marked1 : marked0}),
      .io_told_ack(ack), .io_link_flit_valid(flit), .io_link_flit_payload_data(data), .io_link_flit_payload_last(flit_last), .io_link_flit_payload_vc(flit_vc),
      .io_link_credit(2'd0));
  (* hierconn *) wire [15:0] \window.expected , \window.above , \window.visible_0 , \window.visible_1 , \window.given_0 , \window.given_1 ;
  (* hierconn *) wire [255:0] \window.come ;
  (* hierconn *) wire [6:0] \window.take_position ;
  (* hierconn *) wire [4:0] \window.give_credits_0 , \window.give_credits_1 ;
  (* hierconn *) wire \window.give_cuts_0 , \window.give_cuts_1 , \window.give_reading ;

  reg [FRAMES-1:0] come = 0;
  reg [2:0] given [1:0];
  initial {given[0], given[1]} = 0;
  wire [15:0] below = ack - number;
  always @(posedge clk) begin
    assume (!first || \window.expected == number && \window.above == number && \window.come == 0 && \window.take_position == 0
            && \window.visible_0 == flit0 && \window.given_0 == flit0 && \window.visible_1 == flit1 && \window.given_1 == flit1
            && !\window.give_cuts_0 && !\window.give_cuts_1 && !\window.give_reading && !flit && \window.give_credits_0 == 31 && \window.give_credits_1 == 31);
    assume (which < FRAMES);
    open <= seen && !taken;
    held <= frame;
    if (seen && taken)
      come[frame] <= 1;
    if (flit)
      given[flit_vc] <= given[flit_vc] + 1;
    in_order_once: assert (!flit || data == (flit_vc == magic_vc && given[flit_vc] == magic) && flit_last == data[0]);
    never_unsent: assert (!flit || given[flit_vc] < total[flit_vc]);
    all_below_came: assert (below <= FRAMES && (below < 1 || come[0]) && (below < 2 || come[1]) && (below < 3 || come[2]));
  end
endmodule
