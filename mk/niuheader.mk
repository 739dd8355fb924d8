.PHONY: niu-header
niu-header: setup ## write build/include/niu_regs.h and build/docs/sp-registers.md from the RTL
	@tools/niuheader build/include/niu_regs.h build/docs/sp-registers.md
