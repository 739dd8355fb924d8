.PHONY: host-kernel host-run bench-host install-host test-driver
host-kernel: | setup ## build the User-Mode Linux kernel of the co-simulation into TOOLS, once: needs apt and a network (KERNEL=debug, debian)
	@$(if $(filter debian,$(KERNEL)),tools/host-qemu,tools/host-kernel $(KERNEL))

host-run: | setup ## a Linux guest with the driver and the RTL of a card, or several of one cluster: tests, consoles (HOSTS=2 CABLE=1 TESTS=user KERNEL=debug or debian SEED= TIMEOUT= PROTOCOL=)
	@tools/host.py "HOSTS=$(HOSTS)" "CABLE=$(CABLE)" "SEED=$(SEED)" "TESTS=$(TESTS)" "TIMEOUT=$(TIMEOUT)" "PROTOCOL=$(PROTOCOL)" "KERNEL=$(KERNEL)"

bench-host: | setup ## what messages and shared memory cost a process of the guest, in cycles of the card
	@tools/host.py TESTS=bench | grep -a "^bench"

install-host: | setup ## libturnstile, the command turnstile, its Python module and man pages (DESTDIR= PREFIX=/usr/local)
	@tools/niuheader
	@$(MAKE) -s -C host-driver install $(if $(DESTDIR),DESTDIR="$(abspath $(DESTDIR))")

test-driver: setup ## the tests of driver, library and command, and of the co-simulation
	@pytest tests/driver
