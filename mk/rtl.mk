SYNTH_TOP ?= site/Site
FAMILIES ?= xcup xc7 ecp5

.PHONY: rtl lint synth synth-memories
rtl: setup ## compile the Scala sources of rtl/
	@tools/rtlgen compile

lint: setup ## Verilator's lint on every generated top, waivers in tools/lint.vlt
	@tools/lint.sh $(LINT_TOPS)

synth: setup ## Yosys on SYNTH_TOP=site/Site for FAMILIES="xcup xc7 ecp5", or on BOARD=u50: LUT, FF, RAM per module, and checks
	@python tools/synth.py $(if $(BOARD),--board "$(BOARD)",--families $(FAMILIES) -- $(SYNTH_TOP) $(SYNTH_ARGS))

synth-memories: setup ## what the memories of SYNTH_TOP=site/Site become in FAMILIES, in a minute
	@python tools/synth.py --memories --families $(FAMILIES) -- $(SYNTH_TOP) $(SYNTH_ARGS)
