"""Every (state, op) cell of the responder table, as reset and as rewritten; write-backs in each state (VY-T2, BZ-T1)."""

import random

import snoop_model as m
from kit import test
from registers import META_FAULT_CLAIMED, META_FAULT_ENTRY
from snoop_bench import RETRIED, cell, fault, started
from snoop_run import run_snooper

NEVER_ANSWERED = (0x8000_0040, 0x4000_0000, 0xF000_0000)


async def judged(bench, master, op, address, action):
    """One op on an unwaited-for line: its answer, event and data are those of `action`."""
    tag = bench.model.tag(address >> 6)
    got = await bench.op(master, op, address)
    entry = next((i for i, e in enumerate(bench.model.entries) if e), None)
    index, _, meta = fault(tag, op, master, address)
    claimed = (index, address, meta | META_FAULT_ENTRY(META_FAULT_ENTRY.mask) | META_FAULT_CLAIMED(1))
    expected = {
        m.MEMORY: (m.Answer(), []),
        m.MEMORY_SHARED: (m.Answer(shared=True), []),
        m.RECORD: (RETRIED, [fault(tag, op, master, address, entry or 0)]),
        m.RETRY: (RETRIED, []),
        m.CLAIM: (m.Answer(claim=True), [claimed]),
        m.ERROR: (m.Answer(claim=True), [(m.EVENT_ILLEGAL, *claimed[1:])]),
    }[action]
    assert (got, bench.take_events()) == expected, f"op {op} on tag {tag}, action {action}"
    assert (entry is not None) == (action == m.RECORD)
    # Forget the entry for the next cell: a tag under which memory never answers frees it.
    await bench.set(address, m.FILL, approve=True)
    assert not any(bench.model.entries)


@test(timeout=60_000)
async def test_every_cell_of_the_reset_table(dut):
    """All 8 x 9 cells hold the action of docs/reference/responder-table.md, by register and by behaviour."""
    bench = await started(dut)
    for cls in m.CLS:
        for op in range(16):
            assert await bench.read(cell(cls, op)) == m.default_table()[cls][op]
    for cls in m.CLS:
        for op in m.OPS:
            address = bench.line(random.randrange(32), random.randrange(512)) + (random.randrange(64) if op in (4, 5) else 0)
            await bench.set(address, cls)
            await judged(bench, random.randrange(16), op, address, m.TABLE_BY_OP[op][cls])


@test(timeout=60_000)
async def test_every_action_in_every_cell(dut):
    """The sP may put any action into any cell; only that cell changes (VY-10, VY-15)."""
    bench = await started(dut)
    cells = [(c, o, a) for c in m.CLS for o in m.OPS for a in m.ACTIONS]
    random.shuffle(cells)
    for cls, op, action in cells[:200]:
        if cls == m.FILL and action in (m.MEMORY, m.MEMORY_SHARED):
            continue  # `judged` forgets entries by tagging FILL
        await bench.write(cell(cls, op), action)
        address = bench.line(random.randrange(32))
        await bench.set(address, cls)
        await judged(bench, random.randrange(16), op, address, action)
    for cls in m.CLS:
        for op in range(16):
            assert await bench.read(cell(cls, op)) == bench.model.table[cls][op]


@test(timeout=60_000)
async def test_write_back_is_never_lost(dut):
    """In every state a write-back goes to memory, to the NIU with an event, or is retried until the state moves (VY-10)."""
    bench = await started(dut)
    for cls in m.CLS:
        await bench.set(bench.line(3), cls)
        got = await bench.op(4, m.WRITE_BACK, bench.line(3))
        events = bench.take_events()
        if cls in (m.EXCLUSIVE, m.PEND_DOWN):
            assert got == m.Answer() and not events
        elif cls == m.FILL:
            assert got == m.Answer(retry=True) and not events
            await bench.set(bench.line(3), m.EXCLUSIVE)
            assert await bench.op(4, m.WRITE_BACK, bench.line(3)) == m.Answer()
        else:
            assert got == m.Answer(claim=True) and len(events) == 1
            assert events[0][0] == (32 + 1 if cls == m.OTHER else 96)


