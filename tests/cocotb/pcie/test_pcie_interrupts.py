"""Interrupts (MSI-X): the table is written, and the messages are taken, by cocotbext-pcie's system and its model of the block."""

import random

import cocotb
from cocotb.triggers import Event, with_timeout
from cocotbext.pcie.core.caps import PciCapId
from harness import run_unit
from kit import test
from kit.busmodel import SiteBus
from kit.pcie import CONTROL, CONTROL_BYTES, SHARED, Card
from registers import (
    CAPABILITY_KIND_INTERRUPTS, HEAP_BASE, HOST_CAPABILITIES, HOST_CAPABILITY_FIRST, HOST_CAUSE_REFUSED, HOST_COUNT_INTERRUPTS, HOST_COUNT_REFUSED, HOST_FAULT, HOST_FIRMWARE,
    HOST_INTERRUPT_ARM, HOST_INTERRUPT_DISARM, HOST_MSIX_ADDRESS, HOST_MSIX_ADDRESS_HIGH, HOST_MSIX_CONTROL, HOST_MSIX_DATA, HOST_MSIX_PENDING, HOST_SCRATCH, HOST_VECTOR_FAULT,
    HOST_VECTOR_FIRMWARE, HOST_VECTOR_QUEUES, HOST_WAITING, MEMORY_BASE, MEMORY_DEFAULT_BYTES,
)  # fmt: skip

VECTORS = len(HOST_MSIX_ADDRESS)
QUEUES = (6, 7, 14, 15)  # in the order of their vectors
HEAP = HEAP_BASE - MEMORY_BASE


class InterruptCard(Card):
    """`told`: interrupts that the root complex took, by vector.    frames: what was on RQ.    waiting: bit i, a message is in the host's queue i."""

    def __init__(self, dut):
        super().__init__(dut, {CONTROL: CONTROL_BYTES, SHARED: MEMORY_DEFAULT_BYTES})
        self.bus = SiteBus(self, masters={0: "io_loads", 1: "io_stores"}, bypass=False, errors=lambda address: address == HEAP_BASE)
        self.told = [0] * VECTORS
        self.frames: list = []
        sink, keep = self.device.rq_sink, self.device.rq_sink._sink_frame

        def seen(frame):
            self.frames.append((list(frame.data), frame.first_be, frame.last_be))
            keep(frame)

        sink._sink_frame = seen

    @property
    def waiting(self) -> int:
        return int(self.dut.io_waiting.value)

    @waiting.setter
    def waiting(self, queues: int) -> None:
        self.dut.io_waiting.value = queues

    async def begin(self) -> "InterruptCard":
        await super().begin()
        await self.function.set_master()
        assert await self.function.alloc_irq_vectors(VECTORS, VECTORS) == VECTORS
        for vector in range(VECTORS):
            self.function.request_irq(vector, self.count(vector))
        return self

    def count(self, vector: int):
        async def called():
            self.told[vector] += 1

        return called

    async def arm(self, vectors: int) -> None:
        await self.write_dword(CONTROL, HOST_INTERRUPT_ARM, vectors)

    async def mask(self, vector: int, masked: int) -> None:
        await self.write_dword(CONTROL, HOST_MSIX_CONTROL(vector), masked)

    async def function_mask(self, masked: bool) -> None:
        control = await self.function.capability_read_word(PciCapId.MSIX, 2)
        await self.function.capability_write_word(PciCapId.MSIX, 2, control & ~0x4000 | masked << 14)
        await self.tick(20)

    async def calm(self) -> list[int]:
        """All that is on its way has come: how often each vector was told."""
        await self.tick(200)
        return list(self.told)


def only(counts: dict[int, int]) -> list[int]:
    return [counts.get(vector, 0) for vector in range(VECTORS)]


