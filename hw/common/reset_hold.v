// A reset for `clk`: high from when `ready` falls, whatever the clock does, until `ready` has been high for 17 cycles.
module reset_hold (
  input  wire clk,
  input  wire ready,
  output reg  reset = 1'b1
);
  (* ASYNC_REG = "TRUE" *) reg [1:0] seen = 2'b00;
  reg [3:0] cycles = 4'd0;

  always @(posedge clk or negedge ready)
    if (!ready) seen <= 2'b00;
    else seen <= {seen[0], 1'b1};
  always @(posedge clk)
    if (!seen[1]) cycles <= 4'd0;
    else if (cycles != 4'd15) cycles <= cycles + 4'd1;
  always @(posedge clk) reset <= cycles != 4'd15;
endmodule
