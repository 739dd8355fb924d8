"""A NiuSlave between the Site Bus and the message unit."""

import random
from collections import deque

from kit import Bench, Monitor, Pins
from kit.busmodel import SiteBus
from kit.registers import RegPort
from registers import NIU_QUEUE_OWNERS
from kit.sitebus import MEMORY, NIU, NONE, READ_PARTIAL, WRITES, Op

PATTERN = 0xBAD0BAD0


class SlaveOp(Op):
    """An op of a master. veto: another snooper retries it.    snooper_claims: the NIU's other snooper claims it."""

    veto = snooper_claims = False
    claim = refused = 0  # as the slave answered

    @property
    def word(self) -> int:
        words = {beat >> 32 * i & 0xFFFFFFFF for beat in self.got for i in range(4)}
        assert len(words) == 1, "a load's word is in every lane"
        return words.pop()


def op(master: int, kind: int, address: int, word: int = 0, *, mask: int | None = None, bypass: int = 0, line: list[int] | None = None) -> SlaveOp:
    """A partial op carries `word` in the lane of its address, noise in the others; a line op `line`."""
    lane = address >> 2 & 3
    noise = random.getrandbits(128) & ~(0xFFFFFFFF << 32 * lane)
    return SlaveOp(kind, address, 0xF << 4 * lane if mask is None else mask, bypass, line or [noise | word << 32 * lane], master)


class Judged(SiteBus):
    def judge(self, op: SlaveOp, answers: dict[str, int]) -> None:
        op.claim = answers["claim"]
        op.retry = int(answers["retry"] or op.veto)
        claimed = op.claim or op.snooper_claims
        op.refused = self.bench.pins.get("refuse")
        op.error = int(not op.retry and (op.refused or not claimed and op.address >> 28 == 0xF))
        op.responder = NONE if op.retry or op.error else NIU if claimed else MEMORY


class SlaveBench(Bench):
    """`fifos`: what waits in each Express receive queue, (meta, data).    pointers: (queue, word) -> value.    room: bits, or a function.
    unread: Basic queues with something to read.    occupied_seen: what the slave saw of both, by cycle.
    out: what the slave gave to each port."""

    def __init__(self, dut):
        super().__init__(dut)
        self.bus = Judged(self, snoops=("io_snoop",), claim="io_claim")
        self.regs = RegPort(self)
        self.pins, self.window = Pins(dut), Pins(dut, "io_window")
        ports = {"express": ("window_express", ("queue", "tag", "dest", "high", "data")), "pointer": ("window_pointer", ("queue", "consumer", "value"))}
        ports |= {name: (name, ("ap", "value")) for name in ("console", "exit", "mark")}
        self.out = {name: Monitor(self, f"io_{port}", fields).got for name, (port, fields) in ports.items()}
        self.out |= {"pop": []}
        self.room = 0xFFFF
        self.room_seen: dict[int, int] = {}
        self.fifos = {q: deque() for q in range(8)}
        self.pointers: dict[tuple[int, int], int] = {}
        self.unread: set[int] = set()
        self.occupied_seen: dict[int, int] = {}
        self.empty = 0xE0000000
        self.time = 0
        self.add(self)

    def step(self) -> None:
        """The message unit: a lookup is answered the cycle after."""
        window = self.window
        if window.get("pop_valid"):
            queue = window.get("pop_payload")
            self.out["pop"].append((queue, self.fifos[queue].popleft()))
        if window.get("query_valid"):
            queue, word = window.get("query_payload_queue"), window.get("query_payload_word")
            if window.get("query_payload_basic"):
                message, meta, data = 0, self.pointers.get((queue, word), queue << 8 | word), 0
            elif self.fifos.get(queue):
                message, (meta, data) = 1, self.fifos[queue][0]
            else:
                message, meta, data = 0, self.empty, random.getrandbits(32)
            window.drive(answer_message=message, answer_meta=meta, answer_data=data)
        room = self.room_seen[self.cycle + 1] = self.room if isinstance(self.room, int) else self.room()
        window.set("room", room)
        occupied = sum(1 << q for q in self.fifos if self.fifos[q]) | sum(1 << q for q in self.unread)
        window.set("occupied", occupied)
        self.occupied_seen[self.cycle + 1] = occupied
        self.time += 1
        self.pins.set("time", self.time)

    async def ended(self, *ops: Op) -> None:
        await self.until(lambda: all(o.done for o in ops), f"end of {[o for o in ops if not o.done]}", 3000)

    async def do(self, *args, **more) -> SlaveOp:
        """One op to its end."""
        return await self.bus.do(op(*args, **more))

    async def load(self, master: int, address: int) -> int | None:
        done = await self.do(master, READ_PARTIAL, address)
        return done.word if done.claim else None


async def start(dut, shared: bool = True) -> SlaveBench:
    """`shared`: every aP owns all queues that are not the sP's."""
    bench = await SlaveBench(dut).start(siteId=37, sites=64, aps=3)
    for queue in (*range(2, 8), *range(9, 16)) if shared else ():
        await bench.regs.write(NIU_QUEUE_OWNERS(queue) & 0xFF, 0xF)
    return bench
