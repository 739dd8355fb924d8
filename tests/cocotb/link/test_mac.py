"""WirePort between two MACs of cocotbext-eth, which were not made with it: AXI-Stream, preambles and gaps are theirs. (They neither
make nor take check sequences; a damaged frame is one that does not come.)"""

import logging
import random

import cocotb
from cocotbext.eth import EthMac
from cocotbext.eth.eth_mac import AxiStreamBus
from harness import run_unit
from kit import test
from wires import Pair

PERIOD_NS = 10  # of the bench's clock: 64 bits are 6.4 Gbit/s
SPEED = 64 / (PERIOD_NS * 1e-9)


class Macs(Pair):
    """What one MAC takes the other gives; `lossy` of a hundred are lost."""

    def __init__(self, dut, lossy: int = 0):
        super().__init__(dut, wires=False)
        self.lossy, self.taken = lossy, 0
        self.macs = [
            EthMac(
                tx_bus=AxiStreamBus.from_prefix(dut, f"io_tx_{n}"), tx_clk=dut.clk, tx_rst=dut.reset,
                rx_bus=AxiStreamBus.from_prefix(dut, f"io_rx_{n}"), rx_clk=dut.clk, rx_rst=dut.reset, speed=SPEED,
            )
            for n in (0, 1)
        ]  # fmt: skip
        for n in (0, 1):
            for end in (self.macs[n].tx, self.macs[n].rx):
                end.log.setLevel(logging.WARNING)
            cocotb.start_soon(self.carry(n))

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


def test_mac():
    run_unit("link/WirePair", {})
