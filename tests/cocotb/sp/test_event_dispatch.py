"""Events reach their handlers: soon, by priority, once, with their operands."""

import random

import cocotb
from harness import run_unit
from kit import test
from kit.programs import DISPATCH
from sp_bench import DATA, HIGH, LOCAL, LOW, NIU, Sp

# Appends arg and meta to a log in data RAM; s1 = its end.
RECORD = (
    DISPATCH
    + """
handler:
    sw   a0, 0(s1)
    sw   a1, 4(s1)
    addi s1, s1, 8
    ret
"""
)
# As RECORD, but the idle handler leaves no entry.
QUIET = (
    """
    la   t0, idle
    sw   t0, NIU_HANDLER(EVENT_IDLE)(s0)
"""
    + RECORD
    + """
idle:
    ret
"""
)


@test(timeout=60_000)
async def test_handler_starts_within_8_cycles(dut):
    """From an event visible at a FIFO head to the first instruction of its handler in execute."""
    sp = await Sp.started(dut, "latency", QUIET)
    core = dut.processor_core.cpu
    await sp.settled()
    worst, from_push = {}, {}
    for port in (HIGH, LOCAL, LOW):
        for _ in range(8):
            await sp.tick(20 + random.randrange(30))
            await sp.push(port, random.randrange(32), 1, 2)
            pushed = sp.cycle
            while not dut.unit.events.io_next_valid.value:
                await sp.tick()
            visible = sp.cycle
            while int(core.execute_PC.value) != sp.symbols["handler"] or not core.execute_arbitration_isValid.value:
                await sp.tick()
            worst[port] = max(worst.get(port, 0), sp.cycle - visible)
            from_push[port] = max(from_push.get(port, 0), sp.cycle - pushed)
    dut._log.info(f"sp_dispatch: head valid to handler in execute {worst}, push to handler {from_push} cycles")
    assert max(worst.values()) <= 8
    assert max(from_push.values()) <= 9


@test(timeout=60_000)
async def test_high_before_local_before_low(dut):
    """Whatever waits, EV_NEXT takes the oldest of the highest source; nothing is lost or taken twice."""
    sp = await Sp.started(dut, "priority", QUIET, hold=True)
    waiting = {port: [] for port in (HIGH, LOCAL, LOW)}
    for n in range(60):
        port = random.choice([HIGH, LOCAL, LOW])
        event = (random.randrange(96), random.getrandbits(32))
        waiting[port].append(event)
        await sp.push(port, *event, n)
    count = await sp.host.read(NIU + 0xC)
    assert count == len(waiting[HIGH]) << 20 | len(waiting[LOCAL]) << 10 | len(waiting[LOW])
    dut.io_spReset.value = 0
    await sp.until(lambda: len(sp.takes) >= 60)
    assert sp.takes[:60] == waiting[HIGH] + waiting[LOCAL] + waiting[LOW]


@test(timeout=60_000)
async def test_masked_source_waits(dut):
    """EV_ENABLE: a source whose bit is clear keeps its events until it is set."""
    sp = await Sp.started(dut, "masks", QUIET)
    await sp.settled()
    for mask in (1, 2, 4, 3, 5, 6, 0):
        await sp.host.write(NIU + 0x10, mask)
        assert await sp.host.read(NIU + 0x10) == mask
        sp.takes.clear()
        for bit, port in enumerate((HIGH, LOCAL, LOW)):
            for i in range(3):
                await sp.push(port, 10 * bit + i)
        await sp.tick(120)
        assert [i for i, _ in sp.takes] == [10 * b + i for b in range(3) if mask >> b & 1 for i in range(3)]
        await sp.host.write(NIU + 0x10, 7)
        await sp.tick(120)
        assert sorted(i for i, _ in sp.takes if i != 127) == [10 * b + i for b in range(3) for i in range(3)]


@test(timeout=60_000)
async def test_empty_gives_idle_after_256_cycles(dut):
    """EV_NEXT blocks while there is nothing, then event 127 comes with operands of zero."""
    sp = await Sp.started(dut, "idle", RECORD)
    await sp.until(lambda: sp.takes == [(127, 0)], limit=1500)
    first = sp.cycle
    waits = 0
    while len(sp.takes) < 2:
        await sp.tick()
        waits += int(dut.io_probe_waiting.value)
    assert 256 <= sp.cycle - first <= 256 + 16
    assert 250 <= waits <= 256
    await sp.tick(20)
    assert await sp.host.read(DATA) == 0 and await sp.host.read(DATA + 4) == 0


@test(timeout=60_000)
async def test_handlers_get_every_event_with_its_operands(dut):
    """Random events from three sources at random paces: each handled once, per source in order."""
    sp = await Sp.started(dut, "operands", QUIET)
    sent = {port: [] for port in (HIGH, LOCAL, LOW)}

    # Local events come faster than they are handled beside the high ones: pushes meet pops of a FIFO that is not empty.
    pauses = {HIGH: [20, 60], LOCAL: [0, 0, 15], LOW: [0, 40]}

    async def source(port, n):
        for _ in range(n):
            event = (random.getrandbits(32), random.getrandbits(30) << 2 | (HIGH, LOCAL, LOW).index(port))
            sent[port].append(event)
            await sp.push(port, random.randrange(127), *event)
            await sp.tick(random.choice(pauses[port]))

    tasks = [cocotb.start_soon(source(port, 50)) for port in (HIGH, LOCAL, LOW)]
    for task in tasks:
        await task
    await sp.until(lambda: sum(i != 127 for i, _ in sp.takes) == 150)
    await sp.tick(30)
    log = [(await sp.host.read(DATA + 8 * i), await sp.host.read(DATA + 8 * i + 4)) for i in range(150)]
    for k, port in enumerate((HIGH, LOCAL, LOW)):
        assert [e for e in log if e[1] & 3 == k] == sent[port]


@test(timeout=60_000)
async def test_full_fifo_holds_its_source(dut):
    """A full FIFO takes no more and loses nothing (the local one: 64 and its head)."""
    sp = await Sp.started(dut, "full", QUIET, hold=True)
    taken = 0
    dut.io_local_valid.value = 1
    for _ in range(100):
        dut.io_local_payload_index.value, dut.io_local_payload_arg.value, dut.io_local_payload_meta.value = 5, taken, 0
        await sp.tick()
        taken += int(dut.io_local_ready.value)
    dut.io_local_valid.value = 0
    assert 64 <= taken <= 65
    dut.io_spReset.value = 0
    await sp.until(lambda: len(sp.takes) >= taken)
    assert sp.takes[:taken] == [(5, i) for i in range(taken)]


@test(timeout=60_000)
async def test_timer_comes_once(dut):
    """Event 97 when TIME_LO reaches TIMER, once; a time already past counts as reached."""
    sp = await Sp.started(dut, "timer", QUIET)
    await sp.tick(600)
    now = await sp.host.read(NIU + 0xB0)
    assert await sp.host.read(NIU + 0xB4) == 0
    start = sp.cycle
    await sp.host.write(NIU + 0xB8, now + 300)
    await sp.until(lambda: (97, now + 300) in sp.takes, limit=400)
    assert abs(sp.cycle - start - 300) < 12
    await sp.tick(600)
    assert sum(i == 97 for i, _ in sp.takes) == 1
    await sp.host.write(NIU + 0xB8, 5)
    await sp.until(lambda: (97, 5) in sp.takes, limit=30)


def test_event_dispatch():
    run_unit("sp/ServiceProcessor")
