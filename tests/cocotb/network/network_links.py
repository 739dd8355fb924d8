"""A design with links in and out, and the scoreboard between them."""

from collections import defaultdict, deque

from kit import Bench
from kit.links import BUFFER, LinkReceiver, LinkSender
from kit.packets import Packet, unpack


class Fabric(Bench):
    """The reference: per (source, destination, vc) what was sent comes out whole, once, in order, at the port of its
    destination."""

    def __init__(self, dut, senders: list[str], receivers: list[str]):
        super().__init__(dut)
        self.senders = [LinkSender(self, name) for name in senders]
        self.receivers = [
            LinkReceiver(self, name, lambda flits, vc, port=port: self._arrived(port, flits, vc))
            for port, name in enumerate(receivers)
        ]
        self.expected: dict[tuple[int, int, int], deque[Packet]] = defaultdict(deque)
        self.outstanding = [0, 0]
        self.log: list[Packet] = []  # in the order of arrival
        self.strangers: list[tuple[int, list[int]]] = []  # port, flits that nobody sent, where a test allows them
        self.strangers_allowed = False

    def send(self, *packets: Packet) -> None:
        """Queues packets at the port numbered like their source."""
        for packet in packets:
            self.expected[packet.src, packet.dest, packet.vc].append(packet)
            self.outstanding[packet.vc] += 1
            self.senders[packet.src].push(packet.flits, packet.vc)

    def _arrived(self, port: int, flits: list[int], vc: int) -> None:
        waiting = self.expected[unpack(flits[0])["src"], port, vc]
        if waiting and waiting[0].flits == flits:
            self.outstanding[vc] -= 1
            self.log.append(waiting.popleft())
            return
        if self.strangers_allowed:
            self.strangers.append((port, flits))
            return
        where = f"port {port}, vc {vc}, cycle {self.cycle}: {[hex(f) for f in flits]}"
        if any(packet.flits == flits for packet in waiting):
            raise AssertionError(f"overtook an earlier packet of its pair: {where}")
        raise AssertionError(f"nobody sent this here, or it came before: {where}")

    async def drain(self, limit: int, vcs: tuple[int, ...] = (0, 1)) -> int:
        """Runs until all packets of `vcs` have arrived; the cycles it took. Fails after `limit`."""
        start = self.cycle
        while any(self.outstanding[vc] for vc in vcs):
            assert self.cycle - start < limit, f"after {limit} cycles packets are missing: {self.missing()}"
            await self.tick()
        return self.cycle - start

    async def finish(self, limit: int) -> None:
        """Everything arrives, then nothing more comes, and every credit is back where it started."""
        await self.drain(limit)
        await self.tick(24)
        for number, sender in enumerate(self.senders):
            assert sender.credits == [BUFFER, BUFFER], f"input {number} has {sender.credits} credits at rest"
        assert not any(receiver.partial[vc] for receiver in self.receivers for vc in (0, 1)), "half a packet came out"

    def missing(self) -> str:
        left = {pair: len(packets) for pair, packets in self.expected.items() if packets}
        return ", ".join(f"{src}->{dest} vc {vc}: {n}" for (src, dest, vc), n in sorted(left.items())[:8])

    async def latency(self, packet: Packet) -> int:
        """Cycles from header on the link in to header on the link out, alone in the network."""
        self.send(packet)
        await self.tick()
        on_link = self.cycle + 1
        await self.drain(100)
        return self.receivers[packet.dest].headers[packet.vc][-1] - on_link
