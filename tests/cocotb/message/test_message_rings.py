"""Basic messages: rings in DRAM over the Site Bus, both directions (VY-16 to VY-19, VY-28; T7)."""

import random

import cocotb
from harness import run_unit
from kit import pace, test
from kit.packets import BASIC, Packet
from kit.sitebus import WRITE_BACK
from parts import SITE, slot_header
from registers import (
    AP_BASIC_RX_CONSUMER, AP_BASIC_RX_PRODUCER, AP_BASIC_RX_STATUS, AP_BASIC_STATUS, AP_BASIC_TX_PRODUCER, AP_BASIC_TX_SENT, EVENT_BUS_ERROR, EVENT_NON_RESIDENT,
    EVENT_RING_FILLS, EVENT_RING_READ, EVENT_TRANSLATION_FAULT, HEAP_BASE, HEAP_END, MEMORY_BASE, MEMORY_DEFAULT_BYTES, NIU_BASIC_RX_TAGON, NIU_BASIC_TX_BASE, NIU_BASIC_TX_SIZE,
    NIU_BASIC_TX_TAGON, NIU_BASIC_RX_BASE, NIU_COUNT_BUS_ERROR, NIU_COUNT_CRC, NIU_COUNT_DROPPED, NIU_COUNT_QUEUE_FAULT, NIU_POINTERS_REFUSED,
    NIU_RING_LOST, NIU_RINGS_REFUSED, NIU_WAIT_RING,
    NIU_WAIT_STAGE,
)  # fmt: skip
from unit import start

