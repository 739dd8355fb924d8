"""CrcAppend, LinkTx, tree, LinkRx, CrcCheck in a row (VY-40, VY-41, VY-42; T18)."""

import os
import random
from collections import deque

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import run_unit
from network_packets import HIGH, LOW, MAX_BODY, Packet, good, random_packet

SITES = int(os.environ.get("SITES", 0))
CHANNELS = (LOW, HIGH)


class Path:
    """Drives `input`, takes `output`, both channels, at the falling edge; collects packets and their verdicts."""

    def __init__(self, dut):
        self.dut = dut
        self.cycle = 0
        self.inputs = [deque(), deque()]
        self.offered = [False, False]
        self.rate = [1.0, 1.0]  # of offers, and of `ready`
        self.pace = [1.0, 1.0]
        self.partial = [[], []]
        self.got: list[tuple[int, list[int], bool, int]] = []  # vc, flits, bad, cycle of the header
        self.first_at = [0, 0]
        self.flips: dict[int, tuple[int, int]] = {}  # cycle -> link, mask
        self.into = [[getattr(dut, f"io_input_{vc}_{s}") for s in STREAM] for vc in CHANNELS]
        self.flip_pins = [dut.io_flips_0, dut.io_flips_1]
        self.out = [[getattr(dut, f"io_output_{vc}_{s}") for s in STREAM] for vc in CHANNELS]

    async def start(self):
        for vc in CHANNELS:
            self.into[vc][0].value = 0
            self.out[vc][1].value = 0
            self.flip_pins[vc].value = 0
        self.dut.reset.value = 1
        Clock(self.dut.clk, 10, "ns").start()
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.reset.value = 0
        return self

    def send(self, packet: Packet) -> None:
        flits = packet.open_flits
        # Whatever stands in the tail's upper half is replaced.
        flits[-1] |= random.getrandbits(32) << 32
        self.inputs[packet.vc].extend((flit, i == len(flits) - 1) for i, flit in enumerate(flits))

    async def step(self, cycles: int = 1) -> None:
        for _ in range(cycles):
            await FallingEdge(self.dut.clk)
            self.cycle += 1
            for vc in CHANNELS:
                self._give(vc)
                self._take(vc)
            for link in (0, 1):
                self.flip_pins[link].value = 0
            if self.cycle in self.flips:
                link, mask = self.flips.pop(self.cycle)
                self.flip_pins[link].value = mask

    def _give(self, vc: int) -> None:
        """`ready` of the cycle now running says whether what is offered from now to the edge is taken."""
        valid, ready, last, data = self.into[vc]
        if not self.offered[vc] and self.inputs[vc] and random.random() < self.rate[vc]:
            self.offered[vc] = True
        if self.offered[vc]:
            flit, end = self.inputs[vc][0]
            data.value, last.value = flit, int(end)
        valid.value = int(self.offered[vc])
        if self.offered[vc] and int(ready.value):
            self.inputs[vc].popleft()
            self.offered[vc] = False

    def _take(self, vc: int) -> None:
        valid, ready, last, data = self.out[vc]
        take = random.random() < self.pace[vc]
        ready.value = int(take)
        if take and int(valid.value):
            if not self.partial[vc]:
                self.first_at[vc] = self.cycle
            self.partial[vc].append(int(data.value))
            if int(last.value):
                bad = bool(int(self.dut.io_bad.value) >> vc & 1)
                self.got.append((vc, self.partial[vc], bad, self.first_at[vc]))
                self.partial[vc] = []

    async def until(self, packets: int, limit: int) -> None:
        start = self.cycle
        while len(self.got) < packets:
            assert self.cycle - start < limit, f"{len(self.got)} of {packets} packets after {limit} cycles"
            await self.step()


STREAM = ("valid", "ready", "payload_last", "payload_fragment")


def routers() -> int:
    """From site 0 to the last site."""
    return 2 * (max(2, (SITES - 1).bit_length()) - 1) - 1


def packet(vc: int, body: int | None = None) -> Packet:
    return random_packet(0, SITES - 1, vc, body)


