"""A message unit with DMA: memory and bus around it, transfers given as their owner's ring would give them, and their far end."""

import random
from dataclasses import dataclass, replace

from kit.busmodel import SiteBus
from kit.packets import BASIC, DMA, HIGH, LOW, Packet
from kit.registers import RegPort
from kit.sitebus import LINE, READ, WRITE_BACK, WRITE_PARTIAL, Op
from parts import SITE, MessageBench
from registers import (
    DMA_DEST_NAME, DMA_DEST_TELLS, MEMORY_BASE, MEMORY_DEFAULT_BYTES,
    NIU_TLB_FIRST, NIU_TLB_FORGET, NIU_TLB_FORGET_BUSY, NIU_TLB_FORGET_PAGE, NIU_TLB_FORGET_QUEUE, NIU_TLB_PAGES, NIU_TLB_TABLE,
    TLB_PAGE_FRAME, TLB_PAGE_OPEN, TLB_PAGE_READ, TLB_PAGE_TOLD,
)  # fmt: skip

FAR = 9
USER = 0x4000_0000  # where a user's memory begins, as he names it
WINDOW = 0x20_0000
DONE, LENGTH, SOURCE, NAME, TARGET, LOST = range(1, 7)
HERE, THERE, NOWHERE = 3, 4, 5  # names of every queue: this site, site FAR, none
PACKET = 3 * LINE
PAGE = 4096
OWN = TLB_PAGE_READ(1) | TLB_PAGE_TOLD(1)  # rights of a queue's owner
TABLES = MEMORY_BASE + MEMORY_DEFAULT_BYTES - 0x8_0000


@dataclass(kw_only=True, frozen=True)
class Transfer:
    """queue: whose. Addresses as users name them; dest: a name of that queue."""

    queue: int
    source: int
    target: int
    length: int
    dest: int = HERE
    done: int = 0
    flag: int = 0
    cookie: int = 0
    tell: int | None = None  # name and tag, DMA_DEST, of the message that says it is done

    @property
    def words(self) -> tuple[int, ...]:
        return (self.target << 32 | self.source, (DMA_DEST_NAME(self.dest) | (0 if self.tell is None else DMA_DEST_TELLS(1) | self.tell)) << 32 | self.length, self.flag << 32 | self.done, self.cookie)


class DmaBus(SiteBus):
    """Ops of DMA by master 0 to 3; rings have the others."""

    def __init__(self, bench: MessageBench, **options):
        super().__init__(bench, masters={**{i: f"io_dma_{i}" for i in range(4)}, **{4 + i: f"io_bus_{i}" for i in range(2)}}, bypass=False, **options)

    def judge(self, op: Op, answers: dict[str, int]) -> None:
        assert op.op in (READ, WRITE_BACK, WRITE_PARTIAL), f"DMA reads lines, writes lines and parts, not {op}"
        super().judge(op, answers)


class Grants(RegPort):
    """Registers of the DMA unit, at whose port the offset in their block suffices."""

    def present(self, address: int, data: int | None) -> None:
        super().present(address & 0xFF, data)


