"""The Site Bus with its DRAM home (contract §2). The rules of every cycle are watched by BusAssertions in the RTL."""

import random

import cocotb
from busagents import Cache, Fetcher, Golden, NiuMaster, NiuSnooper
from harness import run_unit
from kit import test
from kit.busroles import Bus, Claimant
from kit.sitebus import (
    BASE, CACHE, CLEAN, FLUSH, KILL, MEMORY, NIU, NONE, READ, READ_EXCLUSIVE, READ_PARTIAL, UPGRADE, WRITE_BACK, WRITE_PARTIAL, Op,
    beats_of, fresh)

MASTERS, CACHES = 7, 2
ENGINE, SP, MESSAGE = 4, 5, 6
NOBODY = 0xE000_0000


async def start(dut, laziness: float = 0.0, latency: int = 12) -> Bus:
    return await Bus(dut, masters=MASTERS, caches=CACHES, laziness=laziness, latency=latency).start()


def attach(bus: Bus, index: int, golden: Golden) -> Cache:
    """A cache whose core does nothing of its own."""
    cache = Cache(bus, index, golden, [])
    cache.active = False
    bus.snoopers[index] = cache
    return cache


def own(cache: Cache, golden: Golden, line: int, state: str = "M") -> bytes:
    """Gives `cache` a copy of `line`; a modified one differs from memory."""
    data = bytearray(fresh(line))
    if state == "M":
        data[5] ^= 255
    cache.lines[line] = [state, bytearray(data)]
    golden[line] = bytearray(data)
    return bytes(data)


@test(timeout=20_000)
@cocotb.parametrize(pace=["hurried", "usual", "halting"])
async def test_every_load_sees_the_last_store(dut, pace):
    """Caches, fetchers and NIU masters on few lines: each load, and memory at the end, has the last store."""
    laziness, latency, cycles = {"hurried": (0.0, 1, 3000), "usual": (0.1, 12, 4000), "halting": (0.5, 5, 5000)}[pace]
    bus = await start(dut, laziness, latency)
    golden, held = Golden(), set()
    lines = [BASE + 64 * (i * 33) for i in range(6)]
    caches = [Cache(bus, i, golden, lines) for i in range(CACHES)]
    bus.snoopers[:CACHES] = caches
    bus.snoopers[CACHES] = NiuSnooper(bus, CACHES, held)
    agents = [Fetcher(bus, 2 * i + 1, golden, lines) for i in range(CACHES)]
    agents += [NiuMaster(bus, m, golden, lines, held) for m in (ENGINE, SP, MESSAGE)]
    bus.users = agents

    def killed(seen):
        if seen.op == KILL and not seen.retry and any(c.state(seen.line) == "M" for c in caches):
            golden[seen.line] = None

    bus.before_verdict = killed
    await bus.tick(cycles)
    for a in (*caches, *agents):
        a.active = False
    for _ in range(4000):
        await bus.tick()
        if all(c.want is None and not c.push and not c.op for c in caches) and all(
                a.op is None and a.again is None and getattr(a, "mine", None) is None for a in agents):
            break
    else:
        raise AssertionError("some master never gets through")
    await bus.drain()
    work = [a.done for a in (*caches, *agents)]
    cocotb.log.info("%s: done %s in %d cycles", pace, work, bus.cycle)
    assert min(work) > 20, "some master did next to nothing"
    assert not bus.niu.expected and not bus.niu.read.queue
    for line in lines:
        if golden[line] is not None and not any(c.state(line) == "M" for c in caches):
            assert bus.memory.lines[line] == golden[line], f"memory has an old {line:#x}"


