"""Tag commands: compare and swap over 1 to 32 lines, whole to every snoop; their cycles; TAGQ (BZ-06, BZ-09, BZ-T2)."""

import random

import cocotb
import snoop_model as m
from kit import test
from registers import NIU_TAGQ
from snoop_bench import Op, cell, started
from snoop_run import run_snooper


@test(timeout=60_000)
async def test_compare_and_swap_all_sizes(dut):
    """Equal lines swap, one wrong line anywhere changes nothing and is reported; neighbours never change."""
    bench = await started(dut)
    for _ in range(300):
        size, word = random.randrange(6), random.randrange(512)
        n = 1 << size
        first = random.randrange(32 // n) * n
        old, next, wrong = random.randrange(8), random.randrange(8), random.randrange(8)
        await bench.set(bench.line(0, word), random.randrange(8), size=5)
        await bench.set(bench.line(first, word), old, size=size)
        spoilt = first + random.randrange(n)
        await bench.set(bench.line(spoilt, word), wrong)
        before = [bench.model.tag((bench.line(i, word)) >> 6) for i in range(32)]
        got = await bench.set(bench.line(first + random.randrange(n), word), next, size=size, check=True, old=old)
        assert got == (wrong != old, wrong if wrong != old else old)
        i = random.choice([spoilt, first, (first + n) % 32, (first - 1) % 32])
        expected = next if wrong == old and first <= i < first + n else before[i]
        assert await bench.query(bench.line(i, word)) == expected


@test(timeout=60_000)
async def test_every_line_has_its_own_tag(dut):
    """A pattern over the whole heap reads back: no two lines share a tag."""
    bench = await started(dut)
    lines = len(bench.heap) // 64
    picks = list(range(0, 96)) + [1 << i for i in range(7, 14)] + list(range(lines - 96, lines))
    for i in picks:
        await bench.set(bench.heap[0] + 64 * i, (i * 5 + i // 8) % 8)
    for i in picks:
        assert await bench.query(bench.heap[0] + 64 * i) == (i * 5 + i // 8) % 8


@test(timeout=60_000)
async def test_outside_the_heap(dut):
    """Lines without tags read as OTHER, compare as OTHER, and a command on them changes no tag."""
    bench = await started(dut)
    for address in (0x8000_0000, bench.heap[0] - 64, bench.heap[-1] + 1, 0xF000_0000, bench.heap[0] & 0x7FFF_FFFF):
        alias = bench.heap[0] + (address & (len(bench.heap) - 1))
        await bench.set(alias, m.SHARED)
        assert await bench.query(address) == m.OTHER
        assert await bench.set(address, m.EXCLUSIVE, check=True, old=m.OTHER) == (False, m.OTHER)
        assert await bench.set(address, m.EXCLUSIVE, check=True, old=m.SHARED) == (True, m.OTHER)
        assert await bench.query(alias) == m.SHARED


@test(timeout=60_000)
async def test_cycles_of_a_command(dut):
    """Presented to result: 2 cycles, 3 with compare; one command each 2 or 3 cycles back to back."""
    bench = await started(dut)
    for check, cycles in ((False, 2), (True, 3)):
        start = bench.cycle
        for i in range(16):
            await bench.tick(command=m.Command(bench.line(i), set=True, next=m.SHARED, check=check, old=m.OTHER if i < 0 else 0))
            while bench.command:
                await bench.tick()
            assert bench.cycle - start == (i + 1) * cycles
        await bench.tick()
        for accepted, result, *_ in bench.results[-16:]:
            assert result == accepted + 1
        await bench.set(bench.line(0), m.OTHER, size=5)
        await bench.tick()


@test(timeout=60_000)
async def test_no_op_sees_half_a_change(dut):
    """Reads of all lines, one a cycle, against commands that open and close ranges of every size: each op with T2 > c sees
    the whole command accepted in c, and no other does."""
    bench = await started(dut)
    await bench.set(bench.line(0), m.EXCLUSIVE, size=5)
    await bench.write(cell(m.INVALID, m.READ), m.RETRY)
    closed, seen = False, {True: 0, False: 0}
    for _ in range(150):
        first = len(bench.results)
        closed = not closed
        tokens = []
        command = m.Command(bench.line(0), size=5, set=True, next=m.INVALID if closed else m.EXCLUSIVE,
                            check=random.random() < 0.5, old=m.EXCLUSIVE if closed else m.INVALID)
        when, start = random.randrange(3, 8), random.randrange(32)
        for i in range(16):
            tokens.append(await bench.tick(Op(m.READ, bench.line((start + i) % 32), master=i), command if i == when else None))
        for _ in range(4):
            await bench.tick()
        accepted = bench.results[first][0]
        for t in tokens:
            new = t["issued"] + 2 >= accepted + 1
            assert t["verdict"].retry == (closed if new else not closed), (t, accepted)
            seen[new] += 1
    assert min(seen.values()) > 300


@test(timeout=60_000)
async def test_tagq_in_traffic(dut):
    """TAGQ answers a load that follows its store in the next cycle, while commands and snoops go on at full rate."""
    bench = await started(dut)
    for _ in range(400):
        address = bench.line(random.randrange(32), random.randrange(4))
        command = None
        if not bench.command:
            command = m.Command(bench.line(random.randrange(32), random.randrange(4)), size=random.randrange(6), set=True, next=random.randrange(8),
                                check=random.random() < 0.3, old=random.randrange(8))
        before = bench.model.tag(address >> 6)
        await bench.tick(Op(m.READ, bench.line(3), master=1), command, reg=(NIU_TAGQ, address))
        after = bench.model.tag(address >> 6)
        await bench.tick(reg=(NIU_TAGQ, None))
        await bench.tick()
        assert bench.reg_data in (before, after), (before, after, bench.reg_data)
        for _ in range(random.randrange(3)):
            await bench.tick()


@test(timeout=60_000)
async def test_reset_clears_the_tags(dut):
    """After a reset every tag is OTHER and the table is the reset table again; until then ops are retried, untold."""
    bench = await started(dut)
    await bench.set(bench.line(0, 511), m.EXCLUSIVE, size=5)
    await bench.write(cell(m.OTHER, m.READ), m.MEMORY)
    assert await bench.op(0, m.READ, bench.line(9)) == m.Answer()
    dut.reset.value = 1
    await bench.edge()
    dut.reset.value = 0
    for i in range(512):
        bench.present(Op(m.READ, bench.line(0, 511), master=1) if i == 300 else None)
        await bench.edge()
        assert bench.answer.get("retry") == int(i == 302) and bench.event.get("valid") == 0
    bench.model = m.Model(bench.entries, bench.age_limit, bench.heap, cycle=512, room=True)
    assert await bench.query(bench.line(0, 511)) == m.OTHER
    assert (await bench.op(0, m.READ, bench.line(9))).retry


def test_snooper_tags():
    run_snooper(entries=8)
