# The cluster simulator: Site is verilated once for each number of aPs, Router once; build/sim/a<APS> holds the program for any
# number of sites. WAVES=1 builds and uses a tracing twin.
APS   ?= 1
SITES ?= 4

.PHONY: sim sim-profile run
sim: | setup ## build the simulator for APS=, any number of sites
	@tools/sim-build "$(APS)" "$(WAVES)"

sim-profile: | setup ## compile the simulator for APS= by what a run of it does: some minutes, then faster until the RTL changes
	@tools/sim_profile.py "$(APS)"

run: | setup ## run a program: APP= SITES= APS= ARGS= BLOCK= HOMES= TIMEOUT= SEED= WAVES=
	@tools/run.py "APP=$(APP)" "SITES=$(SITES)" "APS=$(APS)" "PROTOCOL=$(PROTOCOL)" "FW=$(FW)" "SHELL_LINES=$(SHELL_LINES)" "SHELL_AT=$(SHELL_AT)" "ARGS=$(ARGS)" "FILES=$(FILES)" "STDIN=$(STDIN)" "GLOBALS=$(GLOBALS)" "ATOMICS=$(ATOMICS)" "FPU=$(FPU)" "USERMODE=$(USERMODE)" "SOFT=$(SOFT)" "DCACHE=$(DCACHE)" "DWAYS=$(DWAYS)" "ICACHE=$(ICACHE)" "IWAYS=$(IWAYS)" "BLOCK=$(BLOCK)" "HOMES=$(HOMES)" \
	  "MEMORY=$(MEMORY)" "HEAP=$(HEAP)" "PRIVATE=$(PRIVATE)" "STACK=$(STACK)" "TIMEOUT=$(TIMEOUT)" "QUIET=$(QUIET)" "LATENCY=$(LATENCY)" "DRAM=$(DRAM)" "CLOCK=$(CLOCK)" "SEED=$(SEED)" "WAVES=$(WAVES)" "WAVES_FROM=$(WAVES_FROM)" "WAVES_TO=$(WAVES_TO)" "WAVES_MISS=$(WAVES_MISS)" "EVENTS=$(EVENTS)" "PACKETS=$(PACKETS)" "TRACE=$(TRACE)" "RESET=$(RESET)" "FAULT=$(FAULT)" "WIRE=$(WIRE)" "THREADS=$(THREADS)" "RANKS=$(RANKS)" "GDB=$(GDB)" "GDB_PORT=$(GDB_PORT)" "REPLAY=$(REPLAY)" "SAVE_AT=$(SAVE_AT)" "FROM=$(FROM)" "SITE=$(SITE)" "PAGE=$(PAGE)" "NAME=$(NAME)" "FIRMWARE=$(FIRMWARE)"

.PHONY: demo bench logp sweep
sweep: | setup ## run every combination of values: APP="lu em3d" SITES="1 2 4" BLOCK="64 128" ...; one table in build/sweep/NAME
	@tools/sweep.py "APP=$(APP)" "SITES=$(SITES)" "APS=$(APS)" "PROTOCOL=$(PROTOCOL)" "ARGS=$(ARGS)" "BLOCK=$(BLOCK)" "HOMES=$(HOMES)" \
	  "LATENCY=$(LATENCY)" "DRAM=$(DRAM)" "CLOCK=$(CLOCK)" "SEED=$(SEED)" "DCACHE=$(DCACHE)" "DWAYS=$(DWAYS)" "ICACHE=$(ICACHE)" "IWAYS=$(IWAYS)" "TIMEOUT=$(TIMEOUT)" "QUIET=$(QUIET)" "JOBS=$(JOBS)" "NAME=$(NAME)"

demo: | setup ## build all, run the five programs on 1 and 4 sites: one table and a page of plots
	@tools/demo.py

logp: | setup ## LogP of the message mechanisms: a table, and build/bench/logp.csv
	@tools/logp.py

bench: | setup ## the promised numbers, measured: build/bench/bench.json
	@tools/bench.py