@test(timeout=20_000)
async def test_cycles_are_as_documented(dut):
    """Broadcast, verdict, first beat of memory, of an intervention and of a claim: the table of docs/design/bus.md."""
    bus = await start(dut)
    golden = Golden()
    cache = attach(bus, 0, golden)
    table = {}
    read = await bus.run(2, Op(READ, BASE))
    assert read.responder == MEMORY and read.got == beats_of(fresh(BASE))
    table["request to verdict"] = read.answered - read.fired
    table["request to ar"] = bus.memory.last_ar - read.fired
    table["request to first memory beat"] = read.first_beat - read.fired
    table["request to last memory beat"] = read.done - read.fired
    data = own(cache, golden, BASE + 64)
    read = await bus.run(2, Op(READ_EXCLUSIVE, BASE + 64))
    assert read.responder == CACHE and read.got == beats_of(data)
    table["request to first intervention beat"] = read.first_beat - read.fired
    read = await bus.run(2, Op(READ, 0xF000_0000))
    assert read.responder == NIU
    table["request to first claimed beat"] = read.first_beat - read.fired
    write = await bus.run(2, Op(WRITE_BACK, BASE + 128, data=beats_of(data)))
    table["request to last write beat taken"] = write.done - write.fired
    posted = bus.masters[2].start(Op(READ, BASE + 128))
    while posted.done is None:
        await bus.tick()
    assert posted.got == beats_of(data)
    table["read right after a write-back, to first beat"] = posted.first_beat - posted.fired
    first, second = bus.masters[2].start(Op(READ, BASE + 256)), bus.masters[4].start(Op(READ, BASE + 320))
    while first.done is None or second.done is None:
        await bus.tick()
    table["two reads in one cycle: second behind first"] = abs(second.first_beat - first.first_beat)
    for what, cycles in table.items():
        cocotb.log.info("%-46s %3d", what, cycles)
    assert table == {
        "request to verdict": 4,
        "request to ar": 5,
        "request to first memory beat": 18,
        "request to last memory beat": 21,
        "request to first intervention beat": 6,
        "request to first claimed beat": 6,
        "request to last write beat taken": 8,
        "read right after a write-back, to first beat": 8,
        "two reads in one cycle: second behind first": 4,
    }


@test(timeout=20_000)
async def test_a_hammered_line_serves_every_master(dut):
    """All masters want one line all the time: nobody who stands for elder sees more than two ops a master go by."""
    bus = await start(dut)
    line = BASE + 0x4000
    foreign = [0] * MASTERS  # ops on the line that went by since this master's fourth conflict in a row
    streak, worst, served = [0] * MASTERS, 0, [0] * MASTERS
    backoff = [0, 0, 0, 1, 3, 7, 20]

    class Hammer:
        def __init__(self, index: int):
            self.port, self.rest, self.op = bus.masters[index], 0, None

        def act(self):
            if self.op and self.op.done is not None:
                self.rest = bus.cycle + (random.randrange(backoff[self.port.index] + 1) if self.op.retry else 0)
                self.op = None
            if self.op is None and bus.cycle >= self.rest:
                self.op = self.port.start(Op(random.choice((READ, READ, WRITE_BACK, KILL)), line, bypass=1, data=[0] * 4))

    bus.users = [Hammer(i) for i in range(MASTERS)]
    for _ in range(6000):
        await bus.tick()
        v = bus.verdict
        if v is None:
            continue
        if v.conflict:
            streak[v.master] += 1
            continue
        served[v.master] += 1
        streak[v.master] = foreign[v.master] = 0
        for m in range(MASTERS):
            if streak[m] >= 4:
                foreign[m] += 1
                worst = max(worst, foreign[m])
    cocotb.log.info("served %s, at most %d ops of others while one stands", served, worst)
    assert worst <= 2 * MASTERS
    assert min(served) > 0 and 4 * min(served) > max(served)


@test(timeout=20_000)
async def test_the_elder_gets_its_line(dut):
    """A master retried for conflict four times gets the line before one that comes back at once each time."""
    bus = await start(dut)
    line = BASE + 0x8000
    fast, slow = bus.masters[ENGINE], bus.masters[SP]
    conflicts, op, passed, rest = 0, None, 0, 0
    for _ in range(3000):
        if fast.op is None:
            fast.start(Op(READ, line, bypass=1))
        if op is None and bus.cycle >= rest and fast.op.fired and bus.cycle == fast.op.fired + 3:
            op = slow.start(Op(READ, line, bypass=1))
        await bus.tick()
        v = bus.verdict
        if conflicts >= 4 and v and v.master == ENGINE and not v.retry:
            passed += 1
        if op and op.done is not None:
            if not op.retry:
                break
            conflicts += op.conflict
            op, rest = None, bus.cycle + 40
    assert conflicts >= 4 and op and op.done and not op.retry
    assert passed <= 2, f"{passed} ops of the fast master went past the elder"


