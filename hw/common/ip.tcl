# IP of all cards: PCI Express block and MAC. A board says where they are: pcie_ip, pcie_quad, mac_site, mac_lanes, mac_reference.

# The bridge speaks 64 bits a cycle at 250 MHz: gen3, two lanes. BARs, interrupts and ids as docs/design/pcie.md and the driver have them;
# the table of interrupts is in BAR0, and the card writes them itself (MSI-X external).
create_ip -name $pcie_ip -vendor xilinx.com -library ip -module_name pcie_block
set_property -dict [list \
  CONFIG.mode_selection {Advanced} \
  CONFIG.PL_LINK_CAP_MAX_LINK_SPEED {8.0_GT/s} \
  CONFIG.PL_LINK_CAP_MAX_LINK_WIDTH {X2} \
  CONFIG.en_gt_selection {true} \
  CONFIG.select_quad $pcie_quad \
  CONFIG.axisten_if_width {64_bit} \
  CONFIG.axisten_freq {250} \
  CONFIG.vendor_id {10EE} \
  CONFIG.PF0_DEVICE_ID {7453} \
  CONFIG.PF0_SUBSYSTEM_VENDOR_ID {10EE} \
  CONFIG.PF0_SUBSYSTEM_ID {7453} \
  CONFIG.PF0_Use_Class_Code_Lookup_Assistant {false} \
  CONFIG.PF0_CLASS_CODE {FF0000} \
  CONFIG.pf0_bar0_enabled {true} \
  CONFIG.pf0_bar0_64bit {false} \
  CONFIG.pf0_bar0_prefetchable {false} \
  CONFIG.pf0_bar0_scale {Kilobytes} \
  CONFIG.pf0_bar0_size {8} \
  CONFIG.pf0_bar2_enabled {true} \
  CONFIG.pf0_bar2_64bit {false} \
  CONFIG.pf0_bar2_prefetchable {false} \
  CONFIG.pf0_bar2_scale {Megabytes} \
  CONFIG.pf0_bar2_size {8} \
  CONFIG.pf0_bar4_enabled {true} \
  CONFIG.pf0_bar4_64bit {true} \
  CONFIG.pf0_bar4_prefetchable {true} \
  CONFIG.pf0_bar4_scale {Megabytes} \
  CONFIG.pf0_bar4_size $memory \
  CONFIG.pf0_msi_enabled {false} \
  CONFIG.pf0_msix_enabled {true} \
  CONFIG.MSI_X_OPTIONS {MSI-X_External} \
  CONFIG.PF0_MSIX_CAP_TABLE_SIZE {007} \
  CONFIG.PF0_MSIX_CAP_TABLE_BIR {BAR_0} \
  CONFIG.PF0_MSIX_CAP_TABLE_OFFSET {00001000} \
  CONFIG.PF0_MSIX_CAP_PBA_BIR {BAR_0} \
  CONFIG.PF0_MSIX_CAP_PBA_OFFSET {00001800} \
] [get_ips pcie_block]

# Frames have 64 bytes and their check sequence at least, 556 at most (docs/design/wire.md); the MAC adds and checks the sequence.
create_ip -name cmac_usplus -vendor xilinx.com -library ip -module_name mac_block
set_property -dict [list \
  CONFIG.CMAC_CAUI4_MODE {1} \
  CONFIG.NUM_LANES {4x25} \
  CONFIG.USER_INTERFACE {AXIS} \
  CONFIG.ENABLE_AXI_INTERFACE {0} \
  CONFIG.GT_REF_CLK_FREQ $mac_reference \
  CONFIG.GT_DRP_CLK {100.00} \
  CONFIG.CMAC_CORE_SELECT $mac_site \
  CONFIG.GT_GROUP_SELECT [lindex $mac_lanes 0]~[lindex $mac_lanes 3] \
  CONFIG.LANE1_GT_LOC [lindex $mac_lanes 0] \
  CONFIG.LANE2_GT_LOC [lindex $mac_lanes 1] \
  CONFIG.LANE3_GT_LOC [lindex $mac_lanes 2] \
  CONFIG.LANE4_GT_LOC [lindex $mac_lanes 3] \
  CONFIG.INCLUDE_RS_FEC {1} \
  CONFIG.ENABLE_PIPELINE_REG {1} \
  CONFIG.TX_FLOW_CONTROL {0} \
  CONFIG.RX_FLOW_CONTROL {0} \
  CONFIG.RX_MIN_PACKET_LEN {64} \
  CONFIG.RX_MAX_PACKET_LEN {1518} \
] [get_ips mac_block]