TX, RX, TX_TAGON, RX_TAGON = range(HEAP_END, HEAP_END + 0x10000, 0x4000)  # of queue 8; the next queue's 64 KB further
RX_TAGON += 64  # any line may be its first
MEMORY, HEAP, MEMORY_END = MEMORY_BASE, HEAP_BASE, MEMORY_BASE + MEMORY_DEFAULT_BYTES
TX_PRODUCER, TX_SENT, STATUS, RX_STATUS, RX_PRODUCER, RX_CONSUMER = (
    r // 4 for r in (AP_BASIC_TX_PRODUCER, AP_BASIC_TX_SENT, AP_BASIC_STATUS, AP_BASIC_RX_STATUS, AP_BASIC_RX_PRODUCER, AP_BASIC_RX_CONSUMER))
MASK = (1 << 64) - 1


def words(n):
    return [random.getrandbits(64) for _ in range(n)]


async def ring(unit, queue, log2, tagon=False):
    """Sets both rings of Basic queue 8 + i up, each queue at an address of its own."""
    i = queue - 8
    at = i * 0x10000
    for offset, value in ((0, TX + at), (8, RX + at), (4, log2), (12, log2)):
        await unit.regs.write(NIU_BASIC_TX_BASE(i) + offset, value)
    await unit.regs.write(NIU_BASIC_TX_TAGON(i), TX_TAGON + at if tagon else 0)
    await unit.regs.write(NIU_BASIC_RX_TAGON(i), RX_TAGON + at if tagon else 0)
    return at


def put_slot(unit, at, index, header, payload):
    """Writes a slot as an aP does: header and payload; half of the lines stay modified in its cache."""
    slot = [header, *payload, *words(15 - len(payload))]
    for half in range(2):
        line = (at + 128 * index + 64 * half) >> 6
        if random.random() < 0.5:
            unit.memory[line] = words(8)
            unit.dirty[line] = slot[8 * half : 8 * half + 8]
        else:
            unit.dirty.pop(line, None)
            unit.memory[line] = slot[8 * half : 8 * half + 8]


def payload_of(length):
    return words((length + 7) // 8)


@test(timeout=60_000)
async def test_all_sizes_leave_from_cache_or_memory(dut):
    """Sizes 0 to 88 around a ring of 4, aggregated 1 to 4 a doorbell, lines modified in a cache or clean, the bus retrying."""
    unit = await start(dut)
    unit.bus.retries = pace(0.3)
    at = await ring(unit, 10, 2)
    await unit.name(queue=10, dest=6, site=9, rxq=77, source=123)
    sizes = list(range(89))
    random.shuffle(sizes)
    produced, expected = 0, []
    while produced < len(sizes):
        room = 4 - (produced - await unit.pointer(10, TX_SENT))
        batch = min(room, random.randrange(1, 5), len(sizes) - produced)
        for length in sizes[produced : produced + batch]:
            payload, prio, tag, word = payload_of(length), random.randrange(2), random.randrange(32), random.getrandbits(32)
            put_slot(unit, TX + at, produced % 4, slot_header(6, length, prio, 0, tag, word), payload)
            expected.append(Packet(dest=9, src=SITE, vc=0, kind=BASIC, rxq=77, source=123, tag=tag, word=word, lines=0, length=length, prio=prio, body=payload))
            produced += 1
        if batch:
            await unit.set_pointer(10, False, produced)
        assert await unit.pointer(10, TX_PRODUCER) == produced
        assert unit.cycle < 40000
    await unit.until(lambda: len(unit.sent) == len(expected))
    await unit.tick(20)
    assert unit.sent == expected
    assert await unit.pointer(10, TX_SENT) == len(sizes)
    assert any(op.retry for op in unit.bus.ops)


@test(timeout=60_000)
async def test_aggregation_of_sixteen_on_several_queues(dut):
    """One doorbell of 16 on each of three queues, with and without payload: all leave, each queue in order, queues in turn, each queue's own
    pointer moves."""
    unit = await start(dut)
    expected = {}
    for queue in (8, 10, 13):
        at = await ring(unit, queue, 4)
        await unit.name(queue=queue, dest=1, site=9, rxq=queue, source=queue)
        expected[queue] = []
        for i in range(16):
            length = random.choice((0, 8))
            put_slot(unit, TX + at, i, slot_header(1, length, 0, 0, 0, i), [i] * (length // 8))
            expected[queue].append(i)
        await unit.set_pointer(queue, False, 16)
    await unit.until(lambda: len(unit.sent) == 48)
    for queue, order in expected.items():
        assert [p.word for p in unit.sent if p.rxq == queue] == order
    assert len({p.rxq for p in unit.sent[:6]}) == 3
    await unit.tick(20)
    assert [await unit.pointer(queue, TX_SENT) for queue in expected] == [16] * 3


LEAST_SHARE = 0.62  # of the link by messages of 88 bytes (Voyager: 100 of 160 MB/s)


def share(cycles, messages):
    """Of the link's 8 bytes a cycle, by `messages` of 88 bytes."""
    return 88 * messages / (8 * cycles)


@test(timeout=60_000)
async def test_messages_follow_each_other_on_the_link(dut):
    """Sixteen of 88 bytes with one doorbell, lines from caches: the next ones are fetched while one is sent, two lines at once."""
    unit = await start(dut, smooth=True)
    at = await ring(unit, 10, 4)
    await unit.name(queue=10, dest=1, site=9, rxq=77, source=123)
    for i in range(16):
        put_slot(unit, TX + at, i, slot_header(1, 88, 0, 0, 0, i), words(11))
    await unit.set_pointer(10, False, 16)
    await unit.until(lambda: len(unit.sent) == 16)
    heads = unit.out.headers[0]
    dut._log.info(f"88 bytes: {(heads[-1] - heads[1]) / 14:.1f} cycles between two messages that leave")
    assert share(heads[-1] - heads[1], 14) >= LEAST_SHARE
    assert [p.word for p in unit.sent] == list(range(16))


@test(timeout=60_000)
async def test_received_messages_are_written_as_fast_as_they_come(dut):
    """Of 88 bytes that follow each other on the link: their lines are in the ring as far apart as they leave their sender; and from the one on
    that finds a quarter of it unread, one in 48 cycles (VY-20)."""
    unit = await start(dut, smooth=True)
    at = await ring(unit, 13, 6)
    bodies = [words(11) for _ in range(24)]
    for i, body in enumerate(bodies):
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=13, source=1, tag=0, word=i, length=88, body=body))
    await unit.until(lambda: len([op for op in unit.bus.ops if op.op == WRITE_BACK]) == 48)
    first = [op.answered for op in unit.bus.ops[::2]]
    gaps = [b - a for a, b in zip(first[16:], first[17:])]
    assert min(gaps[1:]) >= 48 and max(gaps) <= 56, gaps
    dut._log.info(f"88 bytes: {(first[15] - first[1]) / 14:.1f} cycles between two messages that come")
    assert share(first[15] - first[1], 14) >= LEAST_SHARE
    await unit.tick(50)
    assert await unit.pointer(13, RX_PRODUCER) == 24
    for i, body in enumerate(bodies):
        line = (RX + at >> 6) + 2 * i
        assert [*unit.memory[line], *unit.memory[line + 1]][1:12] == body, f"slot {i}"


@test(timeout=60_000)
async def test_tag_on_lines_are_gathered(dut):
    """VY-28: 1 or 2 lines at an offset from the base go with the message; one buffer can be sent many times; without a base,
    or with an impossible length, the slot is refused, told, and the ring goes on."""
    unit = await start(dut)
    at = await ring(unit, 11, 3, tagon=True)
    await unit.name(queue=11, dest=6, site=9, rxq=77, source=123)
    expected, produced = [], 0
    for length in random.sample(range(89), 12):
        lines = random.randrange(1, 3)
        line = random.randrange(1025 - lines)
        data = []
        for k in range(lines):
            key = (TX_TAGON + at + 64 * line >> 6) + k
            data += unit.memory.setdefault(key, words(8))
        payload = payload_of(length)
        # Bits below a line and above 64 KB have no meaning.
        offset = random.getrandbits(16) << 16 | line << 6 | random.randrange(64)
        put_slot(unit, TX + at, produced % 8, slot_header(6, length, 0, lines, 1, offset), payload)
        expected.append(Packet(dest=9, src=SITE, vc=0, kind=BASIC, rxq=77, source=123, tag=1, word=offset, lines=lines, length=length, prio=0, body=payload + data))
        produced += 1
        await unit.set_pointer(11, False, produced)
        await unit.until(lambda: len(unit.sent) == len(expected))
    assert unit.sent == expected
    # Two lines from the last one of the area would run one line over.
    for header in (slot_header(6, 89, 0, 0, 1, 5), slot_header(6, 127, 0, 0, 1, 5), slot_header(6, 8, 0, 3, 1, 5), slot_header(6, 8, 0, 2, 1, 0xFFC5)):
        put_slot(unit, TX + at, produced % 8, header, [0])
        produced += 1
        await unit.set_pointer(11, False, produced)
        await unit.until(lambda: len(unit.events["Local"]) == produced - 12)
        assert unit.events["Local"][-1][1:] == (EVENT_TRANSLATION_FAULT, header >> 32, 1 << 19 | 1 << 13 | 11 << 9 | 6)
    at = await ring(unit, 12, 3)
    put_slot(unit, TX + at, 0, slot_header(6, 8, 0, 1, 1, 64), [0])
    await unit.set_pointer(12, False, 1)
    await unit.until(lambda: len(unit.events["Local"]) == 5)
    assert await unit.pointer(11, TX_SENT) == produced
    assert await unit.pointer(12, TX_SENT) == 1
    assert [await unit.regs.read(NIU_COUNT_QUEUE_FAULT(q)) for q in (11, 12)] == [4, 1]
    assert [await unit.pointer(q, STATUS) for q in (11, 12)] == [3 << 16 | 4, 3 << 16 | 1]


@test(timeout=60_000)
async def test_ring_outside_memory_is_told(dut):
    """A ring at an address that nobody answers: event 104 with the address, the slot is passed over, the next one sent; the same for a
    slot's second line."""
    unit = await start(dut)
    at = await ring(unit, 10, 2)
    await unit.name(queue=10, dest=6, site=9, rxq=77, source=123)
    unit.bus.failing.add(TX + at >> 6)
    put_slot(unit, TX + at, 1, slot_header(6, 8, 0, 0, 0, 99), [5])
    await unit.set_pointer(10, False, 2)
    await unit.until(lambda: unit.sent)
    assert [p.word for p in unit.sent] == [99]
    assert unit.events["Local"][0][1:] == (EVENT_BUS_ERROR, TX + at, 0)
    unit.bus.failing.add(RX + at >> 6)
    unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=10, source=1, tag=0, word=7))
    await unit.until(lambda: len(unit.events["Local"]) == 2)
    assert unit.events["Local"][1][1:] == (EVENT_BUS_ERROR, RX + at, 1), "a received slot that cannot be written is told"
    assert await unit.regs.read(NIU_COUNT_BUS_ERROR) == 2
    at = await ring(unit, 11, 2)
    await unit.name(queue=11, dest=6, site=9, rxq=77, source=123)
    unit.bus.failing.add((TX + at >> 6) + 1)
    for i in range(2):
        put_slot(unit, TX + at, i, slot_header(6, 88, 0, 0, 0, i), words(11))
    await unit.set_pointer(11, False, 2)
    await unit.until(lambda: len(unit.sent) == 2)
    assert [p.word for p in unit.sent] == [99, 1]
    assert [await unit.pointer(q, STATUS) for q in (10, 11)] == [3 << 16 | 1] * 2


