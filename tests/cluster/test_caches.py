"""Caches chosen by a run, DCACHE= DWAYS= ICACHE= IWAYS= (issue 9): what they hold is found by a program that has nothing but the clock."""
import pytest
from cluster_runs import PROGRAMS, right, run

DEFAULT = dict(dcache="8K", dways=1, icache="4K", iways=1)
MIDDLE = dict(dcache="16K", dways=2, icache="8K", iways=2)
OTHERS = (dict(dcache="64K", dways=4, icache="64K", iways=4), dict(dcache="4K", dways=1, icache="32K", iways=1), dict(dcache="32K", dways=4, icache="16K", iways=4))


def found(caches: dict, most: int) -> dict[str, dict[int, float]]:
    """Cycles of an access, by what was measured and its bytes or lines."""
    table: dict[str, dict[int, float]] = {}
    done = run(PROGRAMS / "caches.c", 1, 1, str(most), **caches)
    assert done.status == 0, done.out + done.err
    for line in done.out.splitlines():
        if line.startswith("[0] "):
            name, at, tenths = line.split()[1:]
            table.setdefault(name, {})[int(at)] = int(tenths) / 10
    return table


@pytest.mark.parametrize("caches, most", [(DEFAULT, 32 << 10), (MIDDLE, 64 << 10), *(pytest.param(c, 128 << 10, marks=pytest.mark.full) for c in OTHERS)])
def test_a_cache_holds_what_was_asked_for(caches, most):
    """An area that fits is fast the second time, one of twice the size slow; as many lines of a set as ways stay, one more does not.
    The program's own few lines share the caches: an area of code is compared only where half a cache is left, for data of its own way."""
    table = found(caches, most)
    for name, size, ways, fits in (("data", caches["dcache"], caches["dways"], 1), ("fetch", caches["icache"], caches["iways"], 2)):
        held, fast, slow = int(size[:-1]) << 10, min(table[name].values()), table[name][most]
        assert slow > 2 * fast, table
        for area, cycles in table[name].items():
            if area <= held // fits:
                assert cycles < fast + (slow - fast) / 2, (name, area, table)
            elif area >= 2 * held:
                assert cycles > slow - (slow - fast) / 4, (name, area, table)
        passes = {n: n * cycles for n, cycles in table[f"{name}-lines"].items()}
        for n in range(2, ways + 2):
            more = passes[n] - passes[n - 1]
            assert more < 1.5 * fast if n <= ways else more > 2 * fast, (name, n, table)


@pytest.mark.full
@pytest.mark.parametrize("caches", OTHERS)
def test_programs_are_right_with_any_caches(caches):
    right(run("em3d", 2, 2, "-n 16 -i 2", **caches), "correct")
    right(run("lu", 2, 2, "-n 16", **caches), "correct")
