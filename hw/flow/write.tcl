# Worst slacks, ns, which tools/vivado.py reads; below 0 there is no bitstream.
set setup [get_property SLACK [get_timing_paths -setup -max_paths 1]]
set hold [get_property SLACK [get_timing_paths -hold -max_paths 1]]
set file [open slack.txt w]
puts $file "$setup $hold"
close $file
if {$setup >= 0 && $hold >= 0} {
  # A host without a driver reads both by JTAG; the driver reads the same number as BUILD_ID.
  set_property BITSTREAM.CONFIG.USERID $build_id [current_design]
  set_property BITSTREAM.CONFIG.USR_ACCESS $build_id [current_design]
  write_bitstream -force $name.bit
  # Behind the factory's image, which is not touched.
  write_cfgmem -force -format mcs -size $flash_bytes -interface SPIx4 -loadbit "up $image_at $name.bit" -file $name.mcs
}
