"""BAR4: a host's loads and stores of shared memory, on a Site Bus that may make them wait (VY-T23)."""

import random

import cocotb
from kit.pcie import CONTROL, CONTROL_BYTES, PAGE, SHARED, Card, descriptor, random_enables
from cocotbext.pcie.core.tlp import CplStatus
from harness import run_unit
from kit import test
from kit.busmodel import SiteBus
from kit.sitebus import LINE, NONE, READ, WRITE_PARTIAL
from registers import (
    CAPABILITY_KIND_SHARED, HEAP_BASE, HEAP_END, HOST_CAPABILITIES, HOST_CAPABILITY_FIRST, HOST_CAPABILITY_SECOND, HOST_CAUSE_LOAD_GIVEN_UP,
    HOST_CAUSE_NONE, HOST_CAUSE_REFUSED, HOST_CAUSE_STORE_GIVEN_UP, HOST_CAUSE_STORE_LOST, HOST_COUNT_LOADS_FAILED, HOST_COUNT_REFUSED,
    HOST_COUNT_STORES_FAILED, HOST_COUNT_UNSUPPORTED, HOST_FAULT, HOST_FAULT_ADDRESS, HOST_LIMIT, HOST_RINGS, HOST_SCRATCH, HOST_STORES_FREE, KEPT_BYTES, MEMORY_BASE,
    MEMORY_DEFAULT_BYTES,
)  # fmt: skip

HEAP = HEAP_BASE - MEMORY_BASE  # in BAR4
STORES = 64
PATTERN = (0xBAD0BAD0).to_bytes(4, "little")
UNIT = 256  # cycles of LIMIT


class SharedCard(Card):
    """With a Site Bus on which `holds(op)` says what is retried."""

    def __init__(self, dut, **bus):
        super().__init__(dut, {CONTROL: CONTROL_BYTES, SHARED: MEMORY_DEFAULT_BYTES})
        self.bus = SiteBus(self, masters={0: "io_loads", 1: "io_stores"}, bypass=False, **bus)
        self.holds = lambda op: False
        judge = self.bus.judge

        def judged(op, answers):
            judge(op, answers)
            if self.holds(op):
                op.retry, op.error, op.responder = 1, 0, NONE

        self.bus.judge = judged

    def line(self, offset: int) -> bytes:
        return bytes(self.bus.memory[MEMORY_BASE + offset & -LINE])

    def word(self, offset: int) -> int:
        return int.from_bytes(self.line(offset)[offset % LINE :][:4], "little")

    async def settled(self) -> None:
        while await self.read_dword(CONTROL, HOST_STORES_FREE) < STORES:
            pass
        await self.tick(100)

    async def fault(self) -> tuple[int, int]:
        return await self.read_dword(CONTROL, HOST_FAULT), await self.read_dword(CONTROL, HOST_FAULT_ADDRESS)


@test(timeout=20_000)
async def test_a_driver_finds_the_heap(dut):
    card = await SharedCard(dut).begin()
    number = (await card.capabilities(await card.read_dword(CONTROL, HOST_CAPABILITIES)))[CAPABILITY_KIND_SHARED]
    assert await card.read_dword(CONTROL, HOST_CAPABILITY_FIRST(number)) == HEAP
    assert await card.read_dword(CONTROL, HOST_CAPABILITY_SECOND(number)) == HEAP_END - HEAP_BASE


