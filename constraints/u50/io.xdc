# Slow pins: no clock looks at them.
set_false_path -from [get_ports pcie_reset_n]
set_false_path -to [get_ports {led_up led_beat led_trapped}]
set_false_path -to [get_ports hbm_cattrip]
