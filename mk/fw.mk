# The sP's bare image. Protocol and Tempest files are the same ones that tests/protocol compiles for the workstation.
FW_SOURCES := fw/bare/start.S $(sort $(wildcard fw/bare/*.c fw/tempest/*.c fw/protocols/*.c fw/services/*.c))
FW_HEADERS := $(wildcard fw/*/*.h)
FW_REGS    := build/include/niu_regs.h
FW_FLAGS   := -march=rv32im -mabi=ilp32 -misa-spec=2.2 -std=c11 -O2 -g -Wall -Wextra -Werror -ffreestanding -nostdlib \
              -fno-jump-tables -fno-tree-loop-distribute-patterns -msmall-data-limit=4096 \
              -Ibuild/include -Ifw/niu -Ifw/tempest -Ifw/protocols -Ifw/services

.PHONY: fw
fw: build/fw/stache.elf ## build the service processor's firmware

$(FW_REGS): $(shell find rtl/src -name '*.scala') | setup
	tools/niuheader

FW_LINK = riscv64-unknown-elf-gcc $(FW_FLAGS) -Wl,-T,build/fw/link.ld -Wl,-Map,$@.map $(FW_SOURCES)

build/fw/link.ld: fw/bare/link.ld $(FW_REGS)
	mkdir -p $(@D)
	riscv64-unknown-elf-cpp -P -D__ASSEMBLER__ -Ibuild/include -o $@ $<

build/fw/stache.elf: $(FW_SOURCES) $(FW_HEADERS) $(FW_REGS) build/fw/link.ld
	$(FW_LINK) -lgcc -o $@

# Firmware with a fault in it, for tests of what a run says then: the source wraps the handlers that it breaks.
build/fw/faulty/%.elf: tests/cluster/firmware/%.c build/fw/stache.elf
	mkdir -p $(@D)
	$(FW_LINK) $< $(shell grep -o '__wrap_[a-z_]*' $< | sort -u | sed s/__wrap_/-Wl,--wrap=/) -lgcc -o $@
