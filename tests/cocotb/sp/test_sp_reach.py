"""What the sP's loads and stores reach: commands, Express, DRAM, slots, other units; and the host, the sP's memory."""

import random

from harness import run_unit
from kit import test
from kit.programs import DISPATCH
from kit.sitebus import READ_PARTIAL, WRITE_PARTIAL
from registers import (
    EVENT_BUS_ERROR, MEMORY_BASE, NIU_AP_RUN, NIU_APPROVAL_ADDRESS, NIU_APPROVAL_STATE, NIU_APS, NIU_BASIC_TX_BASE, NIU_CMD_STATUS, NIU_COUNT_DROPPED,
    NIU_EMPTY_WORD, NIU_EV_DEPTH, NIU_HANDLER, NIU_PAGE_HANDLER, NIU_RESPONDER, NIU_SITE_ID, NIU_SITES, NIU_TAGQ, NIU_TRANSLATION, NIU_TX_FREE,
)  # fmt: skip
from sp_bench import DATA, HIGH, LOW, NIU, Sp

IDLE = "handler:\n    j handler\n"
DRAM = MEMORY_BASE + 0x100000


@test(timeout=60_000)
async def test_express_store_becomes_message(dut):
    """A store to 0x2000_0000: queue, tag, destination and priority from the address (VY-24), in order, also when full."""
    sent = [(random.randrange(16), random.randrange(32), random.randrange(512), random.randrange(2), random.getrandbits(32)) for _ in range(40)]
    body = "".join(f"    li t0, SP_EXPRESS_TX_BASE + {q << 17 | t << 12 | d << 3 | h << 2}\n    li t1, {w}\n    sw t1, 0(t0)\n" for q, t, d, h, w in sent)
    sp = await Sp.started(dut, "express", body + IDLE)
    sp.stall(0.7)
    await sp.until(lambda: len(sp.express) >= 40)
    await sp.tick(50)
    assert sp.express == sent


@test(timeout=60_000)
async def test_stores_take_one_cycle(dut):
    """Sixteen stores to registers in a row: sixteen cycles."""
    body = "    lw t2, NIU_TIME_LO(s0)\n" + "    sw t1, NIU_CMD_WORD(s0)\n" * 16 + "    lw t3, NIU_TIME_LO(s0)\n    sub t3, t3, t2\n    sw t3, 0(s1)\n"
    sp = await Sp.started(dut, "stores", body + IDLE)
    await sp.tick(900)
    assert await sp.host.read(DATA) == 17


@test(timeout=60_000)
async def test_cycles_of_each_access(dut):
    """The cost table of docs/design/service-processor.md: cycles from before to after, memory latency 12."""
    cases = {
        "nothing": ("nop", 1), "store register": ("sw t1, NIU_CMD_WORD(s0)", 1), "launch": ("sw t1, NIU_LAUNCH_TAG(s0)", 1),
        "express": ("sw t1, 0(s3)", 1), "load data RAM": ("lw t1, 8(s1)", 1), "load data RAM and use": ("lw t1, 8(s1)\n    addi t1, t1, 1", 3),
        "load register": ("lw t1, NIU_CMD_WORD(s0)", 1), "load register, address with a carry": ("lw t1, -NIU_CMD_WORD(s5)", 2),
        "load instruction RAM": ("lw t1, 0(zero)", 2), "load slot": ("lw t1, 0(s4)", 2),
        "load register of another unit": ("lw t1, NIU_TAGQ(s0)", 3), "store DRAM": ("sw t1, 0(s2)", 1),
        "store DRAM, then load it": ("sw t1, 4(s2)\n    lw t1, 4(s2)", 26), "load DRAM": ("lw t1, 8(s2)", 19), "jump": ("j 1f\n1:", 2),
        "branch not taken": ("bnez x0, 1f\n1:", 1), "multiply": ("mul t4, s0, s0", 1), "multiply and use": ("mul t4, s0, s0\n    addi t4, t4, 1", 4),
        "divide": ("divu t4, s0, s4", 36),
    }  # fmt: skip
    body = f"    li s2, {DRAM}\n    li s3, SP_EXPRESS_TX_BASE\n    li s4, SP_SLOTS_BASE\n    li s5, NIU_BASE + 2*NIU_CMD_WORD\n"
    for i, (code, _) in enumerate(cases.values()):
        # The pause lets a DRAM store of the case before end.
        body += "    nop\n" * 24 + f"    lw t2, NIU_TIME_LO(s0)\n    {code}\n    lw t3, NIU_TIME_LO(s0)\n    sub t3, t3, t2\n    sw t3, {4 * i + 64}(s1)\n"
    sp = await Sp.started(dut, "costs", body + IDLE)
    await sp.tick(2500)
    for i, (name, (_, limit)) in enumerate(cases.items()):
        cycles = await sp.host.read(DATA + 4 * i + 64) - 1
        dut._log.info(f"sp_cycles | {name} | {cycles} |")
        assert 1 <= cycles <= limit, name


