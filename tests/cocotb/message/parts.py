"""A MessageUnit with the kit around it: links, events, registers, sources by name."""

from kit import Bench, Sink
from kit.links import LinkReceiver, LinkSender
from kit.packets import Packet
from kit.registers import RegPort

SITE = 5
EVENT = ("index", "arg", "meta")


class MessageBench(Bench):
    """`sent`: packets that left by the link; `high`, `low`, `local`: sinks of events."""

    async def start(self) -> "MessageBench":
        await super().start(siteId=SITE)
        self.sent: list[Packet] = []
        self.link = LinkSender(self, "io_in")
        self.out = LinkReceiver(self, "io_out", lambda flits, vc: self.sent.append(Packet.parse(flits, vc)))
        self.high, self.local, self.low = (Sink(self, f"io_event{name}", EVENT) for name in ("High", "Local", "Low"))
        self.regs = RegPort(self)
        return self

    async def name(self, *, queue: int, dest: int, site: int, rxq: int = 0, source: int = 0) -> None:
        """A row of the translation."""
        await self.regs.write(0x40000 + 4 * (queue * 512 + dest), 1 << 31 | source << 15 | rxq << 6 | site)

    def arrive(self, packet: Packet, damaged: int | None = None) -> None:
        self.link.push(packet.flits if damaged is None else packet.damaged(damaged), packet.vc)
