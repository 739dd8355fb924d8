"""LinkTx, tree, LinkRx in a row (VY-40, VY-41, VY-42; T18)."""

import os
import random

import cocotb
import pytest
from harness import run_unit
from kit import Bench, Pins, Sink, Source, test
from kit.packets import HIGH, LOW, MAX_BODY, Packet, good, random_packet

SITES = int(os.environ.get("SITES", 0))
CHANNELS = (LOW, HIGH)
FLIT = ("fragment", "last")


class Path(Bench):
    """Drives `input`, takes `output`, both channels; collects packets and their verdicts."""

    def __init__(self, dut):
        super().__init__(dut)
        self.inputs = [Source(self, f"io_input_{vc}", FLIT) for vc in CHANNELS]
        self.outputs = [Sink(self, f"io_output_{vc}", FLIT) for vc in CHANNELS]
        self.add(self)
        self.pins = Pins(dut)
        self.partial = [[], []]
        self.got: list[tuple[int, list[int], bool, int]] = []  # vc, flits, bad, cycle of the header
        self.flips: dict[int, tuple[int, int]] = {}  # cycle -> link, mask

    def send(self, packet: Packet) -> None:
        flits = packet.open_flits
        # Whatever stands in the tail's upper half is replaced.
        flits[-1] |= random.getrandbits(32) << 32
        self.inputs[packet.vc].burst(flits)

    def step(self) -> None:
        for vc, sink in enumerate(self.outputs):
            partial = self.partial[vc]
            if sink.got:
                partial.append((sink.at.pop(), *sink.got.pop()))
                if partial[-1][2]:
                    bad = bool(self.pins.get("bad") >> vc & 1)
                    self.got.append((vc, [flit for _, flit, _ in partial], bad, partial[0][0]))
                    self.partial[vc] = []
        hit, mask = self.flips.pop(self.cycle + 1, (None, 0))
        for link in (0, 1):
            self.pins.set(f"flips_{link}", mask if link == hit else 0)

    async def packets(self, count: int, limit: int) -> None:
        await self.until(lambda: len(self.got) >= count, f"packet number {count}", limit)


def routers() -> int:
    """From site 0 to the last site."""
    return 2 * (max(2, (SITES - 1).bit_length()) - 1) - 1


def packet(vc: int, body: int | None = None) -> Packet:
    return random_packet(0, SITES - 1, vc, body)


@test(timeout=20_000)
async def test_latency_of_an_express_message(dut):
    """Header into LinkTx to header out of LinkRx: 1 each, 2 a router."""
    path = await Path(dut).start()
    for vc in CHANNELS:
        await path.tick(10)
        path.send(packet(vc, 0))
        await path.packets(vc + 1, 60)
        cycles = path.got[-1][3] - path.inputs[vc].at[0]
        cocotb.log.info(f"{SITES} sites, {routers()} routers, vc {vc}: {cycles} cycles, tail one later")
        assert cycles == 2 + 2 * routers()


@test(timeout=20_000)
async def test_crc_is_that_of_ethernet_and_order_is_kept(dut):
    """Random packets, pauses and stalls on both channels: what comes out carries zlib's CRC, in order, judged good."""
    path = await Path(dut).start()
    for end, pace in zip((*path.inputs, *path.outputs), (0.6, 0.8, 0.7, 0.4)):
        end.pace = pace
    sent = [[packet(vc) for _ in range(25)] for vc in CHANNELS]
    for p in sent[LOW] + sent[HIGH]:
        path.send(p)
    await path.packets(50, 4000)
    for vc in CHANNELS:
        assert [flits for v, flits, _, _ in path.got if v == vc] == [p.flits for p in sent[vc]]
    assert not any(bad for _, _, bad, _ in path.got)
    assert int(dut.io_crcErrors.value) == 0


@test(timeout=20_000)
async def test_one_flit_a_cycle(dut):
    """Long and short packets back to back arrive without a gap: tails leave as many cycles apart as packets have flits."""
    path = await Path(dut).start()
    for body in (MAX_BODY, 0, 0, 0, MAX_BODY, 3, 0):
        path.send(packet(LOW, body))
    await path.packets(7, 200)
    starts = [at for _, _, _, at in path.got]
    assert [b - a for a, b in zip(starts, starts[1:])] == [30, 2, 2, 2, 30, 5]


@test(timeout=20_000)
async def test_high_goes_strictly_first(dut):
    """Both channels full: once high has begun, low moves only when high has nothing left."""
    path = await Path(dut).start()
    for _ in range(4):
        path.send(packet(LOW, MAX_BODY))
    await path.tick(20)
    for _ in range(4):
        path.send(packet(HIGH, MAX_BODY))
    await path.packets(8, 400)
    assert [vc for vc, _, _, _ in path.got] == [HIGH] * 4 + [LOW] * 4


@test(timeout=20_000)
async def test_a_blocked_channel_stops_only_itself(dut):
    """One receiver stops for good: the other channel's packets all arrive, then the stopped one resumes unharmed (VY-T19)."""
    for blocked in CHANNELS:
        path = await Path(dut).start()
        path.outputs[blocked].pace = 0
        sent = [[packet(vc, MAX_BODY) for _ in range(5 * (routers() + 1))] for vc in CHANNELS]
        for p in sent[blocked]:
            path.send(p)
        await path.tick(60 * (routers() + 2))
        assert path.inputs[blocked].queue, "the blocked channel took everything"
        for p in sent[1 - blocked]:
            path.send(p)
        await path.packets(len(sent[0]), 40 * len(sent[0]))
        path.outputs[blocked].pace = 1
        await path.packets(2 * len(sent[0]), 80 * len(sent[0]))
        for vc in CHANNELS:
            assert [flits for v, flits, _, _ in path.got if v == vc] == [p.flits for p in sent[vc]]


@test(timeout=20_000)
@cocotb.parametrize(hop=[0, 1])
async def test_a_flipped_bit_is_seen(dut, hop):
    """Every bit position once, on the first or the last link: the routers behind it count it, the end calls it bad (VY-T18)."""
    path = await Path(dut).start()
    into_link = 1 + hop * 2 * routers()  # cycles from input to that link
    for bit in range(64):
        p = packet(bit % 2, 1)
        # destSite's own bits would send it elsewhere, where this bench does not look.
        flit = random.choice([1, 2]) if bit < 6 else random.randrange(3)
        path.send(p)
        path.flips[path.cycle + 2 + into_link + flit] = hop, 1 << bit
        await path.packets(bit + 1, 60)
        _, flits, bad, _ = path.got[-1]
        assert flits != p.flits and bad and not good(flits), f"bit {bit} of flit {flit} flipped on link {hop}: not seen"
        await path.tick(4)
        assert int(dut.io_crcErrors.value) == (routers() * (bit + 1) if hop == 0 else 0)


@pytest.mark.parametrize("sites", [2, 8])
def test_site_path(sites):
    run_unit("network/SitePath", {"sites": sites}, env={"SITES": str(sites)})
