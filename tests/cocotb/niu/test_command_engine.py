"""Commands of the sP: whole effect or none, data before tag, in order (contract §5)."""

import random

from engine_bench import (
    CLEAN_OP, DONE, EXCLUSIVE, FLUSH_OP, FREE, GET, INVALID, KILL_OP, PEND_DOWN, PUT, SEND, SHARED, TAG, UNTOLD, Command, Engine, same_effects,
)  # fmt: skip
from harness import run_unit
from kit import test
from kit.sitebus import FLUSH, READ, READ_EXCLUSIVE, WRITE_BACK

BASE = 0x80800000

# Blizzard T1: the ten tag changes, with the bus op each line must see.
TRANSITIONS = {
    "Inv->RW": (TAG, INVALID, EXCLUSIVE, 0, None),
    "Inv->RW put": (PUT, INVALID, EXCLUSIVE, 0, WRITE_BACK),
    "Inv->RO": (TAG, INVALID, SHARED, 0, None),
    "Inv->RO put": (PUT, INVALID, SHARED, 0, WRITE_BACK),
    "RW->Inv": (GET, EXCLUSIVE, INVALID, 0, FLUSH),
    "RW->Inv get": (GET, EXCLUSIVE, INVALID, 1, READ_EXCLUSIVE),
    "RO->Inv": (GET, SHARED, INVALID, 0, FLUSH),
    "RW->RO": (GET, EXCLUSIVE, SHARED, 0, 7),
    "RW->RO get": (GET, EXCLUSIVE, SHARED, 1, READ),
    "RO->RW": (TAG, SHARED, EXCLUSIVE, 0, None),
}


async def run(engine, commands):
    model, memory = engine.model()
    for c in commands:
        await engine.launch(c)
    await engine.drain()
    for c in commands:
        model.do(c)
    same_effects(engine, model, memory)


@test(timeout=100_000)
async def test_ten_tag_changes_at_every_size(dut):
    """Each row of blizzard's table on blocks of 1 to 32 lines: tags, bus ops, data, approvals, one event."""
    for name, (op, old, new, send, bus_op) in TRANSITIONS.items():
        for size in range(6):
            e = await Engine.started(dut, latency=4)
            address = BASE + 0x1000 + 64 * random.randrange(1 << size)
            c = Command(op, address, size, 1, old, 1, new, 1, 1, send, 1, 6, slot=9, lines=min(2, 1 << size) if op == PUT else 0, dest=77, notifies=1)
            e.tags.update({line: old for line in c.range})
            neighbours = {c.range[0] - 1: 7, c.range[-1] + 1: 7}
            e.tags.update(neighbours)
            await run(e, [c])
            assert all(e.tags[line] == new for line in c.range), name
            assert all(e.tags[line] == 7 for line in neighbours), name
            assert e.effects.approvals == [(c.range, new)], name
            assert {o for o, _ in e.effects.ops} == ({bus_op} - {None}), name
            e.halt()


@test(timeout=100_000)
async def test_mismatch_changes_nothing(dut):
    """One line with another tag: no tag, no memory, no message, no lost copy; the slot is freed, event 99 tells what was found."""
    for op in (GET, PUT, TAG, FLUSH_OP, CLEAN_OP, KILL_OP, SEND):
        for size in (0, 1, 3, 5):
            for send, new in ((0, INVALID), (1, INVALID), (1, SHARED)):
                e = await Engine.started(dut, latency=3)
                c = Command(op, BASE, size, 1, EXCLUSIVE, 1, new, 1, 1, send, 0, 2, slot=5, lines=2)
                e.tags.update({line: EXCLUSIVE for line in c.range})
                odd = random.choice(c.range)
                e.tags[odd] = SHARED
                before = dict(e.tags)
                await e.launch(c)
                await e.drain()
                assert e.tags == before and e.effects.messages == [] and e.effects.approvals == []
                assert e.effects.events == [(99, c.address, 1 | SHARED << 4)]
                assert e.effects.freed == [5]
                # A READ that began early is harmless; nothing else may have been asked of the bus.
                assert {o for o, _ in e.effects.ops} <= ({READ} if op == GET and send and new == SHARED else set())
                e.halt()
    e = await Engine.started(dut)
    await e.launch(Command(TAG, BASE, 0, 1, EXCLUSIVE, 1, SHARED, notifies=1))
    await e.drain()
    assert e.effects.events == [(98, BASE, 1)], "TAG with notify reports a mismatch in its own event"


