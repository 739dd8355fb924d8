# Balls of the U50 (docs/reference/sources.md).
# The oscillator of 100 MHz (SI5394, OUT3).
set_property -dict {PACKAGE_PIN G17 IOSTANDARD LVDS} [get_ports {clk100_p}]
set_property -dict {PACKAGE_PIN G16 IOSTANDARD LVDS} [get_ports {clk100_n}]

# The slot. Of its lanes the first two; what a transceiver has takes no IO standard.
set_property PACKAGE_PIN AF9 [get_ports {pcie_clk_p}]
set_property PACKAGE_PIN AF8 [get_ports {pcie_clk_n}]
set_property PACKAGE_PIN AL2 [get_ports {pcie_rx_p[0]}]
set_property PACKAGE_PIN AL1 [get_ports {pcie_rx_n[0]}]
set_property PACKAGE_PIN Y5 [get_ports {pcie_tx_p[0]}]
set_property PACKAGE_PIN Y4 [get_ports {pcie_tx_n[0]}]
set_property PACKAGE_PIN AM4 [get_ports {pcie_rx_p[1]}]
set_property PACKAGE_PIN AM3 [get_ports {pcie_rx_n[1]}]
set_property PACKAGE_PIN AA7 [get_ports {pcie_tx_p[1]}]
set_property PACKAGE_PIN AA6 [get_ports {pcie_tx_n[1]}]
set_property -dict {PACKAGE_PIN AW27 IOSTANDARD LVCMOS18 PULLUP true} [get_ports {pcie_reset_n}]

# The QSFP28 cage.
set_property PACKAGE_PIN N36 [get_ports {qsfp_clk_p}]
set_property PACKAGE_PIN N37 [get_ports {qsfp_clk_n}]
set_property PACKAGE_PIN J45 [get_ports {qsfp_rx_p[0]}]
set_property PACKAGE_PIN J46 [get_ports {qsfp_rx_n[0]}]
set_property PACKAGE_PIN D42 [get_ports {qsfp_tx_p[0]}]
set_property PACKAGE_PIN D43 [get_ports {qsfp_tx_n[0]}]
set_property PACKAGE_PIN G45 [get_ports {qsfp_rx_p[1]}]
set_property PACKAGE_PIN G46 [get_ports {qsfp_rx_n[1]}]
set_property PACKAGE_PIN C40 [get_ports {qsfp_tx_p[1]}]
set_property PACKAGE_PIN C41 [get_ports {qsfp_tx_n[1]}]
set_property PACKAGE_PIN F43 [get_ports {qsfp_rx_p[2]}]
set_property PACKAGE_PIN F44 [get_ports {qsfp_rx_n[2]}]
set_property PACKAGE_PIN B42 [get_ports {qsfp_tx_p[2]}]
set_property PACKAGE_PIN B43 [get_ports {qsfp_tx_n[2]}]
set_property PACKAGE_PIN E45 [get_ports {qsfp_rx_p[3]}]
set_property PACKAGE_PIN E46 [get_ports {qsfp_rx_n[3]}]
set_property PACKAGE_PIN A40 [get_ports {qsfp_tx_p[3]}]
set_property PACKAGE_PIN A41 [get_ports {qsfp_tx_n[3]}]

# LEDs beside the cage, and the line to the board's controller.
set_property -dict {PACKAGE_PIN E18 IOSTANDARD LVCMOS18 SLEW SLOW DRIVE 8} [get_ports {led_beat}]
set_property -dict {PACKAGE_PIN E16 IOSTANDARD LVCMOS18 SLEW SLOW DRIVE 8} [get_ports {led_up}]
set_property -dict {PACKAGE_PIN F17 IOSTANDARD LVCMOS18 SLEW SLOW DRIVE 8} [get_ports {led_trapped}]
set_property -dict {PACKAGE_PIN J18 IOSTANDARD LVCMOS18} [get_ports {hbm_cattrip}]