@test(timeout=100_000)
async def test_an_armed_vector_interrupts_once(dut):
    """Not before it is armed; at once when its cause is there already; once for all that comes until it is armed again. The write is what the table says."""
    card = await InterruptCard(dut).begin()
    number = (await card.capabilities(await card.read_dword(CONTROL, HOST_CAPABILITIES)))[CAPABILITY_KIND_INTERRUPTS]
    assert await card.read_dword(CONTROL, HOST_CAPABILITY_FIRST(number)) == VECTORS
    for i, queue in enumerate(QUEUES):
        vector, before = HOST_VECTOR_QUEUES + i, await card.calm()
        card.waiting = 1 << i
        assert await card.calm() == before and await card.read_dword(CONTROL, HOST_WAITING) == 1 << queue
        await card.arm(1 << vector)
        before[vector] += 1
        assert await card.calm() == before and await card.read_dword(CONTROL, HOST_INTERRUPT_ARM) == 0
        for _ in range(5):
            card.waiting = 0
            await card.tick(3)
            card.waiting = 1 << i
        assert await card.calm() == before
        card.waiting = 0
        await card.tick(5)
        await card.arm(1 << vector)
        assert await card.calm() == before and await card.read_dword(CONTROL, HOST_INTERRUPT_ARM) == 1 << vector
        card.waiting = 0xF & ~(1 << i)
        assert await card.calm() == before
        card.waiting = 1 << i
        before[vector] += 1
        assert await card.calm() == before
        address, high, data = [await card.read_dword(CONTROL, column(vector)) for column in (HOST_MSIX_ADDRESS, HOST_MSIX_ADDRESS_HIGH, HOST_MSIX_DATA)]
        assert card.frames[-1] == ([address, high, 1 | 1 << 11, 0, data], 15, 0)
        card.waiting = 0
    assert await card.read_dword(CONTROL, HOST_COUNT_INTERRUPTS) == sum(card.told) == 2 * len(QUEUES)
    await card.arm(0xFF)
    await card.write_dword(CONTROL, HOST_INTERRUPT_DISARM, 0xFF & ~(1 << HOST_VECTOR_QUEUES + 1))
    assert await card.read_dword(CONTROL, HOST_INTERRUPT_ARM) == 1 << HOST_VECTOR_QUEUES + 1
    card.waiting = 0xF
    assert await card.calm() == only({2: 2, 3: 3, 4: 2, 5: 2})


@test(timeout=100_000)
async def test_what_is_masked_is_pending(dut):
    """A masked vector, a masked function, MSI-X not enabled: events are one pending bit, and one message when they may; other vectors go on."""
    card = await InterruptCard(dut).begin()
    queue0, queue1 = HOST_VECTOR_QUEUES, HOST_VECTOR_QUEUES + 1
    assert await card.read_dword(CONTROL, HOST_MSIX_CONTROL(queue0)) == 0
    await card.mask(queue0, 1)
    assert await card.read_dword(CONTROL, HOST_MSIX_CONTROL(queue0)) == 1
    card.waiting = 3
    for _ in range(4):
        await card.arm(1 << queue0)
        await card.tick(20)
    assert await card.read_dword(CONTROL, HOST_MSIX_PENDING) == 1 << queue0
    await card.arm(1 << queue1)
    assert await card.calm() == only({queue1: 1})
    await card.mask(queue0, 0)
    assert await card.calm() == only({queue0: 1, queue1: 1}) and await card.read_dword(CONTROL, HOST_MSIX_PENDING) == 0
    await card.function_mask(True)
    await card.arm(3 << queue0)
    assert await card.calm() == only({queue0: 1, queue1: 1}) and await card.read_dword(CONTROL, HOST_MSIX_PENDING) == 3 << queue0
    await card.function_mask(False)
    assert await card.calm() == only({queue0: 2, queue1: 2})
    await card.function.msix_set_enable(False)
    await card.tick(20)
    await card.arm(1 << queue0)
    assert await card.calm() == only({queue0: 2, queue1: 2})
    await card.function.msix_set_enable(True)
    assert await card.calm() == only({queue0: 3, queue1: 2})


@test(timeout=1_000_000)
async def test_none_is_lost_between_a_look_and_sleep(dut):
    """A reader looks, finds nothing, arms, sleeps; messages come at any cycle of that: whoever sleeps is woken, and everything is read."""
    card = await InterruptCard(dut).begin()
    vector, woken, left, taken = HOST_VECTOR_QUEUES, Event(), 0, 0

    async def wake():
        woken.set()

    async def comes():
        nonlocal left
        for _ in range(60):
            await card.tick(random.choice([1, 2, 3, 40, random.randrange(120)]))
            left += 1
            card.waiting = 1

    card.function.request_irq(vector, wake)
    sender = cocotb.start_soon(comes())
    while taken < 60:
        woken.clear()
        await card.arm(1 << vector)
        await with_timeout(woken.wait(), 100, "us")
        while await card.read_dword(CONTROL, HOST_WAITING):
            left -= 1
            taken += 1
            card.waiting = int(left > 0)
            await card.tick(2)
    await sender
    assert left == 0 and card.told[vector] <= 61


@test(timeout=200_000)
async def test_a_host_that_takes_no_message_stops_nothing(dut):
    """RQ stands still: registers answer, vectors stay pending; when it goes on each is told, and none twice for one event."""
    card = await InterruptCard(dut).begin()
    card.device.rq_sink.pause = True
    card.waiting = 0xF
    for n in range(20):
        await card.arm(0xF << HOST_VECTOR_QUEUES)
        await card.write_dword(CONTROL, HOST_SCRATCH, n)
        assert await card.read_dword(CONTROL, HOST_SCRATCH) == n
    held = await card.read_dword(CONTROL, HOST_MSIX_PENDING)
    assert held == 0xF << HOST_VECTOR_QUEUES and not sum(card.told)
    sent = await card.read_dword(CONTROL, HOST_COUNT_INTERRUPTS)
    card.device.rq_sink.pause = False
    told = await card.calm()
    assert all(told[HOST_VECTOR_QUEUES + i] >= 1 for i in range(4)), told
    # One more was on its way, neither pending nor gone.
    assert sum(told) == await card.read_dword(CONTROL, HOST_COUNT_INTERRUPTS) <= sent + 5 and await card.read_dword(CONTROL, HOST_MSIX_PENDING) == 0


