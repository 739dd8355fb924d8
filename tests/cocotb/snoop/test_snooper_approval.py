"""Approval file: every row of docs/reference/responder-table.md, told once, committed once, aged, shared by masters (VY-T1, VY-T3)."""

import random

import pytest
import snoop_model as m
from kit import test
from snoop_bench import PASSED, RETRIED, Op, cell, fault, started
from snoop_run import run_snooper

@test(timeout=60_000)
async def test_repeat_is_silent(dut):
    """A retried op is told once, however often it comes back; the approval lets it commit once (VY-06)."""
    bench = await started(dut)
    a = bench.line(7)
    await bench.set(a, m.INVALID)
    for i in range(50):
        assert await bench.op(3, m.READ, a + 8 * (i % 8)) == RETRIED
    assert bench.take_events() == [fault(m.INVALID, m.READ, 3, a)]
    assert await bench.entry(0) == (a, False, m.READ, 3)
    await bench.set(a, m.PEND_READ)
    assert await bench.op(3, m.READ, a) == RETRIED
    await bench.set(a, m.SHARED, approve=True)
    assert await bench.entry(0) == (a, True, m.READ, 3)
    assert await bench.op(3, m.READ, a) == m.Answer(shared=True)
    assert await bench.entry(0) is None
    assert not bench.take_events()


@test(timeout=60_000)
async def test_event_two_cycles_after_the_op(dut):
    """T0 to event on the stream: 2 cycles; the retry is answered in the same cycle T2."""
    bench = await started(dut)
    await bench.set(bench.line(0), m.INVALID)
    token = await bench.tick(Op(m.READ, bench.line(0), master=1))
    for _ in range(5):
        await bench.tick()
    assert bench.events[0][0] - token["issued"] == 2
    assert token["done"] - token["issued"] == 3


@test(timeout=60_000)
async def test_pending_outlasts_a_tag_that_would_pass(dut):
    """Without `approve` a recorded op keeps waiting whatever the tag becomes; with it, it goes."""
    bench = await started(dut)
    a = bench.line(1)
    await bench.set(a, m.INVALID)
    assert await bench.op(0, m.READ, a) == RETRIED
    for cls in (m.EXCLUSIVE, m.SHARED, m.PEND_DOWN, m.EXCLUSIVE, m.INVALID, m.OTHER):
        await bench.set(a, cls)
        assert await bench.op(0, m.READ, a) == RETRIED
    assert len(bench.take_events()) == 1
    await bench.set(a, m.EXCLUSIVE, approve=True)
    assert await bench.op(0, m.READ, a) == PASSED


@test(timeout=60_000)
async def test_maintenance_of_a_waiting_master_passes(dut):
    """A write-back, flush, clean or kill is not held by the master's own waiting op, nor does it end that wait."""
    bench = await started(dut)
    a = bench.line(1)
    await bench.set(a, m.INVALID)
    assert await bench.op(0, m.READ_EXCLUSIVE, a) == RETRIED
    await bench.set(a, m.PEND_DOWN)
    for op in m.MAINTENANCE:
        assert await bench.op(0, op, a) == PASSED
        assert await bench.op(5, op, a) == PASSED
    assert await bench.op(0, m.READ_EXCLUSIVE, a) == RETRIED
    assert len(bench.take_events()) == 1
    await bench.set(a, m.EXCLUSIVE, approve=True)
    for op in m.MAINTENANCE:
        assert await bench.op(0, op, a) == PASSED
    assert (await bench.entry(0))[1]
    assert await bench.op(0, m.READ_EXCLUSIVE, a) == PASSED
    assert await bench.entry(0) is None


@test(timeout=60_000)
async def test_recorded_maintenance_is_silent_too(dut):
    """On an OTHER page a flush is recorded, its repeats are silent, and it commits its own entry."""
    bench = await started(dut)
    a = bench.line(9)
    for _ in range(3):
        assert await bench.op(2, m.FLUSH, a) == RETRIED
    assert await bench.op(2, m.CLEAN, a) == RETRIED
    assert bench.take_events() == [fault(m.OTHER, m.FLUSH, 2, a)]
    await bench.set(a, m.INVALID, approve=True)
    assert await bench.entry(0) == (a, True, m.FLUSH, 2)
    assert await bench.op(2, m.FLUSH, a) == PASSED
    assert await bench.entry(0) is None


@test(timeout=60_000)
async def test_upgrade_turned_read_exclusive_is_silent(dut):
    """UPGRADE whose copy is killed comes back as READ_EXCLUSIVE: the entry's op follows, nobody is told."""
    bench = await started(dut)
    a = bench.line(30)
    await bench.set(a, m.SHARED)
    assert await bench.op(6, m.UPGRADE, a) == RETRIED
    assert bench.take_events() == [fault(m.SHARED, m.UPGRADE, 6, a)]
    await bench.set(a, m.INVALID)
    assert await bench.op(6, m.READ_EXCLUSIVE, a) == RETRIED
    assert not bench.take_events()
    assert await bench.entry(0) == (a, False, m.READ_EXCLUSIVE, 6)
    await bench.set(a, m.EXCLUSIVE, approve=True)
    assert await bench.op(6, m.READ_EXCLUSIVE, a) == PASSED


