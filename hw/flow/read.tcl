# The card's RTL, its top, what cards share; constraints, the board's first: those of all cards speak of its clocks.
create_project -in_memory -part $part
read_verilog -sv CardSite.sv
foreach file {card wire_mac reset_hold} { read_verilog $hw/common/$file.v }
read_verilog $hw/$top/$top.v
foreach folder "$top card" {
  foreach file [lsort [glob $constraints/$folder/*.xdc]] { read_xdc $file }
}
