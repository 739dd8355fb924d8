// A packet builder with any jobs, rows, bodies and back-pressure. The row of a job is on `row` in the cycle after it, and no longer.
module checks (input clk);
  reg reset = 1;
  always @(posedge clk) reset <= 0;

  (* anyseq *) wire job, ready, body;
  (* anyseq *) wire [4:0] words;
  (* anyseq *) wire [31:0] word;
  (* anyseq *) wire [5:0] site;
  (* anyseq *) wire [8:0] rxq, source;
  (* anyseq *) wire named;
  wire taken, drawn, draws, valid, last, fault;
  wire [63:0] flit;
  PacketBuilder dut (
      .clk, .reset, .io_siteId(6'd5),
      .io_job_valid(job), .io_job_ready(taken), .io_job_payload_queue(4'd3), .io_job_payload_dest(9'd7), .io_job_payload_tag(5'd1),
      .io_job_payload_high(1'b0), .io_job_payload_word(word), .io_job_payload_kind(3'd0), .io_job_payload_body(words),
      .io_job_payload_lines(2'd0), .io_job_payload_length(7'd0),
      .io_row_site(site), .io_row_rxq(rxq), .io_row_source(source), .io_row_valid(named),
      .io_body_valid(body), .io_body_ready(drawn), .io_body_payload(64'd0), .io_draws(draws),
      .io_output_valid(valid), .io_output_ready(ready), .io_output_payload_last(last), .io_output_payload_fragment(flit),
      .io_fault_valid(fault));

  // Books: the job at hand, its row once it is known, how much of it has left or was drained.
  reg busy = 0, fresh = 0, headed = 0, told = 0, holds = 0;
  reg [4:0] left = 0;
  reg [23:0] names;
  wire start = job && taken;
  wire [23:0] given = fresh ? {site, rxq, source} : names;
  wire good = fresh ? named : holds;
  wire moves = valid && ready;
  always @(posedge clk) begin
    if (!reset) begin
      fresh <= start;
      if (fresh) begin
        names <= {site, rxq, source};
        holds <= named;
      end
      if (body && drawn) left <= left - 1;
      if (moves) headed <= !last;
      if (moves && last || fault) busy <= 0;
      if (fault) told <= 1;
      if (start) begin
        busy <= 1;
        told <= 0;
        left <= words;
      end

      named_only: assert (!valid || good);
      its_row: assert (!valid || headed || {flit[5:0], flit[24:16], flit[33:25]} == given);
      a_job: assert (!valid || busy);
      whole: assert (!(moves && last) || left == 0);
      no_more: assert (!(body && drawn) || left != 0);
      told_once: assert (!fault || !told && !holds);
      cover (moves && last && words == 0);
      cover (fault);
    end else begin
      assume (!job);
    end
  end
endmodule
