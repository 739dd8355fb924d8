# Reports are kept whatever they say; what refuses a bitstream is in write.tcl.
route_design -directive Explore
write_checkpoint -force route.dcp
report_timing_summary -file timing.rpt
report_utilization -file utilization.rpt
report_cdc -details -file cdc.rpt
report_methodology -file methodology.rpt
report_drc -file drc.rpt
