"""WirePort between two MACs of cocotbext-eth, which were not made with it: AXI-Stream, preambles and gaps are theirs. (They neither
make nor take check sequences; a damaged frame is one that does not come.)"""

import logging
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import Timer
from cocotbext.eth import EthMac
from cocotbext.eth.eth_mac import AxiStreamBus
from harness import run_unit
from kit import test
from kit.packets import LOW
from wires import MACS, Pair

PERIOD_NS = 10  # of the bench's clock: 64 bits are 6.4 Gbit/s


class Macs(Pair):
    """What one MAC takes the other gives; `lossy` of a hundred are lost. `periods`: of the MACs' clocks in ns, each to transmit and of what is
    received, where they have clocks of their own."""

    def __init__(self, dut, lossy: int = 0, periods: tuple[float, float] | None = None):
        super().__init__(dut, wires=False)
        self.lossy, self.periods = lossy, periods
        self.bits = len(dut.io_rx_0_tdata)
        if not periods:
            self.place()

    def place(self) -> None:
        dut, periods = self.dut, self.periods
        self.macs = []
        for n in (0, 1):
            ends = {}
            for end in ("tx", "rx"):
                clock, reset = (getattr(dut, f"io_{end}{what}_{n}") for what in ("Clk", "Reset")) if periods else (dut.clk, dut.reset)
                ends |= {f"{end}_bus": AxiStreamBus.from_prefix(dut, f"io_{end}_{n}"), f"{end}_clk": clock, f"{end}_rst": reset}
            self.macs.append(EthMac(**ends, speed=self.bits / ((periods[n] if periods else PERIOD_NS) * 1e-9)))
        for n in (0, 1):
            for end in (self.macs[n].tx, self.macs[n].rx):
                end.log.setLevel(logging.WARNING)
            cocotb.start_soon(self.carry(n))

    async def begin(self, **pins: int) -> "Macs":
        """The MACs come out of reset after the site, one after the other."""
        if self.periods is None:
            return await super().begin(**pins)
        ends = [(end, n) for n in (0, 1) for end in ("tx", "rx")]
        for end, n in ends:  # the MACs see a reset by its edge
            getattr(self.dut, f"io_{end}Reset_{n}").value = 0
        await Timer(1, "ns")
        self.place()
        await super().begin(**{f"{end}Reset_{n}": 1 for end, n in ends}, **pins)
        for end, n in ends:  # what is received has the clock of who sent it
            Clock(getattr(self.dut, f"io_{end}Clk_{n}"), round(self.periods[n if end == "tx" else 1 - n] * 500) * 2, "ps").start()
        for end, n in ends:
            await self.out_of_reset(end, n)
        return self

    async def out_of_reset(self, end: str, n: int) -> None:
        """A reset of 16 cycles of the slowest clock ends; the MAC has forgotten what it had a part of."""
        await self.tick(round(16 * max(PERIOD_NS, *self.periods) / PERIOD_NS) + 1)
        getattr(self.macs[n], end).stream.clear()
        getattr(self.dut, f"io_{end}Reset_{n}").value = 0

    async def carry(self, n: int) -> None:
        while True:
            frame = await self.macs[n].tx.recv()
            assert len(frame.data) >= 60, "Ethernet carries no shorter frame"
            if random.randrange(100) >= self.lossy:
                await self.macs[1 - n].rx.send(frame)


@test(timeout=60_000)
@cocotb.parametrize(lossy=[0, 5])
async def test_macs_carry_the_link(dut, lossy):
    """Random packets both ways through real MACs; with and without frames lost between them."""
    pair = await Macs(dut, lossy).begin(roundTrip=600)
    await pair.trained(10_000)
    for _ in range(150):
        pair.send(random.randrange(2))
        await pair.tick(random.randrange(60))
    await pair.settled(30_000)
    assert bool(pair.count(0, "again") + pair.count(1, "again")) == bool(lossy)
    assert not any(pair.count(n, name) for n in (0, 1) for name in ("damaged", "foreign", "downs", "noRoom"))


#: Transmit clocks of the two MACs: faster than the sites', slower, one of each, of nearly the same frequency.
PERIODS = [(6.4, 6.4), (15.2, 15.2), (3.2, 25.6), (10.002, 9.998)]


@test(timeout=90_000)
@cocotb.parametrize(periods=PERIODS, lossy=[0, 5])
async def test_macs_have_clocks_of_their_own(dut, periods, lossy):
    """Whichever clock is faster: nothing is lost, nothing twice, order is kept; without losses of the wire no frame is sent again."""
    pair = await Macs(dut, lossy, periods).begin(roundTrip=1200)
    await pair.trained(10_000)
    for _ in range(100):
        pair.send(random.randrange(2))
        await pair.tick(random.randrange(120))
    await pair.settled(60_000)
    assert bool(pair.count(0, "again") + pair.count(1, "again")) == bool(lossy)
    assert not any(pair.count(n, name) for n in (0, 1) for name in ("damaged", "foreign", "downs", "noRoom"))
    assert not any(pair.pins.get(f"overruns_{n}") for n in (0, 1))


