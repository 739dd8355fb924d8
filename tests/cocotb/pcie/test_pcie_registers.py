"""PcieBridge as a host finds it: enumerated, the registers of BAR0, answers to everything else that a host may ask."""

import random

import cocotb
from kit.pcie import CONTROL, CONTROL_BYTES, PAGE, QUEUES, Card, descriptor, random_enables
from cocotbext.pcie.core.tlp import CplStatus
from harness import run_unit
from kit import test
from registers import (
    CAPABILITY_KIND_CONTROL, HOST_BUILD_ID, HOST_BUILD_ID_VALUE, HOST_CAPABILITIES, HOST_CAPABILITY, HOST_CAPABILITY_FIRST, HOST_CAPABILITY_NEXT,
    HOST_CAPABILITY_SECOND, HOST_COUNT_ABORTED, HOST_COUNT_MALFORMED, HOST_COUNT_REFUSED, HOST_COUNT_UNSUPPORTED, HOST_MAGIC, HOST_MAGIC_VALUE,
    HOST_SCRATCH,
)  # fmt: skip

BARS = {CONTROL: CONTROL_BYTES, QUEUES: PAGE}  # a page of BAR2 that is no queue's
COUNTS = {"unsupported": HOST_COUNT_UNSUPPORTED, "aborted": HOST_COUNT_ABORTED, "refused": HOST_COUNT_REFUSED, "malformed": HOST_COUNT_MALFORMED}


async def counts(card: Card) -> dict[str, int]:
    return {name: await card.read_dword(CONTROL, offset) for name, offset in COUNTS.items()}


async def alive(card: Card) -> None:
    value = random.getrandbits(32)
    await card.write_dword(CONTROL, HOST_SCRATCH, value)
    assert await card.read_dword(CONTROL, HOST_SCRATCH) == value


@test(timeout=20_000)
async def test_a_driver_finds_what_the_card_is(dut):
    """Enumerated; magic, build id, a list of capabilities that ends; what is no register reads as 0."""
    card = await Card(dut, BARS).begin()
    assert await card.read_dword(CONTROL, HOST_MAGIC) == HOST_MAGIC_VALUE == int.from_bytes(b"TSTL", "little")
    assert await card.read_dword(CONTROL, HOST_BUILD_ID) == HOST_BUILD_ID_VALUE
    found = await card.capabilities(await card.read_dword(CONTROL, HOST_CAPABILITIES))
    assert CAPABILITY_KIND_CONTROL in found
    assert await card.read_dword(CONTROL, HOST_CAPABILITY_SECOND(found[CAPABILITY_KIND_CONTROL])) == 32
    assert await card.read_dword(CONTROL, PAGE - 4) == 0


@test(timeout=20_000)
async def test_registers_are_written_whole(dut):
    """A write of some bytes changes nothing and is counted; a read sees the write before it, also when they come back to back."""
    card = await Card(dut, BARS).begin()
    for _ in range(20):
        await alive(card)
    await card.write_dword(CONTROL, HOST_SCRATCH, 0x12345678)
    for enables in range(15):
        await card.write(CONTROL, HOST_SCRATCH, b"\xff" * 4, enables)
    assert await card.read_dword(CONTROL, HOST_SCRATCH) == 0x12345678
    assert await counts(card) == {"unsupported": 0, "aborted": 0, "refused": 15, "malformed": 0}


