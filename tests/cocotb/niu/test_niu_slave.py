"""The NIU as a bus slave: windows of aPs, claimed data (VY-02, VY-04, VY-22, VY-23, VY-25 to VY-27, VY-30; T10, T11, T14)."""

import random

import cocotb
from harness import run_unit
from kit import pace, test
from kit.sitebus import READ, READ_EXCLUSIVE, READ_PARTIAL, WRITE_BACK, WRITE_PARTIAL
from registers import NIU_MEMORY_FROM, NIU_MEMORY_REFUSED, NIU_MEMORY_UNTIL, NIU_QUEUE_OWNERS, NIU_QUEUE_REFUSED
from slave_bus import PATTERN, op as bus_op, start

REGS, SEND, RECEIVE, BASIC = 0xF0000000, 0xF0200000, 0xF0400000, 0xF0500000
HEAP, SYSTEM = 0x80900000, 0x80F00000


def send_address(queue, tag, dest, high):
    return SEND | queue << 17 | tag << 12 | dest << 3 | high << 2


@test(timeout=20_000)
async def test_registers(dut):
    """Site, sites, aP by master, aPs; TIME_HI is of the moment TIME_LO was read, for each aP its own."""
    bus = await start(dut)
    for ap in range(4):
        assert [await bus.load(2 * ap, REGS + a) for a in (0, 4, 8, 0xC)] == [37, 64, ap, 3]
    bus.time = (5 << 32) - 12
    first = await bus.load(0, REGS + 0x10)
    bus.time = 7 << 32
    second = await bus.load(2, REGS + 0x10)
    bus.time = 9 << 32
    assert first > 0xFFFFFFF0 and second < 20
    assert [await bus.load(m, REGS + 0x14) for m in (0, 2)] == [4, 7]
    for ap, value in ((0, 65), (3, 66)):
        await bus.do(2 * ap, WRITE_PARTIAL, REGS + 0x20, value)
        await bus.do(2 * ap, WRITE_PARTIAL, REGS + 0x24, value << 16)
        await bus.do(2 * ap, WRITE_PARTIAL, REGS + 0x28, value << 20)
    await bus.tick(3)
    assert [bus.out[k] for k in ("console", "exit", "mark")] == [[(0, 65), (3, 66)], [(0, 65 << 16), (3, 66 << 16)], [(0, 65 << 20), (3, 66 << 20)]]


@test(timeout=20_000)
async def test_only_what_is_there_is_claimed(dut):
    """Other offsets, wrong directions, half words, other masters, the NIU's own ops and line ops get no claim and do nothing."""
    bus = await start(dut)
    wrong = [bus_op(0, READ_PARTIAL, REGS + 0x18), bus_op(0, READ_PARTIAL, REGS + 0x20), bus_op(0, WRITE_PARTIAL, REGS), bus_op(0, WRITE_PARTIAL, REGS + 0x2C),
             bus_op(0, READ_PARTIAL, REGS + 0x1000), bus_op(0, READ_PARTIAL, 0xF0100000), bus_op(0, READ_PARTIAL, send_address(2, 0, 0, 0)),
             bus_op(0, WRITE_PARTIAL, RECEIVE + 0x2000), bus_op(0, READ_PARTIAL, RECEIVE + 0x2008), bus_op(0, READ_PARTIAL, RECEIVE + 0x10004),
             bus_op(0, READ_PARTIAL, BASIC + 0x2008), bus_op(0, READ_PARTIAL, BASIC + 0xA004), bus_op(0, WRITE_PARTIAL, BASIC + 0xA00C),
             bus_op(0, WRITE_PARTIAL, BASIC + 0xA018), bus_op(0, READ_PARTIAL, 0x70000000), bus_op(0, READ_PARTIAL, 0xE0000008),
             bus_op(0, READ, REGS), bus_op(0, WRITE_BACK, send_address(2, 0, 0, 0)), bus_op(0, WRITE_PARTIAL, REGS + 0x20, mask=1),
             bus_op(0, WRITE_PARTIAL, send_address(2, 0, 0, 0), mask=3), bus_op(1, READ_PARTIAL, REGS), bus_op(8, READ_PARTIAL, REGS),
             bus_op(9, READ_PARTIAL, REGS), bus_op(10, READ_PARTIAL, REGS), bus_op(0, READ_PARTIAL, REGS, bypass=1)]
    bus.fifos[2].append((1, 2))
    for op in wrong:
        bus.bus.post(op)
    await bus.ended(*wrong)
    await bus.tick(10)
    assert [hex(op.address) for op in wrong if op.claim or op.retry] == []
    assert not any(bus.out.values())


