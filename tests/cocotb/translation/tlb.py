"""An NI TLB with page tables in a memory of its own, and what the tables say, computed without it."""

import random
from collections import defaultdict, deque

from kit import Bench, Pins, Sink
from kit.registers import RegPort
from kit.sitebus import LINE, READ, WRITE_PARTIAL
from registers import (
    HEAP_BASE, HEAP_END, MEMORY_BASE, MEMORY_DEFAULT_BYTES, NIU_TLB_FIRST, NIU_TLB_FORGET, NIU_TLB_FORGET_BUSY, NIU_TLB_FORGET_PAGE, NIU_TLB_FORGET_QUEUE, NIU_TLB_PAGES,
    NIU_TLB_TABLE, NIU_TLB_WALKS, TLB_PAGE_DIRTY, TLB_PAGE_FRAME, TLB_PAGE_USED,
)  # fmt: skip

USES = FROM, TOLD, OPEN = range(3)
LATER, LEGAL, REFUSED = range(3)
FOUND = {LATER: "later", LEGAL: "legal", REFUSED: "refused"}
RIGHTS_AT, PAGES_AT, MEMORY_LATENCY = 20, MEMORY_BASE + MEMORY_DEFAULT_BYTES - 0x8_0000, 20
FRAMES = range(MEMORY_BASE >> 12, HEAP_BASE >> 12)  # where transfers may go