@test(timeout=400_000)
@cocotb.parametrize(stopped=[0.0, 0.5])
async def test_reads_of_all_lengths_and_enables(dut, stopped):
    """Any part of BAR0 in any legal form: each byte right, each completion as PCI Express wants it; also when completions are stopped at random."""
    card = await Card(dut, BARS).begin()
    card.device.cc_sink.set_pause_generator(random.random() < stopped for _ in iter(int, 1))
    await card.write_dword(CONTROL, HOST_SCRATCH, random.getrandbits(32))
    page = [await card.read_dword(CONTROL, offset) for offset in range(0, 0x400, 4)] + [0] * 1024
    for length in [1, 2, 3, 31, 32, 33, 64, 1024] + [random.randrange(1, 1024) for _ in range(12)] + [random.randrange(1, 8) for _ in range(40)]:
        word = random.randrange(min(80, 1025 - length))
        got = await card.read(CONTROL, 4 * word, length, *random_enables(length))
        assert got == {at: page[at // 4] >> 8 * (at & 3) & 255 for at in got}


@test(timeout=100_000)
async def test_reads_at_once_are_all_answered(dut):
    """As many hosts as there are tags read at once while completions stop: each gets its own answer; a write is not stopped by them."""
    card = await Card(dut, BARS).begin()
    page = [await card.read_dword(CONTROL, offset) for offset in range(0, 0x140, 4)]
    sink = card.device.cc_sink
    sink.pause = True
    words = [random.randrange(80) for _ in range(60)]
    words = [word for word in words if word != HOST_SCRATCH // 4]
    reads = [cocotb.start_soon(card.read_dword(CONTROL, 4 * word)) for word in words]
    await card.tick(500)
    before = card.device.cq_source.empty()
    await card.write_dword(CONTROL, HOST_SCRATCH, 0x600D)
    await card.tick(100)
    assert before and card.device.cq_source.empty(), "a write waits behind reads"
    sink.pause = False
    assert [await read for read in reads] == [page[word] for word in words]
    assert await card.read_dword(CONTROL, HOST_SCRATCH) == 0x600D


@test(timeout=100_000)
async def test_what_is_not_there_is_unsupported(dut):
    """A BAR without anything behind it, I/O, atomics, locked reads, another function, expansion ROM: answered so with the request for the
    block's error log, counted, and all goes on. Writes to it are dropped and counted."""
    card = await Card(dut, BARS).begin()
    answers = await card.completions(card.tlp(QUEUES, 0x40, 3, 15, 15))
    assert [answer.status for answer in answers] == [CplStatus.UR]
    asked = card.tlp(QUEUES, 0x40, 3, 15, 15)
    (frame,) = card.errors
    assert len(frame) == 8 and frame[3] & 0xFF == 0xFF and frame[4] == asked.address and frame[6] & 0x7FF == 3
    strange = [descriptor(kind, bar=CONTROL) + [0] * (kind == 3) + [0, 0] * (3 < kind < 7) for kind in range(2, 8)]
    strange += [descriptor(0, function=1), descriptor(0, bar=6), descriptor(0, bar=1), descriptor(0, bar=5, length=1024)]
    for n, words in enumerate(strange):
        before = len(card.errors)
        await card.raw(words)
        await card.until(lambda: len(card.errors) > before, f"an answer to {[hex(w) for w in words]}", 200)
        assert card.errors[-1][1] >> 11 & 7 == 1 and card.errors[-1][1] & 0x7FF == 0
        assert card.errors[-1][4:] == words[:4]
        await alive(card)
    for words in [descriptor(1, bar=QUEUES), descriptor(1, function=3), descriptor(1, bar=6), *[descriptor(kind) for kind in (12, 13, 14)]]:
        await card.raw(words + [0xBAD])
        await alive(card)
    assert len(card.errors) == 1 + len(strange)
    assert await counts(card) == {"unsupported": 1 + len(strange), "aborted": 0, "refused": 6, "malformed": 0}


@test(timeout=100_000)
async def test_what_no_device_may_do_is_aborted(dut):
    """A read over a 4 KB boundary or of no length is aborted; such a write is dropped; packets that are cut, too long, too short or damaged
    are counted. Whatever comes next is served."""
    card = await Card(dut, BARS).begin()
    await card.write_dword(CONTROL, HOST_SCRATCH, 0)
    for words in [descriptor(0, 0xFFC, 2), descriptor(0, 0, 0), descriptor(0, 0, 1025), descriptor(0, 4, 1024)]:
        before = len(card.errors)
        await card.raw(words)
        await card.until(lambda: len(card.errors) > before, "an answer", 200)
        assert card.errors[-1][1] >> 11 & 7 == 4
        await alive(card)
    await card.write_dword(CONTROL, HOST_SCRATCH, 0)
    for words in [descriptor(1, 0xFFC, 2) + [1, 1], descriptor(1, HOST_SCRATCH, 0) + [1]]:
        await card.raw(words)
    assert await card.read_dword(CONTROL, HOST_SCRATCH) == 0
    assert await counts(card) == {"unsupported": 0, "aborted": 4, "refused": 2, "malformed": 0}
    write = descriptor(1, HOST_SCRATCH)
    for words, damaged in [(write[:2], 0), (write, 0), (write + [5, 6], 0), (descriptor(1, PAGE - 12, 3) + [7], 0), (write + [8], 1)]:
        before = (await counts(card))["malformed"]
        await card.raw(words, 0xFF if words[2:] and words[2] & 3 == 3 else 0xF, damaged)
        await card.tick(40)
        assert (await counts(card))["malformed"] == before + 1, [hex(w) for w in words]
    assert await card.read_dword(CONTROL, HOST_SCRATCH) == 5, "the dword that came counts, that of a damaged packet does not"
    answered = len(card.errors)
    await card.raw(descriptor(0, HOST_MAGIC), damaged=True)
    await alive(card)
    assert len(card.errors) == answered


@test(timeout=100_000)
async def test_any_packet_leaves_the_card_alive(dut):
    """Random descriptors and payloads, cut anywhere: registers can be read and written after each."""
    card = await Card(dut, BARS).begin()
    for _ in range(150):
        words = descriptor(random.choice([0, 1, 1, random.randrange(16)]), random.getrandbits(64), random.choice([random.randrange(8), random.randrange(2048)]),
                           random.randrange(8), random.choice([0, 0, 0, random.randrange(256)]))  # fmt: skip
        words += [random.getrandbits(32) for _ in range(random.choice([0, words[2] & 7, random.randrange(12)]))]
        await card.raw(words[: random.choice([len(words), random.randrange(1, 5)])], random.getrandbits(8), random.random() < 0.1)
        if random.random() < 0.3:
            await alive(card)
    await alive(card)


@test(timeout=20_000)
async def test_latency_of_a_register(dut):
    """From a read's first beat on CQ to the last of its completion on CC: 8 cycles."""
    card = await Card(dut, BARS).begin()
    await card.tick(20)
    watch = card.watch()
    await card.read_dword(CONTROL, HOST_MAGIC)
    cocotb.log.info(f"register: {watch.cycles} cycles from CQ to CC")
    assert watch.cycles == 8


def test_pcie_registers():
    run_unit("pcie/PcieBridge", {})


def test_pcie_registers_across_clocks():
    """The block's clock of 250 MHz beside one of 100 MHz: the same answers, and no gap within a completion."""
    run_unit("pcie/PcieClocked", {}, tests="all_lengths|at_once|not_there|no_device")
