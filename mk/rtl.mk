.PHONY: rtl
rtl: setup ## compile the Scala sources of rtl/
	@tools/rtlgen compile