@test(timeout=200_000)
async def test_any_table_write_leaves_the_card_alive(dut):
    """Parts of words, any words at any place of the page: the card answers, and interrupts as before when the table is right again."""
    card = await InterruptCard(dut).begin()
    refused = await card.read_dword(CONTROL, HOST_COUNT_REFUSED)
    for enables in range(1, 15):
        await card.write(CONTROL, HOST_MSIX_DATA(2), b"\xff" * 4, enables)
    assert await card.read_dword(CONTROL, HOST_COUNT_REFUSED) == refused + 14
    right = [[await card.read_dword(CONTROL, column(v)) for column in (HOST_MSIX_ADDRESS, HOST_MSIX_ADDRESS_HIGH, HOST_MSIX_DATA)] for v in range(VECTORS)]
    await card.function_mask(True)
    for _ in range(200):
        await card.write_dword(CONTROL, HOST_MSIX_ADDRESS(0) + 4 * random.randrange(1024), random.getrandbits(32))
        card.waiting = random.randrange(16)
        await card.arm(random.getrandbits(32))
    await card.write_dword(CONTROL, HOST_INTERRUPT_DISARM, 0xFFFF_FFFF)
    card.waiting = 0
    for offset in (HOST_MSIX_ADDRESS(VECTORS - 1) + 16, HOST_MSIX_PENDING + 4, CONTROL_BYTES - 4):
        assert await card.read_dword(CONTROL, offset) == 0
    for vector, words in enumerate(right):
        for column, word in zip((HOST_MSIX_ADDRESS, HOST_MSIX_ADDRESS_HIGH, HOST_MSIX_DATA), words):
            await card.write_dword(CONTROL, column(vector), word)
        await card.mask(vector, 0)
    await card.function_mask(False)
    before = await card.calm()
    card.waiting = 1
    await card.arm(1 << HOST_VECTOR_QUEUES)
    before[HOST_VECTOR_QUEUES] += 1
    assert await card.calm() == before


@test(timeout=100_000)
async def test_a_fault_and_firmware_that_stops_interrupt(dut):
    """The record of a fault, until it is freed; a trap of the sP, for ever."""
    card = await InterruptCard(dut).begin()
    await card.arm(1 << HOST_VECTOR_FAULT | 1 << HOST_VECTOR_FIRMWARE)
    assert await card.calm() == only({})
    await card.write_dword(SHARED, HEAP, 3)
    await card.read_dword(SHARED, HEAP + 64)
    assert await card.calm() == only({HOST_VECTOR_FAULT: 1}) and await card.read_dword(CONTROL, HOST_FAULT) == HOST_CAUSE_REFUSED
    await card.write_dword(CONTROL, HOST_FAULT, 0)
    await card.arm(1 << HOST_VECTOR_FAULT)
    assert await card.calm() == only({HOST_VECTOR_FAULT: 1}) and await card.read_dword(CONTROL, HOST_FIRMWARE) == 0
    dut.io_card_trapped.value = 1
    await card.tick(1)
    dut.io_card_trapped.value = 0
    assert await card.calm() == only({HOST_VECTOR_FAULT: 1, HOST_VECTOR_FIRMWARE: 1})
    await card.arm(1 << HOST_VECTOR_FIRMWARE)
    assert await card.calm() == only({HOST_VECTOR_FAULT: 1, HOST_VECTOR_FIRMWARE: 2}) and await card.read_dword(CONTROL, HOST_FIRMWARE) == 1


@test(timeout=20_000)
async def test_latency_of_an_interrupt(dut):
    """From the cycle in which a queue has a message to the first beat on RQ, in cycles of the site (100 MHz; the block 250)."""
    card = await InterruptCard(dut).begin()
    for _ in range(5):
        await card.arm(1 << HOST_VECTOR_QUEUES)
        await card.tick(20 + random.randrange(9))
        card.waiting = 1
        began = card.cycle
        await card.until(lambda: dut.io_rq_tvalid.value, "the interrupt", 50)
        cocotb.log.info(f"host_interrupt: {card.cycle - began}")
        assert card.cycle - began <= 8
        card.waiting = 0
        await card.tick(20)


def test_pcie_interrupts():
    run_unit("pcie/PcieClocked", {})
