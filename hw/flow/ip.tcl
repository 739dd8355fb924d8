# The vendor's IP: made anew, since it belongs to the version of Vivado.
source $hw/$top/ip.tcl
generate_target all [get_ips]
synth_ip [get_ips]
