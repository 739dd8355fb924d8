# A board of hw/: its bitstream, and how it gets there. tools/boards.py refuses a BOARD= that is none, and names them.
.PHONY: bitstream flash release
bitstream: setup ## BOARD=ecpix5, about half an hour: [APP=hello] [SEED=1]; u50, u250: with Vivado, [CHECK=1: what needs none]
	@python tools/bitstream.py "$(BOARD)" $(if $(APP),--app "$(APP)") --seed $(or $(SEED),1) $(if $(filter 1,$(CHECK)),--check)

flash: ## write it to the board's flash: BOARD=ecpix5 [RAM=1: until power is off] [DRY=1: only print the command]
	@python3 tools/flash.py "$(BOARD)" $(if $(filter 1,$(RAM)),--ram) $(if $(filter 1,$(DRY)),--dry)

release: setup ## pack a card's bitstream, flash image and reports with the driver that knows it: BOARD=u50
	@python tools/release.py "$(BOARD)"