@test(timeout=60_000)
async def test_illegal_ring_stays_off(dut):
    """A ring with a line in the heap or outside DRAM, off a slot's bound, or of an impossible size is refused: its size reads 0, it
    is counted, and neither a doorbell nor a packet reaches the bus. A tag-on area the same. Legal ones beside it work."""
    unit = await start(dut)
    await unit.name(queue=10, dest=6, site=9, rxq=77, source=123)
    refused = 0
    for base, log2 in (
        (HEAP, 4), (HEAP_END - 128, 1), (HEAP_END - 0x80000, 12), (HEAP - 128, 1), (MEMORY - 128, 1), (MEMORY_END - 128, 1),
        (MEMORY_END, 4), (0, 4), (0xFFFFFF80, 2), (TX + 64, 2), (TX, 13), (TX, 14), (TX, 15), (RX + 0x80000, 12),
    ):
        for side in (0, 8):
            await unit.regs.write(NIU_BASIC_TX_BASE(2) + side, base)
            await unit.regs.write(NIU_BASIC_TX_SIZE(2) + side, log2)
            refused += 1
            assert await unit.regs.read(NIU_BASIC_TX_SIZE(2) + side) == 0, f"ring at {base:#x} of 2^{log2} slots"
            assert await unit.regs.read(NIU_RINGS_REFUSED) == refused
        await unit.set_pointer(10, False, 1)
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=10, source=1, tag=0, word=0))
        await unit.until(lambda: unit.events["Low"], limit=100, what="event 101: the ring is off")
        assert unit.events["Low"].pop()[1] == EVENT_NON_RESIDENT
        await unit.free(0)
    await ring(unit, 10, 2)
    for side, base in ((0, HEAP_END - 64), (4, HEAP - 64), (0, MEMORY_END - 0x10000 + 64), (4, MEMORY_END - 256), (4, TX + 32)):
        await unit.regs.write(NIU_BASIC_TX_TAGON(2) + side, base)
        refused += 1
        assert await unit.regs.read(NIU_BASIC_TX_TAGON(2) + side) == 0, f"tag-on area at {base:#x}"
    assert await unit.regs.read(NIU_RINGS_REFUSED) == refused
    assert not unit.bus.ops
    for base, log2 in ((HEAP_END, 12), (MEMORY_END - 0x80000, 12), (HEAP - 0x80000, 12), (HEAP - 256, 1), (MEMORY, 1)):
        for side in (0, 8):
            await unit.regs.write(NIU_BASIC_TX_BASE(2) + side, base)
            await unit.regs.write(NIU_BASIC_TX_SIZE(2) + side, log2)
            assert await unit.regs.read(NIU_BASIC_TX_SIZE(2) + side) == log2, f"ring at {base:#x} of 2^{log2} slots"
    await unit.regs.write(NIU_BASIC_TX_BASE(2), HEAP)
    assert await unit.regs.read(NIU_BASIC_TX_SIZE(2)) == 0, "a base written switches the ring off"
    assert await unit.regs.read(NIU_RINGS_REFUSED) == refused