@test(timeout=60_000)
async def test_launch_carries_every_field(dut):
    """CMD_CTRL, CMD_DEST, CMD_WORD and the address reach the command engine in the fields of contract §5."""
    widths = dict(size=3, check=1, old=3, set=1, next=3, approve=1, free=1, send=1, high=1, tag=5, useWord=1, notifies=1)
    lsb = dict(size=0, check=3, old=4, set=7, next=8, approve=11, free=12, send=13, high=14, tag=15, useWord=20, notifies=23)
    body, expected = "", []
    for _ in range(30):
        c = {name: random.getrandbits(w) for name, w in widths.items()}
        ctrl = sum(v << lsb[name] for name, v in c.items())
        c |= dict(dest=random.getrandbits(9), slot=random.getrandbits(6), word=random.getrandbits(32), op=random.randrange(8), address=random.getrandbits(32), lines=None)
        expected.append(c)
        for register, value in ((0x40, ctrl), (0x44, c["dest"] | c["slot"] << 16), (0x48, c["word"]), (0x80 + 4 * c["op"], c["address"])):
            body += f"    li t0, {value}\n    sw t0, {register}(s0)\n"
    sp = await Sp.started(dut, "launch", body + IDLE)
    sp.stall(0.6)
    await sp.until(lambda: len(sp.commands) >= 30)
    await sp.tick(50)
    assert len(sp.commands) == 30
    for got, want in zip(sp.commands, expected):
        assert {k: (got[k], v) for k, v in want.items() if k != "lines" and got[k] != v} == {}


@test(timeout=60_000)
async def test_reply_and_event_slot_follow_the_event(dut):
    """REPLY answers the event's site, EVENT_SLOT names its slot with the lines its META tells; a slot named by number has the lines
    that the slot store tells, also when the launch follows the store to CMD_DEST at once."""
    body = (
        DISPATCH
        + """
handler:
    li   t1, NIU_CMD_CTRL_REPLY(1) + NIU_CMD_CTRL_EVENT_SLOT(1)
    beqz a0, event
    andi t3, a0, 64
    andi a0, a0, 63
    slli t2, a0, 16
    bnez t3, early
    sw   t2, NIU_CMD_DEST(s0)
    sw   x0, NIU_CMD_CTRL(s0)
    sw   a0, NIU_LAUNCH_PUT(s0)
    ret
early:
    sw   x0, NIU_CMD_CTRL(s0)
    sw   t2, NIU_CMD_DEST(s0)
    sw   a0, NIU_LAUNCH_SEND(s0)
    ret
event:
    sw   t1, NIU_CMD_CTRL(s0)
    sw   a0, NIU_LAUNCH_PUT(s0)
    ret
"""
    )
    sp = await Sp.started(dut, "reply", "    la t0, none\n    sw t0, NIU_HANDLER(EVENT_IDLE)(s0)\n" + body + "none:\n    ret\n")
    await sp.settled()
    for _ in range(30):
        sp.lines = [random.randrange(3) for _ in range(64)]
        site, slot, lines = random.randrange(64), random.randrange(1, 64), random.randrange(3)
        await sp.push(random.choice([HIGH, LOW]), random.choice([3, 31, 64, 95]), 0, site | slot << 6 | lines << 12 | random.getrandbits(18) << 14)
        await sp.tick(30)
        got = sp.commands[-1]
        assert (got["dest"], got["slot"], got["lines"]) == (site << 3, slot, lines)
        # By number, from an event without lines: a fault's meta must not be taken for a message's.
        old = random.randrange(1, 64)
        await sp.push(HIGH, 40, old | random.choice([0, 64]), 0xFFFFFFFF)
        await sp.tick(30)
        assert (sp.commands[-1]["slot"], sp.commands[-1]["lines"]) == (old, sp.lines[old])


