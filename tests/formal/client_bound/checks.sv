// A bus that answers fairly: verdict within R cycles of the request, at most K retries in a row, beats within D of the verdict.
module checks (input clk);
  localparam R = 5, K = 2, D = 6, BACK_OFF = 4;
  localparam BOUND = K * (R + BACK_OFF + 1) + R + D + 1;
  localparam READ = 0, READ_EXCLUSIVE = 1, WRITE_BACK = 3, READ_PARTIAL = 4, WRITE_PARTIAL = 5;
  reg reset = 1;
  always @(posedge clk) reset <= 0;

  (* anyseq *) wire op_valid, request_ready, answer, retry, error, conflict, wake, read_valid, write_ready;
  (* anyseq *) wire [3:0] op;
  wire op_ready, idle, done, request, write, write_last, lone;
  wire [3:0] kind;
  reg [3:0] held = 0;
  wire partial = held == READ_PARTIAL || held == WRITE_PARTIAL;
  wire reads = held == READ || held == READ_EXCLUSIVE || held == READ_PARTIAL;
  wire writes = held == WRITE_BACK || held == WRITE_PARTIAL;
  reg [1:0] beats = 0;
  wire last = partial || beats == 3;
  BusClient dut (
      .clk, .reset, .io_op_valid(op_valid), .io_op_ready(op_ready), .io_op_payload_op(op), .io_op_payload_address(32'b0),
      .io_op_payload_mask(16'b0), .io_done_valid(done), .io_idle(idle), .io_abandon(1'b0), .io_spread(3'b0),
      .io_write_valid(1'b1), .io_write_payload(128'b0),
      .io_bus_0_request_valid(request), .io_bus_0_request_ready(request_ready), .io_bus_0_request_payload_op(kind),
      .io_bus_0_answer_valid(answer), .io_bus_0_answer_payload_retry(retry), .io_bus_0_answer_payload_error(error),
      .io_bus_0_answer_payload_conflict(conflict), .io_bus_0_answer_payload_shared(1'b0), .io_bus_0_wake(wake),
      .io_bus_0_read_valid(read_valid), .io_bus_0_read_payload_last(last), .io_bus_0_read_payload_fragment(128'b0),
      .io_bus_0_write_valid(write), .io_bus_0_write_ready(write_ready), .io_bus_0_write_payload_last(write_last));

  reg asked = 0, moving = 0, told = 0;
  reg [3:0] since = 0, moved = 0;
  reg [1:0] tries = 0;
  reg [5:0] age = 0;
  wire moves = read_valid || write && write_ready;
  wire good = answer && !retry;
  always @(posedge clk) if (!reset) begin
    // The bus
    assume (op <= 8);
    assume (!answer || asked);
    assume (answer || !(request || asked) || since < R);
    assume (!(answer && retry) || tries < K);
    assume (!read_valid || moving && reads);
    assume (!write_ready || moving && writes);
    assume (!moving || moved < D - 1 || moves && last);
    if (request && request_ready) held <= kind;
    asked <= request && request_ready || asked && !answer;
    since <= (request || asked) && !answer ? since + 1 : 0;
    if (op_valid && op_ready) tries <= 0; else if (answer && retry) tries <= tries + 1;
    moving <= good && !error && (reads || writes) || moving && !(moves && last);
    moved <= moving ? moved + 1 : 0;
    if (moves) beats <= last ? 0 : beats + 1;
    // The client
    age <= op_valid && op_ready ? 1 : idle ? 0 : age + 1;
    told <= op_valid && op_ready ? 0 : told || done;
    over: assert (idle || age < BOUND);
    once: assert (!(done && told));
    if (idle && age != 0) verdict: assert (done || told);
    if (write && write_ready) whole: assert (write_last == last);
    cover (age == BOUND && idle);
    cover (good && error && writes);
  end
endmodule
