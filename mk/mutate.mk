.PHONY: mutate
mutate: setup ## put each fault of tests/mutation into a copy and see its test fail: [ONLY=regex] [SAMPLE=n] [SEED=n]
	@tools/mutate.py --jobs 2 --only "$(ONLY)" --sample $(or $(SAMPLE),0) $(if $(SEED),--seed $(SEED))
