"""Express messages: every field, order, nothing lost or twice, latencies (VY-22 to VY-27, VY-33, VY-42; T10, T11, T14)."""

import random
from collections import defaultdict

from harness import run_unit
from kit import test
from kit.packets import EXPRESS, Packet
from parts import SITE, event_meta
from registers import (
    META_UNSENT_DEST, META_UNSENT_HIGH, META_UNSENT_MALFORMED, META_UNSENT_QUEUE, META_UNSENT_TAG,
    NIU_COUNT_QUEUE_FAULT, NIU_COUNT_TRANSLATION, NIU_EMPTY_WORD, NIU_EXPRESS_DIVERTED, NIU_EXPRESS_INJECT, NIU_EXPRESS_INJECT_META, NIU_EXPRESS_KEPT,
    NIU_EXPRESS_ROOM, NIU_EXPRESS_WANTED, NIU_HEADER_HIGH, NIU_HEADER_LOW, NIU_HEADER_SLOT, NIU_HIGH_STOPPED, NIU_TRANSLATION, NIU_TRANSLATION_PACED,
    NIU_TRANSLATION_RXQ, NIU_TRANSLATION_SITE, NIU_TRANSLATION_VALID, NIU_TX_HOLD, NIU_WAIT_FIFO,
)  # fmt: skip
from unit import start

EMPTY = 0x5A000000


def express(queue, dest, tag, high, data):
    return {"queue": queue, "dest": dest, "tag": tag, "high": high, "data": data}


@test(timeout=60_000)
async def test_every_field_arrives_translated(dut):
    """Field sweep: all destinations and tags, both priorities, from sP and aP queues; the row decides site, queue, source."""
    unit = await start(dut)
    rows = {}
    for queue in (0, 1, 2, 5):
        for dest in random.sample(range(512), 24):
            rows[queue, dest] = (random.choice([s for s in range(64) if s != SITE]), random.randrange(512), random.randrange(512))
            await unit.name(queue=queue, dest=dest, **dict(zip(("site", "rxq", "source"), rows[queue, dest])))
    expected = []
    for tag, ((queue, dest), (site, rxq, source)) in enumerate(rows.items()):
        for high in (0, 1):
            data = random.getrandbits(32)
            unit.pace_sp = 1.0
            (unit.sp if queue < 2 else unit.window).append(express(queue, dest, tag % 32, high, data))
            vc = high if queue < 2 else 0
            expected.append(Packet(dest=site, src=SITE, vc=vc, kind=EXPRESS, rxq=rxq, source=source, tag=tag % 32, word=data, prio=high))
    await unit.until(lambda: len(unit.sent) == len(expected), what="all packets")
    await unit.tick(50)
    key = repr
    assert sorted(unit.sent, key=key) == sorted(expected, key=key)
    assert unit.events["Local"] == []


@test(timeout=60_000)
async def test_order_and_count_under_back_pressure(dut):
    """Both channels, four queues, random paces and credits: each (queue, priority) keeps its order, none lost, none twice."""
    unit = await start(dut)
    for queue in (0, 1, 2, 3):
        await unit.name(queue=queue, dest=7, site=9, rxq=100 + queue, source=200 + queue)
    expected = defaultdict(list)
    for pace_sp, pace_credit in ((1.0, 0.2), (0.3, 1.0), (1.0, 1.0), (0.7, 0.5)):
        unit.pace_sp = pace_sp
        unit.paces(credit=pace_credit)
        for _ in range(150):
            queue, high, data = random.randrange(4), random.randrange(2), random.getrandbits(32)
            (unit.sp if queue < 2 else unit.window).append(express(queue, 7, 3, high, data))
            expected[100 + queue, high].append(data)
        await unit.until(lambda: not unit.sp and not unit.window, what="queues taking all")
    await unit.until(lambda: len(unit.sent) == 600, what="600 packets")
    got = defaultdict(list)
    for packet in unit.sent:
        assert packet.vc == (packet.prio if packet.rxq < 102 else 0), "what an aP sends never travels high"
        got[packet.rxq, packet.prio].append(packet.word)
    assert got == expected


