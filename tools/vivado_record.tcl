# tclsh vivado_record.tcl ANSWERS SCRIPT ARGUMENTS: runs a script for Vivado where none is. Each command of Vivado is written to stdout as
# it was called, fields apart by US, commands by RS: file of the constraint or "", name, arguments; objects as @KIND(what was asked for).
# What a command may take is in `grammar`; anything else is an error, as is a file that is not there. ANSWERS: property and value in turn,
# what get_property says.

# Command: {options without a value} {options with one} least and most of the other arguments.
namespace eval record {}
set record::grammar {
  create_project {-in_memory -force} {-part} 0 2
  read_verilog {-sv} {} 1 1
  read_xdc {} {} 1 1
  create_ip {} {-name -vendor -library -module_name} 0 0
  get_ips {} {} 0 1
  generate_target {} {} 2 2
  synth_ip {} {} 1 1
  synth_design {} {-top -part -flatten_hierarchy} 0 0
  opt_design {} {} 0 0
  place_design {} {-directive} 0 0
  phys_opt_design {} {} 0 0
  route_design {} {-directive} 0 0
  write_checkpoint {-force} {} 1 1
  report_timing_summary {} {-file} 0 0
  report_utilization {-hierarchical} {-file} 0 0
  report_cdc {-details} {-file} 0 0
  report_methodology {} {-file} 0 0
  report_drc {} {-file} 0 0
  get_timing_paths {-setup -hold} {-max_paths} 0 0
  get_property {} {} 2 2
  set_property {} {-dict} 1 3
  current_design {} {} 0 0
  write_bitstream {-force} {} 1 1
  write_cfgmem {-force} {-format -size -interface -loadbit -file} 0 0
  get_ports {} {} 1 1
  get_nets {} {} 1 1
  get_cells {} {} 1 1
  get_pins {} {} 1 1
  get_pblocks {} {} 1 1
  get_clocks {} {-of_objects} 0 1
  create_clock {} {-name -period} 1 1
  set_max_delay {-datapath_only} {-from -to} 1 1
  set_false_path {} {-from -to} 0 0
  create_pblock {} {} 1 1
  add_cells_to_pblock {} {} 2 2
  resize_pblock {} {-add} 1 1
  open_hw_manager {} {} 0 0
  connect_hw_server {} {} 0 0
  open_hw_target {} {} 0 0
  get_hw_devices {} {} 0 0
  current_hw_device {} {} 0 1
  get_cfgmem_parts {} {} 1 1
  create_hw_cfgmem {} {-hw_device} 1 1
  create_hw_bitstream {} {-hw_device} 1 1
  program_hw_devices {} {} 1 1
  program_hw_cfgmem {} {-hw_cfgmem} 0 0
  boot_hw_device {} {} 1 1
  close_hw_manager {} {} 0 0
}
# What may stand in a file of constraints, beside set and list.
set record::constraints {set_property current_design get_ports get_nets get_cells get_pins get_pblocks get_clocks create_clock set_max_delay set_false_path
  create_pblock add_cells_to_pblock resize_pblock}
set record::reading ""

proc record::vivado {name flags valued least most args} {
  variable reading
  variable answers
  set rest {}
  for {set i 0} {$i < [llength $args]} {incr i} {
    set word [lindex $args $i]
    if {$word in $valued} {
      if {[incr i] == [llength $args]} { error "$name $word has no value" }
    } elseif {[string match {-[a-zA-Z]*} $word]} {
      if {$word ni $flags} { error "$name has no option $word; legal: [concat $flags $valued]" }
    } else { lappend rest $word }
  }
  if {[llength $rest] < $least || [llength $rest] > $most} { error "$name has [llength $rest] arguments ($rest), legal $least to $most" }
  if {![string match get_* $name]} { puts -nonewline [join [list $reading $name {*}$args] "\x1f"]\x1e }
  switch -glob $name {
    read_verilog { if {![file readable $rest]} { error "read_verilog: there is no file $rest" } }
    read_xdc { constrain $rest }
    get_property { return [dict get $answers [lindex $rest 0]] }
    get_hw_devices { return [dict get $answers DEVICES] }
    get_* - current_* - create_hw_cfgmem { return "@[regsub {^(get|current|create)_} $name {}]([lindex [concat $args {{}}] end-[expr {[llength $args] > 0}]])" }
  }
}

# A file of constraints has no commands of Tcl's own but set and list (Vivado refuses them).
proc record::constrain file {
  variable grammar
  variable constraints
  variable reading
  if {![file readable $file]} { error "read_xdc: there is no file $file" }
  set reading $file
  set inside [interp create -safe]
  foreach name [$inside eval {info commands}] { if {$name ni {set list unknown}} { $inside hide $name } }
  foreach {name flags valued least most} $grammar { if {$name in $constraints} { interp alias $inside $name {} record::vivado $name $flags $valued $least $most } }
  interp alias $inside unknown {} record::stranger
  set handle [open $file]
  set text [read $handle]
  close $handle
  try { interp eval $inside $text } finally { interp delete $inside }
  set reading ""
}

proc record::stranger {name args} {
  variable reading
  error "[expr {$reading eq "" ? "the flow" : $reading}]: $name is no command that is known here"
}

proc unknown {name args} { record::stranger $name }
foreach {name flags valued least most} $record::grammar { interp alias {} $name {} record::vivado $name $flags $valued $least $most }
set record::answers [lindex $argv 0]
set record::script [lindex $argv 1]
set argv [lrange $argv 2 end]
if {[catch { source $record::script } message]} {
  puts stderr $message
  exit 1
}
