// Three masters that ask for either of two lines; ops end when the environment says so.
module checks (input clk);
  localparam M = 3;
  reg reset = 1;
  always @(posedge clk) reset <= 0;

  (* anyseq *) wire [M-1:0] valid, ended, elder;
  (* anyseq *) wire [M-1:0] wanted;
  (* anyseq *) wire judged;
  (* anyseq *) wire verdict;
  wire [M-1:0] ready;
  wire issue, conflict;
  wire [3:0] master;
  wire [31:0] line;
  BusArbiter dut (
      .clk, .reset,
      .io_requests_0_valid(valid[0]), .io_requests_0_ready(ready[0]), .io_requests_0_payload_address({wanted[0], 6'b0}),
      .io_requests_1_valid(valid[1]), .io_requests_1_ready(ready[1]), .io_requests_1_payload_address({wanted[1], 6'b0}),
      .io_requests_2_valid(valid[2]), .io_requests_2_ready(ready[2]), .io_requests_2_payload_address({wanted[2], 6'b0}),
      .io_requests_0_payload_op(4'b0), .io_requests_1_payload_op(4'b0), .io_requests_2_payload_op(4'b0),
      .io_requests_0_payload_mask(16'b0), .io_requests_1_payload_mask(16'b0), .io_requests_2_payload_mask(16'b0),
      .io_requests_0_payload_bypass(1'b0), .io_requests_1_payload_bypass(1'b0), .io_requests_2_payload_bypass(1'b0),
      .io_issue_valid(issue), .io_issue_payload_conflict(conflict),
      .io_issue_payload_request_master(master), .io_issue_payload_request_address(line),
      .io_judged_valid(judged), .io_judged_payload({25'b0, verdict}), .io_ended(ended), .io_elder(elder));

  // Books of our own: an op is in flight from its broadcast to its end. `who` is any master.
  (* anyconst *) wire [1:0] who;
  reg [M-1:0] asked = 0, live = 0, here = 0;
  reg [1:0] waits = 0;
  wire [M-1:0] issued = issue ? 3'b001 << master : 3'b000;
  wire [M-1:0] alive = live | (conflict ? 3'b000 : issued);
  wire [M-1:0] on_line = issued & {M{line[6]}} | here & ~issued;
  wire [M-1:0] both = alive & on_line;
  always @(posedge clk) begin
    assume (who < M);
    if (!reset) begin
      asked <= (asked | valid & ready) & ~issued;
      live <= alive & ~ended;
      here <= on_line;
      waits <= asked[who] && !issued[who] ? waits + 1 : 0;
      assume ((ended & ~alive & ~(conflict ? issued : 0)) == 0);  // only what is on the bus ends
      if (asked[who]) in_time: assert (issued[who] || waits + 1 < M);
      if (issue) asked_for: assert ((asked & issued) != 0);
      alone: assert ((both & (both - 1)) == 0);
      cover (both == 3'b100 && issue && conflict && line[6]);
      cover (alive == 3'b101);
    end
  end
endmodule
