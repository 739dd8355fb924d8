# What comes in at pins; what MMCM, PCI Express block, transceivers and memory make of it, Vivado derives.
create_clock -name clk100 -period 10.000 [get_ports clk100_p]
create_clock -name pcie_clk -period 10.000 [get_ports pcie_clk_p]
create_clock -name qsfp_clk -period 6.206 [get_ports qsfp_clk_p]
