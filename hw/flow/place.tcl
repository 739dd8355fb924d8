opt_design
place_design -directive Explore
phys_opt_design
write_checkpoint -force place.dcp
