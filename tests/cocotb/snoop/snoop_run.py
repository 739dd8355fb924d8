"""Builds the benches' Snooper: small memory and short time-outs, so that a run meets them."""

import sys

from harness import run_unit


def run_snooper(entries, age_limit=1024, defer_timeout=64, memory=4 << 20, **kw):
    params = {"masters": 16, "memoryBytes": memory, "entries": entries, "ageLimit": age_limit, "deferTimeout": defer_timeout}
    env = {"ENTRIES": str(entries), "AGE_LIMIT": str(age_limit), "DEFER_TIMEOUT": str(defer_timeout), "MEMORY": str(memory)}
    run_unit("snoop/Snooper", params, env=env, test_module=sys._getframe(1).f_globals["__name__"], **kw)
