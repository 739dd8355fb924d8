TOP ?= site/Site
STAGE ?= route
PNR_SEED ?= 1

.PHONY: pnr
pnr: setup ## place and route TOP=site/Site for ECP5: Fmax, worst paths, ratio to VexRiscv alone (STAGE=estimate, place, route)
	@python tools/pnr.py --stage $(STAGE) --seed $(PNR_SEED) $(if $(FLOOR),--floor $(FLOOR)) -- $(TOP) $(PNR_ARGS)
