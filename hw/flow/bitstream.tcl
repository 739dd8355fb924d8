# vivado -mode batch -source bitstream.tcl -tclargs SETTINGS: a card's bitstream and flash image, without a project. SETTINGS is a file that
# tools/vivado.py writes: hw, constraints, top, part, clock, memory, name, build_id, flash_bytes, image_at. All files go to the folder it runs in.
source [lindex $argv 0]
foreach step {read ip synth place route write} { source $hw/flow/$step.tcl }