@test(timeout=60_000)
async def test_store_to_link_in_four_cycles(dut):
    """An Express store of the sP is on the link 4 cycles later, and the second of a pair 2 cycles behind the first."""
    unit = await start(dut)
    await unit.name(queue=0, dest=1, site=2, rxq=3, source=4)
    await unit.tick(5)
    unit.sp.extend([express(0, 1, 0, 1, 1), express(0, 1, 0, 1, 2)])
    await unit.until(lambda: len(unit.sent) == 2)
    stored = [c for k, c in unit.stamps if k == "sp"]
    seen = [c for k, c in unit.stamps if k == "header"]
    dut._log.info(f"store to first flit: {seen[0] - stored[0]} cycles; two messages {seen[1] - seen[0]} apart")
    assert seen[0] - stored[0] <= 4
    assert seen[1] - seen[0] == 2


@test(timeout=60_000)
async def test_tail_to_event_in_three_cycles(dut):
    """The event of a protocol message is valid 3 cycles after its tail flit; low and high have streams of their own."""
    unit = await start(dut)
    for vc, stream in ((1, "High"), (0, "Low")):
        unit.stamps.clear()
        unit.arrive(Packet(dest=SITE, src=9, vc=vc, kind=EXPRESS, rxq=0, source=77, tag=17, word=0xCAFE))
        await unit.until(lambda: unit.events[stream], what="event")
        cycle, index, arg, meta = unit.events[stream].pop()
        tail = next(c for k, c in unit.stamps if k == "tail")
        dut._log.info(f"tail to event: {cycle - tail} cycles")
        assert cycle - tail <= 3
        assert (index, arg, meta) == (17, 0xCAFE, event_meta(9, 0, 0, vc, 77, 0, 17))


@test(timeout=60_000)
async def test_events_by_tag_and_queue(dut):
    """Queue 0 gives events 0 to 31, queue 1 events 64 to 95, each channel in order, at random event and link paces."""
    unit = await start(dut)
    unit.pace_event = {"High": 0.4, "Low": 0.3, "Local": 1.0, "Room": 1.0}
    unit.paces(link=0.9)
    expected = {"High": [], "Low": []}
    for _ in range(200):
        vc, queue, tag, word = random.randrange(2), random.randrange(2), random.randrange(32), random.getrandbits(32)
        site, source = random.randrange(64), random.randrange(512)
        unit.arrive(Packet(dest=SITE, src=site, vc=vc, kind=EXPRESS, rxq=queue, source=source, tag=tag, word=word))
        expected["High" if vc else "Low"].append((64 * queue + tag, word, event_meta(site, 0, 0, vc, source, 0, tag)))
    await unit.until(lambda: sum(map(len, expected.values())) == sum(len(unit.events[s]) for s in expected))
    for stream, events in expected.items():
        assert [e[1:] for e in unit.events[stream]] == events


@test(timeout=60_000)
async def test_two_loads_receive_once(dut):
    """Messages for aP queues come out of their queue in order, each once; an empty queue gives the programmed word (VY-25)."""
    unit = await start(dut)
    await unit.regs.write(NIU_EMPTY_WORD, EMPTY)
    assert await unit.regs.read(NIU_EMPTY_WORD) == EMPTY
    assert (await unit.load(2))[:2] == (0, EMPTY)
    expected = defaultdict(list)
    for _ in range(120):
        queue, tag, prio = random.randrange(2, 6), random.randrange(32), random.randrange(2)
        source, word = random.randrange(512), random.getrandbits(32)
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=EXPRESS, rxq=queue, source=source, tag=tag, word=word, prio=prio))
        expected[queue].append((queue << 23 | prio << 22 | tag << 17 | source << 8 | 1, word))
    got = defaultdict(list)
    empties = 0
    while sum(map(len, got.values())) < 120:
        queue = random.randrange(2, 6)
        message, meta, data = await unit.load(queue)
        if message:
            got[queue].append((meta, data))
        else:
            empties += 1
            assert meta == EMPTY
        assert unit.cycle < 20000
    assert got == expected
    dut._log.info(f"{empties} empty loads in between")


