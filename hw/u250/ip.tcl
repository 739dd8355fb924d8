# IP of the U250, and where it is.
set pcie_ip pcie4_uscale_plus
set pcie_quad GTY_Quad_227
set mac_site CMACE4_X0Y8
set mac_lanes {X1Y44 X1Y45 X1Y46 X1Y47}
set mac_reference 156.25
source $hw/common/ip.tcl

# 128 bits of a site to 512 of the controller, with FIFOs between their clocks.
create_ip -name axi_dwidth_converter -vendor xilinx.com -library ip -module_name memory_width
set_property -dict [list \
  CONFIG.ADDR_WIDTH {32} \
  CONFIG.SI_DATA_WIDTH {128} \
  CONFIG.MI_DATA_WIDTH {512} \
  CONFIG.SI_ID_WIDTH {4} \
  CONFIG.FIFO_MODE {2} \
  CONFIG.ACLK_ASYNC {1} \
] [get_ips memory_width]

# DDR4-2400, a registered module of 16 GB with error correction.
create_ip -name ddr4 -vendor xilinx.com -library ip -module_name ddr4_block
set_property -dict [list \
  CONFIG.System_Clock {Differential} \
  CONFIG.C0.DDR4_AxiSelection {true} \
  CONFIG.C0.DDR4_AxiDataWidth {512} \
  CONFIG.C0.DDR4_AxiIDWidth {4} \
  CONFIG.C0.DDR4_TimePeriod {833} \
  CONFIG.C0.DDR4_InputClockPeriod {3332} \
  CONFIG.C0.DDR4_MemoryType {RDIMMs} \
  CONFIG.C0.DDR4_MemoryPart {MTA18ASF2G72PZ-2G3} \
  CONFIG.C0.DDR4_CasLatency {17} \
  CONFIG.C0.DDR4_CasWriteLatency {12} \
  CONFIG.C0.DDR4_Mem_Add_Map {ROW_COLUMN_BANK_INTLV} \
] [get_ips ddr4_block]