@test(timeout=60_000)
async def test_approve_by_range_frees_what_the_tag_forbids(dut):
    """All (recorded op, new tag) pairs: approved if memory answers it, else freed, judged and told afresh."""
    bench = await started(dut)
    a = bench.line(12)
    for op in m.OPS:
        if op == m.WRITE_BACK:
            continue  # the reset table never records one
        for cls in m.CLS:
            await bench.set(a, m.OTHER)
            assert await bench.op(1, op, a) == RETRIED
            assert bench.take_events() == [fault(m.OTHER, op, 1, a)]
            await bench.set(bench.line(0), cls, size=5, approve=True)
            action = m.TABLE_BY_OP[op][cls]
            entry = await bench.entry(0)
            if action in (m.MEMORY, m.MEMORY_SHARED):
                assert entry == (a, True, op, 1)
                assert not (await bench.op(1, op, a)).retry
            else:
                assert entry is None
                assert await bench.op(1, op, a) == RETRIED
                assert bench.take_events() == ([fault(cls, op, 1, a)] if action == m.RECORD else [])
            await bench.set(bench.line(0), m.FILL, size=5, approve=True)
            assert not any(bench.model.entries)


@test(timeout=60_000)
async def test_approve_follows_the_table_as_written(dut):
    """Whether approve by range approves or frees is decided by the table as the sP has written it."""
    bench = await started(dut)
    a = bench.line(12)
    for action in (m.MEMORY_SHARED, m.RETRY, m.MEMORY, m.RECORD):
        await bench.write(cell(m.SHARED, m.READ_EXCLUSIVE), action)
        await bench.set(a, m.INVALID)
        assert await bench.op(1, m.READ_EXCLUSIVE, a) == RETRIED
        await bench.set(a, m.SHARED, approve=True)
        passes = action in (m.MEMORY, m.MEMORY_SHARED)
        assert await bench.entry(0) == ((a, True, m.READ_EXCLUSIVE, 1) if passes else None)
        assert (await bench.op(1, m.READ_EXCLUSIVE, a)).retry != passes
        await bench.set(a, m.FILL, approve=True)


@test(timeout=60_000)
async def test_approved_master_that_wants_more_keeps_its_entry(dut):
    """A master approved for READ that comes with READ_EXCLUSIVE is told anew, in the same entry: a recall waits for nobody."""
    bench = await started(dut)
    a = bench.line(12)
    await bench.set(a, m.INVALID)
    assert await bench.op(1, m.READ, a) == RETRIED
    await bench.set(a, m.SHARED, approve=True)
    assert await bench.op(1, m.READ_EXCLUSIVE, a) == RETRIED
    assert bench.take_events() == [fault(m.INVALID, m.READ, 1, a), fault(m.SHARED, m.READ_EXCLUSIVE, 1, a)]
    assert await bench.entry(0) == (a, False, m.READ_EXCLUSIVE, 1)
    assert await bench.entry(1) is None
    presented = bench.cycle + 1
    await bench.set(a, m.INVALID, defer=True)
    assert bench.results[-1][0] == presented + 1


@test(timeout=60_000)
async def test_recall_waits_for_the_approved_access(dut):
    """A deferred recall between approve and commit: the access completes once, then the tag changes (BZ-33, VY-T3)."""
    bench = await started(dut)
    a = bench.line(8)
    for _ in range(20):
        await bench.set(a, m.INVALID)
        assert await bench.op(5, m.READ_EXCLUSIVE, a) == RETRIED
        await bench.set(a, m.EXCLUSIVE, approve=True)
        assert len(bench.take_events()) == 1
        await bench.tick(command=m.Command(bench.line(0), size=5, set=True, next=m.INVALID, defer=True))
        for _ in range(random.randrange(30)):
            await bench.tick()
        assert bench.command
        token = await bench.tick(Op(m.READ_EXCLUSIVE, a, master=5))
        for _ in range(6):
            await bench.tick()
        assert token["verdict"] == PASSED and not bench.command
        assert bench.results[-1][0] == token["done"] + 1  # accepted the cycle after the verdict
        assert await bench.op(5, m.READ_EXCLUSIVE, a) == RETRIED
        assert len(bench.take_events()) == 1
        await bench.set(a, m.FILL, approve=True)


@test(timeout=60_000)
async def test_recall_gives_up_waiting(dut):
    """When the approved master does not come, the recall goes on after deferTimeout and its approval ends with its tag."""
    bench = await started(dut)
    a = bench.line(8)
    await bench.set(a, m.INVALID)
    assert await bench.op(5, m.READ, a) == RETRIED
    await bench.set(a, m.SHARED, approve=True)
    bench.take_events()
    start = bench.cycle
    await bench.tag(a, set=True, next=m.INVALID, defer=True)
    assert bench.timeout <= bench.results[-1][0] - start <= bench.timeout + 4
    assert await bench.entry(0) is None
    assert await bench.op(5, m.READ, a) == RETRIED
    assert bench.take_events() == [fault(m.INVALID, m.READ, 5, a)]