@test(timeout=20_000)
async def test_a_silent_elder_loses_its_line(dut):
    """An elder that never comes back (its core was reset) does not lock the line."""
    bus = await start(dut)
    line = BASE + 0x8040
    bus.niu.read.pace = 0
    bus.niu.claims = lambda seen: seen.line == line
    held = bus.masters[ENGINE].start(Op(READ, line, bypass=1))
    await bus.tick(10)
    for _ in range(5):
        op = await bus.run(SP, Op(READ, line, bypass=1))
        assert op.conflict
    bus.niu.read.pace = 1
    while held.done is None:
        await bus.tick()
    began, tries = bus.cycle, 0
    while (op := await bus.run(MESSAGE, Op(READ, line, bypass=1))).retry:
        tries += 1
        assert bus.cycle - began < 600, "the line stays reserved for a master that went away"
    assert tries > 0, "the elder's line was not reserved at all"


@test(timeout=20_000)
async def test_a_store_loop_does_not_starve_a_partial_access(dut):
    """A cache takes its line back after each push; the sP, which comes whenever it is modified again, is soon served."""
    bus = await start(dut)
    line, golden = BASE + 0x9000, Golden()
    cache = attach(bus, 0, golden)

    class Looper:
        def act(self):
            cache.want = cache.want or ("store", line)

    bus.users = [Looper()]
    for tries in range(1, 40):
        await bus.tick(4)  # RetryPolicy: the gap in which the push gets on the bus
        for _ in range(60):
            await bus.tick()
            if cache.state(line) == "M":
                break
        op = await bus.run(SP, Op(READ_PARTIAL, line, mask=0xFFFF, bypass=1))
        if not op.retry:
            break
    cocotb.log.info("served after %d tries", tries)
    assert tries <= 8, f"retried {tries} times: nobody bounds it"
    assert op.got == beats_of(bytes(golden[line]))[:1]


@test(timeout=20_000)
async def test_the_masters_of_a_window_wait_for_none(dut):
    """VY-27: a line of the NIU's windows is not in flight: loads and stores of all masters go on it side by side, each with its own data."""
    bus = await start(dut)
    window, stored, ops = 0xF020_0000, [], []

    class User:
        def __init__(self, index: int):
            self.port, self.op = bus.masters[index], None

        def act(self):
            if self.op is None or self.op.done is not None:
                at = window + 16 * random.randrange(4)
                word = random.getrandbits(128)
                self.op = self.port.start(random.choice((Op(READ_PARTIAL, at), Op(WRITE_PARTIAL, at, data=[word]))))
                ops.append(self.op)

    bus.users = [User(i) for i in range(MASTERS)]
    cycles = 600
    for _ in range(cycles):
        await bus.tick()
        if bus.verdict:
            assert not bus.verdict.retry and bus.verdict.responder == NIU
    bus.users = []
    await bus.drain()
    assert all(op.got == Claimant.content(op.address)[:1] for op in ops if op.op == READ_PARTIAL and op.done)
    served = sum(op.done is not None for op in ops)
    cocotb.log.info("%d ops on a line of a window in %d cycles", served, cycles)
    assert served > 0.7 * cycles


@test(timeout=20_000)
async def test_a_void_request_is_not_let_on(dut):
    """An UPGRADE that waits in a crowd while another of the same line is judged is retried; one formed later is not."""
    bus = await start(dut)
    line = BASE + 0x40
    waited = fresh_ones = 0
    for late in list(range(10)) * 8:
        ops = [bus.masters[m].start(Op(KILL, BASE + 0x1000 * (m + 1), bypass=1)) for m in range(2, MASTERS)]
        second, first = None, bus.masters[1].start(Op(UPGRADE, line))
        for _ in range(late):
            await bus.tick()
        second = bus.masters[0].start(Op(UPGRADE, line))
        while any(o.done is None for o in (*ops, first, second)):
            await bus.tick()
        if first.answered > second.answered:
            first, second = second, first
        assert not first.retry
        if second.fired != first.answered + 1:  # in between it may still meet the line in flight
            assert second.retry == (second.fired <= first.answered), f"fired {second.fired}, judged {first.answered}"
        waited += second.retry and second.answered - first.answered > 5
        fresh_ones += not second.retry
        for m in (0, 1, random.randrange(MASTERS)):  # no conflict: neither becomes elder; and another turn begins
            await bus.run(m, Op(KILL, BASE + 0x40 * (bus.cycle + 0x1000), bypass=1))
    assert waited > 3 and fresh_ones > 3, "not all cases were met"