@test(timeout=60_000)
async def test_dram_window(dut):
    """Byte, half and word stores and loads to DRAM are masked partials with bypass, in order, however often retried."""
    body, model, checks = f"    li s2, {DRAM}\n", {}, []
    for _ in range(60):
        size = random.choice([1, 2, 4])
        at = random.randrange(0, 256, size)
        if random.random() < 0.5:
            value = random.getrandbits(8 * size)
            body += f"    li t0, {value}\n    s{ {1: 'b', 2: 'h', 4: 'w'}[size] } t0, {at}(s2)\n"
            model.update({at + i: value >> 8 * i & 255 for i in range(size)})
        elif all(at + i in model for i in range(size)):
            checks.append(sum(model[at + i] << 8 * i for i in range(size)))
            body += f"    l{ {1: 'bu', 2: 'hu', 4: 'w'}[size] } t0, {at}(s2)\n    sw t0, {4 * len(checks) - 4}(s1)\n"
    sp = await Sp.started(dut, "dram", body + IDLE, retries=0.3, gaps=0.3)
    await sp.tick(5500)
    assert checks and [await sp.host.read(DATA + 4 * i) for i in range(len(checks))] == checks
    for at, value in model.items():
        assert sp.bus.memory[DRAM + at & -64][at & 63] == value
    assert {op.op for op in sp.bus.ops} == {READ_PARTIAL, WRITE_PARTIAL}


@test(timeout=60_000)
async def test_launch_waits_for_dram_stores(dut):
    """A command or an Express message never overtakes a DRAM store before it."""
    body = f"    li s2, {DRAM}\n    li s3, SP_EXPRESS_TX_BASE\n"
    for i in range(8):
        body += f"    li t0, {i + 1}\n    sw t0, 0(s2)\n    " + ("sw t0, NIU_LAUNCH_SEND(s0)\n" if i % 2 else "sw t0, 0(s3)\n")
    sp = await Sp.started(dut, "order", body + IDLE, retries=0.4)
    seen = []
    for _ in range(3000):
        await sp.tick(1)
        while len(seen) < len(sp.commands) + len(sp.express):
            seen.append(int.from_bytes(sp.bus.memory[DRAM][:4], "little"))
    assert len(seen) == 8 and all(memory == i + 1 for i, memory in enumerate(seen))


@test(timeout=60_000)
async def test_nobody_answers(dut):
    """A load that nobody answers traps (cause 5); a store gives event 104 with its address. On the bus and off it."""
    for n, address in enumerate((DRAM, 0x40000000, 0x00100000)):
        body = f"    li s2, {address}\n    li t0, 1\n    sw t0, 0x24(s2)\n" + QUIET_DISPATCH
        sp = await Sp.started(dut, f"lost{n}", body, errors=lambda a: True)
        await sp.until(lambda: (EVENT_BUS_ERROR, address + 0x24) in sp.takes, what="event 104")
        sp = await Sp.started(dut, f"trap{n}", f"    li s2, {address}\n    lw t0, 0(s2)\n" + IDLE, errors=lambda a: True)
        await sp.until(lambda: sp.traps == [5], what="trap")