@test(timeout=100_000)
async def test_no_tag_before_its_data(dut):
    """PUT: the tag takes effect after every line's verdict. GET, FLUSH, CLEAN, KILL: PEND_DOWN before any line is touched,
    the tag after all."""
    for n in range(60):
        e = await Engine.started(dut, latency=random.randrange(15), retries=random.choice([0, 0.5]), gaps=random.choice([0, 0.6]))
        op, send, new = random.choice([(PUT, 0, EXCLUSIVE), (GET, 1, INVALID), (GET, 1, SHARED), (GET, 0, INVALID), (GET, 0, SHARED),
                                       (FLUSH_OP, 0, INVALID), (CLEAN_OP, 0, SHARED), (KILL_OP, 1, INVALID)])  # fmt: skip
        size = random.randrange(4)
        c = Command(op, BASE, size, op != PUT, EXCLUSIVE, 1, new, 1, 0, send, 1, 4, slot=3, lines=1 + random.randrange(2))
        e.tags.update({line: EXCLUSIVE if op != PUT else INVALID for line in c.range})
        await run(e, [c])
        last = e.tag_log[-1]
        assert last[3:6] == (1, new, 1) and last[0] > max(op.answered for op in e.judged)
        if op != PUT:
            first = e.tag_log[0]
            assert first[3:7] == (1, PEND_DOWN, 0, 1), "PEND_DOWN without approvals, deferred by approved accesses"
            ends = sorted(op.done for op in e.judged)
            asked = sorted(op.fired for op in e.bus.ops)
            # Taken under PEND_DOWN: asked after it, or (READ) still in flight when it took effect and not read again.
            kept = len(ends) - len(c.range)
            assert first[0] < (ends[kept] if op == GET and new == SHARED and send else asked[0])
        e.halt()


@test(timeout=100_000)
async def test_an_acknowledgement_follows_its_change(dut):
    """TAG, PUT, FLUSH, CLEAN, KILL with `send`: one message without lines, after the last tag, verdict and beat."""
    for n in range(60):
        e = await Engine.started(dut, latency=random.randrange(15), retries=random.choice([0, 0.6]), gaps=random.choice([0, 0.6]), jitter=random.choice([0, 9]))
        e.stall = random.choice([0, 0.5])
        until = random.randrange(40)
        e.deferred = lambda command: e.cycle < until
        op = random.choice([TAG, PUT, FLUSH_OP, CLEAN_OP, KILL_OP])
        size, sets, use = random.randrange(4), random.randrange(4) > 0, random.randrange(2)
        c = Command(op, BASE + 0x400, size, random.randrange(2), EXCLUSIVE, sets, INVALID, sets, 0, 1, 1, 7, use, 0x12345678, 99, slot=3, lines=1 + random.randrange(2))
        e.tags.update({line: EXCLUSIVE for line in c.range})
        await run(e, [c])
        assert e.effects.messages == [(99, 7, 1, 0x12345678 if use else c.address, b"")]
        changes = [entry[0] for entry in e.tag_log] + [cycle for op in e.judged for cycle in (op.answered, op.done)]
        assert e.heads.at[0] > max(changes, default=0), "the acknowledgement overtook what it acknowledges"
        e.halt()