def inject(word, queue, source, tag, prio):
    return ((NIU_EXPRESS_INJECT_META, queue << 23 | prio << 22 | tag << 17 | source << 8 | queue), (NIU_EXPRESS_INJECT, word))


@test(timeout=60_000)
async def test_full_receiver_stops_its_channel_once_and_loses_nothing(dut):
    """VY-20, VY-37: a queue nobody reads takes 12; the 13th waits a while, then it and all that follow are kept for the sP at once, in order,
    though the queue gets room meanwhile. The sP puts them behind the others; when it has put all, messages come directly again. The
    reader gets each once, whole, in order."""
    unit = await start(dut)
    sent, kept, loaded, injected = [], [], [], 0

    def send(count):
        for _ in range(count):
            sent.append((random.getrandbits(32), random.randrange(512), random.randrange(32), random.randrange(2)))
            word, source, tag, prio = sent[-1]
            unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=EXPRESS, rxq=4, source=source, tag=tag, word=word, prio=prio))

    async def take_events():
        while unit.events["Low"]:
            _, index, arg, meta = unit.events["Low"].pop(0)
            assert index == 101 and meta >> 24 & 1 and not meta >> 14 & 1
            await unit.regs.write(NIU_HEADER_SLOT, meta >> 6 & 63)
            low, high = [await unit.regs.read(r) for r in (NIU_HEADER_LOW, NIU_HEADER_HIGH)]
            assert low >> 13 & 7 == 0 and low >> 16 & 511 == 4
            kept.append((arg, meta >> 15 & 511, meta >> 25 & 31, high >> 29 & 1))
            await unit.free(meta >> 6 & 63)

    async def load():
        message, meta, data = await unit.load(4)
        if message:
            loaded.append((data, meta >> 8 & 511, meta >> 17 & 31, meta >> 22 & 1))

    send(20)
    await unit.tick(30)
    assert not unit.events["Low"], "the reader has a while to read"
    unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=EXPRESS, rxq=5, source=1, tag=0, word=77))
    await unit.until(lambda: len(unit.events["Low"]) == 8, limit=250, what="eight messages kept")
    assert await unit.regs.read(NIU_WAIT_FIFO) >= 60
    await unit.tick(10)
    assert (await unit.load(5))[2] == 77, "another queue of the channel"
    assert await unit.regs.read(NIU_EXPRESS_DIVERTED) == 1 << 4 and await unit.regs.read(NIU_EXPRESS_ROOM) == 0xFF & ~(1 << 4)
    await unit.regs.write(NIU_EXPRESS_KEPT(4), 7)
    assert await unit.regs.read(NIU_EXPRESS_DIVERTED) == 1 << 4, "one of eight is still under way to the sP"
    await unit.regs.write(NIU_EXPRESS_WANTED, 1 << 4)
    rounds = 0
    while len(loaded) < 200:
        assert unit.cycle < 50_000
        await take_events()
        if random.random() < 0.5 and injected < len(kept) and await unit.regs.read(NIU_EXPRESS_ROOM) >> 4 & 1:
            word, source, tag, prio = kept[injected]
            for register, value in inject(word, 4, source, tag, prio):
                await unit.regs.write(register, value)
            injected += 1
        if injected == len(kept) and not unit.events["Low"]:
            await unit.regs.write(NIU_EXPRESS_KEPT(4), len(kept))
            rounds += not await unit.regs.read(NIU_EXPRESS_DIVERTED)
        if random.random() < 0.3:
            send(min(random.randrange(1, 6), 200 - len(sent)))
        for _ in range(random.randrange(3)):
            await load()
    assert loaded == sent and rounds > 0 and len(kept) > 20
    assert await unit.regs.read(NIU_EXPRESS_KEPT(4)) == len(kept)
    assert [e[1:] for e in unit.events["Room"]] == [(107, 4, 0)]