class TlbBench(Bench):
    """`tables[queue]`: words of its pages, as the sP wrote them, marks apart; `first[queue]`: its first page."""

    async def start(self) -> "TlbBench":
        await super().start()
        self.regs = RegPort(self)
        self.looks = [Pins(self.dut, f"io_look_{port}") for port in range(2)]
        self.ops = Sink(self, "io_op", ("op", "address", "mask"))
        self.writes = Sink(self, "io_write", ())
        self.beat = Pins(self.dut, "io_beat")
        self.drains = Pins(self.dut, "io")
        self.memory = defaultdict(int)  # words
        self.reading, self.seen, self.stores = deque(), 0, deque()
        self.tables: dict[int, list[int]] = {}
        self.first: dict[int, int] = {}
        self.walks = 0
        self.add(self)
        self.drains.set("drained", 1)
        await self.until_idle(600)
        return self

    def step(self) -> None:
        """Memory: four beats of a line some cycles after the op; the byte of a mark."""
        for op, address, mask in self.ops.got[self.seen :]:
            assert op in (READ, WRITE_PARTIAL), f"op {op}"
            if op == READ:
                self.walks += 1
                self.reading += [(self.cycle + MEMORY_LATENCY + i, address & -LINE | 16 * i) for i in range(4)]
            else:
                self.stores.append((address & -16, mask))
        self.seen = len(self.ops.got)
        for data in self.writes.got:
            at, mask = self.stores.popleft()
            assert mask in (0x8, 0x80, 0x800, 0x8000), f"a mark is the last byte of a word, not {mask:#x}"
            lane = mask.bit_length() - 1
            word = self.memory[at | lane & -4] & 0xFFFFFF
            self.memory[at | lane & -4] = word | (data >> 8 * lane & 0xFF) << 24
        self.writes.got.clear()
        due = self.reading and self.reading[0][0] <= self.cycle
        self.beat.set("valid", int(bool(due)))
        if due:
            at = self.reading.popleft()[1]
            self.beat.set("payload", sum(self.memory[at | 4 * i] << 32 * i for i in range(4)))

    @staticmethod
    def table_of(queue: int) -> int:
        return PAGES_AT + queue * 0x1_0000

    async def give(self, queue: int, first: int, words: list[int]) -> None:
        """The table of a queue, pages from `first` on; behind it lies a word that would open a page."""
        self.tables[queue], self.first[queue] = words, first
        for i, word in enumerate(words):
            self.memory[self.table_of(queue) + 4 * i] = word
        self.memory[self.table_of(queue) + 4 * len(words)] = TLB_PAGE_FRAME(FRAMES[0]) | 7 << RIGHTS_AT
        await self.regs.write(NIU_TLB_FIRST(queue) & 0xFF, first << 12)
        await self.regs.write(NIU_TLB_TABLE(queue) & 0xFF, self.table_of(queue))
        await self.regs.write(NIU_TLB_PAGES(queue) & 0xFF, len(words))

    def change(self, queue: int, page: int, word: int) -> None:
        """As the sP does: the mark stays."""
        i = page - self.first[queue]
        self.tables[queue][i] = word
        at = self.table_of(queue) + 4 * i
        self.memory[at] = self.memory[at] & 0xFF00_0000 | word

    def marks(self, queue: int, page: int) -> int:
        return self.memory[self.table_of(queue) + 4 * (page - self.first[queue])] & (TLB_PAGE_USED(1) | TLB_PAGE_DIRTY(1))

    def wanted(self, queue: int, use: int, line: int) -> tuple[int, int | None]:
        """What the tables say: found, line on the bus."""
        page = line >> 6
        i = page - self.first.get(queue, 0)
        if queue not in self.tables or not 0 <= i < len(self.tables[queue]):
            return REFUSED, None
        word = self.tables[queue][i]
        frame = word & 0xFFFFF
        inside = MEMORY_BASE <= frame << 12 < MEMORY_BASE + MEMORY_DEFAULT_BYTES and not HEAP_BASE <= frame << 12 < HEAP_END
        if not inside or not word >> RIGHTS_AT + use & 1:
            return REFUSED, None
        return LEGAL, frame << 6 | line & 63

    async def ask(self, port: int, queue: int, use: int, line: int) -> tuple[int, int, int]:
        """One request: found, line, cycles from the request's acceptance to its answer."""
        pins = self.looks[port]
        pins.drive(request_valid=1, request_payload_queue=queue, request_payload_use=use, request_payload_line=line)
        await self.tick()
        while not pins.get("request_ready"):
            await self.tick()
        asked = self.cycle
        pins.set("request_valid", 0)
        while not pins.get("answer_valid"):
            await self.tick()
            assert self.cycle < asked + 10, "no answer"
        return pins.get("answer_payload_found"), pins.get("answer_payload_line"), self.cycle - asked

    async def look(self, port: int, queue: int, use: int, line: int) -> tuple[int, int, int]:
        """Until it is no longer LATER: found, line, how often it was."""
        for later in range(20):
            found, at, cycles = await self.ask(port, queue, use, line)
            assert cycles == 2, f"an answer after {cycles} cycles"
            if found != LATER:
                return found, at, later
            await self.tick()
            await self.until(lambda: not self.looks[port].get("pending"), "end of a walk", 2000)
        raise AssertionError(f"queue {queue} line {line:#x}: always later")

    async def check(self, port: int, queue: int, use: int, line: int) -> int:
        """As the tables say, and marked when given; how often it was LATER."""
        found, at, later = await self.look(port, queue, use, line)
        wanted, where = self.wanted(queue, use, line)
        assert found == wanted, f"queue {queue} use {use} line {line:#x}: {FOUND[found]}, wanted {FOUND[wanted]}"
        if wanted == LEGAL:
            assert at == where, f"queue {queue} line {line:#x}: at {at:#x}, wanted {where:#x}"
            marks = self.marks(queue, line >> 6)
            assert marks & TLB_PAGE_USED(1) and (use == FROM or marks & TLB_PAGE_DIRTY(1)), f"marks {marks:#x} after use {use}"
        return later

    async def forget(self, queue: int, page: int, all: int = 0) -> None:
        await self.regs.write(NIU_TLB_FORGET & 0xFF, NIU_TLB_FORGET_QUEUE(queue) | NIU_TLB_FORGET_PAGE(page) | all)

    async def busy(self) -> bool:
        return bool(await self.regs.read(NIU_TLB_FORGET & 0xFF) & NIU_TLB_FORGET_BUSY(1))

    async def until_idle(self, limit: int) -> int:
        """Until nothing is being forgotten; cycles."""
        since = self.cycle
        while await self.busy():
            assert self.cycle < since + limit, f"still busy after {limit} cycles"
        return self.cycle - since

    async def counted_walks(self) -> int:
        return await self.regs.read(NIU_TLB_WALKS & 0xFF)


def any_word() -> int:
    """Frames of all kinds: most where transfers may go, some in the heap or of no memory."""
    frame = random.choice((*[random.choice(FRAMES)] * 6, random.randrange(HEAP_BASE >> 12, HEAP_END >> 12), random.getrandbits(20)))
    return TLB_PAGE_FRAME(frame) | random.getrandbits(3) << RIGHTS_AT


__all__ = ["FROM", "TOLD", "OPEN", "USES", "LATER", "LEGAL", "REFUSED", "FRAMES", "RIGHTS_AT", "TlbBench", "any_word"]
