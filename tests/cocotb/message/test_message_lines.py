"""Line messages, slots and damaged packets (VY-28, VY-39, VY-41; T12, T17, T18)."""

import random
from collections import Counter

from harness import run_unit
from kit import Source, test
from kit.packets import BASIC, EXPRESS, Packet
from parts import SITE, event_meta
from registers import (
    NIU_COUNT_CRC, NIU_COUNT_DROPPED, NIU_COUNT_NON_RESIDENT, NIU_FREE_SLOTS, NIU_HEADER_HIGH, NIU_HEADER_LOW,
    NIU_HEADER_SLOT, NIU_RESIDENT, NIU_RESIDENT_RXQ, NIU_RESIDENT_VALID, NIU_WAIT_SLOT,
)  # fmt: skip
from unit import start


def words(n):
    return [random.getrandbits(64) for _ in range(n)]


def slot_of(event):
    return event[3] >> 6 & 63


@test(timeout=60_000)
async def test_line_messages_leave_whole(dut):
    """0, 1 and 2 lines, both channels, data at random paces, among Express messages: header, flits and tail as given."""
    unit = await start(dut)
    await unit.name(queue=0, dest=7, site=9, rxq=0, source=21)
    unit.pace_sp = 0.3
    unit.paces(line=0.7, credit=0.6)
    expected, other = [], 0
    for _ in range(80):
        lines, high, tag, word = random.randrange(3), random.randrange(2), random.randrange(32), random.getrandbits(32)
        body = words(8 * lines)
        unit.lines.append(({"dest": 7, "tag": tag, "high": high, "word": word, "lines": lines}, body))
        expected.append(Packet(dest=9, src=SITE, vc=high, kind=EXPRESS, rxq=0, source=21, tag=tag, word=word, lines=lines, prio=high, body=body))
        unit.sp.append({"queue": 0, "dest": 7, "tag": 0, "high": random.randrange(2), "data": 0})
        other += 1
    expected.sort(key=lambda p: p.vc)
    await unit.until(lambda: len(unit.sent) == len(expected) + other)
    got = [p for vc in (0, 1) for p in unit.sent if p.vc == vc and (p.body or p.word)]
    assert got == [p for p in expected if p.body or p.word]


@test(timeout=60_000)
async def test_line_head_to_link_in_four_cycles(dut):
    """Cut through: the header of a line message is on the link within 4 cycles of its head, its 18 flits in a row."""
    unit = await start(dut)
    await unit.name(queue=0, dest=7, site=9, rxq=0, source=21)
    await unit.tick(5)
    unit.lines.append(({"dest": 7, "tag": 2, "high": 1, "word": 3, "lines": 2}, words(16)))
    await unit.until(lambda: unit.sent)
    head = next(c for k, c in unit.stamps if k == "line")
    first = next(c for k, c in unit.stamps if k == "header")
    dut._log.info(f"line head to first flit {first - head} cycles, to last flit {unit.cycle - head}")
    assert first - head <= 4
    assert unit.cycle - first == 17


@test(timeout=60_000)
async def test_unnamed_line_message_is_drained(dut):
    """A line message to a destination without a row is dropped with its data; the next one is whole."""
    unit = await start(dut)
    await unit.name(queue=0, dest=7, site=9, rxq=0, source=21)
    await unit.name(queue=0, dest=8, site=0, rxq=0, source=0, valid=0)
    body = words(8)
    unit.lines.append(({"dest": 8, "tag": 2, "high": 1, "word": 3, "lines": 2}, words(16)))
    unit.lines.append(({"dest": 7, "tag": 2, "high": 1, "word": 4, "lines": 1}, body))
    await unit.until(lambda: unit.sent)
    assert (unit.sent[0].word, list(unit.sent[0].body)) == (4, body)
    assert unit.events["Local"][0][1:3] == (103, 3)