@test(timeout=60_000)
async def test_full_user_queue_stops_no_reply(dut):
    """A user who reads nothing and whom others fill up does not stop the high channel of his site: replies to him have entries
    of their own, past those they are kept for the sP, and replies to others go on."""
    unit = await start(dut)
    for i in range(30):
        unit.arrive(Packet(dest=SITE, src=3, vc=0, kind=EXPRESS, rxq=4, source=1, tag=0, word=i))
    await unit.tick(40)
    for i in range(6):
        unit.arrive(Packet(dest=SITE, src=9, vc=1, kind=EXPRESS, rxq=4, source=72, tag=i, word=100 + i, prio=1))
    unit.arrive(Packet(dest=SITE, src=9, vc=1, kind=EXPRESS, rxq=0, source=72, tag=5, word=99))
    await unit.until(lambda: unit.events["High"] and unit.events["High"][-1][1] == 5, limit=200, what="a high message past a full queue")
    assert [e[1:3] for e in unit.events["High"]] == [(101, 104), (101, 105), (5, 99)], "four replies fit, two are kept"
    await unit.tick(200)
    loaded = [(await unit.load(4))[2] for _ in range(16)]
    assert [w for w in loaded if w >= 100] == [100, 101, 102, 103]
    assert [w for w in loaded if w < 100] + [e[2] for e in unit.events["Low"]] == list(range(30))
    assert await unit.regs.read(NIU_EXPRESS_KEPT(4)) == 18, "high messages are not counted"
    assert await unit.regs.read(NIU_HIGH_STOPPED) == 0


@test(timeout=60_000)
async def test_a_held_queue_sends_nothing_and_stops_no_other(dut):
    """TX_HOLD: what is in a held transmit queue stays there, others send; let go, it leaves in order."""
    unit = await start(dut)
    for queue in (2, 3):
        await unit.name(queue=queue, dest=1, site=8, rxq=queue, source=queue)
    await unit.regs.write(NIU_TX_HOLD, 1 << 3)
    for i in range(12):
        unit.window.append(express(3, 1, 0, 0, i))
        unit.window.append(express(2, 1, 0, 0, 100 + i))
    await unit.until(lambda: len(unit.sent) == 12)
    await unit.tick(50)
    assert [p.word for p in unit.sent] == [100 + i for i in range(12)]
    await unit.regs.write(NIU_TX_HOLD, 0)
    await unit.until(lambda: len(unit.sent) == 24)
    assert [p.word for p in unit.sent[12:]] == list(range(12))


@test(timeout=60_000)
async def test_paced_names_are_slow_beyond_a_burst(dut):
    """VY-37: a user sends messages by paced names in a burst of about eight, then one in 512 cycles; others' messages and those of the sP
    pass."""
    unit = await start(dut)
    for queue, paced in ((2, 1), (3, 0), (0, 1)):
        row = NIU_TRANSLATION_VALID(1) | NIU_TRANSLATION_SITE(8) | NIU_TRANSLATION_RXQ(queue) | NIU_TRANSLATION_PACED(paced)
        await unit.regs.write(NIU_TRANSLATION(queue * 512 + 1), row)
        assert await unit.regs.read(NIU_TRANSLATION(queue * 512 + 1)) == row
    for i in range(22):
        unit.window.append(express(2, 1, 0, 0, i))
        unit.window.append(express(3, 1, 0, 0, i))
        unit.sp.append(express(0, 1, 0, 0, i))
    await unit.until(lambda: len(unit.sent) == 66, limit=12_000)
    at = [cycle for what, cycle in unit.stamps if what == "header"]
    times = {queue: [t for t, p in zip(at, unit.sent, strict=True) if p.rxq == queue] for queue in (0, 2, 3)}
    assert times[2][7] - times[2][0] < 200 and times[0][-1] - times[0][0] < 400
    assert (times[2][-1] - times[2][10]) / 11 > 450, times[2]
    assert [p.word for p in unit.sent if p.rxq == 2] == list(range(22))