@test(timeout=1_000_000)
@cocotb.parametrize(retries=[0, 0.4])
async def test_loads_and_stores_of_any_form(dut, retries):
    """Any length, enables and place, on a bus that retries and comes late: every load sees all stores before it, and memory ends as it should."""
    card = await SharedCard(dut, retries=retries, gaps=retries / 2, jitter=5 if retries else 0).begin()
    page = HEAP + 7 * PAGE
    model = b"".join(card.line(page + offset) for offset in range(0, PAGE, LINE))
    for n in range(120):
        length = random.choice([1, 1, 2, 2, 4, 16, 16, random.randrange(1, 100)])
        offset = 4 * random.randrange(random.choice([64, 1025 - length]))
        length = min(length, (PAGE - offset) // 4)
        first, last = random_enables(length)
        if random.random() < 0.6 and await card.read_dword(CONTROL, HOST_STORES_FREE) > length // 4 + 1:
            data = random.randbytes(4 * length)
            await card.write(SHARED, page + offset, data, first, last)
            mask = first | (1 << 4 * (length - 1)) - 1 & ~0xF | (last << 4 * (length - 1) if length > 1 else 0)
            model = bytes(data[i - offset] if 0 <= i - offset < 4 * length and mask >> i - offset & 1 else b for i, b in enumerate(model))
        else:
            got = await card.read(SHARED, page + offset, length, first, last)
            assert got == {at: model[at - page] for at in got}, f"load {n} of {length} dwords at {offset:#x}"
    await card.settled()
    assert b"".join(card.line(page + offset) for offset in range(0, PAGE, LINE)) == model
    assert (await card.fault())[0] == HOST_CAUSE_NONE


@test(timeout=20_000)
async def test_64_bytes_are_four_stores(dut):
    """What a processor combines into a line leaves as 16 bytes at a time; a load of a line is one op."""
    card = await SharedCard(dut).begin()
    await card.write(SHARED, HEAP + 128, bytes(range(64)))
    assert bytes((await card.read(SHARED, HEAP + 128, 16)).values()) == bytes(range(64))
    assert [op.op for op in card.bus.ops] == [WRITE_PARTIAL] * 4 + [READ]
    assert [op.mask for op in card.bus.ops[:4]] == [0xFFFF] * 4


@test(timeout=100_000)
async def test_a_load_fences_the_stores_before_it(dut):
    """VY-T23: a load, also one of no byte, waits while a store before it waits, wherever that goes; it does not wait for one after it."""
    card = await SharedCard(dut).begin()
    for enables in (15, 0):
        card.holds = lambda op: op.op == WRITE_PARTIAL
        await card.write_dword(SHARED, HEAP, 0x11 + enables)
        load = cocotb.start_soon(card.read(SHARED, HEAP + 4096, 1, enables))
        await card.tick(500)
        assert not load.done() and not any(op.op == READ for op in card.bus.ops)
        card.holds = lambda op: False
        await load
        assert card.word(HEAP) == 0x11 + enables
        kinds = [op.op for op in card.bus.ops if not op.retry]
        assert kinds == ([WRITE_PARTIAL, READ] if enables else [WRITE_PARTIAL]), "a load of no byte is a fence and nothing else"
        card.bus.ops.clear()
    card.holds = lambda op: op.op == WRITE_PARTIAL and op.address >= HEAP_BASE + 64
    card.bus.latency = 60
    load = cocotb.start_soon(card.read_dword(SHARED, HEAP))
    await card.tick(12)
    await card.write_dword(SHARED, HEAP + 64, 1)
    assert await load == 0x11
    card.holds = lambda op: False
    await card.settled()


@test(timeout=200_000)
async def test_a_load_that_waits_stops_nothing_else(dut):
    """VY-T23: while loads wait, stores to other lines are done, registers are read and written; then the loads get what is there."""
    card = await SharedCard(dut).begin()
    await card.write_dword(CONTROL, HOST_LIMIT, 0x7FFF)
    card.holds = lambda op: op.op == READ
    loads = [cocotb.start_soon(card.read_dword(SHARED, HEAP + 4 * i)) for i in range(20)]
    await card.tick(300)
    for n in range(40):
        await card.write_dword(SHARED, HEAP + PAGE + 4 * n, n)
        await card.write_dword(CONTROL, HOST_SCRATCH, n)
        assert await card.read_dword(CONTROL, HOST_SCRATCH) == n
    await card.settled()
    assert [card.word(HEAP + PAGE + 4 * n) for n in range(40)] == list(range(40))
    assert not any(load.done() for load in loads)
    card.holds = lambda op: False
    assert [await load for load in loads] == [card.word(HEAP + 4 * i) for i in range(20)]


@test(timeout=200_000)
async def test_a_load_that_never_may_is_answered_in_time(dut):
    """VY-T23: however many wait: each gets the pattern, or its data if it got them, within the limit and a little; the first is recorded, all are counted."""
    card = await SharedCard(dut).begin()
    await card.write_dword(CONTROL, HOST_LIMIT, 8)
    card.holds = lambda op: op.op == READ and op.address < HEAP_BASE + PAGE
    began = card.cycle
    loads = [cocotb.start_soon(card.read(SHARED, HEAP + 32 + 64 * i, 16)) for i in range(28)]
    good = cocotb.start_soon(card.read_dword(SHARED, HEAP + PAGE))
    assert await good == card.word(HEAP + PAGE), "it was tried though it was late"
    assert 8 * UNIT < card.cycle - began < 10 * UNIT + 29 * 2 * 60
    assert all([bytes((await load).values()) == PATTERN * 16 for load in loads])
    assert await card.fault() == (HOST_CAUSE_LOAD_GIVEN_UP, HEAP)
    assert await card.read_dword(CONTROL, HOST_COUNT_LOADS_FAILED) == 2 * 28
    card.holds = lambda op: op.op == READ and op.address == HEAP_BASE
    half = bytes((await card.read(SHARED, HEAP + 56, 4)).values())
    assert half == PATTERN * 2 + card.line(HEAP + 64)[:8], "the half that could be had is right"
    await card.write_dword(CONTROL, HOST_FAULT, 0)
    assert (await card.fault())[0] == HOST_CAUSE_NONE
    card.holds = lambda op: False
    assert await card.read_dword(SHARED, HEAP) == card.word(HEAP)


@test(timeout=200_000)
async def test_stores_that_wait_are_done_in_order(dut):
    """VY-T23: what comes while a store may not proceed is kept, in order, and done when it may; the page it belongs to does not matter."""
    card = await SharedCard(dut).begin()
    card.holds = lambda op: op.op == WRITE_PARTIAL and op.address == HEAP_BASE
    sent = [(HEAP + random.choice([0, 0, 16, 64, PAGE]), random.getrandbits(32)) for _ in range(STORES)]
    sent[0] = (HEAP, 1)
    for offset, value in sent:
        await card.write_dword(SHARED, offset, value)
    await card.tick(300)
    assert await card.read_dword(CONTROL, HOST_STORES_FREE) <= 2
    card.holds = lambda op: False
    await card.settled()
    assert [op.address for op in card.bus.ops if not op.retry] == [MEMORY_BASE + offset for offset, _ in sent]
    assert all(card.word(offset) == value for offset, value in dict(sent).items())
    assert await card.read_dword(CONTROL, HOST_COUNT_STORES_FAILED) == 0


@test(timeout=200_000)
async def test_a_store_without_a_place_is_lost_and_told(dut):
    """Who sends more than STORES_FREE loses what has no place; counted and recorded, and registers answer all the while."""
    card = await SharedCard(dut).begin()
    card.holds = lambda op: op.op == WRITE_PARTIAL
    places = await card.read_dword(CONTROL, HOST_STORES_FREE)
    assert places == STORES
    for n in range(STORES + 10):
        await card.write_dword(SHARED, HEAP + 16 * n, n)
    await card.tick(200)
    failed = await card.read_dword(CONTROL, HOST_COUNT_STORES_FAILED)
    assert 0 < failed <= 10 and await card.read_dword(CONTROL, HOST_STORES_FREE) == 0
    assert await card.fault() == (HOST_CAUSE_STORE_LOST, HEAP + 16 * (STORES + 10 - failed))
    card.holds = lambda op: False
    await card.read(SHARED, HEAP, 1)
    await card.settled()
    assert [card.word(HEAP + 16 * n) for n in range(STORES + 10 - failed)] == list(range(STORES + 10 - failed))


@test(timeout=200_000)
async def test_a_store_that_never_may_is_given_up(dut):
    """After its limit; those behind it go on, and a load behind it is answered."""
    card = await SharedCard(dut).begin()
    await card.write_dword(CONTROL, HOST_LIMIT, 4)
    for illegal in (0, 0x8000, 0x8005, 0xFFFF_0000):
        await card.write_dword(CONTROL, HOST_LIMIT, illegal)
        assert await card.read_dword(CONTROL, HOST_LIMIT) == 4
    card.holds = lambda op: op.op == WRITE_PARTIAL and op.address == HEAP_BASE
    began = card.cycle
    await card.write_dword(SHARED, HEAP, 1)
    await card.write_dword(SHARED, HEAP + 16, 2)
    load = cocotb.start_soon(card.read_dword(SHARED, HEAP + 16))
    assert await load == 2
    assert card.cycle - began < 5 * UNIT + 200
    await card.settled()
    assert card.word(HEAP + 16) == 2 and await card.fault() == (HOST_CAUSE_STORE_GIVEN_UP, HEAP)


@test(timeout=200_000)
async def test_what_is_refused_on_the_bus_is_told(dut):
    """An op that the bus ends with an error: a load reads the pattern, a store is over; both are recorded."""
    card = await SharedCard(dut, errors=lambda address: address == HEAP_BASE).begin()
    assert bytes((await card.read(SHARED, HEAP + 60, 2)).values()) == PATTERN + card.line(HEAP + 64)[:4]
    assert await card.fault() == (HOST_CAUSE_REFUSED, HEAP)
    await card.write_dword(CONTROL, HOST_FAULT, 1)
    await card.write_dword(SHARED, HEAP, 3)
    await card.settled()
    assert await card.fault() == (HOST_CAUSE_REFUSED, HEAP)
    assert await card.read_dword(CONTROL, HOST_COUNT_STORES_FAILED) == 1


@test(timeout=100_000)
async def test_only_heap_and_rings_are_reached(dut):
    """Private windows and the system's part but for the rings: loads are unsupported, stores dropped; no op is on the bus."""
    card = await SharedCard(dut).begin()
    end = HEAP_END - MEMORY_BASE
    for offset in (0, HEAP - 4, end, end + HOST_RINGS - 4, end + KEPT_BYTES, MEMORY_DEFAULT_BYTES - 4):
        (answer,) = await card.completions(card.tlp(SHARED, offset, 1, 15, 0))
        assert answer.status == CplStatus.UR
        await card.write_dword(SHARED, offset, 1)
    await card.read(SHARED, HEAP, 1)
    await card.read(SHARED, end - 4, 1)
    await card.read(SHARED, end + HOST_RINGS, 1)
    await card.read(SHARED, end + KEPT_BYTES - 4, 1)
    assert len(card.bus.ops) == 4
    assert await card.read_dword(CONTROL, HOST_COUNT_UNSUPPORTED) == 6 and await card.read_dword(CONTROL, HOST_COUNT_REFUSED) == 6


@test(timeout=20_000)
async def test_latency_of_a_hit(dut):
    """`host_read_shared_hit`: from a load's first beat on CQ to the last of its completion on CC, DRAM of 12 cycles."""
    card = await SharedCard(dut, latency=12).begin()
    for offset, cycles in [(0, 27), (48, 29)]:
        await card.tick(20)
        watch = card.watch()
        await card.read(SHARED, HEAP + offset, 2)
        cocotb.log.info(f"host_read_shared_hit at byte {offset}: {watch.cycles}")
        assert watch.cycles == cycles and card.bus.ops[-1].fired - watch.began == 6
    await card.tick(20)
    watch = card.watch()
    for n in range(8):
        await card.write_dword(SHARED, HEAP + 16 * n, n)
    await card.settled()
    fired = [op.fired - watch.began for op in card.bus.ops[2:]]
    cocotb.log.info(f"stores at the bus {fired} cycles after the first beat")


def test_pcie_shared():
    run_unit("pcie/PcieBridge", {"stores": STORES})
