"""Small slot store: the high channel's share is its own, and a high packet that must wait after all is told (repair 10)."""

import random

from harness import run_unit
from kit import Source, test
from kit.packets import HIGH, LOW, Packet
from parts import SITE, MessageBench
from registers import NIU_HIGH_STOPPED, NIU_FREE_SLOTS, NIU_SLOTS_HIGH

SLOTS, RESERVED = 8, 4


def lines(vc: int, word: int) -> Packet:
    body = tuple(random.getrandbits(64) for _ in range(8))
    return Packet(dest=SITE, src=9, vc=vc, rxq=0, tag=2, word=word, lines=1, body=body)


def slot_of(event) -> int:
    return event[2] >> 6 & 63


async def stores(dut) -> MessageBench:
    bench = await MessageBench(dut).start()
    bench.free = Source(bench, "io_slot_0_free")
    return bench


@test(timeout=3000)
async def test_low_messages_leave_the_share_of_high_ones(dut):
    """Low lines in any number stop where the reserved slots begin; as many high ones as are reserved still land, none told."""
    bench = await stores(dut)
    for i in range(12):
        bench.arrive(lines(LOW, i))
    await bench.tick(400)
    assert len(bench.low.got) == SLOTS - RESERVED
    for i in range(RESERVED):
        bench.arrive(lines(HIGH, i))
    await bench.until(lambda: len(bench.high.got) == RESERVED, "high lines", 200)
    assert await bench.regs.read(NIU_SLOTS_HIGH) == RESERVED
    assert await bench.regs.read(NIU_FREE_SLOTS) == 0
    assert await bench.regs.read(NIU_HIGH_STOPPED) == 0 and not bench.local.got


@test(timeout=3000)
async def test_high_packet_without_a_slot_is_told_once(dut):
    """What reservations must prevent is no silent hang: event 105 with the packet's header, once a packet, and a count."""
    bench = await stores(dut)
    for i in range(SLOTS + 2):
        bench.arrive(lines(HIGH, i))
    await bench.until(lambda: bench.local.got, "event 105", 400)
    await bench.tick(200)
    header = lines(HIGH, 0).header
    told = (105, header & 0xFFFFFFFF, header >> 32)
    assert bench.local.got == [told]
    assert len(bench.high.got) == SLOTS
    bench.free.send(slot_of(bench.high.got[3]))
    await bench.until(lambda: len(bench.local.got) == 2, "event 105 of the next packet", 200)
    assert len(bench.high.got) == SLOTS + 1
    bench.free.send(slot_of(bench.high.got[5]))
    await bench.until(lambda: len(bench.high.got) == SLOTS + 2, "the last packet", 200)
    await bench.tick(50)
    assert bench.local.got == [told, told]
    assert await bench.regs.read(NIU_HIGH_STOPPED) == 2


@test(timeout=3000)
async def test_high_packet_without_an_event_place_is_told_once(dut):
    bench = await stores(dut)
    bench.high.pace = 0
    for i in range(3):
        bench.arrive(Packet(dest=SITE, src=9, vc=HIGH, rxq=0, word=i))
    await bench.tick(200)
    assert [event[0] for event in bench.local.got] == [105]
    bench.high.pace = 1.0
    await bench.until(lambda: len(bench.high.got) == 3, "three events", 100)
    assert await bench.regs.read(NIU_HIGH_STOPPED) == 1


@test(timeout=20000)
async def test_every_slot_comes_back(dut):
    """300 lines through 8 slots, freed at once or late, none given twice, none lost."""
    bench = await stores(dut)
    held: set[int] = set()
    seen = sent = 0
    while seen < 300:
        if sent < 300 and len(held) < 4 and sent - seen < 2:
            bench.arrive(lines(random.choice((LOW, HIGH)), sent))
            sent += 1
        for sink in (bench.low, bench.high):
            for event in sink.got:
                slot = slot_of(event)
                assert slot < SLOTS and slot not in held, f"slot {slot} given twice"
                held.add(slot)
                seen += 1
            sink.got.clear()
        if held and random.random() < 0.5:
            bench.free.send(held.pop())
        await bench.tick()
    bench.free.send(*held)
    await bench.tick(20)
    assert await bench.regs.read(NIU_FREE_SLOTS) == SLOTS


def test_message_stores():
    run_unit("message/MessageUnit", {"slots": SLOTS, "reservedSlots": RESERVED})
