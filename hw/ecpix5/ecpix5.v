// The top of an ECPIX-5: clock, reset and pins. All else is turnstile.board.BoardSite; what the LEDs say: docs/user/board.md.
module ecpix5 (
  input  wire       clk100,
  output wire       uart_tx,
  // Lit by 0.
  output wire [3:0] led_r,
  output wire [3:0] led_g,
  output wire [3:0] led_b
);
  wire clk, locked;

  // 100 MHz / 5 * 2 = 40 MHz; the oscillator inside runs at 40 * 15 = 600 MHz, legal 400 to 800.
  (* ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1", MFG_GMCREF_SEL = "2" *)
  EHXPLLL #(
    .CLKI_DIV(5), .CLKFB_DIV(2), .CLKOP_DIV(15), .CLKOP_CPHASE(7), .CLKOP_FPHASE(0), .CLKOP_ENABLE("ENABLED"), .FEEDBK_PATH("CLKOP"),
    .OUTDIVIDER_MUXA("DIVA"), .PLLRST_ENA("DISABLED"), .INTFB_WAKE("DISABLED"), .STDBY_ENABLE("DISABLED"), .DPHASE_SOURCE("DISABLED")
  ) pll (
    .CLKI(clk100), .CLKFB(clk), .CLKOP(clk), .LOCK(locked), .RST(1'b0), .STDBY(1'b0), .ENCLKOP(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0),
    .PHASEDIR(1'b0), .PHASESTEP(1'b0), .PHASELOADREG(1'b0), .PLLWAKESYNC(1'b0)
  );

  // Held until the clock is good, and 15 cycles of it more.
  reg [3:0] cycles = 4'd0;
  reg       reset  = 1'b1;
  always @(posedge clk or negedge locked)
    if (!locked) cycles <= 4'd0;
    else if (cycles != 4'd15) cycles <= cycles + 4'd1;
  always @(posedge clk) reset <= cycles != 4'd15;

  // Before the reset has reached them, registers hold 0, which on the line would be a character.
  wire line;
  assign uart_tx = line || reset;

  wire beat, ended, failed, trapped, lost, stray;
  BoardSite board (
    .clk(clk), .reset(reset), .io_uart(line), .io_status_beat(beat), .io_status_ended(ended), .io_status_failed(failed),
    .io_status_trapped(trapped), .io_status_lost(lost), .io_status_stray(stray)
  );

  assign led_r = ~{stray, lost, trapped, failed};
  assign led_g = ~{2'b00, ended && !failed, beat};
  assign led_b = 4'b1111;
endmodule
