# What comes in at pins; what MMCM, PCI Express block, transceivers and memory make of it, Vivado derives. The memory controller's own
# constraints have ddr4_clk.
create_clock -name clk156 -period 6.400 [get_ports clk156_p]
create_clock -name pcie_clk -period 10.000 [get_ports pcie_clk_p]
create_clock -name qsfp_clk -period 6.400 [get_ports qsfp_clk_p]
