"""BAR2: Express messages and Basic pointers of a host, at a port of the message unit that aPs may use first."""

import random
from collections import deque

import cocotb
from kit.pcie import CONTROL, CONTROL_BYTES, QUEUES, SHARED, Card
from cocotbext.pcie.core.tlp import CplStatus
from harness import run_unit
from kit import Pins, Sink, test
from kit.busmodel import SiteBus
from kit.pins import pace
from kit.sitebus import NONE
from registers import (
    AP_BASE, AP_BASIC_BASE, AP_BASIC_RX_CONSUMER, AP_BASIC_RX_PRODUCER, AP_BASIC_TX_PRODUCER, AP_BASIC_TX_SENT, AP_EXPRESS_RX_BASE, AP_EXPRESS_RX_DATA,
    AP_EXPRESS_RX_META, AP_EXPRESS_TX_BASE, AP_PAGE_BYTES, CAPABILITY_KIND_QUEUES, EXPRESS_TX_DEST, EXPRESS_TX_PRIO, EXPRESS_TX_QUEUE, EXPRESS_TX_TAG,
    HEAP_BASE, HOST_CAPABILITIES, HOST_CAPABILITY_FIRST, HOST_COUNT_REFUSED, HOST_COUNT_UNSUPPORTED, HOST_EXPRESS_LOST, HOST_EXPRESS_ROOM_HIGH,
    HOST_EXPRESS_ROOM_LOW, MEMORY_BASE, MEMORY_DEFAULT_BYTES,
)  # fmt: skip

EXPRESS, BASIC = (6, 7), (14, 15)
EMPTY = 0xE0000000
SEND, RECEIVE, POINT = (base - AP_BASE for base in (AP_EXPRESS_TX_BASE, AP_EXPRESS_RX_BASE, AP_BASIC_BASE))


def express(queue: int, dest: int = 0, tag: int = 0, high: int = 0) -> int:
    return SEND + (EXPRESS_TX_QUEUE(queue) | EXPRESS_TX_DEST(dest) | EXPRESS_TX_TAG(tag) | EXPRESS_TX_PRIO(high))


def receive(queue: int, register: int) -> int:
    return RECEIVE + queue * AP_PAGE_BYTES + register


def pointer(queue: int, register: int) -> int:
    return POINT + queue * AP_PAGE_BYTES + register


class QueueCard(Card):
    """With the message unit's side of the port, which is the host's at `pace` of the cycles.    room: bits, queue * 2 + high.
    fifos: (meta, data) that wait in each Express queue.    pointers: (queue, word) -> value."""

    def __init__(self, dut, share: float = 1.0):
        super().__init__(dut, {CONTROL: CONTROL_BYTES, QUEUES: 8 << 20, SHARED: MEMORY_DEFAULT_BYTES})
        self.bus = SiteBus(self, masters={0: "io_loads", 1: "io_stores"})
        self.window, self.go = Pins(dut, "io_queues"), pace(share)
        self.sent = Sink(self, "io_queues_express", ("queue", "dest", "tag", "high", "data"), pace=share)
        self.written = Sink(self, "io_queues_pointer", ("queue", "consumer", "value"), pace=share)
        self.room, self.popped, self.fifos, self.pointers = 0xFFFF, 0, {q: deque() for q in EXPRESS}, {}
        self.ready = {"query": False, "pop": False}
        self.add(self)

    def step(self) -> None:
        window = self.window
        taken = {name: self.ready[name] and window.get(f"{name}_valid") for name in self.ready}
        if taken["pop"]:
            self.fifos[window.get("pop_payload")].popleft()
            self.popped += 1
        window.drive(answer_message=random.getrandbits(1), answer_meta=random.getrandbits(32), answer_data=random.getrandbits(32))
        if taken["query"]:
            queue, word = window.get("query_payload_queue"), window.get("query_payload_word")
            if window.get("query_payload_basic"):
                window.drive(answer_message=0, answer_meta=self.pointers.get((queue, word), 0))
            elif self.fifos[queue]:
                meta, data = self.fifos[queue][0]
                window.drive(answer_message=1, answer_meta=meta, answer_data=data)
            else:
                window.drive(answer_message=0, answer_meta=EMPTY)
        self.ready = {name: self.go() for name in self.ready}
        window.drive(room=self.room, **{f"{name}_ready": int(ready) for name, ready in self.ready.items()})

    async def both(self, queue: int) -> tuple[int, int]:
        """META and DATA by one load of 8 bytes."""
        word = int.from_bytes(bytes((await self.read(QUEUES, receive(queue, 0), 2)).values()), "little")
        return word >> 32, word & 0xFFFFFFFF


