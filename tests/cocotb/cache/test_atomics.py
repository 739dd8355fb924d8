"""LR, SC and AMOs in the data cache: results, what they ask of the bus, when a reservation is lost, that nobody comes between."""

import os
import random

import pytest
from cache_site import AMOS, CACHE, LR, NIU, SC, Op
from harness import run_unit
from kit import Monitor, test
from test_data_cache import A, B, REGISTER, Others, bring, foreign, random_accesses, site

EDGES = (0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFF)
ADD = 0
HOLD = 64  # AtomicUnit.hold


async def answer(s, op, address, data=0):
    s.atomic(op, address, data)
    await s.settle()
    return s.responses[-1][2]


async def free(s):
    """Until an LR may hold its line again."""
    await s.tick(2 * HOLD)


@test(timeout=400_000)
async def test_each_amo_gives_the_old_word_and_leaves_the_new(dut):
    """Each AMO with all pairs of edge values, in each state and beat of a line: what it answers, what a load then finds, what the line holds when
    another takes it (compared by the model), and that it asked for the line as a store does."""
    s = await site(dut)
    asked = {"I": [Op.READ_EXCLUSIVE], "S": [Op.UPGRADE], "E": [], "M": []}
    cases = [(op, a, b) for op in AMOS for a in EDGES for b in EDGES]
    random.shuffle(cases)
    for i, (op, a, b) in enumerate(cases):
        state, address = "ISEM"[i % 4], A + 64 * (i % 50) + 4 * random.randrange(16)
        await bring(s, address & ~63, state)
        s.put(address, a)
        await s.settle()
        if state != "M":
            await bring(s, address & ~63, state)
        since = s.cycle
        assert await answer(s, op, address, b) == a
        assert s.requests(since) == [(o, address) for o in asked[state]], f"in {state} it asked {s.requests(since)}"
        s.load(address)
        await s.settle()
        assert s.responses[-1][2] == AMOS[op](a, b), f"AMO {op} of {a:x} and {b:x}"
    for line in range(50):
        await foreign(s, NIU, Op.FLUSH, A + 64 * line)


@test(timeout=20_000)
async def test_cycles_of_a_hit(dut):
    """A load's hit takes one cycle; the answer of an LR or SC comes in 2, an AMO's in 3."""
    s = await site(dut)
    await bring(s, A, "M")
    for want, ask in ((1, lambda: s.load(A)), (2, lambda: s.atomic(LR, A)), (2, lambda: s.atomic(SC, A, 1)), (3, lambda: s.atomic(ADD, A, 1))):
        ask()
        await s.settle()
        fired, came, _ = s.responses[-1]
        assert came - fired == want


@test(timeout=100_000)
async def test_an_sc_needs_the_reservation_of_its_line(dut):
    """It succeeds behind an LR of its line, and once; without one, behind one of another line, and where something took the line or the right to
    write it, it answers 1, changes nothing and asks the bus for nothing."""
    s = await site(dut)
    assert await answer(s, SC, A, 7) == 1, "without an LR"
    for state in "ISEM":
        await bring(s, A, state)
        await answer(s, LR, A)
        since = s.cycle
        assert await answer(s, SC, A + 8, 5) == 0, f"behind an LR in {state}"
        assert await answer(s, SC, A + 8, 6) == 1, "a second time"
        assert not s.requests(since)
    await answer(s, LR, A)
    await bring(s, A + 64, "M")
    await answer(s, LR, A)
    assert await answer(s, SC, A + 64, 5) == 1, "another line"
    assert await answer(s, SC, A, 5) == 1, "the SC to another line took the reservation"
    for op in Op:
        await bring(s, A, "M")
        await free(s)
        await answer(s, LR, A)
        await s.tick(HOLD)
        await foreign(s, NIU, op, A, again=op != Op.UPGRADE, mask=1, data=bytes(64))
        await s.settle()
        since = s.cycle
        assert await answer(s, SC, A, 5) == (0 if op == Op.UPGRADE else 1), f"behind another's {op.name}"
        assert not s.requests(since)
    await answer(s, LR, A)
    s.put(A, 1)
    await foreign(s, NIU, Op.FLUSH, A + 64)
    assert await answer(s, SC, A, 5) == 0, "behind an own store and another line's FLUSH"
    await answer(s, LR, A)
    s.load(B)
    s.load(B + 8192)
    assert await answer(s, SC, A, 5) == 1, "behind its eviction"
    for away in (lambda: foreign(s, NIU, Op.READ_EXCLUSIVE, A), lambda: foreign(s, NIU, Op.READ, A)):
        await free(s)
        await answer(s, LR, A)
        await s.tick(HOLD)
        await away()
        s.put(A + 4, 1)
        assert await answer(s, SC, A, 5) == 1, "the line was away and came back"


