SYNTH_TOP ?= site/SiteSynth
FAMILIES ?= xcup xc7

.PHONY: rtl lint synth
rtl: setup ## compile the Scala sources of rtl/
	@tools/rtlgen compile

lint: setup ## Verilator's lint on every generated top, waivers in tools/lint.vlt
	@tools/lint.sh $(LINT_TOPS)

synth: setup ## Yosys on SYNTH_TOP=site/SiteSynth for FAMILIES="xcup xc7": LUT, FF, RAM per module, and checks
	@python tools/synth.py --families $(FAMILIES) -- $(SYNTH_TOP) $(SYNTH_ARGS)