@test(timeout=60_000)
async def test_claim_of_data_the_niu_does_not_get_is_silent(dut):
    """A claimed op another snooper retries, or a cache answers, is not told to the sP."""
    bench = await started(dut)
    bench.other_retry = lambda op: True
    assert (await bench.op(1, m.WRITE_BACK, bench.line(0))).retry
    assert not bench.take_events()
    bench.other_retry, bench.intervenes = (lambda op: False), (lambda op: True)
    await bench.op(1, m.WRITE_BACK, bench.line(0))
    assert not bench.take_events()
    bench.intervenes = lambda op: False
    await bench.op(1, m.WRITE_BACK, bench.line(0))
    assert len(bench.take_events()) == 1


@test(timeout=60_000)
async def test_claimed_writes_wait_for_room_and_others_do_not(dut):
    """VY-10: while nobody has room for claimed data a write that would be claimed is retried, untold; reads are claimed, other
    writes go to memory. With room the same write is claimed and told once."""
    bench = await started(dut)
    await bench.set(bench.line(0), m.INVALID)
    await bench.set(bench.line(1), m.EXCLUSIVE)
    dut.io_claimRoom.value = 0
    bench.model.claim_room = False
    for _ in range(3):
        assert await bench.op(1, m.WRITE_BACK, bench.line(0)) == m.Answer(retry=True)
        assert await bench.op(2, m.WRITE_BACK, bench.line(1)) == m.Answer()
    assert not bench.take_events()
    dut.io_claimRoom.value = 1
    bench.model.claim_room = True
    assert await bench.op(1, m.WRITE_BACK, bench.line(0)) == m.Answer(claim=True)
    assert [e[0] for e in bench.take_events()] == [96]


@test(timeout=60_000)
async def test_claim_waits_for_room_for_its_event(dut):
    """With the event stream stopped, claimed write-backs are retried, not dropped, and none is told twice."""
    ready = [False]
    bench = await started(dut, event_ready=lambda: ready[0])
    sent = [await bench.op(1, m.WRITE_BACK, bench.line(i)) for i in range(12)]
    taken = [i for i in range(12) if sent[i].claim]
    assert 0 < len(taken) < 12 and all(sent[i].retry != sent[i].claim for i in range(12))
    ready[0] = True
    for _ in range(10):
        await bench.tick()
    for i in range(12):
        if i not in taken:
            assert (await bench.op(1, m.WRITE_BACK, bench.line(i))).claim
    for _ in range(10):
        await bench.tick()
    assert sorted(e[1] for e in bench.take_events()) == [bench.line(i) for i in range(12)]


@test(timeout=60_000)
async def test_only_the_heap_is_judged(dut):
    """Private memory, registers and bypass ops get no answer (BZ-11, BZ-14)."""
    bench = await started(dut)
    outside = [*NEVER_ANSWERED, bench.heap[0] - 64, bench.heap[-1] + 1]
    for op in m.OPS:
        for address in outside:
            assert await bench.op(2, op, address) == m.Answer()
        assert await bench.op(2, op, bench.line(1), bypass=True) == m.Answer()
    assert not bench.take_events()
    assert (await bench.op(2, m.READ, bench.heap[0])).retry and (await bench.op(3, m.READ, bench.heap[-1])).retry


@test(timeout=60_000)
async def test_a_hit_costs_nothing(dut):
    """S-COMA hits, one op a cycle on different lines: no retry, no event, and shared exactly on Shared lines (VY-13, BZ-08)."""
    from snoop_bench import Op

    bench = await started(dut)
    await bench.set(bench.line(0), m.SHARED, size=4)
    await bench.set(bench.line(16), m.EXCLUSIVE, size=4)
    tokens = [await bench.tick(Op(m.READ, bench.line(i), master=i % 16)) for i in range(32)]
    for _ in range(4):
        await bench.tick()
    assert [t["verdict"] for t in tokens] == [m.Answer(shared=i < 16) for i in range(32)]
    assert not bench.take_events()


def test_snooper_table():
    run_snooper(entries=8)