@test(timeout=100_000)
async def test_deferred_get_sends_what_was_approved(dut):
    """An approved store that completes while the GET is deferred is in the data sent (BZ-33)."""
    for delay in (2, 5, 9, 14, 25, 60):
        for size in (0, 1, 2):
            e = await Engine.started(dut, latency=random.randrange(8))
            c = Command(GET, BASE, size, 1, EXCLUSIVE, 1, SHARED, send=1, tag=2, dest=8)
            e.tags.update({line: EXCLUSIVE for line in c.range})
            until = e.cycle + 4 + delay
            stored = []

            def deferred(command):
                """The store waits for a bus without op on its line, then commits; only then the tag changes."""
                if e.cycle < until:
                    return True
                if not stored:
                    if any(port.op for port in e.bus.ports.values()):
                        return True
                    e.bus.memory[BASE][0:4] = b"NEW!"
                    stored.append(e.cycle)
                return False

            e.deferred = deferred
            await e.launch(c)
            await e.drain()
            assert stored and e.effects.messages[0][4][:4] == b"NEW!", f"delay {delay}"
            assert len(e.effects.messages) == max(1, (1 << size) // 2)
            e.halt()


@test(timeout=100_000)
async def test_lines_of_a_deferred_get_leave_in_order(dut):
    """Whichever lines were read before the tag changed, and however late one of them is: each is sent once, in its place."""
    for wait in range(40):
        e = await Engine.started(dut, latency=random.randrange(8), retries=0.5, jitter=9)
        c = Command(GET, BASE, random.randrange(1, 4), 1, EXCLUSIVE, 1, SHARED, send=1, tag=2, dest=8)
        e.tags.update({line: EXCLUSIVE for line in c.range})
        until = e.cycle + wait
        e.deferred = lambda command: e.cycle < until
        await run(e, [c])
        e.halt()


@test(timeout=100_000)
async def test_blocks_leave_in_parts_of_two_lines(dut):
    """All packets but the last have bit 0 of the tag; each word is the address of its first line; data in order."""
    for size in range(6):
        for stall in (0, 0.7):
            e = await Engine.started(dut, latency=2, retries=0.2)
            e.stall = stall
            c = Command(GET, BASE + 64 * ((1 << size) - 1), size, send=1, tag=10, dest=300, high=1)
            await run(e, [c])
            first = BASE + 0
            heads = [(dest, tag, high, word) for dest, tag, high, word, _ in e.effects.messages]
            parts = max(1, (1 << size) // 2)
            assert heads == [(300, 10 | (i < parts - 1), 1, first + 128 * i) for i in range(parts)]
            e.halt()


@test(timeout=100_000)
async def test_random_commands_as_the_model(dut):
    """300 commands of all kinds, with retries, gaps and stalls: every effect as the model's, in order."""
    for n in range(10):
        bad = BASE + 64 * random.randrange(64)
        e = await Engine.started(dut, latency=random.randrange(13), retries=random.choice([0, 0.3]), gaps=random.choice([0, 0.5]), jitter=random.choice([0, 7]),
                               errors=lambda a: n % 3 == 2 and a & ~63 == bad)  # fmt: skip
        e.stall = random.choice([0, 0.6])
        for line in range(BASE >> 6, (BASE >> 6) + 64):
            e.tags[line] = random.choice([INVALID, SHARED, EXCLUSIVE])
        commands = []
        for _ in range(30):
            size = random.choice([0, 0, 0, 1, 1, 2, 5])
            bit = lambda: random.randrange(2)
            commands.append(Command(
                random.randrange(8), BASE + 64 * random.randrange(63) + 4 * random.randrange(16), size, bit() and bit(), random.choice([INVALID, SHARED, EXCLUSIVE]),
                bit(), random.choice([INVALID, SHARED, EXCLUSIVE, 4, 7]), bit(), bit(), bit(), bit(), 2 * random.randrange(16), bit(),
                random.getrandbits(32), random.randrange(512), random.randrange(64), random.randrange(3), bit(),
            ))  # fmt: skip
        await run(e, commands)
        e.halt()


@test(timeout=100_000)
async def test_fifo_takes_eight(dut):
    """CMD_STATUS counts down to 0 free places, the ninth waits, and all are done in order."""
    e = await Engine.started(dut, latency=30)
    taken = 0
    await e.launch(Command(GET, BASE, 5, send=0))
    await e.tick()
    for i in range(7):
        assert dut.io_status_free.value == 8 - 1 - i
        await e.launch(Command(FREE, free=1, slot=i))
        await e.tick()
    assert dut.io_status_free.value == 0 and dut.io_status_busy.value and not dut.io_command_ready.value
    await e.launch(Command(FREE, free=1, slot=60))
    await e.drain()
    assert e.effects.freed == [*range(7), 60]
    assert dut.io_status_free.value == 8 and not dut.io_status_busy.value


@test(timeout=100_000)
async def test_events_never_stop_the_engine(dut):
    """The sP takes no event while it launches (VY-03): 60 commands that tell are all taken and done; the first are told, the others
    counted in one event 106 with the address of the first of them; what comes later is told again."""
    e = await Engine.started(dut)
    e.deaf = lambda: True
    for i in range(60):
        await e.launch(Command(FREE, BASE + 64 * i, free=1, slot=i, notifies=1))
    for _ in range(20):
        await e.tick()
    assert e.effects.freed == list(range(60)) and not dut.io_status_busy.value
    e.deaf = lambda: False
    await e.drain()
    *told, last = e.effects.events
    assert len(told) >= 16 and [event[:2] for event in told] == [(DONE, BASE + 64 * i) for i in range(len(told))]
    assert last == (UNTOLD, BASE + 64 * len(told), 60 - len(told))
    e.effects.events.clear()
    await e.launch(Command(FREE, BASE, notifies=1))
    await e.drain()
    assert [event[:2] for event in e.effects.events] == [(DONE, BASE)]


@test(timeout=100_000)
async def test_every_event_is_told_or_counted(dut):
    """A sP that pauses at random, for long: events in the order of the commands, each gap exactly as event 106 says."""
    e = await Engine.started(dut)
    e.deaf = lambda: e.cycle // 100 % 3 != 0
    for i in range(400):
        await e.launch(Command(FREE, BASE + 64 * i, notifies=1))
        for _ in range(random.randrange(3)):
            await e.tick()
    e.deaf = lambda: False
    await e.drain()
    following, gaps = 0, 0
    for index, arg, meta in e.effects.events:
        assert arg == BASE + 64 * following
        following += meta if index == UNTOLD else 1
        gaps += index == UNTOLD
    assert following == 400 and gaps > 1


@test(timeout=100_000)
async def test_status_says_what_a_command_waits_for(dut):
    """A command that stalls: CMD_STATUS names it and the cause, whichever unit it is."""
    COMPARE, VERDICTS, LAST_TAG, BEATS, MESSAGE_UNIT = range(1, 6)
    get = Command(GET, BASE, 1, 1, EXCLUSIVE, 1, INVALID, send=1, tag=2)
    causes = {COMPARE: (get, {"deferred": True}), VERDICTS: (get, {"retries": 1.0}), LAST_TAG: (Command(PUT, BASE, 0, 0, 0, 1, SHARED, 1, lines=1), {"held": True}),
              BEATS: (get, {"latency": 1000}), MESSAGE_UNIT: (Command(SEND, BASE, lines=2), {"stall": 1.0})}  # fmt: skip
    for cause, (command, how) in causes.items():
        e = await Engine.started(dut, latency=how.get("latency", 2), retries=how.get("retries", 0))
        e.stall = how.get("stall", 0)
        e.tags.update({line: EXCLUSIVE for line in command.range})
        if "deferred" in how:
            e.deferred = lambda c: True
        if "held" in how:
            e.held = lambda c: True
        await e.launch(command)
        for _ in range(120):
            await e.tick()
        assert (dut.io_status_waits.value, dut.io_status_op.value, dut.io_status_busy.value) == (cause, command.op, 1)
        e.halt()


async def measure(dut, c, latency=12, tag=EXCLUSIVE):
    """Cycles from the launch: (end, last tag in effect, first flit, last flit)."""
    e = await Engine.started(dut, latency=latency)
    e.tags.update({line: tag for line in c.range})
    start = await e.launch(c)
    await e.tick()
    while dut.io_status_busy.value:
        await e.tick()
    end = e.cycle
    await e.drain()
    e.halt()
    at = lambda t: t - start
    return at(end), at(e.tag_log[-1][0]) if e.tag_log else None, at(e.flits.at[0]) if e.flits.at else None, at(e.flits.at[-1]) if e.flits.at else None


@test(timeout=100_000)
async def test_cycles_of_each_command(dut):
    """The table of docs/design/command-engine.md: cycles from the store that launches, memory latency 12, no retries."""
    table = {
        "GET send, 1 line, RW->RO": (Command(GET, BASE, 0, 1, EXCLUSIVE, 1, SHARED, send=1), 23),
        "GET send, 2 lines, RW->RO": (Command(GET, BASE, 1, 1, EXCLUSIVE, 1, SHARED, send=1), 27),
        "GET send, 1 line, RO->RO": (Command(GET, BASE, 0, 1, EXCLUSIVE, 1, EXCLUSIVE, send=1), 23),
        "GET send, 1 line, RW->Inv": (Command(GET, BASE, 0, 1, EXCLUSIVE, 1, INVALID, send=1), 27),
        "GET, 2 lines, RW->Inv": (Command(GET, BASE, 1, 1, EXCLUSIVE, 1, INVALID), 16),
        "PUT, 1 line": (Command(PUT, BASE, 0, 0, 0, 1, SHARED, 1, lines=1), 11),
        "PUT, 2 lines": (Command(PUT, BASE, 1, 0, 0, 1, SHARED, 1, lines=2), 17),
        "TAG": (Command(TAG, BASE, 1, 1, EXCLUSIVE, 1, SHARED), 6),
        "SEND, 2 lines": (Command(SEND, BASE, lines=2), 10),
        "FREE": (Command(FREE, free=1), 2),
    }
    for name, (command, limit) in table.items():
        end, tag, first, last = await measure(dut, command)
        dut._log.info(f"command_cycles | {name} | end {end} | tag {tag} | first flit {first} | last flit {last} |")
        assert end <= limit, name


def test_command_engine():
    run_unit("niu/CommandEngine")