@test(timeout=60_000)
async def test_data_lands_in_slots_and_slots_come_back(dut):
    """T12: 1 and 2 lines arrive in slots, the two channels interleaved flit by flit; event, slot and data agree; no slot is
    given twice or lost over 300 messages, freed through both ports in random order."""
    unit = await start(dut)
    unit.pace_event = {"High": 0.6, "Low": 0.5, "Local": 1.0, "Room": 1.0}
    bodies = {}
    for i in range(300):
        vc, lines = random.randrange(2), random.randrange(3)
        bodies[i] = (vc, lines, words(8 * lines))
        unit.arrive(Packet(dest=SITE, src=3, vc=vc, kind=EXPRESS, rxq=0, source=9, tag=i % 32, word=i, lines=lines, body=bodies[i][2]))
    held = {}
    seen = 0
    while seen < 300 or held:
        fresh = [e for s in ("High", "Low") for e in unit.events[s]]
        unit.events["High"].clear()
        unit.events["Low"].clear()
        for event in fresh:
            vc, lines, body = bodies[event[2]]
            seen += 1
            slot = slot_of(event)
            assert event[3] == event_meta(3, slot if lines else 0, lines, vc, 9, int(lines > 0), event[2] % 32)
            if lines:
                assert slot not in held, f"slot {slot} given twice"
                held[slot] = body
        if held and (len(held) > 8 or random.random() < 0.5):
            slot = random.choice(list(held))
            body = held.pop(slot)
            for port in (0, 1):
                getattr(dut, f"io_slot_{port}_asked").value = slot
            await unit.tick(2)
            assert [unit.pins.get(f"slot_{port}_lines") for port in (0, 1)] == [len(body) // 8] * 2, "lines the message brought"
            assert await unit.slot(slot, len(body), random.randrange(2)) == body
            await unit.free(slot, random.randrange(2))
        else:
            await unit.tick(3)
        assert unit.cycle < 60000
    await unit.tick(5)
    assert await unit.regs.read(NIU_FREE_SLOTS) == 64


@test(timeout=60_000)
async def test_low_leaves_sixteen_slots(dut):
    """Low messages stop at 16 free slots and wait, counted; 16 high ones still land; a freed slot lets one low on."""
    unit = await start(dut)
    for i in range(60):
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=EXPRESS, rxq=0, source=9, tag=0, word=i, lines=1, body=words(8)))
    await unit.tick(1500)
    assert len(unit.events["Low"]) == 48
    assert await unit.regs.read(NIU_FREE_SLOTS) == 16
    assert await unit.regs.read(NIU_WAIT_SLOT) > 0
    for i in range(20):
        unit.arrive(Packet(dest=SITE, src=3, vc=1, kind=EXPRESS, rxq=0, source=9, tag=0, word=i, lines=2, body=words(16)))
    await unit.tick(600)
    assert len(unit.events["High"]) == 16, "the last 16 slots are for high messages"
    slots = Counter(slot_of(e) for s in ("Low", "High") for e in unit.events[s])
    assert len(slots) == 64 and set(slots.values()) == {1}
    for event in unit.events["High"]:
        await unit.free(slot_of(event))
    await unit.until(lambda: len(unit.events["High"]) == 20, limit=400)
    await unit.tick(100)
    assert len(unit.events["Low"]) == 48
    for event in list(unit.events["Low"][:20]) + unit.events["High"][16:]:
        await unit.free(slot_of(event))
    await unit.until(lambda: len(unit.events["Low"]) == 60, limit=1000)


@test(timeout=60_000)
async def test_freeing_twice_is_harmless(dut):
    """A slot freed twice, or through both ports at once, is counted and given once."""
    unit = await start(dut)
    unit.arrive(Packet(dest=SITE, src=3, vc=1, kind=EXPRESS, rxq=0, source=9, tag=0, word=0, lines=1, body=words(8)))
    await unit.until(lambda: unit.events["High"])
    slot = slot_of(unit.events["High"][0])
    await unit.free(slot)
    await unit.free(slot, 1)
    await unit.tick(5)
    assert await unit.regs.read(NIU_FREE_SLOTS) == 64


@test(timeout=60_000)
async def test_damaged_packet_is_never_seen(dut):
    """T18: one bit of a packet flipped anywhere after the header: no event, no Express entry, no slot lost, counted and told;
    packets around it arrive. A bit of the header flipped too, where it still leads here."""
    unit = await start(dut)
    freed = Source(unit, "io_slot_0_free")
    damaged, whole = 0, []
    for i in range(120):
        rxq = random.choice((0, 0, 300))
        lines = 0 if rxq == 300 else random.randrange(3)
        packet = Packet(dest=SITE, src=3, vc=random.randrange(2), kind=EXPRESS, rxq=rxq, source=9, tag=1, word=i, lines=lines, body=words(8 * lines))
        if random.random() < 0.5:
            size = 64 * (len(packet.body) + 2)
            # Not lines and body: a header that lies about its length is for the next test.
            bit = random.choice([b for b in range(size) if not 39 <= b < 46])
            unit.arrive(packet, damaged=bit)
            damaged += 1
        else:
            unit.arrive(packet)
            whole.append(i)
    def arrived():
        for stream in ("High", "Low"):
            for event in unit.events[stream]:
                if event[3] >> 24 & 1:
                    freed.send(slot_of(event))
                got.append(event[2])
            unit.events[stream].clear()
        return len(got) == len(whole)
    got = []
    await unit.until(arrived, what="all whole packets")
    await unit.tick(60)
    assert arrived()
    assert sorted(got) == whole
    assert await unit.regs.read(NIU_COUNT_CRC) == damaged
    assert unit.events["Local"] and all(e[1] == 100 for e in unit.events["Local"])
    assert await unit.regs.read(NIU_FREE_SLOTS) == 64


