// Master 0 is a data cache. Masters ask for either of two lines; `who` is any master, elder when the environment says so.
module checks (input clk);
  localparam M = 3, WRITE_BACK = 3;
  reg reset = 1;
  always @(posedge clk) reset <= 0;

  (* anyseq *) wire [M-1:0] valid, ended;
  (* anyseq *) wire [M-1:0] wanted;
  (* anyseq *) wire [3:0] op0, op1, op2;
  (* anyseq *) wire reserves, judged;
  (* anyseq *) wire judged_line;
  (* anyconst *) wire [1:0] who;
  wire [M-1:0] elder = reserves ? 3'b001 << who : 0;
  wire [M-1:0] ready;
  wire issue, conflict;
  wire [3:0] master, op;
  wire [31:0] line;
  BusArbiter dut (
      .clk, .reset,
      .io_requests_0_valid(valid[0]), .io_requests_0_ready(ready[0]), .io_requests_0_payload_address({wanted[0], 6'b0}),
      .io_requests_1_valid(valid[1]), .io_requests_1_ready(ready[1]), .io_requests_1_payload_address({wanted[1], 6'b0}),
      .io_requests_2_valid(valid[2]), .io_requests_2_ready(ready[2]), .io_requests_2_payload_address({wanted[2], 6'b0}),
      .io_requests_0_payload_op(op0), .io_requests_1_payload_op(op1), .io_requests_2_payload_op(op2),
      .io_requests_0_payload_mask(16'b0), .io_requests_1_payload_mask(16'b0), .io_requests_2_payload_mask(16'b0),
      .io_requests_0_payload_bypass(1'b0), .io_requests_1_payload_bypass(1'b0), .io_requests_2_payload_bypass(1'b0),
      .io_issue_valid(issue), .io_issue_payload_conflict(conflict), .io_issue_payload_request_op(op),
      .io_issue_payload_request_master(master), .io_issue_payload_request_address(line),
      .io_judged_valid(judged), .io_judged_payload({25'b0, judged_line}), .io_ended(ended), .io_elder(elder));

  // What was so in the cycle in which the op on `issue` was chosen: the elder, its line, whether any op was in flight.
  reg [M-1:0] asked = 0, live = 0;
  reg here = 0, knows = 0, was_elder = 0, was_here = 0, was_calm = 0;
  wire [M-1:0] issued = issue ? 3'b001 << master : 3'b000;
  wire [M-1:0] alive = live | (conflict ? 3'b000 : issued);
  wire fire = valid[who] && ready[who];
  reg [M-1:0] settled = 0;

  // The elder's own request: whether from its fire on its line was free, and no verdict on it passed.
  reg [M-1:0] on_one = 0;
  reg was_quiet = 0, was_judged = 0;
  wire [M-1:0] on_one_now = issued & {M{line[6]}} | on_one & ~issued;
  wire mine = fire ? wanted[who] : here;
  wire [M-1:0] on_mine = (alive | settled) & (on_one_now ~^ {M{mine}}) & ~(3'b001 << who);
  wire quiet = on_mine == 0 && !(judged && judged_line == mine) && !was_judged;
  always @(posedge clk) begin
    assume (who < M);
    if (!reset) begin
      asked <= (asked | valid & ready) & ~issued;
      live <= alive & ~ended;
      settled <= ended;
      on_one <= on_one_now;
      was_judged <= judged && judged_line == mine;
      was_quiet <= (fire || was_quiet) && quiet;
      assume ((ended & ~alive & ~(conflict ? issued : 0)) == 0);
      if (fire) here <= wanted[who];
      if (fire) knows <= 1;
      was_elder <= reserves && knows;
      was_here <= here;
      was_calm <= alive == 0 && settled == 0 && !issue;
      if (was_elder && issue && master != who && line[6] == was_here) begin
        barred: assert (conflict || master == 0 && op == WRITE_BACK);
        if (was_calm && master == 0 && op == WRITE_BACK) passes: assert (!conflict);
        cover (!conflict);
        cover (conflict && was_calm);
      end
      if (was_elder && was_quiet && issue && master == who) begin
        let_on: assert (!conflict);
        cover (alive & ~issued);
      end
    end
  end
endmodule