@test(timeout=60_000)
async def test_unmapped_destination_is_dropped_counted_told(dut):
    """T14: no row, no packet: per-queue counter and event 103; the next good message of the queue is not disturbed."""
    unit = await start(dut)
    await unit.name(queue=3, dest=40, site=8, rxq=3, source=333)
    await unit.name(queue=2, dest=40, site=8, rxq=3, source=222)
    faults = 0
    await unit.name(queue=2, dest=41, site=0, rxq=0, source=0, valid=0)
    for dest in random.sample([d for d in range(512) if d != 40], 10):
        await unit.name(queue=3, dest=dest, site=8, rxq=3, source=333, valid=0)
        unit.window.append(express(3, dest, 9, 0, dest * 3))
        unit.window.append(express(3, 40, 9, 0, 1000 + dest))
        faults += 1
        await unit.until(lambda: len(unit.events["Local"]) == faults, limit=100, what="event 103")
        assert unit.events["Local"][-1][1:] == (103, dest * 3, META_UNSENT_TAG(9) | META_UNSENT_QUEUE(3) | META_UNSENT_DEST(dest))
    await unit.until(lambda: len(unit.sent) == 10)
    assert {p.source for p in unit.sent} == {333}, "the source is the row's, whatever the sender does"
    assert await unit.regs.read(NIU_COUNT_TRANSLATION) == 10
    assert [await unit.regs.read(NIU_COUNT_QUEUE_FAULT(q)) for q in (2, 3)] == [0, 10]
    unit.window.append(express(2, 41, 0, 0, 0))
    await unit.until(lambda: len(unit.events["Local"]) == 11)
    assert await unit.regs.read(NIU_COUNT_QUEUE_FAULT(2)) == 1


@test(timeout=60_000)
async def test_sp_cannot_take_the_room_of_aps(dut):
    """The sP filling an aP's queue stops where the accepted stores of aPs still fit; its stores to Basic queues are told."""
    unit = await start(dut)
    unit.paces(credit=0.0)
    await unit.name(queue=2, dest=1, site=8, rxq=0, source=0)
    for i in range(60):
        unit.sp.append(express(2, 1, 0, 0, i))
    await unit.tick(150)
    assert unit.sp, "the queue is full for the sP"
    for i in range(3):
        await unit.pulse(window_express_valid=1, window_express_payload_queue=2, window_express_payload_dest=1, window_express_payload_data=100 + i)
    unit.paces(credit=1.0)
    await unit.until(lambda: len(unit.sent) == 63)
    assert {100, 101, 102} < {p.word for p in unit.sent}
    unit.sp.append(express(9, 1, 3, 1, 77))
    await unit.until(lambda: unit.events["Local"])
    assert unit.events["Local"][0][1:] == (103, 77, META_UNSENT_MALFORMED(1) | META_UNSENT_HIGH(1) | META_UNSENT_TAG(3) | META_UNSENT_QUEUE(9) | META_UNSENT_DEST(1))


@test(timeout=60_000)
async def test_faults_while_nobody_looks_are_counted(dut):
    """With the local event stream stopped, transmission goes on and no fault misses its counter."""
    unit = await start(dut)
    unit.pace_event["Local"] = 0.0
    await unit.name(queue=0, dest=1, site=8, rxq=0, source=0)
    await unit.name(queue=0, dest=2, site=8, rxq=0, source=0, valid=0)
    for i in range(20):
        unit.sp.append(express(0, 2, 0, i & 1, i))
        unit.sp.append(express(0, 1, 0, i & 1, i))
    await unit.until(lambda: len(unit.sent) == 20)
    assert await unit.regs.read(NIU_COUNT_TRANSLATION) == 20
    unit.pace_event["Local"] = 1.0
    await unit.tick(20)
    assert 1 <= len(unit.events["Local"]) <= 3


