"""Both ends of links, driven from Python, and the scoreboard between them.

Everything happens at the falling edge: outputs of the design are registers and stable there, inputs are sampled at the
rising edge that follows. `Fabric.cycle` counts these edges, so a flit set in cycle t and seen in cycle t+2 took two.
"""

import random
from collections import defaultdict, deque
from collections.abc import Callable

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from network_packets import Packet, unpack_header

BUFFER = 32


class Sender:
    """Master end of the link `dut.<name>`: packets of each virtual channel in order, one flit a cycle, within credits."""

    def __init__(self, dut, name: str):
        def handle(suffix: str):
            return getattr(dut, f"{name}_{suffix}")

        self.valid, self.data = handle("flit_valid"), handle("flit_payload_data")
        self.last, self.vc, self.credit = handle("flit_payload_last"), handle("flit_payload_vc"), handle("credit")
        self.queues: list[deque[tuple[int, bool]]] = [deque(), deque()]
        self.credits = [BUFFER, BUFFER]
        self.sent = 0
        self.high_first = False  # else channels take turns at random
        self.rate = 1.0
        self.was_valid = False
        self.valid.value = 0

    def push(self, flits: list[int], vc: int) -> None:
        self.queues[vc].extend((flit, i == len(flits) - 1) for i, flit in enumerate(flits))

    def step(self) -> None:
        returned = int(self.credit.value)
        for vc in (0, 1):
            self.credits[vc] += returned >> vc & 1
            assert self.credits[vc] <= BUFFER, f"{self.valid._path}: a credit of vc {vc} too many"
        able = [vc for vc in (0, 1) if self.queues[vc] and self.credits[vc]]
        valid = bool(able) and (self.rate >= 1 or random.random() < self.rate)
        if valid:
            vc = able[-1] if self.high_first else random.choice(able)
            flit, last = self.queues[vc].popleft()
            self.credits[vc] -= 1
            self.sent += 1
            self.data.value, self.last.value, self.vc.value = flit, int(last), vc
        if valid != self.was_valid:
            self.valid.value = int(valid)
            self.was_valid = valid


class Receiver:
    """Slave end of the link `dut.<name>`: a buffer for each virtual channel that frees flits at a pace of its own."""

    def __init__(self, dut, name: str, arrived: Callable[[list[int], int], None]):
        def handle(suffix: str):
            return getattr(dut, f"{name}_{suffix}")

        self.valid, self.data = handle("flit_valid"), handle("flit_payload_data")
        self.last, self.vc, self.credit = handle("flit_payload_last"), handle("flit_payload_vc"), handle("credit")
        self.held = [0, 0]
        self.pace = [1.0, 1.0]  # probability that a cycle frees a flit
        self.partial: list[list[int]] = [[], []]
        self.flits = [0, 0]
        self.first_flit_at = [0, 0]
        self.arrived = arrived
        self.was_credit = 0
        self.credit.value = 0

    def step(self, cycle: int) -> None:
        credit = 0
        for vc in (0, 1):
            if self.held[vc] and (self.pace[vc] >= 1 or random.random() < self.pace[vc]):
                self.held[vc] -= 1
                credit |= 1 << vc
        if credit != self.was_credit:
            self.credit.value = credit
            self.was_credit = credit
        if int(self.valid.value):
            vc = int(self.vc.value)
            self.held[vc] += 1
            self.flits[vc] += 1
            assert self.held[vc] <= BUFFER, f"{self.valid._path}: more flits of vc {vc} than it had credits for"
            if not self.partial[vc]:
                self.first_flit_at[vc] = cycle
            self.partial[vc].append(int(self.data.value))
            if int(self.last.value):
                flits, self.partial[vc] = self.partial[vc], []
                self.arrived(flits, vc)


class Fabric:
    """A design with links in and out, and the reference: per (source, destination, vc) what was sent comes out whole, once,
    in order, at the port of its destination."""

    def __init__(self, dut, senders: list[str], receivers: list[str]):
        self.dut = dut
        self.cycle = 0
        self.senders = [Sender(dut, name) for name in senders]
        self.receivers = [
            Receiver(dut, name, lambda flits, vc, port=port: self._arrived(port, flits, vc))
            for port, name in enumerate(receivers)
        ]
        self.expected: dict[tuple[int, int, int], deque[Packet]] = defaultdict(deque)
        self.outstanding = [0, 0]
        self.log: list[tuple[int, Packet]] = []  # arrival order: cycle of the tail, packet
        self.strangers: list[tuple[int, list[int]]] = []  # port, flits that nobody sent, where a test allows them
        self.strangers_allowed = False
        self.at: dict[int, Callable[[], None]] = {}  # cycle -> what to do in it

    async def start(self) -> "Fabric":
        self.dut.reset.value = 1
        Clock(self.dut.clk, 10, "ns").start()
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.reset.value = 0
        return self

    def send(self, *packets: Packet) -> None:
        """Queues packets at the port numbered like their source."""
        for packet in packets:
            self.expected[packet.src, packet.dest, packet.vc].append(packet)
            self.outstanding[packet.vc] += 1
            self.senders[packet.src].push(packet.flits, packet.vc)

    def _arrived(self, port: int, flits: list[int], vc: int) -> None:
        header = unpack_header(flits[0])
        waiting = self.expected[header["src"], port, vc]
        if waiting and waiting[0].flits == flits:
            self.outstanding[vc] -= 1
            self.log.append((self.cycle, waiting.popleft()))
            return
        if self.strangers_allowed:
            self.strangers.append((port, flits))
            return
        where = f"port {port}, vc {vc}, cycle {self.cycle}: {[hex(f) for f in flits]}"
        if any(packet.flits == flits for packet in waiting):
            raise AssertionError(f"overtook an earlier packet of its pair: {where}")
        raise AssertionError(f"nobody sent this here, or it came before: {where}")

    async def step(self, cycles: int = 1) -> None:
        for _ in range(cycles):
            await FallingEdge(self.dut.clk)
            self.cycle += 1
            for sender in self.senders:
                sender.step()
            for receiver in self.receivers:
                receiver.step(self.cycle)
            if self.cycle in self.at:
                self.at.pop(self.cycle)()

    async def drain(self, limit: int, vcs: tuple[int, ...] = (0, 1)) -> int:
        """Runs until all packets of `vcs` have arrived; the cycles it took. Fails after `limit`."""
        start = self.cycle
        while any(self.outstanding[vc] for vc in vcs):
            assert self.cycle - start < limit, f"after {limit} cycles packets are missing: {self.missing()}"
            await self.step()
        return self.cycle - start

    async def finish(self, limit: int) -> None:
        """Everything arrives, then nothing more comes, and every credit is back where it started."""
        await self.drain(limit)
        await self.step(24)
        for number, sender in enumerate(self.senders):
            assert sender.credits == [BUFFER, BUFFER], f"input {number} has {sender.credits} credits at rest"
        assert not any(receiver.partial[vc] for receiver in self.receivers for vc in (0, 1)), "half a packet came out"

    def missing(self) -> str:
        left = {pair: len(packets) for pair, packets in self.expected.items() if packets}
        return ", ".join(f"{src}->{dest} vc {vc}: {n}" for (src, dest, vc), n in sorted(left.items())[:8])

    async def latency(self, packet: Packet) -> int:
        """Cycles from header on the link in to header on the link out, alone in the network."""
        self.send(packet)
        await self.step()
        start = self.cycle
        await self.drain(100)
        return self.receivers[packet.dest].first_flit_at[packet.vc] - start


