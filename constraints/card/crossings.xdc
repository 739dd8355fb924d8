# Crossings of a card (hw/common/card.v). A path has the shorter of the two periods, from a register to the first of a synchroniser or through the
# RAM of a FIFO, so that no bit of a pointer is later than the pointer after it; what only asserts a reset has no time. tools/crossings.py finds
# all there are; the check wants an exception for each and no other. Where Vivado makes a block RAM of a FIFO, its ports have a clock each, and Vivado
# warns that there is no ram_spinal_port1_reg.
set block card/site/card_site/pcieClocked_1
set wire card/site/card_site/cardWire_1/crossing
set clk [get_clocks -of_objects [get_nets clk]]
set user_clk [get_clocks -of_objects [get_nets card/user_clk]]
set mac_clk [get_clocks -of_objects [get_nets card/mac_clk]]

# PCI Express block (4 ns) to site.
set_max_delay -datapath_only 4.0 -from $user_clk -to [get_cells $block/io_pcie_cq_queue/pushToPopGray_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 4.0 -from $user_clk -to [get_cells $block/io_pcie_cq_queue/ram_spinal_port1_reg*]
set_max_delay -datapath_only 4.0 -from $user_clk -to [get_cells $block/place_queue/popToPushGray_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 4.0 -from $user_clk -to [get_cells $block/bridge_io_pcie_cc_queue/popToPushGray_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 4.0 -from $user_clk -to [get_cells $block/bridge_io_interrupt_queue/popToPushGray_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 4.0 -from $user_clk -to [get_cells $block/gated_enabled_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 4.0 -from $user_clk -to [get_cells card/site/io_userReset_buffercc/buffers_0_reg*]
set_false_path -to [get_pins $block/io_pcie_cq_queue/*_asyncAssertSyncDeassert_buffercc/buffers_*_reg*/PRE]

# Site to PCI Express block.
set_max_delay -datapath_only 4.0 -from $clk -to [get_cells $block/io_pcie_cq_queue/popToPushGray_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 4.0 -from $clk -to [get_cells $block/place_queue/pushToPopGray_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 4.0 -from $clk -to [get_cells $block/place_queue/ram_spinal_port1_reg*]
set_max_delay -datapath_only 4.0 -from $clk -to [get_cells $block/bridge_io_pcie_cc_queue/pushToPopGray_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 4.0 -from $clk -to [get_cells $block/bridge_io_pcie_cc_queue/ram_spinal_port1_reg*]
set_max_delay -datapath_only 4.0 -from $clk -to [get_cells $block/bridge_io_interrupt_queue/pushToPopGray_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 4.0 -from $clk -to [get_cells $block/bridge_io_interrupt_queue/ram_spinal_port1_reg*]
set_false_path -to [get_pins $block/place_queue/*_asyncAssertSyncDeassert_buffercc/buffers_*_reg*/PRE]

# MAC (3.103 ns) to site.
set_max_delay -datapath_only 3.1 -from $mac_clk -to [get_cells $wire/coming/pushToPopGray_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 3.1 -from $mac_clk -to [get_cells $wire/coming/ram_spinal_port1_reg*]
set_max_delay -datapath_only 3.1 -from $mac_clk -to [get_cells $wire/leaving/popToPushGray_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 3.1 -from $mac_clk -to [get_cells $wire/taking_told_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 3.1 -from $mac_clk -to [get_cells $wire/io_txReset_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 3.1 -from $mac_clk -to [get_cells $wire/io_rxReset_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 3.1 -from $mac_clk -to [get_cells $wire/away_closedThere_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 3.1 -from $mac_clk -to [get_cells $wire/back_closedThere_buffercc/buffers_0_reg*]

# Site to MAC.
set_max_delay -datapath_only 3.1 -from $clk -to [get_cells $wire/coming/popToPushGray_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 3.1 -from $clk -to [get_cells $wire/leaving/pushToPopGray_buffercc/buffers_0_reg*]
set_max_delay -datapath_only 3.1 -from $clk -to [get_cells $wire/leaving/ram_spinal_port1_reg*]
set_max_delay -datapath_only 3.1 -from $clk -to [get_cells $wire/away_closedHere_buffercc*/buffers_0_reg*]
set_max_delay -datapath_only 3.1 -from $clk -to [get_cells $wire/back_closedHere_buffercc*/buffers_0_reg*]

# Resets that wait for a clock or a memory.
set_false_path -to [get_pins hold/seen_reg*/CLR]
set_false_path -to [get_pins card/mac/hold/seen_reg*/CLR]
