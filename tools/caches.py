"""Caches of every aP in a run: DCACHE=, DWAYS=, ICACHE=, IWAYS= (turnstile.cache.ApCoreParams; issue 9, docs/design/cache.md)."""
import re

import memory

#: Parameter of Site's RTL, least, most, and what it is when a run says nothing; sizes in bytes, powers of two.
SIZES = {"DCACHE": ("dataBytes", 4 << 10, 64 << 10, 8 << 10), "ICACHE": ("fetchBytes", 4 << 10, 64 << 10, 4 << 10)}
WAYS = {"DWAYS": "dataWays", "IWAYS": "fetchWays"}


class Refused(Exception):
    """No cache is like that; the message is the whole sentence for the user."""


def parameters(chosen: dict[str, str]) -> list[str]:
    """Of Site's RTL, as tools/rtlgen takes them: those that are not its own."""
    found = []
    for key, (name, least, most, default) in SIZES.items():
        given = re.fullmatch(r"(\d+)K", chosen[key])
        size = int(given[1]) << 10 if given else 0
        if not least <= size <= most or size & (size - 1):
            raise Refused(f"{key}={chosen[key]} is not legal: a power of two from {memory.words(least)} to {memory.words(most)}, as {memory.words(default)}")
        found += [f"{name}={size}"] * (size != default)
    for key, name in WAYS.items():
        if chosen[key] not in ("1", "2", "4"):
            raise Refused(f"{key}={chosen[key]} is not legal: 1, 2 or 4")
        found += [f"{name}={chosen[key]}"] * (chosen[key] != "1")
    return found