@test(timeout=60_000)
async def test_no_lost_store_goes_uncounted(dut):
    """More stores that nobody takes, to nowhere and too narrow for instruction RAM, than the local FIFO holds: each is told or counted."""
    stores = 100
    body = f"""
    la   t0, count
    sw   t0, NIU_HANDLER(EVENT_BUS_ERROR)(s0)
    sw   x0, 0(s1)
    li   s2, 0x40000000
    li   s3, {stores // 2}
again:
    sw   s3, 0(s2)
    sb   s3, 0x7F0(x0)
    addi s3, s3, -1
    bnez s3, again
{DISPATCH}
count:
    srli t0, a1, 16
    addi t0, t0, 1
    lw   t1, 0(s1)
    add  t1, t1, t0
    sw   t1, 0(s1)
handler:
    ret
"""
    sp = await Sp.started(dut, "uncounted", body)
    await sp.until(lambda: len(sp.takes) > 0, "event 104")
    await sp.settled()
    await sp.tick(100)
    assert {index for index, _ in sp.takes} == {EVENT_BUS_ERROR} and len(sp.takes) < stores, "the FIFO held all of them"
    assert await sp.host.read(DATA) == stores


QUIET_DISPATCH = DISPATCH + "handler:\n    ret\n"


@test(timeout=60_000)
async def test_trap_tells_its_cause(dut):
    """An illegal instruction reaches mtvec with mcause 2; TRAP shows it on the pin."""
    sp = await Sp.started(dut, "illegal", "    .word 0xFFFFFFFF\n" + IDLE)
    await sp.until(lambda: sp.traps == [2], what="trap")


@test(timeout=60_000)
async def test_slots_and_other_units(dut):
    """Slot SRAM reads give the right half; registers of other units are reached at their offsets, TAGQ by write then read."""
    words = [random.randrange(64 * 32) for _ in range(20)]
    offsets = [NIU_TAGQ, NIU_EMPTY_WORD, NIU_RESPONDER(0), NIU_RESPONDER(127), NIU_APPROVAL_ADDRESS(0), NIU_APPROVAL_STATE(7),
               NIU_BASIC_TX_BASE(1), NIU_COUNT_DROPPED, NIU_TRANSLATION(0), NIU_TRANSLATION(8191)]  # fmt: skip
    body = "    li s2, SP_SLOTS_BASE\n"
    for i, w in enumerate(words):
        body += f"    li t0, SP_SLOTS_BASE + {4 * w}\n    lw t1, 0(t0)\n    sw t1, {4 * i}(s1)\n"
    for i, o in enumerate(offsets):
        body += f"    li t0, NIU_BASE + {o}\n    li t1, {i + 77}\n    sw t1, 0(t0)\n    lw t1, 0(t0)\n    sw t1, {4 * (20 + i)}(s1)\n"
    sp = await Sp.started(dut, "units", body + IDLE)
    await sp.tick(1500)
    assert [await sp.host.read(DATA + 4 * i) for i in range(20)] == [int.from_bytes(sp.slots[4 * w : 4 * w + 4], "little") for w in words]
    assert [r[:2] for r in sp.regs] == [(w, o) for o in offsets for w in (1, 0)]
    assert [r[2] for r in sp.regs if r[0]] == [i + 77 for i in range(10)]
    assert [await sp.host.read(DATA + 80 + 4 * i) for i in range(10)] == [(o * 0x9E3779B1) & 0xFFFFFFFF for o in offsets]


