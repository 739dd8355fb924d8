# A net's name is that of the RTL: the hierarchy is kept, which constraints name.
synth_design -top $top -part $part -flatten_hierarchy none
write_checkpoint -force synth.dcp
report_utilization -hierarchical -file utilization-synth.rpt
