.PHONY: niu-header
niu-header: setup ## registers, addresses and codes from the RTL: build/docs/registers.md, build/include/niu_regs.h and .py
	@tools/niuheader