@test(timeout=60_000)
async def test_own_site_loops_back(dut):
    """A message to the own site never reaches the link and is received as any other, both channels, mixed with link traffic."""
    unit = await start(dut)
    await unit.name(queue=0, dest=1, site=SITE, rxq=0, source=55)
    await unit.name(queue=0, dest=2, site=8, rxq=0, source=56)
    expected = {"High": [], "Low": []}
    for i in range(60):
        high = random.randrange(2)
        unit.sp.append(express(0, 1, i % 32, high, i))
        unit.sp.append(express(0, 2, i % 32, high, i))
        expected["High" if high else "Low"].append((i % 32, i))
        unit.arrive(Packet(dest=SITE, src=9, vc=random.randrange(2), kind=EXPRESS, rxq=1, source=1, tag=0, word=0))
    await unit.until(lambda: sum(len(unit.events[s]) for s in expected) == 120 and len(unit.sent) == 60)
    for stream, events in expected.items():
        assert [e[1:3] for e in unit.events[stream] if e[1] < 32] == events
    assert all(p.dest == 8 for p in unit.sent)


@test(timeout=60_000)
async def test_own_site_in_six_cycles(dut):
    """A message to the own site is an event 6 cycles after its store."""
    unit = await start(dut)
    await unit.name(queue=0, dest=1, site=SITE, rxq=0, source=55)
    await unit.tick(3)
    unit.sp.append(express(0, 1, 3, 1, 4))
    await unit.until(lambda: unit.events["High"])
    assert unit.events["High"][0][0] - next(c for k, c in unit.stamps if k == "sp") == 6


@test(timeout=60_000)
async def test_low_without_credits_stops_no_reply(dut):
    """VY-42: with low stuck for good, 100 high messages leave."""
    unit = await start(dut)
    await unit.name(queue=0, dest=1, site=8, rxq=0, source=0)
    unit.paces(credit=0.0)
    for i in range(16 + 16):
        unit.sp.append(express(0, 1, 0, 0, i))
    await unit.until(lambda: not unit.sp, limit=500)
    await unit.tick(100)
    assert sum(p.vc == 0 for p in unit.sent) == 16, "32 credits are 16 messages"
    unit.out.held[0] = 0
    unit.paces(credit=1.0)
    for i in range(100):
        unit.sp.append(express(0, 1, 0, 1, i))
    await unit.until(lambda: sum(p.vc for p in unit.sent) == 100, limit=1000, what="high messages past a stuck low")
    assert sum(p.vc == 0 for p in unit.sent) == 16
    assert await unit.regs.read(NIU_COUNT_TRANSLATION) == 0


@test(timeout=60_000)
async def test_free_count_is_true(dut):
    """txFree says how many messages of each priority of queue 0 fit, and so many stores go in without a stall."""
    unit = await start(dut)
    await unit.name(queue=0, dest=1, site=8, rxq=0, source=0)
    unit.paces(credit=0.0)
    assert unit.pins.get("txFree") == 16 << 16 | 16
    for i in range(40):
        unit.sp.append(express(0, 1, 0, 0, i))
    await unit.tick(300)
    left = len(unit.sp)
    assert left > 0 and unit.pins.get("txFree") == 16 << 16 | 0, "a full low queue takes nothing from the high one"
    unit.paces(credit=1.0)
    await unit.until(lambda: len(unit.sent) >= 40)
    assert unit.pins.get("txFree") == 16 << 16 | 16


def test_message_express():
    run_unit("message/MessageUnit", {"aps": 2})
