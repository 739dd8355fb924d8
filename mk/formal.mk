.PHONY: formal
formal: setup ## prove every property of tests/formal, or PROOF="name name": engine, unbounded or depth, time
	@tools/formal.py --full $(PROOF)
