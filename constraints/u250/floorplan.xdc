# Of the four dies the second has the PCI Express block, so the site; the third has the MAC, with it the crossing, so that only the site's slow side of
# its FIFOs goes from die to die.
create_pblock site
add_cells_to_pblock [get_pblocks site] [get_cells card/site/card_site]
resize_pblock [get_pblocks site] -add SLR1
create_pblock wire
add_cells_to_pblock [get_pblocks wire] [get_cells card/site/card_site/cardWire_1/crossing]
resize_pblock [get_pblocks wire] -add SLR2