@test(timeout=100_000)
async def test_a_driver_finds_the_queues(dut):
    card = await QueueCard(dut).begin()
    number = (await card.capabilities(await card.read_dword(CONTROL, HOST_CAPABILITIES)))[CAPABILITY_KIND_QUEUES]
    assert await card.read_dword(CONTROL, HOST_CAPABILITY_FIRST(number)) == sum(1 << q for q in EXPRESS + BASIC)


@test(timeout=200_000)
@cocotb.parametrize(share=[1.0, 0.4])
async def test_a_store_is_a_message(dut, share):
    """VY-22, VY-24: one posted write each: queue, destination, tag, priority, word; in order, also when aPs use the port more than the host."""
    card = await QueueCard(dut, share).begin()
    sent = []
    for _ in range(200):
        message = random.choice(EXPRESS), random.randrange(512), random.randrange(32), random.randrange(2), random.getrandbits(32)
        await card.write_dword(QUEUES, express(*message[:4]), message[4])
        sent.append(message)
    await card.until(lambda: len(card.sent.got) == len(sent), "the last message", 2000)
    assert card.sent.got == sent


@test(timeout=100_000)
async def test_a_message_without_room_is_counted_and_stops_nothing(dut):
    """VY-22: dropped, counted for its queue; the other queue, and the other priority, go on. What the load of the window tells is so."""
    card = await QueueCard(dut).begin()
    card.room = 0xFFFF & ~(1 << 2 * 6)  # queue 6, low
    status = await card.read_dword(QUEUES, express(6, dest=99))
    assert (HOST_EXPRESS_ROOM_LOW.of(status), HOST_EXPRESS_ROOM_HIGH.of(status), HOST_EXPRESS_LOST.of(status)) == (0, 1, 0)
    for n in range(30):
        for queue, high in ((6, 0), (7, 0), (6, 1)):
            await card.write_dword(QUEUES, express(queue, high=high), n)
    assert HOST_EXPRESS_LOST.of(await card.read_dword(QUEUES, express(6))) == 30
    assert await card.read_dword(QUEUES, express(7)) == 3
    assert [(queue, high, data) for queue, _, _, high, data in card.sent.got] == [(q, h, n) for n in range(30) for q, h in ((7, 0), (6, 1))]
    await card.write(QUEUES, express(7), b"\1\2\3\4", 7)
    assert await card.read_dword(CONTROL, HOST_COUNT_REFUSED) == 1 and len(card.sent.got) == 60


@test(timeout=400_000)
@cocotb.parametrize(share=[1.0, 0.3])
async def test_each_message_is_taken_once(dut, share):
    """VY-25, VY-26: META takes a message and keeps its word, a load of 8 bytes has both; none is lost or torn or comes twice; empty is told."""
    card = await QueueCard(dut, share).begin()
    sent, got = {q: [] for q in EXPRESS}, {q: [] for q in EXPRESS}
    for _ in range(150):
        queue = random.choice(EXPRESS)
        for _ in range(random.choice([0, 0, 1, 2])):
            message = 1 | random.getrandbits(24) << 8, random.getrandbits(32)
            sent[queue].append(message)
            card.fifos[queue].append(message)
        queue = random.choice(EXPRESS)
        if random.random() < 0.5:
            meta, data = await card.both(queue)
        else:
            meta = await card.read_dword(QUEUES, receive(queue, AP_EXPRESS_RX_META))
            if random.random() < 0.5:
                await card.read_dword(QUEUES, receive(EXPRESS[0] + EXPRESS[1] - queue, AP_EXPRESS_RX_DATA))
            data = await card.read_dword(QUEUES, receive(queue, AP_EXPRESS_RX_DATA))
        if meta == EMPTY:
            assert data == 0 and len(got[queue]) == len(sent[queue]) - len(card.fifos[queue])
        else:
            got[queue].append((meta, data))
    assert all(got[q] + list(card.fifos[q]) == sent[q] for q in EXPRESS)
    assert card.popped == sum(map(len, got.values())) > 50