@test(timeout=20_000)
async def test_express_store_fields(dut):
    """T10: queue, tag, destination and priority come from the address, the word from its lane; in bus order, each once."""
    bus = await start(dut)
    bus.bus.claim_write.pace, bus.bus.conflicts = 0.6, pace(0.2)
    expected, ops = [], []
    for _ in range(250):
        queue, tag, dest, high, word = (random.randrange(2, 8), random.randrange(32), random.randrange(512), random.randrange(2), random.getrandbits(32))
        op = bus_op(random.randrange(4) * 2, WRITE_PARTIAL, send_address(queue, tag, dest, high), word)
        await bus.ended(*[o for o in ops if o.master == op.master])  # as on the bus: at most one op of a master
        ops.append(bus.bus.post(op))
        expected.append((queue, tag, dest, high, word))
    await bus.until(lambda: len(bus.out["express"]) == len(expected), "the last message", 500)
    await bus.tick(10)
    assert bus.out["express"] == expected


@test(timeout=20_000)
async def test_no_room_is_retried(dut):
    """A store is retried exactly when its queue and priority had no room when it was looked at; a retried one leaves nothing."""
    bus = await start(dut)
    bus.room = lambda: random.getrandbits(16)
    taken = []
    retried = 0
    for i in range(300):
        queue, high = random.randrange(2, 8), random.randrange(2)
        op = await bus.do(0, WRITE_PARTIAL, send_address(queue, 1, 2, high), i)
        room = bus.room_seen[op.t0 + 1] >> (queue * 2 + high) & 1
        assert op.claim and op.retry == 1 - room
        retried += op.retry
        if not op.retry:
            taken.append(i)
    await bus.tick(5)
    assert [m[4] for m in bus.out["express"]] == taken and 50 < retried < 250


@test(timeout=20_000)
async def test_each_message_is_received_once(dut):
    """T10, VY-26: four aPs on four queues, ops pipelined, verdicts retried by others at random: META dequeues one message, DATA
    is that master's last message, a retried load takes nothing, an empty queue gives the empty word and dequeues nothing."""
    bus = await start(dut)
    bus.bus.conflicts, bus.bus.claim_read.pace = pace(0.2), 0.7
    sent = {q: [(random.getrandbits(32), random.getrandbits(32)) for _ in range(60)] for q in range(2, 6)}
    for queue, messages in sent.items():
        bus.fifos[queue].extend(messages)
    got = {q: [] for q in sent}

    async def receiver(ap):
        queue = 2 + ap
        while len(got[queue]) < 60:
            op = bus_op(2 * ap, READ_PARTIAL, RECEIVE + (queue << 12) + 4)
            op.veto = random.random() < 0.3
            bus.bus.post(op)
            await bus.ended(op)
            if op.veto:
                continue
            data = await bus.load(2 * ap, RECEIVE + (queue << 12))
            if op.word == bus.empty:
                bus.fifos[queue].append((1, 2))
                assert data == 0
            else:
                got[queue].append((op.word, data))

    tasks = [cocotb.start_soon(receiver(ap)) for ap in range(4)]
    for task in tasks:
        await task
    assert got == sent
    assert await bus.load(0, RECEIVE + 0x3004) == bus.empty
    await bus.tick(3)
    assert len(bus.out["pop"]) == 240


@test(timeout=20_000)
async def test_load_takes_four_cycles(dut):
    """A load of a window has its word on the transfer bus 4 cycles after its broadcast; a store is at its queue a cycle after
    its data, which may come 4 cycles after the broadcast."""
    bus = await start(dut)
    bus.fifos[2].append((0x1234, 5))
    op = await bus.do(0, READ_PARTIAL, RECEIVE + 0x2004)
    assert (op.word, op.done - op.t0) == (0x1234, 4)
    op = await bus.do(0, WRITE_PARTIAL, send_address(2, 0, 0, 0), 5)
    assert op.done - op.t0 == 4
    await bus.tick(2)
    assert len(bus.out["express"]) == 1


