PYTEST := rm -rf build/test; pytest -n 3 --dist worksteal --junitxml=build/test/pytest.xml

.PHONY: test test-full bench-unit
test: setup ## run every test that takes seconds; JUnit XML in build/test
	@$(PYTEST) -m "not full" tests

test-full: setup ## run every test, also those that take minutes
	@$(PYTEST) tests

bench-unit: setup ## run the benches of one unit: U=snoop [TEST=regex] [SEED=n|random] [WAVES=1]
	@test -d "tests/cocotb/$(U)" -a -n "$(U)" || { echo "bench-unit: U=$(U) is no unit; there are:" $$(cd tests/cocotb && ls -d */ | tr -d /) >&2; exit 2; }
	@pytest -n 2 tests/cocotb/$(U) || { s=$$?; [ $$s -ne 5 ] || echo "bench-unit: no test of U=$(U) matches TEST=$(TEST)" >&2; exit $$s; }