@test(timeout=60_000)
async def test_ring_switched_off_takes_no_line_more(dut):
    """A base moved into the heap while a packet waits for its full ring, or while its lines are written: the ring is off, the packet is dropped
    and counted, no line more is written, and its channel goes on."""
    unit = await start(dut)
    await ring(unit, 10, 1)
    at = await ring(unit, 13, 1)
    for i in range(3):
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=10, source=1, tag=0, word=i))
    await unit.tick(200)
    assert await unit.pointer(10, RX_PRODUCER) == 2
    written = len(unit.bus.ops)
    await unit.regs.write(NIU_BASIC_RX_BASE(2), HEAP)
    await unit.tick(50)
    assert len(unit.bus.ops) == written
    assert await unit.regs.read(NIU_COUNT_DROPPED) == 1
    unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=13, source=1, tag=0, word=77))
    await unit.until(lambda: len(unit.bus.ops) > written, limit=200, what="the next packet's line")
    assert unit.bus.ops[-1].address == RX + at
    partly = 0
    for n in range(1, 12):
        tagged = await ring(unit, 12, 2, tagon=True)
        written, dropped = len(unit.bus.ops), await unit.regs.read(NIU_COUNT_DROPPED)
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=12, source=1, tag=0, word=n, lines=2, length=88, body=words(27)))
        await unit.until(lambda: len(unit.bus.ops) > written, limit=200, what="its first line")
        await unit.tick(n)
        await unit.regs.write(NIU_BASIC_RX_BASE(4), HEAP)
        await unit.tick(100)
        lines = [op.address for op in unit.bus.ops[written:] if not op.retry]
        assert lines == [RX + tagged, RX + tagged + 64, RX_TAGON + tagged, RX_TAGON + tagged + 64][: len(lines)], "of its own slot alone"
        partly += len(lines) < 4
        assert await unit.regs.read(NIU_COUNT_DROPPED) == dropped + (len(lines) < 4)
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=13, source=1, tag=0, word=n))
        await unit.set_pointer(13, True, n)
        await unit.until(lambda: unit.bus.ops[-1].address == RX + at + 128 * (n % 2), limit=200, what="the next packet's line")
    assert partly > 2, "no packet was under way: the test shows nothing"


