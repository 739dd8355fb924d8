.PHONY: host-kernel host-run test-driver
host-kernel: | setup ## build the User-Mode Linux kernel of the co-simulation into TOOLS, once: needs apt and a network
	@tools/host-kernel $(KERNEL)

host-run: | setup ## a Linux guest with the driver and the RTL of a card: its tests, its console (SEED= TIMEOUT= PROTOCOL= KERNEL=debug)
	@tools/host.py "SEED=$(SEED)" "TIMEOUT=$(TIMEOUT)" "PROTOCOL=$(PROTOCOL)" "KERNEL=$(KERNEL)"

test-driver: setup ## the tests of the driver and of the co-simulation
	@pytest tests/driver
