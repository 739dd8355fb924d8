# PCI Express block and HBM are in the lower die, so is the site. The MAC is in the upper; with it the crossing, so that only the site's slow side
# of its FIFOs goes from die to die.
create_pblock site
add_cells_to_pblock [get_pblocks site] [get_cells card/site/card_site]
resize_pblock [get_pblocks site] -add SLR0
create_pblock wire
add_cells_to_pblock [get_pblocks wire] [get_cells card/site/card_site/cardWire_1/crossing]
resize_pblock [get_pblocks wire] -add SLR1