@test(timeout=60_000)
async def test_received_slots_are_written_then_counted(dut):
    """Sizes 0 to 88 with 0 to 2 lines into a ring of 4 read at a random pace: header, payload, lines right when the producer
    has moved, padding zero, the ring never overrun, order kept; lines a cache held are taken from it."""
    unit = await start(dut)
    unit.bus.retries = pace(0.2)
    at = await ring(unit, 13, 2, tagon=True)
    for line in range(RX + at >> 6, (RX + at >> 6) + 8):
        unit.memory[line] = words(8)
        unit.dirty[line] = words(8)
    expected = []
    for length in random.sample(range(89), 89):
        lines, tag, prio, word = random.randrange(3), random.randrange(32), random.randrange(2), random.getrandbits(32)
        payload, data = payload_of(length), words(8 * lines)
        source = random.randrange(512)
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=13, source=source, tag=tag, word=word, lines=lines, length=length, prio=prio, body=payload + data))
        head = slot_header(source, length, prio, lines, tag, word)
        expected.append((head, payload, data))
    consumed = 0
    while consumed < len(expected):
        produced = await unit.pointer(13, RX_PRODUCER)
        assert produced - consumed <= 4, "ring overrun"
        for _ in range(random.randrange(produced - consumed + 1)):
            head, payload, data = expected[consumed]
            base = RX + at + consumed % 4 * 128 >> 6
            first = [*unit.memory[base], *(unit.memory[base + 1] if len(payload) > 7 else [])]
            assert base not in unit.dirty
            want = [head, *payload]
            assert first == want + [0] * (len(first) - len(want)), f"slot {consumed}"
            tagon = RX_TAGON + at + consumed % 4 * 128 >> 6
            assert [w for k in range(len(data) // 8) for w in unit.memory[tagon + k]] == data
            consumed += 1
        await unit.set_pointer(13, True, consumed)
        assert await unit.pointer(13, RX_CONSUMER) == consumed
        assert unit.cycle < 40000
    await unit.tick(200)
    assert await unit.pointer(13, RX_PRODUCER) == len(expected)


@test(timeout=60_000)
async def test_occupied_says_which_rings_have_something(dut):
    """VY-32: a ring read while messages come, in any cycle, is occupied when its pointers differ, RX_STATUS has both; set up anew or off it is not."""
    unit = await start(dut)
    unit.pace_event["Room"] = 1.0
    rings, consumed, seen = (10, 13), {10: 0, 13: 0}, set()
    for queue in rings:
        await ring(unit, queue, 4)
    for turn in range(150):
        for _ in range(random.randrange(4)):
            unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=random.choice(rings), source=9, tag=1, word=turn))
        await unit.tick(random.randrange(60))
        for queue in random.choices(rings, k=random.randrange(4)):
            consumed[queue] = await unit.pointer(queue, RX_PRODUCER)
            await unit.tick(random.randrange(16))
            await unit.set_pointer(queue, True, consumed[queue])
        await unit.tick(150)
        for queue in rings:
            producer = await unit.pointer(queue, RX_PRODUCER)
            assert await unit.pointer(queue, RX_STATUS) == (producer & 0xFFFF) << 16 | consumed[queue] & 0xFFFF
            occupied = unit.pins.get("window_occupied") >> queue & 1
            assert occupied == (producer != consumed[queue]), f"turn {turn}, queue {queue}: {producer} came, {consumed[queue]} read"
            seen.add((queue, occupied))
    assert len(seen) == 4, "both rings were empty and were not"
    for queue in rings:
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=queue, source=9, tag=1, word=1))
    await unit.tick(200)
    assert unit.pins.get("window_occupied") == 1 << 10 | 1 << 13
    await unit.regs.write(NIU_BASIC_RX_BASE(2), 0)  # off
    await ring(unit, 13, 4)
    await unit.tick(4)
    assert unit.pins.get("window_occupied") == 0
    unit.arrive(Packet(dest=SITE, src=3, vc=0, rxq=5, source=9, tag=1, word=1))
    await unit.tick(100)
    assert unit.pins.get("window_occupied") == 1 << 5 and (await unit.load(5))[0] == 1
    await unit.tick(4)
    assert unit.pins.get("window_occupied") == 0


