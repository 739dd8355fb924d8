"""A full approval file: refused masters are recorded oldest first, and none blocks the rest for ever (VY-06)."""

import random

import pytest
import snoop_model as m
from kit import test
from snoop_bench import RETRIED, started
from snoop_run import run_snooper


@test(timeout=60_000)
async def test_full_file_serves_oldest_first(dut):
    """More waiting masters than entries: each is recorded in the order of its first refusal."""
    bench = await started(dut)
    n = 16
    lines = [bench.line(i) for i in range(n)]
    await bench.set(bench.line(0), m.INVALID, size=5)
    arrival = list(range(n))
    random.shuffle(arrival)
    for master in arrival:
        assert await bench.op(master, m.READ, lines[master]) == RETRIED
    order = [e[1] for e in bench.take_events()]
    waiting = set(range(n))
    for _ in range(200):
        if not waiting:
            break
        recorded = next((e for e in bench.model.entries if e), None)
        if recorded:  # the protocol grants one
            a = recorded.line << 6
            await bench.set(a, m.SHARED, approve=True)
            assert await bench.op(recorded.master, m.READ, a) == m.Answer(shared=True)
            waiting.discard(recorded.master)
        for master in random.sample(sorted(waiting), len(waiting)):
            await bench.op(master, m.READ, lines[master])
        order += [e[1] for e in bench.take_events()]
    assert not waiting
    assert order == [lines[i] for i in arrival]


@test(timeout=60_000)
async def test_full_file_forgets_who_left(dut):
    """The oldest refused master that never returns holds the others up for a bounded time."""
    bench = await started(dut)
    await bench.set(bench.line(0), m.INVALID, size=5)
    for i in range(bench.entries + 2):
        await bench.op(i, m.READ, bench.line(i))
    await bench.set(bench.line(0), m.FILL, approve=True)
    await bench.set(bench.line(0), m.INVALID)
    bench.take_events()
    last = bench.entries + 1
    start = bench.cycle
    while not bench.take_events():
        assert await bench.op(last, m.READ, bench.line(last)) == RETRIED
        assert bench.cycle - start < bench.age_limit
    assert bench.cycle - start > bench.age_limit // 16


@pytest.mark.parametrize("entries", [1, 8])
def test_snooper_full(entries):
    run_snooper(entries)
