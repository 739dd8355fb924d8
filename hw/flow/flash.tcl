# vivado -mode batch -source flash.tcl -tclargs SETTINGS: the image into the card's flash, or with `ram` the bitstream into the device. SETTINGS is a
# file that tools/flash.py writes: chip, cfgmem, bit, mcs, ram.
source [lindex $argv 0]
open_hw_manager
connect_hw_server
open_hw_target
set found [get_hw_devices]
if {[llength $found] != 1} { error "flash: [llength $found] devices on the cable ($found), legal is one: leave only the board's own cable" }
current_hw_device $found
set part [get_property PART $found]
if {![string match ${chip}* $part]} { error "flash: the device on the cable is $part, $bit is for $chip" }
if {$ram} {
  set_property PROGRAM.FILE $bit $found
  program_hw_devices $found
} else {
  set memory [create_hw_cfgmem -hw_device $found [lindex [get_cfgmem_parts $cfgmem] 0]]
  set_property PROGRAM.FILES $mcs $memory
  # Only the addresses of the file: what lies below is the factory's image, from which the card starts when ours is damaged.
  set_property PROGRAM.ADDRESS_RANGE use_file $memory
  set_property PROGRAM.ERASE 1 $memory
  set_property PROGRAM.BLANK_CHECK 0 $memory
  set_property PROGRAM.CFG_PROGRAM 1 $memory
  set_property PROGRAM.VERIFY 1 $memory
  set_property PROGRAM.UNUSED_PIN_TERMINATION pull-none $memory
  create_hw_bitstream -hw_device $found [get_property PROGRAM.HW_CFGMEM_BITFILE $found]
  program_hw_devices $found
  program_hw_cfgmem -hw_cfgmem $memory
  boot_hw_device $found
}
close_hw_manager