@test(timeout=100_000)
async def test_a_load_of_less_takes_nothing(dut):
    """Some bytes of META, none, or of the words behind it: no message is taken; 64 bytes take one."""
    card = await QueueCard(dut).begin()
    card.fifos[6].extend([(1, 2), (3, 4)])
    for enables in range(15):
        await card.read(QUEUES, receive(6, AP_EXPRESS_RX_META), 1, enables)
        await card.read(QUEUES, receive(6, 0), 2, 15, enables or 1)
    await card.read(QUEUES, receive(6, 8), 16)
    await card.read(QUEUES, receive(6, 0x800), 2)
    assert card.popped == 0
    line = bytes((await card.read(QUEUES, receive(6, 0), 16)).values())
    assert card.popped == 1 and line == (2).to_bytes(4, "little") + (1).to_bytes(4, "little") + bytes(56)


@test(timeout=100_000)
async def test_basic_pointers(dut):
    """VY-18: all may be read, the two that are the user's written; the rest of the page is nothing."""
    card = await QueueCard(dut, 0.5).begin()
    registers = (AP_BASIC_TX_PRODUCER, AP_BASIC_TX_SENT, AP_BASIC_RX_PRODUCER, AP_BASIC_RX_CONSUMER)
    card.pointers = {(q, r >> 2): random.getrandbits(32) for q in BASIC for r in registers}
    for queue in BASIC:
        for register in registers:
            assert await card.read_dword(QUEUES, pointer(queue, register)) == card.pointers[queue, register >> 2]
        assert await card.read_dword(QUEUES, pointer(queue, AP_BASIC_TX_SENT + 0x80)) == 0
        for register in (*registers, 0x88, 0x9C):
            await card.write_dword(QUEUES, pointer(queue, register), queue << 8 | register)
    await card.read_dword(CONTROL, HOST_COUNT_REFUSED)
    await card.tick(30)
    assert card.written.got == [(q, c, q << 8 | r) for q in BASIC for r, c in ((AP_BASIC_TX_PRODUCER, 0), (AP_BASIC_RX_CONSUMER, 1))]
    assert await card.read_dword(CONTROL, HOST_COUNT_REFUSED) == 2 * 4


@test(timeout=100_000)
async def test_queues_of_others_are_not_there(dut):
    """VY-34: queues of aPs and of the sP, and the registers of aPs: unsupported, writes dropped and counted; the message unit hears nothing."""
    card = await QueueCard(dut).begin()
    foreign = [express(q) for q in range(16) if q not in EXPRESS] + [receive(q, 4) for q in range(16) if q not in EXPRESS]
    foreign += [pointer(q, 8) for q in range(16) if q not in BASIC] + [0, 0x24, SEND - 4, RECEIVE + 0x10000, POINT + 0x10000, (8 << 20) - 4]
    for offset in foreign:
        (answer,) = await card.completions(card.tlp(QUEUES, offset, 1, 15, 0))
        assert answer.status == CplStatus.UR, hex(offset)
        await card.write_dword(QUEUES, offset, 1)
    assert await card.read_dword(CONTROL, HOST_COUNT_UNSUPPORTED) == len(foreign)
    assert await card.read_dword(CONTROL, HOST_COUNT_REFUSED) == len(foreign)
    assert not card.sent.got and not card.written.got and not card.popped


@test(timeout=200_000)
async def test_shared_memory_that_waits_stops_no_message(dut):
    """VY-T23: loads and more stores than have a place wait for shared memory: messages are sent and received all the while."""
    card = await QueueCard(dut).begin()
    judge = card.bus.judge

    def judged(op, answers):
        judge(op, answers)
        op.retry, op.responder = 1, NONE

    card.bus.judge = judged
    heap = HEAP_BASE - MEMORY_BASE
    loads = [cocotb.start_soon(card.read_dword(SHARED, heap + 64 * n)) for n in range(20)]
    for n in range(300):
        await card.write_dword(SHARED, heap + 16 * n, n)
    for n in range(40):
        card.fifos[7].append((1, n))
        await card.write_dword(QUEUES, express(6), n)
        assert await card.both(7) == (1, n)
    assert [message[4] for message in card.sent.got] == list(range(40))
    assert not any(load.done() for load in loads)


@test(timeout=20_000)
async def test_latency_of_a_doorbell(dut):
    """From a store's first beat on CQ to the message at the message unit 4 cycles; from a load of 8 bytes that takes one to its answer 11."""
    card = await QueueCard(dut).begin()
    await card.tick(20)
    watch = card.watch()
    await card.write_dword(QUEUES, express(6), 1)
    await card.until(lambda: card.sent.got, "the message", 100)
    assert card.sent.at[0] - watch.began == 4
    card.fifos[6].append((1, 2))
    await card.tick(20)
    watch = card.watch()
    await card.both(6)
    assert watch.cycles == 11


def test_pcie_queues():
    run_unit("pcie/PcieBridge", {})