@test(timeout=60_000)
async def test_pointers_out_of_range_are_refused(dut):
    """A producer that goes back or passes its ring, a consumer that goes back or passes what has come, any pointer of a ring that is off:
    refused, counted, named in STATUS; the queue goes on from where it was."""
    unit = await start(dut)
    at = await ring(unit, 10, 2)
    await unit.name(queue=10, dest=6, site=9, rxq=77, source=123)
    produced = consumed = refused = 0
    for turn in range(40):
        for value in random.sample([produced + 5, produced + 2**31, produced - 1, produced + 2**32 - 2, produced + random.randrange(5, 2**31)], 2):
            await unit.set_pointer(10, False, value % 2**32)
            refused += 1
            assert await unit.pointer(10, STATUS) == 1 << 16 | refused, f"TX_PRODUCER {value} at {produced}"
        for value in random.sample([consumed + 1, consumed - 1, consumed + 2**31, consumed + random.randrange(1, 2**31)], 2):
            await unit.set_pointer(10, True, value % 2**32)
            refused += 1
            assert await unit.pointer(10, STATUS) == 2 << 16 | refused, f"RX_CONSUMER {value} at {consumed}"
        await unit.set_pointer(12, bool(turn & 1), turn)
        for i in range(more := random.randrange(1, 5)):
            put_slot(unit, TX + at, (produced + i) % 4, slot_header(6, 8, 0, 0, 0, produced + i), [0])
        produced += more
        await unit.set_pointer(10, False, produced)
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=10, source=1, tag=0, word=0))
        await unit.until(lambda: len(unit.sent) == produced)
        while await unit.pointer(10, TX_SENT) != produced or await unit.pointer(10, RX_PRODUCER) != consumed + 1:
            assert unit.cycle < 50_000
        consumed += 1
        await unit.set_pointer(10, True, consumed)
    assert [p.word for p in unit.sent] == list(range(produced)) and await unit.pointer(10, RX_CONSUMER) == consumed
    assert await unit.regs.read(NIU_POINTERS_REFUSED) == refused + 40
    assert await unit.pointer(12, STATUS) == 2 << 16 | 40 and await unit.pointer(12, TX_PRODUCER) == 0


@test(timeout=60_000)
async def test_a_ring_that_nobody_reads_stops_its_channel_once(dut):
    """VY-37: what comes for a full ring waits a while, then is dropped, counted and told in STATUS of the one who does not read; later ones at
    once, until half of the ring has been read. Other queues of the channel go on."""
    unit = await start(dut)
    at = await ring(unit, 10, 2)
    await ring(unit, 13, 4)

    def send(queue, word):
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=queue, source=1, tag=0, word=word))

    for i in range(12):
        send(10, i)
    send(13, 99)
    start_at = unit.cycle
    while await unit.pointer(13, RX_PRODUCER) != 1:
        assert unit.cycle - start_at < 4000
    assert unit.cycle - start_at > 1000, "a reader has a while to read"
    assert await unit.pointer(10, STATUS) == 5 << 16 | 8 and await unit.regs.read(NIU_RING_LOST) == 8
    await unit.set_pointer(10, True, 1)
    for i in range(12, 16):
        send(10, i)
    send(13, 100)
    start_at = unit.cycle
    while await unit.pointer(13, RX_PRODUCER) != 2:
        assert unit.cycle - start_at < 1000, "it waits again for one who read one slot"
    assert await unit.pointer(10, RX_PRODUCER) == 5
    assert [unit.memory[(RX + at >> 6) + 2 * i][0] >> 32 for i in (1, 2, 3, 0)] == [1, 2, 3, 12]
    await unit.set_pointer(10, True, 4)
    for i in range(20, 23):
        send(10, i)
    while await unit.pointer(10, RX_PRODUCER) != 8:
        assert unit.cycle < 50_000
    assert await unit.pointer(10, STATUS) == 5 << 16 | 11


