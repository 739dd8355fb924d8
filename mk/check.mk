# SITES and APS have defaults for `make run`; the checker has its own.
CHECK_KEYS := PROTOCOL SITES APS BLOCKS HOMES BLOCK EVICTIONS OPEN SMALL FULL TIMEOUTS PROGRESS STATES NAME

.PHONY: check
check: | setup ## explore every interleaving of a protocol: PROTOCOL= SITES= APS= BLOCKS= HOMES= BLOCK= OPEN= SMALL= FULL= TIMEOUTS=
	@tools/check/checker.py $(foreach key,$(CHECK_KEYS),$(if $(filter-out undefined file,$(origin $(key))),"$(key)=$($(key))"))