@test(timeout=60_000)
async def test_failed_commit_keeps_the_approval(dut):
    """An approved op another snooper retries keeps its approval until it passes."""
    bench = await started(dut)
    a = bench.line(2)
    await bench.set(a, m.INVALID)
    await bench.op(5, m.READ, a)
    await bench.set(a, m.SHARED, approve=True)
    bench.other_retry = lambda op: True
    for _ in range(5):
        assert (await bench.op(5, m.READ, a)).retry
        assert (await bench.entry(0)) == (a, True, m.READ, 5)
    bench.other_retry = lambda op: False
    assert await bench.op(5, m.READ, a) == m.Answer(shared=True)
    assert await bench.entry(0) is None and len(bench.take_events()) == 1


@test(timeout=60_000)
async def test_event_stream_full_loses_nothing(dut):
    """Ops that cannot be told are retried unrecorded, and told when the stream moves again."""
    ready = [False]
    bench = await started(dut, event_ready=lambda: ready[0])
    await bench.set(bench.line(0), m.INVALID, size=5)
    for _ in range(3):
        for i in range(16):
            assert await bench.op(i, m.READ, bench.line(i)) == RETRIED
    assert 0 < sum(bool(e) for e in bench.model.entries) <= 4
    ready[0] = True
    told = []
    while len(told) < 16:
        new = []
        for i in range(16):
            if bench.line(i) not in told:
                await bench.op(i, m.READ, bench.line(i))
                new += [e[1] for e in bench.take_events()]
        assert new, "nothing more is told"
        for a in new:
            await bench.set(a, m.SHARED, approve=True)
            assert not (await bench.op((a - bench.line(0)) // 64, m.READ, a)).retry
        told += new
    assert sorted(told) == [bench.line(i) for i in range(16)]


@test(timeout=60_000)
async def test_entry_ages_out_with_an_event(dut):
    """A master that gives up frees its entry between ageLimit and 17/16 of it after it was last seen; event 102 says so."""
    bench = await started(dut)
    for approve in (False, True):
        a = bench.line(random.randrange(32))
        await bench.set(a, m.INVALID)
        await bench.op(9, m.READ, a)
        for _ in range(random.randrange(bench.age_limit)):
            await bench.tick()
        if approve:
            await bench.set(a, m.SHARED, approve=True)
        else:
            assert await bench.op(9, m.READ, a) == RETRIED  # seen again: the age starts anew
        last = bench.cycle
        bench.take_events()
        for _ in range(bench.age_limit - 40 if not approve else 0):
            await bench.tick()
        assert not bench.events
        while not bench.events:
            await bench.tick()
            assert bench.cycle - last < bench.age_limit * 17 // 16 + 8
        assert bench.take_events() == [(102, a, 9 | m.READ << 4)]
        assert await bench.entry(0) is None


@test(timeout=60_000)
async def test_entry_ages_out_however_busy_the_bus_is(dut):
    """A heap op in every cycle, one that passes or one that faults: the entry goes 64 cycles later at most, and no notice is lost."""
    bench = await started(dut)
    for tag in (m.EXCLUSIVE, m.INVALID):
        a, lines = bench.line(0), [bench.line(i) for i in range(1, 32)]
        await bench.set(a, m.INVALID, size=5)
        await bench.op(9, m.READ, a)
        last = bench.cycle
        for line in lines:
            await bench.set(line, tag)
        aged = False
        while not aged:
            await bench.tick(Op(m.READ, lines[bench.cycle % 31], master=bench.cycle % 8))
            aged = any(event[0] == 102 and event[1] == a for event in bench.take_events())
            assert bench.cycle - last < bench.age_limit * 17 // 16 + 8 + 66, "the entry has not aged"


@test(timeout=60_000)
async def test_wake_when_approved(dut):
    """The wake pulse begins in the cycle the approval is visible, and reaches a master whose retry was on its way."""
    bench = await started(dut)
    a = bench.line(3)
    for late in range(6):
        await bench.set(a, m.INVALID)
        await bench.op(1, m.READ, a)
        bench.wakes.clear()
        token = None
        for i in range(8):
            command = m.Command(a, set=True, next=m.SHARED, approve=True) if i == 3 else None
            t = await bench.tick(Op(m.READ, a, master=1) if i == late else None, command)
            token = t or token
        for _ in range(4):
            await bench.tick()
        accepted = bench.results[-1][0]
        assert bench.wakes == [accepted + 1, accepted + 2]
        if token["verdict"].retry:
            assert token["done"] < bench.wakes[-1], "a retry after the wake would sleep through it"
            assert await bench.op(1, m.READ, a) == m.Answer(shared=True)
        else:
            assert token["issued"] + 2 >= accepted + 1


@pytest.mark.parametrize("entries", [1, 8, 32])
def test_snooper_approval(entries):
    run_snooper(entries)