@test(timeout=100_000)
async def test_a_line_is_held_for_an_sc_and_no_longer(dut):
    """From an LR on others' ops are retried, for 64 cycles or until the SC, behind which the line goes at the first try. A program that repeats
    LR does not keep the line."""
    s = await site(dut)
    for op in (Op.READ, Op.READ_EXCLUSIVE, Op.FLUSH, Op.CLEAN, Op.KILL, Op.READ_PARTIAL, Op.WRITE_PARTIAL):
        for when in (0, 1, 2, 3, 30, HOLD - 12):
            await bring(s, A, "M")
            await free(s)
            await answer(s, LR, A)
            await s.tick(when)
            tried = await foreign(s, NIU, op, A, again=False, mask=1, data=bytes(64))
            assert tried.retried and tried.answer["retry"] and not tried.answer["intervene"], f"{op.name} {when} cycles after an LR"
            assert await answer(s, SC, A, when) == 0, f"{op.name} came between"
            if op not in (Op.READ_PARTIAL, Op.WRITE_PARTIAL):
                assert not (await foreign(s, NIU, op, A, again=False)).retried, f"{op.name} behind the SC"
    for op in (Op.READ_EXCLUSIVE, Op.READ, Op.FLUSH):  # who must have the line away, for a partial op, is the bus's elder
        await bring(s, A, "M")
        await free(s)
        for _ in range(200):
            s.atomic(LR, A)
        await s.tick(5)
        began = s.cycle
        await foreign(s, NIU, op, A)
        assert s.cycle - began < 2 * HOLD, f"{op.name} waits {s.cycle - began} cycles for a program of LRs"
        assert s.commands, "the program was over before"
        await s.settle()


@test(timeout=100_000)
async def test_nobody_comes_between_the_word_read_and_the_word_written(dut):
    """An op of others in every cycle around an AMO, in each state: the line it takes has the AMO's word, or the AMO finds what it left; the
    trace tells one store, with the word found."""
    s = await site(dut)
    found = Monitor(s, "io_probe_found").got
    commits = Monitor(s, "io_probe_commit", ("wr", "address", "data")).got
    for state in "ISEM":
        for op in (Op.READ_EXCLUSIVE, Op.READ, Op.FLUSH, Op.READ_PARTIAL, Op.WRITE_PARTIAL):
            for when in range(14):
                await bring(s, A, state)
                commits.clear(), found.clear()
                s.atomic(ADD, A + 4, 0x0101_0101)
                await s.tick(when)
                await foreign(s, NIU, op, A, mask=0xF0, data=random.randbytes(64))
                await s.settle()
                await s.tick(2)
                assert [c[:2] for c in commits] == [(1, A + 4)] and len(found) == 1
                assert commits[0][2] == found[0] + 0x0101_0101 & 0xFFFF_FFFF and found[0] == s.found
                await foreign(s, NIU, Op.FLUSH, A)


@test(timeout=20_000)
async def test_outside_dram_there_are_none(dut):
    """An LR, SC or AMO of a register, or of an address that nobody answers, is answered by an error and does not reach the bus."""
    s = await site(dut)
    for address in (REGISTER, 0x1000_0000):
        for op in (LR, SC, *AMOS):
            s.atomic(op, address, 1)  # the model wants an error
            await s.settle()
    assert not s.requests()
    await bring(s, A, "S")
    assert await answer(s, ADD, A, 1) == s.found


@test(timeout=400_000)
async def test_random_atomics_agree_with_memory(dut):
    """LRs, SCs and AMOs among loads and stores on six lines, against another cache and an NIU, at several paces: every answer is what one memory
    would give, an SC behind its LR succeeds unless something came between, and every access ends."""
    for rates, rate, idle in (
        (dict(), 0.3, 0.0),
        (dict(retry=0.3, shared=0.3, wake=0.02, stall=0.3, gap=0.3, delay=10, hold=0.3), 0.1, 0.3),
        (dict(retry=0.1, shared=0.5, stall=0.6, delay=3), 0.05, 0.0),
    ):
        s = await site(dut, **rates)
        s.idle_rate = idle
        lines = [A, B, B + 8192, A + 64, B + 64, A + 128]
        others = Others(s, lines, rate)
        for _ in range(int(os.environ.get("ACCESSES", "700"))):
            address = random.choice(lines) + 4 * random.randrange(16)
            if random.random() < 0.3:
                s.atomic(LR, address)
                s.atomic(SC, address if random.random() < 0.9 else random.choice(lines), random.getrandbits(32))
            elif random.random() < 0.6:
                s.atomic(random.choice([LR, SC, *AMOS]), address, random.choice((*EDGES, random.getrandbits(32))))
            else:
                random_accesses(s, 1, lines)
        count = len(s.commands)
        quiet, left = 0, len(s.commands)
        while s.commands or s.loads:
            others.step()
            await s.tick()
            quiet = quiet + 1 if len(s.commands) == left else 0
            left = len(s.commands)
            assert quiet < 2000, f"an access waits for 2000 cycles: {s.current}"
        await s.settle()
        dut._log.info(f"{rates}: {count} accesses in {s.cycle} cycles against {others.count} ops of others")


@pytest.mark.parametrize("ways", [1, 2])
def test_atomics(ways):
    run_unit("cache/DataCache", {"ways": ways, "atomics": True}, env={"WAYS": str(ways), "ATOMICS": "1"})
