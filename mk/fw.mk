# The sP's bare image: tools/firmware.py. Protocol and Tempest files are the same ones that tests/protocol compiles for the workstation.
PROTOCOL ?= stache
FW_REGS  := build/include/niu_regs.h

.PHONY: fw
fw: $(FW_REGS) ## build the service processor's firmware: PROTOCOL=a,b
	@tools/firmware.py "$(PROTOCOL)"

.PHONY: fw-zephyr
fw-zephyr: $(FW_REGS) ## build it as a Zephyr application: PROTOCOL=a,b; ZEPHYR_BASE is the kernel's tree
	@tools/zephyr.py "$(PROTOCOL)"

$(FW_REGS): $(shell find rtl/src -name '*.scala') | setup
	tools/niuheader

# Firmware with a fault in it, for tests of what a run says then: the source wraps the handlers that it breaks.
build/fw/faulty/%.elf: tests/cluster/firmware/%.c $(FW_REGS) $(shell find fw -name '*.[chS]')
	@tools/firmware.py stache --fault $<

.PHONY: new-protocol
new-protocol: ## a protocol to begin with: NAME=mine writes fw/protocols/mine.c and its rows
	@tools/new_protocol.py "$(NAME)"
