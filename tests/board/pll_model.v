// Stands for the PLL of an ECP5 in a simulation of a board's top: clk100 has the frequency that the PLL would make of it. (That it would, the
// check of the constraints computes.)
module EHXPLLL #(
  parameter CLKI_DIV = 1, CLKFB_DIV = 1, CLKOP_DIV = 8, CLKOP_CPHASE = 0, CLKOP_FPHASE = 0, CLKOP_ENABLE = "", FEEDBK_PATH = "", OUTDIVIDER_MUXA = "",
            PLLRST_ENA = "", INTFB_WAKE = "", STDBY_ENABLE = "", DPHASE_SOURCE = ""
) (
  input wire CLKI, CLKFB, RST, STDBY, ENCLKOP, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG, PLLWAKESYNC,
  output wire CLKOP, LOCK
);
  reg [4:0] cycles = 0;
  assign CLKOP = CLKI;
  assign LOCK = &cycles;
  always @(posedge CLKI) if (!LOCK) cycles <= cycles + 1;
endmodule
