# IP of the U50, and where it is.
set pcie_ip pcie4c_uscale_plus
set pcie_quad GTY_Quad_227
set mac_site CMACE4_X0Y4
set mac_lanes {X0Y28 X0Y29 X0Y30 X0Y31}
set mac_reference 161.1328125
source $hw/common/ip.tcl

# 128 bits of a site to 256 of the HBM, both at the site's clock.
create_ip -name axi_dwidth_converter -vendor xilinx.com -library ip -module_name memory_width
set_property -dict [list \
  CONFIG.ADDR_WIDTH {32} \
  CONFIG.SI_DATA_WIDTH {128} \
  CONFIG.MI_DATA_WIDTH {256} \
  CONFIG.SI_ID_WIDTH {4} \
  CONFIG.ACLK_ASYNC {0} \
] [get_ips memory_width]

# One port and one controller of one stack, without the switch between them: the port's pseudo channel has 256 MB. Bytes are written alone,
# which its error correction would not allow.
create_ip -name hbm -vendor xilinx.com -library ip -module_name hbm_block
set off {}
for {set i 1} {$i < 16} {incr i} { lappend off CONFIG.USER_SAXI_[format %02d $i] {false} }
for {set i 1} {$i < 8} {incr i} { lappend off CONFIG.USER_MC_ENABLE_[format %02d $i] {FALSE} }
set_property -dict [list \
  CONFIG.USER_HBM_DENSITY {4GB} \
  CONFIG.USER_HBM_STACK {1} \
  CONFIG.USER_APB_EN {false} \
  CONFIG.USER_SWITCH_ENABLE_00 {FALSE} \
  CONFIG.USER_HBM_REF_CLK_0 {100} \
  CONFIG.USER_AXI_INPUT_CLK_FREQ $clock \
  CONFIG.USER_CLK_SEL_LIST0 {AXI_00_ACLK} \
  CONFIG.USER_MC0_ECC_BYPASS {true} \
  CONFIG.USER_MC0_EN_DATA_MASK {true} \
  {*}$off \
] [get_ips hbm_block]
