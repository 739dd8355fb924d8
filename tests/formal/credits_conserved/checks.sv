// Both ends of a link. Sites offer and take as they like; every buffer of a channel is in one of four places.
module checks (input clk);
  localparam BUFFER = 32;
  reg reset = 1;
  always @(posedge clk) reset <= 0;

  (* anyseq *) wire [1:0] offer, last, take, own;
  wire [1:0] credit, there;
  wire flit, vc, flit_last;
  LinkTx tx (
      .clk, .reset,
      .io_packets_0_valid(offer[0]), .io_packets_0_payload_last(last[0]), .io_packets_0_payload_fragment(64'd0),
      .io_packets_1_valid(offer[1]), .io_packets_1_payload_last(last[1]), .io_packets_1_payload_fragment(64'd0),
      .io_link_flit_valid(flit), .io_link_flit_payload_vc(vc), .io_link_flit_payload_last(flit_last), .io_link_credit(credit));
  LinkRx rx (
      .clk, .reset,
      .io_link_flit_valid(flit), .io_link_flit_payload_vc(vc), .io_link_flit_payload_last(flit_last), .io_link_flit_payload_data(64'd0),
      .io_link_credit(credit), .io_loop_0_valid(own[0]), .io_loop_1_valid(own[1]),
      .io_packets_0_valid(there[0]), .io_packets_0_ready(take[0]), .io_packets_1_valid(there[1]), .io_packets_1_ready(take[1]));

  (* hierconn *) wire [5:0] \tx.credits_0_count , \tx.credits_1_count ;
  (* hierconn *) wire [5:0] \rx.buffer_1.writePointer , \rx.buffer_1.readPointer , \rx.buffer_1.writePointer_1 , \rx.buffer_1.readPointer_1 ;
  (* hierconn *) wire \tx.sends_0 , \tx.sends_1 , \tx.staged_0_valid , \tx.staged_1_valid ;
  wire [5:0] held0 = \rx.buffer_1.writePointer - \rx.buffer_1.readPointer ;
  wire [5:0] held1 = \rx.buffer_1.writePointer_1 - \rx.buffer_1.readPointer_1 ;
  always @(posedge clk)
    if (!reset) begin
      low: assert (\tx.credits_0_count + held0 + (flit && !vc) + credit[0] == BUFFER);
      high: assert (\tx.credits_1_count + held1 + (flit && vc) + credit[1] == BUFFER);
      fits: assert (!flit || (vc ? held1 : held0) < BUFFER);
      high_first: assert (!\tx.staged_1_valid || \tx.credits_1_count == 0 || \tx.sends_1 );
      no_waste: assert (!\tx.staged_0_valid || \tx.credits_0_count == 0 || \tx.sends_0 || \tx.sends_1 );
      cover (held0 == 2 && \tx.sends_1 );
      cover (credit == 3 && flit);
    end
endmodule
