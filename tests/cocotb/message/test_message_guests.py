"""A source and a sink more are two entries of the message unit's lists: `MessageUnitWithGuests` has no other line for them."""

import random

from harness import run_unit
from kit import Monitor, Pins, Source, test
from kit.packets import BASIC, HIGH, LOW, Packet
from parts import SITE, MessageBench
from registers import META_UNSENT_DEST, META_UNSENT_QUEUE, META_UNSENT_TAG

OPEN = 0xFFFF


async def guests(dut) -> MessageBench:
    """Names 3 (of the guest, who speaks for queue 1) and 4 (of the sP's queue 0) lead to site 9, name 6 nowhere."""
    bench = await MessageBench(dut).start()
    bench.job = Source(bench, "io_sources_0_job")
    bench.body = Source(bench, "io_sources_0_body")
    bench.sp = Source(bench, "io_sp")
    bench.sink = Pins(dut, "io_sinks_0")
    bench.words = Monitor(bench, "io_sinks_0_body", ("vc", "index", "data"))
    bench.ends = Monitor(bench, "io_sinks_0_end", ("vc", "word", "slot", "hasSlot"))
    bench.sink.drive(open_0=OPEN, open_1=OPEN, openLines_0=OPEN, openLines_1=OPEN, ready=3)
    await bench.name(queue=1, dest=3, site=9, rxq=77, source=21)
    await bench.name(queue=1, dest=6, site=9, valid=0)
    await bench.name(queue=0, dest=4, site=9, rxq=78, source=22)
    return bench


def words(count: int) -> tuple[int, ...]:
    return tuple(random.getrandbits(64) for _ in range(count))


def guest_sends(bench: MessageBench, *, vc: int, word: int, body: tuple[int, ...] = (), dest: int = 3) -> Packet:
    bench.job.send(queue=1, dest=dest, tag=7, high=vc, word=word, kind=BASIC, body=len(body), lines=0, length=88)
    bench.body.send(*body)
    return Packet(dest=9, src=SITE, vc=vc, kind=BASIC, rxq=77, source=21, tag=7, word=word, length=88, prio=vc, body=body)


def sp_sends(bench: MessageBench, *, vc: int, data: int) -> None:
    bench.sp.send(queue=0, dest=4, tag=1, high=vc, data=data)


@test(timeout=20000)
async def test_one_more_source_sends_whole_packets(dut):
    """Bodies of 0 to 28 flits of a guest source, both channels, at random paces among Express messages: whole and in order."""
    bench = await guests(dut)
    bench.body.pace, bench.sp.pace = 0.6, 0.3
    bench.out.pace(0.7)
    expected: list[list[Packet]] = [[], []]
    for i in range(120):
        vc = random.choice((LOW, HIGH))
        expected[vc].append(guest_sends(bench, vc=vc, word=i, body=words(random.randrange(29))))
        sp_sends(bench, vc=random.choice((LOW, HIGH)), data=i)
    await bench.until(lambda: len(bench.sent) == 240, "240 packets")
    for vc in (LOW, HIGH):
        assert [p for p in bench.sent if p.rxq == 77 and p.vc == vc] == expected[vc]


@test(timeout=5000)
async def test_a_later_rank_waits_for_the_first(dut):
    """The guest's rank comes after Express: its message leaves when no Express message of its channel waits, and then it does."""
    bench = await guests(dut)
    bench.out.pace(0)
    for i in range(40):
        sp_sends(bench, vc=LOW, data=i)
    await bench.tick(100)
    guest_sends(bench, vc=HIGH, word=1001)
    guest_sends(bench, vc=LOW, word=1000, body=words(4))
    await bench.tick(50)
    assert bench.sent[-1].word == 1001, "the other channel's message waits for none of them"
    bench.out.pace(1.0)
    await bench.until(lambda: len(bench.sent) == 42, "42 packets")
    assert bench.sent[-1].word == 1000


@test(timeout=2000)
async def test_unnamed_message_of_a_guest_is_drained_and_told(dut):
    bench = await guests(dut)
    guest_sends(bench, vc=LOW, word=5, body=words(9), dest=6)
    good = guest_sends(bench, vc=LOW, word=6, body=words(9))
    await bench.until(lambda: bench.sent and bench.local.got, "packet and event 103")
    assert bench.sent == [good]
    assert bench.local.got == [(103, 5, META_UNSENT_TAG(7) | META_UNSENT_QUEUE(1) | META_UNSENT_DEST(6))]


@test(timeout=8000)
async def test_one_more_sink_has_its_packets(dut):
    """Basic packets for queue 7 go to the guest sink, flit by flit and `end` for whole ones only; what it is closed to is the sP's."""
    bench = await guests(dut)
    for i in range(60):
        vc, body, damaged = random.choice((LOW, HIGH)), words(random.randrange(1, 29)), random.random() < 0.3
        bench.words.got.clear()
        bench.ends.got.clear()
        # A bit of the body or the tail: a header that lies about its length is another test's.
        bit = random.randrange(64, 64 * (len(body) + 2)) if damaged else None
        bench.arrive(Packet(dest=SITE, src=9, vc=vc, kind=BASIC, rxq=7, word=i, body=body), damaged=bit)
        await bench.until(lambda: bench.local.got if damaged else bench.ends.got, "end", 100)
        await bench.tick(3)
        if damaged:
            assert bench.local.got.pop()[0] == 100 and not bench.ends.got
        else:
            assert bench.words.got == [(vc, at, word) for at, word in enumerate(body)]
            assert [end[:2] for end in bench.ends.got] == [(vc, i)]
    bench.sink.drive(open_0=OPEN & ~(1 << 7))
    bench.arrive(Packet(dest=SITE, src=9, vc=LOW, kind=BASIC, rxq=7, word=99, body=words(4)))
    await bench.until(lambda: bench.low.got, "event 101", 100)
    assert bench.low.got[0][:2] == (101, 99) and not bench.high.got


@test(timeout=2000)
async def test_a_sink_that_waits_stops_its_channel_alone(dut):
    bench = await guests(dut)
    bench.sink.drive(ready=1 << HIGH)
    for vc in (LOW, HIGH):
        bench.arrive(Packet(dest=SITE, src=9, vc=vc, kind=BASIC, rxq=7, word=vc, body=words(20)))
    await bench.tick(300)
    assert [end[0] for end in bench.ends.got] == [HIGH]
    bench.sink.drive(ready=3)
    await bench.until(lambda: len(bench.ends.got) == 2, "the low packet", 100)


def test_message_guests():
    run_unit("message/MessageUnitWithGuests")