@test(timeout=60_000)
async def test_who_fills_a_ring_is_told_until_it_is_read(dut):
    """VY-20: from a quarter of the ring on each sender is told, once; when an eighth is left that it is read, once, though nothing comes; then
    senders are told again. Below, nobody is told anything."""
    unit = await start(dut)
    await unit.tick(8 * 512)  # since reset
    await ring(unit, 10, 4)
    await ring(unit, 13, 4)
    told = unit.events["Room"]
    came = 0

    async def receive(*sources):
        nonlocal came
        for source in sources:
            unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=10, source=source, tag=0, word=came, lines=0, length=0, prio=0))
            came += 1
            while await unit.pointer(10, RX_PRODUCER) != came:
                assert unit.cycle < 50_000
            await unit.tick(10)

    await receive(5, 6, 5, 6)
    assert not told
    await receive(5, 5, 5)
    assert [event[1:] for event in told] == [(EVENT_RING_FILLS, 10, 5)]
    await receive(6, 5, 6)
    assert [event[1:] for event in told[1:]] == [(EVENT_RING_FILLS, 10, 6)]
    await unit.set_pointer(10, True, 7)
    await unit.tick(50)
    assert len(told) == 2, "three of sixteen are more than an eighth"
    await unit.set_pointer(10, True, 8)
    await unit.tick(520)
    assert [event[1:] for event in told[2:]] == [(EVENT_RING_READ, 10, 0)]
    await receive(6, 6)
    assert len(told) == 3
    unit.pace_event["Room"] = 0
    await receive(6, 5)
    await unit.set_pointer(10, True, came)
    await unit.tick(50)
    unit.pace_event["Room"] = 1
    await unit.until(lambda: len(told) == 5)
    assert [event[1:] for event in told[3:]] == [(EVENT_RING_FILLS, 10, 6), (EVENT_RING_READ, 10, 0)]
    await unit.tick(200)
    assert len(told) == 5
    assert await unit.pointer(10, STATUS) == 0 and await unit.regs.read(NIU_RING_LOST) == 0


@test(timeout=60_000)
async def test_set_up_of_another_ring_loses_no_message(dut):
    """Messages from ring to ring of the own site while sizes of another queue's rings are written all the time: each arrives once and
    in order, and the four pointers have counted them all."""
    unit = await start(dut)
    at, out = await ring(unit, 10, 2), await ring(unit, 11, 2)
    await unit.name(queue=10, dest=6, site=SITE, rxq=11, source=123)
    await ring(unit, 13, 2)

    async def set_up():
        while True:
            await unit.regs.write(NIU_BASIC_TX_SIZE(5) + random.choice((0, 8)), random.randrange(5))
            await unit.tick(random.randrange(3))

    setting_up = cocotb.start_soon(set_up())
    total, produced, consumed = 60, 0, 0
    while consumed < total:
        assert unit.cycle < 20000, f"{produced} messages stored, {consumed} arrived"
        if produced < total and produced - await unit.pointer(10, TX_SENT) < 4:
            put_slot(unit, TX + at, produced % 4, slot_header(6, 8, 0, 0, 0, produced), [produced])
            produced += 1
            await unit.set_pointer(10, False, produced)
        arrived = await unit.pointer(11, RX_PRODUCER)
        for i in range(consumed, arrived):
            assert unit.memory[(RX + out >> 6) + 2 * (i % 4)][:2] == [slot_header(123, 8, 0, 0, 0, i), i], f"message {i}"
        if arrived > consumed:
            consumed = arrived
            await unit.set_pointer(11, True, consumed)
    setting_up.cancel()
    pointers = [await unit.pointer(*which) for which in ((10, TX_PRODUCER), (10, TX_SENT), (11, RX_PRODUCER), (11, RX_CONSUMER))]
    assert pointers == [total] * 4


