"""DMA (VY-21, T9): memory to memory, any bytes; what is refused says so at both ends, and stops nobody else."""

import random

from dma import (
    DONE, FAR, HERE, LENGTH, LOST, NAME, NOWHERE, OWN, PACKET, PAGE, SOURCE, TARGET, TABLES, THERE, USER, WINDOW, DmaBench, Transfer, bytes_of, far_packets,
)  # fmt: skip
from harness import run_unit
from kit import pace, test
from kit.packets import BASIC, DMA, EXPRESS, HIGH, LOW, Packet
from kit.sitebus import LINE, READ, WRITES
from parts import SITE
from registers import DMA_DEST_TAG, DMA_DEST_TELL, HEAP_BASE, NIU_COUNT_QUEUE_FAULT, NIU_DMA_FOREIGN, NIU_DMA_REFUSED, NIU_DMA_STRAY, NIU_DMA_TRANSFERS, NIU_DMA_UNIT, NIU_TX_HOLD, TLB_PAGE_OPEN

OPEN = USER + WINDOW // 2
FIRST, WRITTEN, ANSWERED = 61, 8, 27  # cycles, docs/design/dma.md
ENDS = OPEN + 0x8_0000  # done and flag words, apart from data


def transfer(i: int, **given) -> Transfer:
    """The i-th of a test, with words of its own for its ends and room of 64 KB at both."""
    fields = dict(queue=10 + i % 4, source=USER + (i // 4 % 8 << 16), target=OPEN + (i // 4 % 8 << 16), length=100,
                  done=ENDS + 64 * i, flag=ENDS + 0x1_0000 + 64 * i, cookie=random.getrandbits(32))  # fmt: skip
    return Transfer(**{**fields, **given})


async def start(dut, **options) -> DmaBench:
    return await DmaBench(dut).start(**options)


def give(bench: DmaBench, t: Transfer) -> Transfer:
    bench.clear(t.queue, t.done)
    bench.clear(t.queue ^ 1, t.flag)
    bench.ask(t)
    return t


async def warm(bench: DmaBench, t: Transfer) -> None:
    """The pages of `t`'s ends, and of the two before, are in the NI TLB."""
    for source in (t.source, USER):
        assert await bench.over(give(bench, Transfer(**{**vars(t), "source": source}))) == DONE


@test(timeout=120_000)
async def test_any_bytes_of_any_length_arrive_and_no_others(dut):
    """Transfers of the own site, four queues at once, all alignments, 1 B to 5 KB, on a bus that retries and mixes the order: the bytes are
    there when flag and done say so, and the bytes beside them are as before."""
    bench = await start(dut, latency=6, jitter=5, gaps=0.1)
    bench.bus.retries = pace(0.1)
    for round in range(10):
        jobs = []
        for i in range(4 * round, 4 * round + 4):
            length = random.choice((1, 2, 7, 8, 63, 64, 65, random.randrange(1, 400), random.randrange(400, 5000)))
            t = transfer(i, length=length)
            t = transfer(i, length=length, source=t.source + random.randrange(200), target=t.target + 64 + random.choice((0, random.randrange(200))))
            around = bench.read(t.queue ^ 1, t.target - 64, length + 128)
            jobs.append((give(bench, t), bench.read(t.queue, t.source, length), around))
        for t, data, around in jobs:
            assert await bench.over(t) == DONE
            assert bench.word(t.queue ^ 1, t.flag) == (DONE, t.cookie)
            assert bench.read(t.queue ^ 1, t.target - 64, t.length + 128) == around[:64] + data + around[64 + t.length :], str(t)
    assert await bench.grants.read(NIU_DMA_TRANSFERS) == 40 and await bench.grants.read(NIU_DMA_REFUSED) == 0
    assert await bench.grants.read(NIU_DMA_UNIT) == 2


@test(timeout=20_000)
async def test_a_flag_is_behind_all_its_lines(dut):
    """In the order of verdicts the flag is the last of a transfer's writes, and the word at its sender comes after it."""
    bench = await start(dut, jitter=6)
    bench.bus.retries = pace(0.3)
    t = give(bench, transfer(0, length=3000, target=OPEN + 5))
    assert await bench.over(t) == DONE
    writes = [op.address for op in bench.bus.ops if op.op in WRITES and not op.retry and op.address < TABLES]
    to = bench.memory_of(11) - USER
    assert writes[-2:] == [t.flag + to, bench.memory_of(10) - USER + t.done]
    assert all(t.target + to & -LINE <= address < t.target + to + t.length for address in writes[:-2])


@test(timeout=20_000)
async def test_a_transfer_fills_the_link(dut):
    """4 KB, memory of 12 cycles, two transfers at hand: 0.91 of the link's flits are data from the first to the last."""
    bench = await start(dut)
    await warm(bench, transfer(8, length=64))
    one = transfer(0, dest=THERE, length=4096)
    second = transfer(4, dest=THERE, length=4096)
    for t in (one, second):
        bench.ask(t)
    await bench.until(lambda: sum(p.prio for p in bench.sent) == 2, "both ends")
    data = [p for p in bench.sent if not p.prio]
    begin, end = bench.out.headers[LOW][0], bench.out.headers[LOW][-1]
    share = 8192 / 8 / (end - begin)
    first = begin - bench.link.tails[2]
    dut._log.info("share of the link %.3f, %d cycles; descriptor to first header %d", share, end - begin, first)
    assert share >= 0.91, f"{share:.3f}: {end - begin} cycles"
    assert first <= FIRST, f"{first} cycles from the descriptor to the first packet"
    assert [len(p.body) for p in data[:21]] == [24] * 21
    for t, packets in ((one, data[:22]), (second, data[22:])):
        assert b"".join(bytes_of(p)[1] for p in packets) == bench.read(10, t.source, 4096)


@test(timeout=20_000)
async def test_every_packet_says_where_it_belongs(dut):
    """To another site: source name, receive queue, sequence, target address; the end has flag, cookie and status."""
    bench = await start(dut)
    t = transfer(1, dest=THERE, length=1000, source=USER + 13, target=0x1234_5678 + 3)
    bench.ask(t)
    await bench.until(lambda: bench.sent and bench.sent[-1].prio, "the end")
    *data, end = bench.sent
    assert {(p.dest, p.src, p.vc, p.kind, p.rxq, p.source) for p in bench.sent} == {(FAR, SITE, LOW, DMA, 111, 22)}
    assert [p.length for p in data] == [64, *range(1, len(data))] and end.length == len(data)
    at, got = t.target, b""
    for p in data:
        address, part = bytes_of(p)
        assert address == at and (at + len(part)) % LINE == 0 or p is data[-1]
        at, got = at + len(part), got + part
    assert got == bench.read(11, t.source, 1000)
    assert end.word == t.flag and end.body == (DONE << 32 | t.cookie,)


@test(timeout=30_000)
async def test_what_is_refused_says_why_and_stops_nobody(dut):
    """VY-T9: a wrong length, memory that is not the asker's or ends in the midst, a name without a row, a target that is not open: the word at the sender names the
    cause, the queue's next transfer and those of others end well, each is counted once."""
    bench = await start(dut)
    i, wrongs = 0, []
    for wrong, fields in ((LENGTH, dict(length=0)), (LENGTH, dict(length=(1 << 20) + 1)), (LENGTH, dict(length=1 << 31)),
                          (SOURCE, dict(source=USER - 64)), (SOURCE, dict(source=USER + WINDOW - 500, length=501)), (SOURCE, dict(source=0x8000_0000)),
                          (NAME, dict(dest=NOWHERE, length=6000)), (TARGET, dict(target=OPEN - 1)), (TARGET, dict(target=USER + WINDOW - 99)),
                          (TARGET, dict(flag=USER)), (TARGET, dict(target=0xFFFF_FFC0, length=200))):  # fmt: skip
        bad = give(bench, transfer(4 * i, **fields))
        good = [give(bench, transfer(4 * i + 4)), give(bench, transfer(4 * i + 1))]
        assert await bench.over(bad) == wrong, f"{bad}"
        for t in good:
            assert await bench.over(t) == DONE and bench.word(t.queue ^ 1, t.flag) == (DONE, t.cookie)
        if wrong in (SOURCE, TARGET) and bad.flag != USER:
            assert bench.word(11, bad.flag) == (wrong, bad.cookie), "the far end is told"
        i += 2
        wrongs.append(wrong)
    assert await bench.grants.read(NIU_DMA_REFUSED) == len(wrongs)
    assert await bench.grants.read(NIU_DMA_FOREIGN) == wrongs.count(TARGET)
    assert await bench.regs.read(NIU_COUNT_QUEUE_FAULT(10)) == 1, "one message without a name, not one a packet"


@test(timeout=20_000)
async def test_a_fifth_transfer_and_what_is_none_are_refused(dut):
    """A queue has four places; a message of another size is no descriptor: both are counted, the four end well. One for no queue is dropped."""
    bench = await start(dut)
    bench.bus.retries = pace(1.0)
    jobs = [give(bench, transfer(4 * i)) for i in range(4)]
    await bench.tick(200)
    late = give(bench, transfer(16))
    for words in (3, 5, 11, 1):
        bench.ask(transfer(1), words)
    for queue in (0, 7, 8, 16 + 10, 256 + 10):
        bench.ask(Transfer(queue=queue, source=USER, target=OPEN, length=64))
    await bench.tick(300)
    assert await bench.grants.read(NIU_DMA_REFUSED) == 5 and await bench.grants.read(NIU_DMA_STRAY) == 5
    bench.bus.retries = pace(0)
    for t in jobs:
        assert await bench.over(t) == DONE
    await bench.tick(500)
    assert bench.word(10, late.done)[0] == 0
    assert await bench.over(give(bench, transfer(20))) == DONE, "a place is free again"


@test(timeout=60_000)
async def test_what_comes_is_written_only_where_it_may(dut):
    """Transfers of a far sender: to open memory they are written and answered; to the rest, to a name of no Basic queue, or into the heap
    though a row says so: nothing is written, and the answer, which comes when the flag is on the bus, says so."""
    bench = await start(dut)
    bench.bus.retries = pace(0.5)
    await bench.name(queue=8, dest=300, site=FAR, rxq=10, source=0)
    await bench.forget(13, 0)
    bench.page(13, 0, HEAP_BASE, OWN | TLB_PAGE_OPEN(1))
    at = OPEN + 100
    for rxq, target, flag, status in ((12, at, ENDS, DONE), (12, at - WINDOW // 2, ENDS, TARGET), (12, USER + WINDOW, ENDS, TARGET), (13, USER, USER + 64, TARGET),
                                      (400, at, ENDS, TARGET), (3, at, ENDS, TARGET), (15, at, ENDS, TARGET), (12, at, 0, DONE)):  # fmt: skip
        bench.sent.clear()
        bench.bus.ops.clear()
        bench.clear(12, ENDS)
        data = random.randbytes(700)
        bench.bring(rxq, 300, target, data, flag=flag)
        await bench.until(lambda: bench.sent, "an answer", 3000)
        assert bench.sent == [Packet(dest=FAR, src=SITE, vc=HIGH, kind=DMA, rxq=10, source=0, tag=2, word=status, prio=1)]
        writes = [op for op in bench.bus.ops if op.op in WRITES and not op.retry and op.address < TABLES]
        if status == DONE:
            assert bench.read(12, target, 700) == data
        else:
            assert len(writes) == (rxq == 12), f"{rxq} {target:#x}: {writes}"
        if rxq == 12 and flag:
            assert bench.word(12, flag) == (status, 7)


@test(timeout=3_000)
async def test_what_comes_is_written_soon(dut):
    """From a packet's tail on the link to its line's op, from the end's tail to the answer: no more cycles than written down."""
    bench = await start(dut)
    await bench.name(queue=8, dest=300, site=FAR, rxq=10, source=0)
    for _ in range(2):
        bench.sent.clear()
        bench.bus.ops.clear()
        bench.bring(12, 300, OPEN, random.randbytes(64), flag=ENDS)
        await bench.until(lambda: bench.sent, "an answer", 500)
    written, answered = bench.bus.ops[0].fired - bench.link.tails[2], bench.out.headers[HIGH][1] - bench.link.tails[3]
    dut._log.info("tail to op %d, end to answer %d", written, answered)
    assert written <= WRITTEN and answered <= ANSWERED


@test(timeout=60_000)
async def test_a_message_says_that_all_bytes_are_there(dut):
    """VY-21: an Express message by its owner's own rows, once, behind the last line's verdict and before the word at `done`; none of a transfer that failed or did
    not ask. While the owner's queue is held it waits, and holds no other queue's."""
    bench = await start(dut, latency=6, jitter=5, gaps=0.1)
    bench.bus.retries = pace(0.1)
    for queue in range(2, 6):
        await bench.name(queue=queue, dest=THERE, site=FAR, rxq=queue + 40, source=queue)
        await bench.name(queue=queue, dest=NOWHERE, site=FAR, valid=0)
    told = []
    for i in range(24):
        tag, ask = random.randrange(32), random.random() < 0.7
        bad = random.choice((None, None, {"length": 0}, {"target": USER}, {"dest": NOWHERE}))
        t = transfer(i, **{"length": random.randrange(1, 900), "tell": DMA_DEST_TAG(tag) | DMA_DEST_TELL(THERE) if ask else None, **(bad or {})})
        data, sent = bench.read(t.queue, t.source, t.length), len(bench.sent)
        give(bench, t)
        if ask and not bad:
            await bench.until(lambda: len(bench.sent) > sent, "its message")
            assert bench.word(t.queue, t.done)[0] == 0 and bench.read(t.queue ^ 1, t.target, t.length) == data
            told.append((FAR, SITE, LOW, EXPRESS, t.queue - 8 + 40, t.queue - 8, tag, t.cookie))
        assert (await bench.over(t) == DONE) == (bad is None)
        await bench.tick(40)
        assert [(p.dest, p.src, p.vc, p.kind, p.rxq, p.source, p.tag, p.word) for p in bench.sent] == told, str(t)
    await bench.regs.write(NIU_TX_HOLD, 1 << 2)
    held = [give(bench, transfer(i, length=64, tell=DMA_DEST_TELL(THERE))) for i in (24, 28)]
    other = give(bench, transfer(25, length=64, tell=DMA_DEST_TELL(THERE)))
    assert await bench.over(other) == DONE
    await bench.tick(600)
    assert [p.word for p in bench.sent[len(told):]] == [other.cookie] and not any(bench.word(t.queue, t.done)[0] for t in held)
    await bench.regs.write(NIU_TX_HOLD, 0)
    for t in held:
        assert await bench.over(t) == DONE
    assert sorted(p.word for p in bench.sent[len(told) + 1:]) == sorted(t.cookie for t in held)
    unnamed = give(bench, transfer(30, queue=10, length=64, tell=DMA_DEST_TELL(NOWHERE)))
    assert await bench.over(unnamed) == DONE and len(bench.sent) == len(told) + 3
    assert await bench.regs.read(NIU_COUNT_QUEUE_FAULT(2)) == 1


@test(timeout=30_000)
async def test_a_packet_lost_is_found(dut):
    """Each of a transfer's packets damaged in turn: the flag says so, and the next transfer of that source is whole."""
    bench = await start(dut)
    await bench.name(queue=8, dest=300, site=FAR, rxq=10, source=0)
    for damaged in (0, 1, 2, 3, None):
        bench.sent.clear()
        bench.clear(12, ENDS)
        bench.bring(12, 300, OPEN + 8, random.randbytes(700), flag=ENDS, damaged=damaged)
        await bench.until(lambda: bench.sent, "an answer", 3000)
        assert bench.sent[0].word == bench.word(12, ENDS)[0] == (DONE if damaged is None else LOST), damaged
    assert await bench.grants.read(NIU_DMA_FOREIGN) == 4


@test(timeout=60_000)
async def test_sources_are_told_apart(dut):
    """Packets of transfers of two sources to one queue take turns: each is judged by itself."""
    bench = await start(dut)
    for source in (300, 301):
        await bench.name(queue=8, dest=source, site=FAR, rxq=10, source=0)
    data = random.randbytes(900), random.randbytes(900)
    one = far_packets(12, 300, OPEN, data[0], ENDS, 1, DONE)
    two = far_packets(12, 301, OPEN + 1024, data[1], ENDS + 64, 2, DONE)
    for i, (a, b) in enumerate(zip(one, two, strict=True)):
        bench.arrive(a)
        if i != 2:
            bench.arrive(b)
    await bench.until(lambda: len(bench.sent) == 2, "two answers")
    assert bench.word(12, ENDS) == (DONE, 1) and bench.word(12, ENDS + 64) == (LOST, 2)
    assert bench.read(12, OPEN, 900) == data[0]


@test(timeout=30_000)
async def test_a_long_transfer_holds_nobody_else(dut):
    """While one queue sends 64 KB, a short transfer of another queue, a message of the sP and a Basic message that comes for a ring's
    queue take no longer than a few packets."""
    bench = await start(dut)
    long = transfer(0, dest=THERE, length=65536)
    bench.ask(long)
    await bench.until(lambda: len(bench.sent) > 20, "packets of the long one")
    t = give(bench, transfer(1, length=64))
    since = bench.cycle
    assert await bench.over(t) == DONE
    assert bench.cycle - since < 450, f"{bench.cycle - since} cycles, three walks among them"
    bench.arrive(Packet(dest=SITE, src=FAR, vc=LOW, kind=BASIC, rxq=1, tag=5, word=99))
    await bench.until(lambda: bench.low.got, "event of a message", 20)


@test(timeout=60_000)
async def test_what_is_closed_is_not_touched_any_more(dut):
    """BZ-T19, unmap in flight: a page is closed, for others or for its owner, while transfers use it, on a bus that retries. When BUSY falls the last op to it has
    had its verdict; transfers end done or refused, and go on when it is open again."""
    bench = await start(dut, latency=20, jitter=8)
    bench.bus.retries = pace(0.4)
    for round in range(12):
        source, target = USER + round * PAGE, OPEN + round * PAGE
        closes, queue, refusal = ((round, 10, SOURCE), (WINDOW // 2 // PAGE + round, 11, TARGET))[round % 2]
        frame = bench.memory_of(queue) + closes * PAGE
        jobs = [give(bench, transfer(4 * i, source=source, target=target, length=1500)) for i in range(3)]
        await bench.until(lambda seen=len(bench.bus.ops), frame=frame: any(frame <= op.address < frame + PAGE for op in bench.bus.ops[seen:]), "use of the page", 2000)
        await bench.tick(random.randrange(60))
        bench.page(queue, closes, frame, 0)
        taken = await bench.forget(queue, closes)
        assert taken < 1000, f"{taken} cycles: no user may lengthen it"
        judged = len(bench.bus.ops)
        statuses = [await bench.over(t) for t in jobs]
        late = [op for op in bench.bus.ops[judged:] if frame <= op.address < frame + PAGE]
        assert not late, f"round {round}: {late[0]} after {taken} cycles"
        assert set(statuses) <= {DONE, refusal} and statuses[-1] == refusal, f"{statuses}"
        bench.page(queue, closes, frame, OWN | TLB_PAGE_OPEN(queue == 11))
        await bench.forget(queue, closes)
        assert await bench.over(give(bench, jobs[0])) == DONE


@test(timeout=20_000)
async def test_a_walk_parks_its_queue_and_no_other(dut):
    """VY-21: while a queue's page is looked up in a memory that takes long, the lines of another queue's transfer are asked for."""
    bench = await start(dut, latency=100)
    await warm(bench, transfer(9, dest=HERE, length=64))
    far = give(bench, transfer(9, dest=THERE, source=USER, length=4000))
    cold = give(bench, transfer(8, dest=THERE, source=USER + 77 * PAGE))
    await bench.until(lambda: any(p.rxq == 110 for p in bench.sent), "a packet of the queue whose page was looked up", 3000)
    walk = next(op for op in bench.bus.ops if op.op == READ and op.address & -LINE == bench.table_of(10) + 77 * 4 & -LINE)
    others = [op for op in bench.bus.ops if op.op == READ and walk.fired < op.fired < walk.done and op.address < TABLES]
    assert len(others) >= 3, f"{others} beside the walk of {cold}, of {far}"


@test(timeout=30_000)
async def test_answers_nobody_waits_for_change_nothing(dut):
    """An answer for a place that is free, or before the end left, is dropped and counted; the transfer ends by the right one."""
    bench = await start(dut)

    def answer(queue: int, entry: int, status: int) -> None:
        bench.arrive(Packet(dest=SITE, src=FAR, vc=HIGH, kind=DMA, rxq=queue, source=0, tag=entry, word=status, prio=1))

    t = give(bench, transfer(0, dest=THERE, length=2000))
    await bench.until(lambda: len(bench.sent) == 2, "packets of it")
    for entry in range(4):
        answer(10, entry, DONE)
    answer(3, 0, DONE)
    await bench.until(lambda: bench.sent and bench.sent[-1].prio, "the end")
    await bench.tick(100)
    assert bench.word(10, t.done)[0] == 0 and await bench.grants.read(NIU_DMA_STRAY) == 4
    answer(10, bench.sent[-1].tag & 3, TARGET)
    assert await bench.over(t) == TARGET


def test_message_dma():
    run_unit("dma/MessageUnitWithDma")
