"""Approvals of several lines and masters at once: ranges, second masters, waiting behind one another (VY-06)."""

import random

import pytest
import snoop_model as m
from kit import test
from snoop_bench import PASSED, RETRIED, fault, started
from snoop_run import run_snooper

@test(timeout=60_000)
async def test_approve_touches_its_range_only(dut):
    """Ranges of 1 to 32 lines: waiting ops in it are approved, those next to it are not."""
    bench = await started(dut)
    for size in range(6):
        n = 1 << size
        first = random.randrange(32 // n) * n
        word = random.randrange(512)
        inside = [first, first + n - 1] if n > 1 else [first]
        outside = [(first - 1) % 32, (first + n) % 32] if n < 32 else []
        await bench.set(bench.line(0, word), m.INVALID, size=5)
        for i, l in enumerate(dict.fromkeys(inside + outside)):
            assert await bench.op(i, m.READ, bench.line(l, word)) == RETRIED
        other_word = bench.line(first, (word + 1) % 512)
        await bench.set(bench.line(first, word), m.SHARED, size=size, approve=True)
        approved = {(e.line, e.approved) for e in bench.model.entries if e}
        assert approved == {(bench.line(l, word) >> 6, l in inside) for l in inside + outside}
        assert await bench.query(other_word) == m.OTHER
        for i in range(bench.entries):
            e = bench.model.entries[i]
            assert await bench.entry(i) == (e and (e.line << 6, e.approved, e.op, e.master))
        await bench.set(bench.line(0, word), m.FILL, size=5, approve=True)


@test(timeout=60_000)
async def test_second_master_rules(dut):
    """Another master on a waiting line: own entry, told only when no waiting op of the same or a stronger class was told."""
    bench = await started(dut)
    a = bench.line(4)
    told = {}
    for first in (m.READ, m.READ_EXCLUSIVE, m.UPGRADE, m.READ_PARTIAL, m.WRITE_PARTIAL, m.FLUSH):
        for second in (m.READ, m.READ_EXCLUSIVE, m.UPGRADE, m.READ_PARTIAL, m.WRITE_PARTIAL, m.FLUSH, m.CLEAN):
            await bench.set(a, m.OTHER)
            assert await bench.op(1, first, a) == RETRIED
            assert await bench.op(2, second, a) == RETRIED
            assert await bench.op(2, second, a) == RETRIED
            told[first, second] = len(bench.take_events()) == 2
            assert await bench.entry(1) == (a, False, second, 2)
            await bench.set(a, m.EXCLUSIVE, approve=True)
            assert await bench.op(2, second, a) == PASSED and await bench.op(1, first, a) == PASSED
    reads, writes = (m.READ, m.READ_PARTIAL), (m.READ_EXCLUSIVE, m.UPGRADE, m.WRITE_PARTIAL)
    for (first, second), tell in told.items():
        covered = (second in reads and first in reads + writes) or (second in writes and first in writes) or \
            (second in (m.FLUSH, m.CLEAN) and first == m.FLUSH)
        assert tell != covered, (first, second)


@test(timeout=60_000)
async def test_master_behind_a_waiting_one(dut):
    """A line somebody waits for makes others wait, silently where the table would pass or retry; approved ones go."""
    bench = await started(dut)
    a = bench.line(4)
    await bench.set(a, m.SHARED)
    assert await bench.op(1, m.UPGRADE, a) == RETRIED
    assert await bench.op(2, m.READ, a) == RETRIED
    await bench.set(a, m.PEND_EXCL)
    assert await bench.op(3, m.READ_EXCLUSIVE, a) == RETRIED
    assert bench.take_events() == [fault(m.SHARED, m.UPGRADE, 1, a)]
    await bench.set(a, m.SHARED, approve=True)
    assert [bool(e) and e.approved for e in bench.model.entries][:3] == [False, True, False]
    assert await bench.op(1, m.UPGRADE, a) == RETRIED
    assert len(bench.take_events()) == 1
    assert await bench.op(2, m.READ, a) == m.Answer(shared=True)


@pytest.mark.parametrize("entries", [8, 32])
def test_snooper_masters(entries):
    run_snooper(entries)