@test(timeout=60_000)
async def test_size_written_starts_its_ring_at_slot_0(dut):
    """A size written again sets the four pointers of its queue to 0, and the next message goes from slot 0 to slot 0."""
    unit = await start(dut)
    await unit.name(queue=10, dest=6, site=SITE, rxq=10, source=123)
    for word in (11, 22):
        at = await ring(unit, 10, 2)
        assert [await unit.pointer(10, which) for which in (TX_PRODUCER, TX_SENT, RX_PRODUCER, RX_CONSUMER)] == [0] * 4
        put_slot(unit, TX + at, 0, slot_header(6, 8, 0, 0, 0, word), [word])
        await unit.set_pointer(10, False, 1)
        await unit.tick(300)
        assert [await unit.pointer(10, which) for which in (TX_PRODUCER, TX_SENT, RX_PRODUCER)] == [1] * 3
        assert unit.memory[RX + at >> 6][:2] == [slot_header(123, 8, 0, 0, 0, word), word]
        await unit.set_pointer(10, True, 1)
        assert await unit.pointer(10, RX_CONSUMER) == 1


@test(timeout=60_000)
async def test_full_ring_waits_and_is_counted(dut):
    """A full ring holds its channel after four packets more; the other channel's rings and events go on; nothing is lost."""
    unit = await start(dut)
    await ring(unit, 10, 1)
    await ring(unit, 8, 3)
    for i in range(7):
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=10, source=1, tag=0, word=i))
    for i in range(5):
        unit.arrive(Packet(dest=SITE, src=3, vc=1, kind=BASIC, rxq=8, source=1, tag=0, word=i))
    await unit.tick(800)
    assert await unit.pointer(10, RX_PRODUCER) == 2
    assert await unit.pointer(8, RX_PRODUCER) == 5
    assert await unit.regs.read(NIU_WAIT_RING) > 0 and await unit.regs.read(NIU_WAIT_STAGE) > 0
    await unit.set_pointer(10, True, 2)
    await unit.tick(400)
    assert await unit.pointer(10, RX_PRODUCER) == 4
    await unit.set_pointer(10, True, 4)
    await unit.tick(400)
    await unit.set_pointer(10, True, 6)
    await unit.tick(400)
    assert await unit.pointer(10, RX_PRODUCER) == 7


@test(timeout=60_000)
async def test_damaged_basic_packet_leaves_no_trace(dut):
    """A damaged Basic packet moves no pointer and writes no line; its neighbours arrive whole."""
    unit = await start(dut)
    at = await ring(unit, 10, 3)
    bodies = [words(4) for _ in range(6)]
    for i, body in enumerate(bodies):
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=BASIC, rxq=10, source=1, tag=0, word=i, lines=0, length=32, prio=0, body=body), damaged=100 if i % 2 else None)
    await unit.tick(600)
    assert await unit.pointer(10, RX_PRODUCER) == 3
    for k, i in enumerate((0, 2, 4)):
        assert unit.memory[(RX + at >> 6) + 2 * k][:5] == [slot_header(1, 32, 0, 0, 0, i), *bodies[i]]
    assert await unit.regs.read(NIU_COUNT_CRC) == 3


@test(timeout=60_000)
async def test_own_site_basic_loop(dut):
    """A Basic message to the own site goes from ring to ring; sending and receiving share the bus without stopping each other."""
    unit = await start(dut)
    unit.bus.retries = pace(0.2)
    at = await ring(unit, 10, 4)
    out = await ring(unit, 11, 4)
    await unit.name(queue=10, dest=6, site=SITE, rxq=11, source=123)
    payloads = []
    for i in range(16):
        payloads.append(words(1 + i % 11))
        put_slot(unit, TX + at, i, slot_header(6, 8 * len(payloads[-1]), 0, 0, i, i), payloads[-1])
    await unit.set_pointer(10, False, 16)
    done = 0
    while done < 16:
        done = await unit.pointer(11, RX_PRODUCER)
        assert unit.cycle < 5000
    for i, payload in enumerate(payloads):
        base = RX + out + 128 * i >> 6
        got = unit.memory[base] + unit.memory.get(base + 1, [])
        assert got[: len(payload) + 1] == [slot_header(123, 8 * len(payload), 0, 0, i, i), *payload]
    assert not unit.sent


def test_message_rings():
    run_unit("message/MessageUnit", {"aps": 2})
