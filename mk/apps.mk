# Programs for the aPs. APP is a name in apps/, or the path of a C or PARMACS file (.c, .C, .c.in) or of a folder of them.
# tools/app.py resolves it, takes it through m4, compiles, and prints the path of the program.
PROCESSES ?= 4

.PHONY: app apps run-native
app: ## build one program for the aPs: APP=lu, or any C or PARMACS file or folder
	@tools/app.py "$(APP)"

apps: ## build every program in apps/ for the aPs
	@for app in $$(tools/app.py --list); do tools/app.py "$$app" || exit 2; done

run-native: ## run a program as Unix processes on this machine: APP=lu [PROCESSES=4] [ARGS="-n 64"] [FILES=a,b] [STDIN=file]
	@tools/native.py "APP=$(APP)" "PROCESSES=$(PROCESSES)" "ARGS=$(ARGS)" "FILES=$(FILES)" "STDIN=$(STDIN)"