@test(timeout=60_000)
async def test_plain_registers(dut):
    """SITE_ID, SITES, APS, EV_DEPTH, TX_FREE, CMD_STATUS, AP_RUN, HANDLER, CONSOLE, through the host while the sP runs."""
    sp = await Sp.started(dut, "plain", "    li t0, 'k'\n    sw t0, NIU_CONSOLE(s0)\n    li t0, 1\n    sw t0, NIU_AP_RUN(s0)\n" + QUIET_DISPATCH)
    await sp.settled()
    assert bytes(sp.console) == b"k" and dut.io_apRun.value == 1
    await sp.host.write(NIU + NIU_PAGE_HANDLER(9), 0x1234)  # of mode 0, which has none of its own: not HANDLER(9)
    for offset, value in ((NIU_SITE_ID, 3), (NIU_SITES, 4), (NIU_APS, 1), (NIU_TX_FREE, 0x04560123), (NIU_EV_DEPTH, 512 << 20 | 64 << 10 | 256), (NIU_CMD_STATUS, 8), (NIU_AP_RUN, 1), (NIU_HANDLER(9), sp.symbols["handler"])):
        assert await sp.host.read(NIU + offset) == value, hex(offset)
    await sp.host.write(NIU + NIU_AP_RUN, 0)
    await sp.tick(8)
    assert dut.io_apRun.value == 0


@test(timeout=60_000)
async def test_host_works_beside_the_program(dut):
    """The host writes and reads both RAMs and DRAM while the sP computes; neither sees the other's accesses go wrong."""
    # Sums 64 words of data RAM again and again into word 255; the host changes other words.
    body = """
again:
    li   t0, 64
    mv   t1, s1
    li   t2, 0
sum:
    lw   t3, 0(t1)
    add  t2, t2, t3
    addi t1, t1, 4
    addi t0, t0, -1
    bnez t0, sum
    sw   t2, 1020(s1)
    j    again
handler:
"""
    sp = await Sp.started(dut, "beside", body, hold=True)
    words = [random.getrandbits(32) for _ in range(64)]
    for i, w in enumerate(words):
        await sp.host.write(DATA + 4 * i, w)
    dut.io_spReset.value = 0
    model = {}
    for n in range(150):
        at = random.choice([0x8000, DATA + 0x8000, DRAM]) + 4 * random.randrange(16)
        if at in model and random.random() < 0.5:
            assert await sp.host.read(at) == model[at]
        else:
            model[at] = random.getrandbits(32)
            await sp.host.write(at, model[at])
    await sp.tick(1500)
    assert await sp.host.read(DATA + 1020) == sum(words) & 0xFFFFFFFF
    assert sp.traps == []


@test(timeout=60_000)
async def test_arithmetic(dut):
    """rv32im: products, quotients, remainders, shifts and comparisons as Python computes them."""
    signed = lambda v: v - (1 << 32) if v >> 31 else v
    body, expected = "", []
    for _ in range(40):
        a, b = random.getrandbits(32), random.choice([random.getrandbits(32), random.randrange(1, 40)])
        op = random.choice("mul mulh mulhu div divu rem remu sll srl sra slt sltu".split())
        quotient = abs(signed(a)) // max(1, abs(signed(b)))
        quotient = quotient if (signed(a) < 0) == (signed(b) < 0) else -quotient
        expected.append({
            "mul": a * b, "mulh": signed(a) * signed(b) >> 32, "mulhu": a * b >> 32, "div": quotient if b else -1,
            "divu": a // b if b else -1, "rem": signed(a) - quotient * signed(b) if b else a, "remu": a % b if b else a,
            "sll": a << (b & 31), "srl": a >> (b & 31), "sra": signed(a) >> (b & 31), "slt": signed(a) < signed(b), "sltu": a < b,
        }[op] & 0xFFFFFFFF)  # fmt: skip
        body += f"    li t0, {a}\n    li t1, {b}\n    {op} t2, t0, t1\n    sw t2, {4 * len(expected) - 4}(s1)\n"
    sp = await Sp.started(dut, "arithmetic", body + IDLE)
    await sp.tick(3000)
    assert [await sp.host.read(DATA + 4 * i) for i in range(40)] == expected


def test_sp_reach():
    run_unit("sp/ServiceProcessor")