@test(timeout=90_000)
async def test_frames_of_any_length_are_refused_and_counted(dut):
    """Of strangers, and such as begin as the peer's do: a frame ends in any lane, with any byte of it; each is counted once, and the link goes on."""
    pair = await Macs(dut, 0, (6.4, 6.4)).begin(roundTrip=600)
    await pair.trained(10_000)
    ours = b"".join(MACS[n].to_bytes(6, "little") for n in (1, 0)) + b"\x88\xb5"
    before = {name: pair.count(1, name) for name in ("foreign", "damaged")}
    lengths = [60 + random.randrange(8) + 8 * words for words in range(24)] + list(range(60, 133))
    random.shuffle(lengths)
    for length in lengths:
        pair.send(random.randrange(2))
        await pair.macs[1].rx.send(bytes(length))
        await pair.macs[1].rx.send(ours + bytes([1, 2]) + bytes(random.randrange(256) for _ in range(length - len(ours) - 2)))
        await pair.tick(60)
    await pair.settled(60_000)
    counted = {name: pair.count(1, name) - before[name] for name in before}
    whole = sum(length % 8 == 0 for length in lengths)
    assert counted["foreign"] == whole and counted["damaged"] == len(lengths) - whole + len(lengths) - pair.count(1, "stale"), counted
    assert pair.count(1, "stale") == whole and not pair.count(1, "noRoom") and not pair.pins.get("overruns_1") and not pair.count(1, "downs")


@test(timeout=200_000)
async def test_a_wide_mac_takes_the_sites_full_rate(dut):
    """512 bits, by a clock of an eighth of the site's: both directions loaded, the share of flits is that of a port alone (`link_goodput`)."""
    pair = await Macs(dut, 0, (8 * PERIOD_NS, 8 * PERIOD_NS)).begin(roundTrip=1200)
    await pair.trained(10_000)
    for site in (0, 1):
        pair.send(site, 400, body=17, vc=LOW)
    await pair.tick(2000)
    before, at = sum(pair.receivers[1].flits), pair.cycle
    await pair.until(lambda: pair.got[1] >= 350, "most packets", limit=60_000)
    share = (sum(pair.receivers[1].flits) - before) / (pair.cycle - at)
    dut._log.info(f"{share:.3f} flits a cycle")
    await pair.settled(60_000)
    assert share >= 0.88


@test(timeout=90_000)
async def test_a_mac_faster_than_the_site_loses_frames_and_nothing_else(dut):
    """Frames of strangers come four times as fast as the site takes them: what finds no place is counted, cut or left out, and the link goes on."""
    pair = await Macs(dut, 0, (2.5, 2.5)).begin(roundTrip=600)
    await pair.trained(10_000)
    strangers = 0
    for _ in range(60):
        pair.send(random.randrange(2))
        for _ in range(random.randrange(12)):
            await pair.macs[1].rx.send(bytes(8 * random.randrange(8, 63)))
            strangers += 1
        await pair.tick(random.randrange(60))
    await pair.settled(60_000)
    overruns, foreign, damaged = pair.pins.get("overruns_1"), pair.count(1, "foreign"), pair.count(1, "damaged")
    dut._log.info(f"{strangers} frames of strangers: {foreign} whole, {damaged} cut, {overruns} without place; {pair.count(0, 'again')} frames sent again")
    assert damaged and overruns > damaged, "cut ones and such as were left out"
    assert foreign + overruns >= strangers
    assert not pair.pins.get("overruns_0") and not pair.count(1, "downs")


@test(timeout=90_000)
@cocotb.parametrize(end=["tx", "rx"])
async def test_a_mac_in_reset_loses_frames_and_nothing_else(dut, end):
    """In traffic, again and again: frames are lost with it, in the middle of one, too, and sent again; no part of one is taken for a whole one."""
    pair = await Macs(dut, 0, (6.4, 15.2)).begin(roundTrip=1200)
    await pair.trained(10_000)
    for _ in range(12):
        for site in (0, 1):
            pair.send(site, 6)
        await pair.tick(random.randrange(20, 400))
        getattr(pair.dut, f"io_{end}Reset_0").value = 1
        await pair.out_of_reset(end, 0)
        await pair.tick(random.randrange(400))
    await pair.settled(60_000)
    assert pair.count(0, "again") + pair.count(1, "again") and not pair.count(0, "downs") + pair.count(1, "downs")
    assert end == "rx" or not pair.count(1, "damaged"), "what was begun goes nowhere"


CLOCKED = "clocks_of_their_own|loses_frames|any_length"


@pytest.mark.parametrize("params, tests", [({}, "carry"), ({"clocked": True}, CLOCKED), ({"clocked": True, "macBits": 512}, f"{CLOCKED}|wide")], ids=["port", "64", "512"])
def test_mac(params, tests):
    run_unit("link/WirePair", params, tests=tests)