@cocotb.test
async def test_latency_of_an_express_message(dut):
    """Header into CrcAppend to header out of CrcCheck: 1 each for CrcAppend, LinkTx, LinkRx, CrcCheck, 2 a router."""
    path = await Path(dut).start()
    for vc in CHANNELS:
        await path.step(10)
        path.send(packet(vc, 0))
        await path.step()
        sent = path.cycle
        await path.until(vc + 1, 60)
        cycles = path.got[-1][3] - sent
        cocotb.log.info(f"{SITES} sites, {routers()} routers, vc {vc}: {cycles} cycles, tail one later")
        assert cycles == 4 + 2 * routers()


@cocotb.test
async def test_crc_is_that_of_ethernet_and_order_is_kept(dut):
    """Random packets, pauses and stalls on both channels: what comes out carries zlib's CRC, in order, judged good."""
    path = await Path(dut).start()
    path.rate, path.pace = [0.6, 0.8], [0.7, 0.4]
    sent = [[packet(vc) for _ in range(25)] for vc in CHANNELS]
    for p in sent[LOW] + sent[HIGH]:
        path.send(p)
    await path.until(50, 4000)
    for vc in CHANNELS:
        assert [flits for v, flits, _, _ in path.got if v == vc] == [p.flits for p in sent[vc]]
    assert not any(bad for _, _, bad, _ in path.got)
    assert int(dut.io_crcErrors.value) == 0


@cocotb.test
async def test_one_flit_a_cycle(dut):
    """Long and short packets back to back arrive without a gap: tails leave as many cycles apart as packets have flits."""
    path = await Path(dut).start()
    for body in (MAX_BODY, 0, 0, 0, MAX_BODY, 3, 0):
        path.send(packet(LOW, body))
    await path.until(7, 200)
    starts = [at for _, _, _, at in path.got]
    assert [b - a for a, b in zip(starts, starts[1:])] == [30, 2, 2, 2, 30, 5]


@cocotb.test
async def test_high_goes_strictly_first(dut):
    """Both channels full: once high has begun, low moves only when high has nothing left."""
    path = await Path(dut).start()
    for _ in range(4):
        path.send(packet(LOW, MAX_BODY))
    await path.step(20)
    for _ in range(4):
        path.send(packet(HIGH, MAX_BODY))
    await path.until(8, 400)
    assert [vc for vc, _, _, _ in path.got] == [HIGH] * 4 + [LOW] * 4


@cocotb.test
async def test_a_blocked_channel_stops_only_itself(dut):
    """One receiver stops for good: the other channel's packets all arrive, then the stopped one resumes unharmed (VY-T19)."""
    for blocked in CHANNELS:
        path = await Path(dut).start()
        path.pace[blocked] = 0.0
        sent = [[packet(vc, MAX_BODY) for _ in range(5 * (routers() + 1))] for vc in CHANNELS]
        for p in sent[blocked]:
            path.send(p)
        await path.step(60 * (routers() + 2))
        assert path.inputs[blocked], "the blocked channel took everything"
        for p in sent[1 - blocked]:
            path.send(p)
        await path.until(len(sent[0]), 40 * len(sent[0]))
        path.pace[blocked] = 1.0
        await path.until(2 * len(sent[0]), 80 * len(sent[0]))
        for vc in CHANNELS:
            assert [flits for v, flits, _, _ in path.got if v == vc] == [p.flits for p in sent[vc]]


@cocotb.test
@cocotb.parametrize(hop=[0, 1])
async def test_a_flipped_bit_is_seen(dut, hop):
    """Every bit position once, on the first or the last link: the routers behind it count it, the end calls it bad (VY-T18)."""
    path = await Path(dut).start()
    into_link = 2 + hop * 2 * routers()  # cycles from input to that link
    for bit in range(64):
        p = packet(bit % 2, 1)
        # destSite's own bits would send it elsewhere, where this bench does not look.
        flit = random.choice([1, 2]) if bit < 6 else random.randrange(3)
        path.send(p)
        path.flips[path.cycle + 1 + into_link + flit] = hop, 1 << bit
        await path.until(bit + 1, 60)
        _, flits, bad, _ = path.got[-1]
        assert flits != p.flits and bad and not good(flits), f"bit {bit} of flit {flit} flipped on link {hop}: not seen"
        await path.step(4)
        assert int(dut.io_crcErrors.value) == (routers() * (bit + 1) if hop == 0 else 0)


@pytest.mark.parametrize("sites", [2, 8])
def test_site_path(sites):
    run_unit("network/SitePath", {"sites": sites}, env={"SITES": str(sites)})
