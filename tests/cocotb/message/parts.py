"""A MessageUnit with the kit around it: links, events, registers, sources by name."""

from kit import Bench, Sink
from kit.links import LinkReceiver, LinkSender
from kit.packets import Packet
from kit.registers import RegPort
from registers import NIU_TRANSLATION, NIU_TRANSLATION_RXQ, NIU_TRANSLATION_SITE, NIU_TRANSLATION_SOURCE, NIU_TRANSLATION_VALID

SITE = 5
EVENT = ("index", "arg", "meta")


class MessageBench(Bench):
    """`sent`: packets that left by the link; `high`, `low`, `local`: sinks of events."""

    async def start(self) -> "MessageBench":
        await super().start(siteId=SITE)
        self.sent: list[Packet] = []
        self.link = LinkSender(self, "io_in")
        self.out = LinkReceiver(self, "io_out", lambda flits, vc: self.sent.append(Packet.parse(flits, vc)))
        self.high, self.local, self.low, self.room = (Sink(self, f"io_event{name}", EVENT) for name in ("High", "Local", "Low", "Room"))
        self.regs = RegPort(self)
        return self

    async def name(self, *, queue: int, dest: int, site: int, rxq: int = 0, source: int = 0, valid: int = 1) -> None:
        """A row of the translation."""
        row = NIU_TRANSLATION_VALID(valid) | NIU_TRANSLATION_SOURCE(source) | NIU_TRANSLATION_RXQ(rxq) | NIU_TRANSLATION_SITE(site)
        await self.regs.write(NIU_TRANSLATION(queue * 512 + dest), row)

    def arrive(self, packet: Packet, damaged: int | None = None) -> None:
        self.link.push(packet.flits if damaged is None else packet.damaged(damaged), packet.vc)


def slot_header(name: int, length: int, prio: int, lines: int, tag: int, offset: int) -> int:
    """First 8 bytes of a Basic slot: `name` is the destination when sent, the source when received."""
    return offset << 32 | tag << 26 | lines << 24 | prio << 23 | length << 16 | name


def event_meta(site: int, slot: int, lines: int, vc: int, source: int, kept: int, tag: int) -> int:
    return tag << 25 | kept << 24 | source << 15 | vc << 14 | lines << 12 | slot << 6 | site