class DmaBench(MessageBench):
    """Queues 10 to 13: aP i's memory is open to itself whole, and from `WINDOW / 2` on to others."""

    async def start(self, **options) -> "DmaBench":
        await super().start()
        self.grants = Grants(self, "io_grants")
        self.bus = DmaBus(self, **options)
        for queue in range(10, 14):
            await self.name(queue=queue, dest=HERE, site=SITE, rxq=queue ^ 1, source=queue << 1)
            await self.name(queue=queue, dest=THERE, site=FAR, rxq=100 + queue, source=queue << 1)
            await self.name(queue=queue, dest=NOWHERE, site=FAR, valid=0)
            await self.name(queue=8, dest=queue << 1, site=SITE, rxq=queue, source=0)
            await self.table(queue, WINDOW // PAGE)
            for i in range(WINDOW // PAGE):
                self.page(queue, i, self.memory_of(queue) + i * PAGE, OWN | TLB_PAGE_OPEN(i >= WINDOW // PAGE // 2))
        return self

    async def table(self, queue: int, pages: int, at: int | None = None) -> None:
        """Of `pages` pages from USER on."""
        await self.grants.write(NIU_TLB_FIRST(queue - 8), USER)
        await self.grants.write(NIU_TLB_TABLE(queue - 8), self.table_of(queue) if at is None else at)
        await self.grants.write(NIU_TLB_PAGES(queue - 8), pages)

    def page(self, queue: int, page: int, frame: int, rights: int) -> None:
        """The word of a queue's page, as the sP writes it: three bytes."""
        at = self.table_of(queue) + 4 * page
        word = (TLB_PAGE_FRAME(frame >> 12) | rights).to_bytes(4, "little")
        self.bus.memory[at & -LINE][at % LINE : at % LINE + 3] = word[:3]

    def marks(self, queue: int, page: int) -> int:
        """The byte of its word that the NI TLB writes."""
        at = self.table_of(queue) + 4 * page + 3
        return self.bus.memory[at & -LINE][at % LINE]

    async def forget(self, queue: int, page: int) -> int:
        """Until no transfer uses it any more; how many cycles that took."""
        since = self.cycle
        await self.grants.write(NIU_TLB_FORGET, NIU_TLB_FORGET_QUEUE(queue - 8) | NIU_TLB_FORGET_PAGE((USER >> 12) + page))
        while await self.grants.read(NIU_TLB_FORGET) & NIU_TLB_FORGET_BUSY(1):
            assert self.cycle < since + 2000, "it stays busy"
        return self.cycle - since

    @staticmethod
    def table_of(queue: int) -> int:
        return TABLES + (queue - 8) * 0x1_0000

    @staticmethod
    def memory_of(queue: int) -> int:
        return MEMORY_BASE + (queue - 10) * WINDOW

    def read(self, queue: int, address: int, length: int) -> bytes:
        """Memory as the owner of a queue names it."""
        at = address - USER + self.memory_of(queue)
        lines = range(at & -LINE, at + length, LINE)
        return b"".join(bytes(self.bus.memory[line]) for line in lines)[at % LINE : at % LINE + length]

    def word(self, queue: int, address: int) -> tuple[int, int]:
        """status, cookie"""
        value = int.from_bytes(self.read(queue, address, 8), "little")
        return value & 0xFFFFFFFF, value >> 32

    def clear(self, queue: int, address: int) -> None:
        at = address - USER + self.memory_of(queue)
        self.bus.memory[at & -LINE][at % LINE : at % LINE + 8] = bytes(8)

    def ask(self, transfer: Transfer, words: int = 4) -> None:
        """The descriptor comes as its owner's Basic message to the own site does."""
        body = (transfer.words + (0,) * words)[:words]
        self.arrive(Packet(dest=SITE, src=SITE, vc=LOW, kind=BASIC, rxq=9, source=transfer.queue, length=8 * words, body=body))

    async def over(self, transfer: Transfer, limit: int = 20_000) -> int:
        """Waits for the word at `done`; returns the status."""
        await self.until(lambda: self.word(transfer.queue, transfer.done)[0], f"end of {transfer}", limit)
        status, cookie = self.word(transfer.queue, transfer.done)
        assert cookie == transfer.cookie
        return status

    def bring(self, rxq: int, source: int, target: int, data: bytes, *, flag: int, cookie: int = 7, damaged: int | None = None,
              status: int = DONE) -> None:  # fmt: skip
        """A transfer of another site arrives, packet `damaged` of it with a bit flipped."""
        packets = far_packets(rxq, source, target, data, flag, cookie, status)
        for i, packet in enumerate(packets):
            self.arrive(packet, damaged=70 if i == damaged else None)


def far_packets(rxq: int, source: int, target: int, data: bytes, flag: int, cookie: int, status: int) -> list[Packet]:
    """What a far sender makes of a transfer (docs/design/dma.md)."""
    packets, sequence = [], 0
    while data:
        offset = target % LINE
        part, data = data[: PACKET - offset], data[PACKET - offset :]
        padded = bytes(offset) + part
        end = len(padded) - 1
        padded += random.randbytes(-len(padded) % 8)
        body = tuple(int.from_bytes(padded[i : i + 8], "little") for i in range(0, len(padded), 8))
        packets.append(Packet(dest=SITE, src=FAR, vc=LOW, kind=DMA, rxq=rxq, source=source, tag=(end & 7) << 2 | 2,
                              length=int(sequence == 0) << 6 | sequence & 63, word=target, body=body))  # fmt: skip
        target += len(part)
        sequence += 1
    packets.append(replace(packets[-1], length=sequence & 63, word=flag, prio=1, tag=2, body=(status << 32 | cookie,)))
    return packets


def bytes_of(packet: Packet) -> tuple[int, bytes]:
    """Target address and bytes of a packet of a transfer."""
    data = b"".join(word.to_bytes(8, "little") for word in packet.body)
    last = 8 * (len(packet.body) - 1) + (packet.tag >> 2)
    return packet.word, data[packet.word % LINE : last + 1]


__all__ = ["DONE", "LENGTH", "SOURCE", "NAME", "TARGET", "LOST", "HERE", "THERE", "NOWHERE", "FAR", "HIGH", "USER", "WINDOW", "PACKET", "PAGE", "OWN", "TABLES",
           "DmaBench", "Transfer", "bytes_of", "far_packets"]  # fmt: skip