@test(timeout=20_000)
async def test_basic_pointers(dut):
    """Pointers of Basic queues are read where they are and written as consumer or producer of their queue."""
    bus = await start(dut)
    for queue in (9, 10, 13, 15):
        for offset in (0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C):
            bus.pointers[queue, offset >> 2] = value = random.getrandbits(32)
            assert await bus.load(4, BASIC + (queue << 12) + offset) == value
    expected = []
    for queue in (10, 13, 9):
        for offset, consumer in ((0x08, 0), (0x1C, 1)):
            await bus.do(4, WRITE_PARTIAL, BASIC + (queue << 12) + offset, queue * 1000 + offset)
            expected.append((queue, consumer, queue * 1000 + offset))
    await bus.tick(3)
    assert bus.out["pointer"] == expected


@test(timeout=20_000)
async def test_foreign_queues_are_refused(dut):
    """T14, VY-27, VY-34: an aP sends by, receives from, and moves pointers of the queues that it owns, after reset its own two, and sends by the Express
    queues of which it is a sender; nobody answers it elsewhere, not even one without room. Each refusal is counted."""
    bus = await start(dut, shared=False)
    owners = [0b1111 & sum(1 << ap for ap in range(4) if queue in (2 + ap, 10 + ap)) for queue in range(16)]
    refused = 0
    for turn in range(3):
        bus.room = 0 if turn == 1 else 0xFFFF
        for ap in range(4):
            for queue in range(16):
                express = [(WRITE_PARTIAL, send_address(queue, 3, 4, 1)), (READ_PARTIAL, RECEIVE + (queue << 12) + 4), (READ_PARTIAL, RECEIVE + (queue << 12))]
                basic = [(kind, BASIC + (queue << 12) + at) for kind, at in ((WRITE_PARTIAL, 8), (WRITE_PARTIAL, 0x1C), (READ_PARTIAL, 0x10))]
                for kind, address in express if queue < 8 else basic:
                    op = await bus.do(2 * ap, kind, address, queue)
                    may = owners[queue] | (owners[queue] >> 4 if kind == WRITE_PARTIAL and queue < 8 else 0)
                    assert op.claim == may >> ap & 1, f"aP {ap}, queue {queue}"
                    assert op.retry == (op.claim and kind == WRITE_PARTIAL and queue < 8 and turn == 1)
                    refused += 1 - op.claim
        assert await bus.regs.read(NIU_QUEUE_REFUSED & 0xFF) == refused
        for queue in range(16):
            assert await bus.regs.read(NIU_QUEUE_OWNERS(queue) & 0xFF) == owners[queue]
            stored = random.randrange(256)
            await bus.regs.write(NIU_QUEUE_OWNERS(queue) & 0xFF, stored)
            owners[queue] = stored & (0xFF if queue < 8 else 0xF)
    for ap in range(4):
        for address in (send_address(8 + ap, 0, 0, 0), RECEIVE + 0x8004):
            assert not (await bus.do(2 * ap, WRITE_PARTIAL if address < RECEIVE else READ_PARTIAL, address)).claim
    await bus.tick(5)
    assert not bus.out["pop"] and {m[0] for m in bus.out["express"]} <= set(range(2, 8)) | {0, 1}


@test(timeout=20_000)
async def test_foreign_memory_is_refused(dut):
    """VY-34: reads of lines, of data and of code, end with an error but in the aP's own private window, the heap and its range; counted. What
    a cache holds it may write back, and other masters read everything."""
    bus = await start(dut)
    PRIVATE, SPAN = 0x80000000, 0x200000
    ranges = {ap: (SYSTEM + 0x1000 * ap, SYSTEM + 0x1000 * (ap + 1)) for ap in range(3)}
    refused = 0
    for turn in range(2):
        for _ in range(150):
            ap, kind = random.randrange(4), random.choice((READ, READ_EXCLUSIVE))
            low, high = random.choice([(PRIVATE, SPAN * 4), (SYSTEM, 0x5000), (HEAP - 0x100000 - 256, 512), (SYSTEM - 256, 512)])
            address = low + random.randrange(high) & ~63
            own = PRIVATE + SPAN * ap <= address < PRIVATE + SPAN * (ap + 1) or HEAP - 0x100000 <= address < SYSTEM
            own |= bool(turn) and ap in ranges and ranges[ap][0] <= address < ranges[ap][1]
            op = await bus.do(2 * ap + random.randrange(2), kind, address)
            assert op.refused == (not own), f"aP {ap} at {address:#x}"
            refused += op.refused
        await bus.tick(2)
        assert await bus.regs.read(NIU_MEMORY_REFUSED & 0xFF) == refused > 20
        for ap, (low, high) in ranges.items():
            await bus.regs.write(NIU_MEMORY_FROM(ap) & 0xFF, low)
            await bus.regs.write(NIU_MEMORY_UNTIL(ap) & 0xFF, high)
    for master, kind, bypass in ((0, WRITE_BACK, 0), (8, READ, 1), (10, READ, 1), (11, READ_EXCLUSIVE, 0)):
        op = await bus.do(master, kind, PRIVATE + SPAN + 64, bypass=bypass, line=[0] * 4)
        assert not op.refused


