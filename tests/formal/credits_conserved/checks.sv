// The sending end of a link against a receiver that gives back any flit's buffer at any later time, one a cycle and channel.
module checks (input clk);
  localparam BUFFER = 32;
  reg reset = 1;
  always @(posedge clk) reset <= 0;

  (* anyseq *) wire [1:0] offer, last, credit;
  wire [1:0] ready;
  wire flit, vc, flit_last;
  LinkTx dut (
      .clk, .reset,
      .io_packets_0_valid(offer[0]), .io_packets_0_ready(ready[0]), .io_packets_0_payload_last(last[0]), .io_packets_0_payload_fragment(64'd0),
      .io_packets_1_valid(offer[1]), .io_packets_1_ready(ready[1]), .io_packets_1_payload_last(last[1]), .io_packets_1_payload_fragment(64'd0),
      .io_link_flit_valid(flit), .io_link_flit_payload_vc(vc), .io_link_flit_payload_last(flit_last), .io_link_credit(credit));

  // Buffers the receiver holds, and those taken when the flit on the link has come.
  reg [6:0] held[0:1];
  initial held[0] = 0;
  initial held[1] = 0;
  wire [6:0] low = held[0] + (flit && !vc), high = held[1] + (flit && vc);
  reg may_low = 0, may_high = 0;
  always @(posedge clk) begin
    if (!reset) begin
      assume (!(credit[0] && held[0] == 0));
      assume (!(credit[1] && held[1] == 0));
      held[0] <= low - credit[0];
      held[1] <= high - credit[1];
      may_low <= offer[0] && low < BUFFER;
      may_high <= offer[1] && high < BUFFER;
      fits: assert (low <= BUFFER && high <= BUFFER);
      high_goes: assert (!may_high || flit && vc);
      low_goes: assert (!may_low || flit);
      cover (low == BUFFER);
      cover (low == BUFFER && flit && vc);
    end else begin
      assume (offer == 0 && credit == 0);
    end
  end
endmodule
