// Ports of the device's primitives that tops of cards use, for Verilator, which has no library of them.
module IBUFDS (input I, input IB, output O);
endmodule
module IBUF (input I, output O);
endmodule
module BUFG (input I, output O);
endmodule
module IBUFDS_GTE4 (input I, input IB, input CEB, output O, output ODIV2);
endmodule
module MMCME4_BASE #(
  parameter real CLKIN1_PERIOD = 0, parameter integer DIVCLK_DIVIDE = 1, parameter real CLKFBOUT_MULT_F = 5, parameter real CLKOUT0_DIVIDE_F = 1
) (input CLKIN1, input CLKFBIN, output CLKFBOUT, output CLKOUT0, output LOCKED, input PWRDWN, input RST);
endmodule