@test(timeout=60_000)
async def test_header_that_lies_is_dropped(dut):
    """Headers with wrong length fields, good CRC or not, misrouted or oversized: counted and told, nothing appears, no slot is lost."""
    unit = await start(dut)
    wrong = [
        Packet(dest=SITE ^ 1, src=3, vc=0, kind=EXPRESS, rxq=0, source=9, tag=1, word=1),
        Packet(dest=SITE, src=3, vc=1, kind=2, rxq=0, source=9, tag=1, word=2),
        Packet(dest=SITE, src=3, vc=0, kind=EXPRESS, rxq=0, source=9, tag=1, word=3, lines=3, body=words(24)),
        Packet(dest=SITE, src=3, vc=1, kind=EXPRESS, rxq=0, source=9, tag=1, word=4, lines=2, body=words(8)),
        Packet(dest=SITE, src=3, vc=0, kind=EXPRESS, rxq=300, source=9, tag=1, word=5, lines=2, body=words(20)),
    ]
    for i, packet in enumerate(wrong):
        unit.arrive(packet)
        await unit.until(lambda: len(unit.events["Local"]) == i + 1, limit=200, what=f"event for {packet}")
        _, index, arg, meta = unit.events["Local"][-1]
        assert (index, meta >> 31, arg) == (100, 1, packet.header & 0xFFFFFFFF)
    for bit in range(39, 46):
        unit.arrive(Packet(dest=SITE, src=3, vc=bit & 1, kind=EXPRESS, rxq=0, source=9, tag=1, word=5, lines=1, body=words(8)), damaged=bit)
    await unit.tick(200)
    assert not unit.events["High"] and not unit.events["Low"]
    assert [await unit.regs.read(a) for a in (NIU_COUNT_DROPPED, NIU_COUNT_CRC, NIU_FREE_SLOTS)] == [len(wrong), 7, 64]


@test(timeout=60_000)
async def test_non_resident_is_kept_for_the_sp(dut):
    """T17: a queue that is not resident, or cannot hold the packet, gives event 101 with a slot: body, header and word are
    there; making the queue resident sends its messages to the FIFO."""
    unit = await start(dut)
    for i, (rxq, kind, lines, payload) in enumerate(
            [(300, EXPRESS, 0, 0), (300, BASIC, 0, 5), (300, BASIC, 1, 3), (2, EXPRESS, 1, 0), (9, BASIC, 0, 2)]):
        vc, body = i & 1, words(payload + 8 * lines)
        packet = Packet(dest=SITE, src=3, vc=vc, kind=kind, rxq=rxq, source=9, tag=4 + i, word=0xABC0 + i, lines=lines, length=8 * payload, body=body)
        unit.arrive(packet)
        stream = unit.events["High" if vc else "Low"]
        await unit.until(lambda: stream, limit=100, what=f"event for {packet}")
        event = stream.pop()
        slot = slot_of(event)
        assert event[1:] == (101, 0xABC0 + i, event_meta(3, slot, lines, vc, 9, 1, 4 + i))
        assert await unit.slot(slot, len(body)) == body
        await unit.regs.write(NIU_HEADER_SLOT, slot)
        await unit.tick(1)
        header = await unit.regs.read(NIU_HEADER_LOW) | await unit.regs.read(NIU_HEADER_HIGH) << 32
        assert header == packet.header
        await unit.free(slot)
    assert await unit.regs.read(NIU_COUNT_NON_RESIDENT) == 5
    await unit.regs.write(NIU_RESIDENT(6), NIU_RESIDENT_VALID(1) | NIU_RESIDENT_RXQ(300))
    assert await unit.regs.read(NIU_RESIDENT(6)) == NIU_RESIDENT_VALID(1) | NIU_RESIDENT_RXQ(300)
    unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=EXPRESS, rxq=300, source=9, tag=4, word=77))
    await unit.tick(30)
    assert await unit.load(6) == (1, 300 << 23 | 4 << 17 | 9 << 8 | 1, 77)
    await unit.tick(5)
    assert await unit.regs.read(NIU_FREE_SLOTS) == 64


def test_message_lines():
    run_unit("message/MessageUnit", {"aps": 2})
