# SITES and APS have defaults for `make run`; the checker has its own.
CHECK_KEYS := PROTOCOL SITES APS BLOCKS HOMES BLOCK EVICTIONS OPEN SMALL FULL TIMEOUTS PROGRESS STATES NAME

CONFORM_KEYS := PROTOCOL SITES APS BLOCKS BLOCK SEED STEPS PLAN NAME

.PHONY: check conform
conform: | setup ## hold the checker's model to the RTL, with the same choices: PROTOCOL= SITES= APS= BLOCKS= BLOCK= SEED= STEPS=, or PLAN=
	@tools/check/conform.py $(foreach key,$(CONFORM_KEYS),$(if $(filter-out undefined file,$(origin $(key))),"$(key)=$($(key))"))

check: | setup ## explore every interleaving of a protocol: PROTOCOL= SITES= APS= BLOCKS= HOMES= BLOCK= OPEN= SMALL= FULL= TIMEOUTS=
	@tools/check/checker.py $(foreach key,$(CHECK_KEYS),$(if $(filter-out undefined file,$(origin $(key))),"$(key)=$($(key))"))
