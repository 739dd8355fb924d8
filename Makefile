# `make help` lists the targets. Each part of the project adds its own in mk/<part>.mk.
SHELL := /bin/bash
export TOOLS ?= $(CURDIR)/build/tools
export VERILATOR_ROOT := $(TOOLS)/verilator
export PATH := $(CURDIR)/tools:$(TOOLS)/venv/bin:$(PATH)
.DEFAULT_GOAL := help

.PHONY: help setup clean
help: ## this list
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install what is missing (Debian packages as root; the rest under TOOLS, default build/tools)
	@tools/setup.sh

clean: ## remove what was built, keep the installed tools
	@rm -rf rtl/target && if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name tools -exec rm -rf {} +; fi

include $(wildcard mk/*.mk)