@test(timeout=20_000)
async def test_intervention_updates_memory_where_it_must(dut):
    """READ, CLEAN and FLUSH of a modified line write it to memory, READ_EXCLUSIVE does not; requesters get the new data."""
    bus = await start(dut, 0.2)
    golden = Golden()
    caches = [attach(bus, i, golden) for i in range(CACHES)]
    for n, (op, after, written) in enumerate(
            ((READ, "S", 1), (CLEAN, "S", 1), (FLUSH, "I", 1), (READ_EXCLUSIVE, "I", 0)) * 6):
        line, owner = BASE + 64 * (n + 100), n // 4 % 2
        data = own(caches[owner], golden, line)
        done = await bus.run(ENGINE, Op(op, line, bypass=1))
        assert done.responder == CACHE and caches[owner].state(line) == after
        if op in (READ, READ_EXCLUSIVE):
            assert done.got == beats_of(data)
        if op in (CLEAN, FLUSH):  # the line is in flight until memory has it
            again = await bus.insist(SP, lambda: Op(READ, line, bypass=1))
            assert again.got == beats_of(data) and again.first_beat > done.done + 6
        await bus.drain()
        assert bytes(bus.memory.lines[line]) == (data if written else fresh(line))
        caches[owner].lines.clear()


@test(timeout=20_000)
async def test_one_requester_and_memory_get_the_same_intervention(dut):
    """A READ of a modified line by a cache: both copies and memory are equal, and `shared` is given."""
    bus = await start(dut)
    golden = Golden()
    caches = [attach(bus, i, golden) for i in range(CACHES)]
    data = own(caches[1], golden, BASE)
    done = await bus.run(0, Op(READ, BASE))
    assert done.shared and done.responder == CACHE and done.got == beats_of(data)
    await bus.drain()
    assert bytes(bus.memory.lines[BASE]) == data
    assert (await bus.run(3, Op(READ, BASE))).got == beats_of(data)


@test(timeout=20_000)
async def test_claimed_ops_go_to_the_niu(dut):
    """Reads take the NIU's data, writes reach the NIU whole and in verdict order, memory is left alone."""
    bus = await start(dut, 0.3)
    lines = [0xF000_0000 + 64 * i for i in range(8)] + [BASE + 64 * i for i in range(8)]
    bus.niu.claims = lambda seen: seen.line in lines
    kinds = (READ, READ_EXCLUSIVE, READ_PARTIAL, WRITE_BACK, WRITE_PARTIAL, UPGRADE, FLUSH, CLEAN, KILL)
    ops = [None] * MASTERS
    count = dict.fromkeys(kinds, 0)
    for _ in range(2500):
        for m in range(MASTERS):
            if ops[m] and ops[m].done is not None:
                op, ops[m] = ops[m], None
                if not op.retry:
                    assert op.responder == NIU and not op.error
                    assert op.got == Claimant.content(op.address)[: len(op.got)]
                    count[op.op] += 1
            if ops[m] is None and bus.masters[m].op is None and random.random() < 0.3:
                kind = random.choice(kinds)
                beats = {WRITE_BACK: 4, WRITE_PARTIAL: 1}.get(kind, 0)
                ops[m] = bus.masters[m].start(
                    Op(kind, random.choice(lines), data=[random.getrandbits(128) for _ in range(beats)]))
        await bus.tick()
    await bus.drain()
    await bus.tick(20)
    cocotb.log.info("claimed %s", count)
    assert min(count.values()) > 10
    assert not bus.niu.expected and not bus.niu.read.queue and not bus.memory.lines


@test(timeout=20_000)
async def test_intervention_beats_claim_beats_memory(dut):
    """Who answers when several would; a retry of anyone beats them all and moves nothing."""
    bus = await start(dut)
    golden = Golden()
    caches = [attach(bus, i, golden) for i in range(CACHES)]
    bus.niu.claims = lambda seen: True
    data = own(caches[0], golden, BASE)
    done = await bus.run(2, Op(READ, BASE))
    assert done.responder == CACHE and done.got == beats_of(data)
    assert (await bus.run(2, Op(READ, BASE + 64))).responder == NIU
    bus.niu.claims = lambda seen: False
    assert (await bus.run(2, Op(READ, BASE + 64))).responder == MEMORY
    assert (await bus.run(2, Op(KILL, BASE + 64))).responder == NONE
    bus.niu.claims = lambda seen: True
    own(caches[0], golden, BASE + 128)
    bus.snoopers[CACHES].judge = lambda seen: {"retry"}
    for op in (READ, READ_EXCLUSIVE, WRITE_BACK, READ_PARTIAL, FLUSH):
        done = await bus.run(2, Op(op, BASE + 192, data=[1, 2, 3, 4]))
        assert done.retry and not done.conflict and done.responder == NONE and not done.got
    done = await bus.run(2, Op(READ, BASE + 128))
    assert done.retry and caches[0].state(BASE + 128) == "M"
    await bus.drain()
    assert not caches[0].port.out.queue