@test(timeout=20_000)
async def test_claimed_writes_are_kept(dut):
    """VY-10: line and partial writes that the snooper claims stay, data, address and op, until the sP lets them go, in order;
    while room is short the snooper is told so, and nothing but what it would claim waits."""
    bus = await start(dut)
    bus.bus.claim_write.pace = 0.7
    kept = []

    async def write():
        ap, partial = random.randrange(4), random.random() < 0.4
        address = HEAP + random.randrange(1 << 16) * 4
        if partial:
            op = bus_op(2 * ap, WRITE_PARTIAL, address, random.getrandbits(32))
        else:
            op = bus_op(2 * ap, WRITE_BACK, address & ~63, line=[random.getrandbits(128) for _ in range(4)], mask=0)
        await bus.tick(2)
        op.veto = not bus.pins.get("scratchRoom")  # the snooper retries what it cannot have kept
        op.snooper_claims = True
        bus.bus.post(op)
        await bus.ended(op)
        return op

    async def check_oldest():
        op = kept.pop(0)
        assert await bus.regs.read(0x04) == op.address
        partial = op.op == WRITE_PARTIAL
        assert await bus.regs.read(0x08) == (op.mask if partial else 0xFFFF) << 16 | op.op << 4 | op.master
        for i in range(16):
            beat = i // 4
            if partial:
                if beat != op.address >> 4 & 3:
                    continue
                beat = 0
            assert await bus.regs.read(0x40 + 4 * i) == op.data[beat] >> 32 * (i % 4) & 0xFFFFFFFF
        await bus.regs.write(0x0C, 1)

    for _ in range(60):
        op = await write()
        if op.veto:
            assert len(kept) == 5, "an entry for each of four aPs is kept back"
            assert await bus.load(0, REGS + 4) == 64
            for master, bypass in ((0, 0), (2, 0), (8, 1)):
                legal = await bus.do(master, WRITE_BACK, HEAP, bypass=bypass, line=[0] * 4)
                assert not legal.retry and not legal.claim, "a legal write waits for the sP"
            for _ in range(random.randrange(1, 6)):
                await check_oldest()
        else:
            kept.append(op)
        assert await bus.regs.read(0x00) == len(kept)
    while kept:
        await check_oldest()
    assert await bus.regs.read(0x00) == 0
    await bus.regs.write(0x0C, 1)
    assert await bus.regs.read(0x00) == 0


@test(timeout=20_000)
async def test_ten_illegal_writes_in_a_row_pass(dut):
    """As many as the aPs have ops outstanding come at once, the sP frees each when told: none is lost, none wedges the next."""
    bus = await start(dut)
    told = []
    ops = [bus_op(2 * (i % 4), WRITE_BACK, HEAP + 64 * i, line=[i * 4 + b for b in range(4)], mask=0) for i in range(10)]
    for n, op in enumerate(ops):
        op.snooper_claims = True
        await bus.tick(2)
        await bus.until(lambda: bus.pins.get("scratchRoom"), "room", 3000)
        bus.bus.post(op)
        await bus.ended(op)
        if n % 4 == 3 or n == 9:
            while await bus.regs.read(0x00):
                told.append((await bus.regs.read(0x04), (await bus.regs.read(0x08)) & 15, [await bus.regs.read(0x40 + 16 * b) for b in range(4)]))
                await bus.regs.write(0x0C, 1)
    assert told == [(HEAP + 64 * i, 2 * (i % 4), [i * 4 + b for b in range(4)]) for i in range(10)]


@test(timeout=20_000)
async def test_claimed_reads_end(dut):
    """A read that the snooper claims gets as many beats as it needs, of a pattern, among loads of the windows."""
    bus = await start(dut)
    bus.bus.claim_read.pace = 0.5
    for op in (READ, READ_EXCLUSIVE, READ_PARTIAL, READ):
        done = bus_op(2, op, HEAP + 64)
        done.snooper_claims = True
        other = bus_op(0, READ_PARTIAL, REGS)
        await bus.ended(bus.bus.post(done), bus.bus.post(other))
        assert done.word == PATTERN and other.word == 37


def test_niu_slave():
    run_unit("niu/NiuSlave", {"aps": 4})