@test(timeout=20_000)
async def test_partial_ops_touch_their_bytes_alone(dut):
    """WRITE_PARTIAL changes the lanes of its mask, READ_PARTIAL returns one beat, posted writes are seen by reads."""
    bus = await start(dut, 0.2)
    model = {BASE + 64 * i: bytearray(fresh(BASE + 64 * i)) for i in range(3)}
    for _ in range(150):
        line, at = random.choice(list(model)), random.randrange(64)
        beat = at & 48
        if random.random() < 0.5:
            mask, data = random.getrandbits(16), random.getrandbits(128)
            done = await bus.insist(SP, lambda: Op(WRITE_PARTIAL, line + at, mask, bypass=1, data=[data]))
            for k in range(16):
                if mask >> k & 1:
                    model[line][beat + k] = data >> 8 * k & 255
        else:
            done = await bus.insist(random.choice((2, SP)), lambda: Op(READ_PARTIAL, line + at, bypass=1))
            assert done.got == [int.from_bytes(model[line][beat : beat + 16], "little")]
        assert done.responder == MEMORY
    await bus.drain()
    for line, data in model.items():
        assert bus.memory.lines[line] == data


@test(timeout=20_000)
async def test_nobody_there_is_an_error(dut):
    """An address that is neither memory nor claimed: `error` for every op, bypass too, no beat, and the bus goes on."""
    bus = await start(dut)
    for address in (NOBODY, 0, BASE - 64, BASE + (16 << 20), 0xFFFF_FFC0):
        for op in range(9):
            for bypass in (0, 1):
                done = await bus.run(2, Op(op, address, bypass=bypass, data=[7] * 4))
                assert done.error and not done.retry and done.responder == NONE and not done.got
    await bus.tick(30)
    assert not bus.memory.lines
    last = BASE + (16 << 20) - 64
    done = await bus.run(2, Op(READ, last))
    assert not done.error and done.got == beats_of(fresh(last))


@test(timeout=20_000)
async def test_a_refused_read_never_happened(dut):
    """VY-34: `error`, no beat, and a modified copy of the line stays where it is; the next read gets it."""
    bus = await start(dut)
    golden = Golden()
    cache = attach(bus, 0, golden)
    line = BASE + 0x140
    data = own(cache, golden, line)
    bus.niu.refuses = lambda seen: seen.op in (READ, READ_EXCLUSIVE)
    for op in (READ, READ_EXCLUSIVE):
        for address in (line, BASE + 0x4000):
            done = await bus.run(2, Op(op, address))
            assert done.error and not done.retry and done.responder == NONE and not done.got
            await bus.tick(10)
            assert cache.state(line) == "M"
    bus.niu.refuses = lambda seen: False
    assert (await bus.run(2, Op(READ_EXCLUSIVE, line))).got == beats_of(data)


@test(timeout=20_000)
async def test_wake_reaches_every_master(dut):
    """A wake lasts as long as it is given and arrives at all masters the cycle after, whatever goes over the bus."""
    bus = await start(dut)
    given, seen = [], []
    for cycle in range(90):
        if cycle % 30 == 10:
            for m, master in enumerate(bus.masters):
                master.start(Op(KILL, BASE + 64 * m))
        given.append(random.randrange(2))
        dut.io_wake.value = given[-1]
        await bus.tick()
        seen.append([m.pins.get("wake") for m in bus.masters])
    assert all(m.op is None for m in bus.masters)
    assert seen == [[wake] * MASTERS for wake in [0, *given[:-1]]]


@test(timeout=20_000)
async def test_one_address_a_cycle(dut):
    """With every master asking at once, the broadcasts leave in consecutive cycles and the verdicts too."""
    bus = await start(dut)
    ops = [bus.masters[m].start(Op(KILL, BASE + 64 * m)) for m in range(MASTERS)]
    while any(o.done is None for o in ops):
        await bus.tick()
    at = sorted(o.answered for o in ops)
    assert at == list(range(at[0], at[0] + MASTERS))


def test_site_bus():
    run_unit("bus/BusWithDram", {"masters": MASTERS, "caches": CACHES})
