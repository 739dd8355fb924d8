"""A MessageUnit between link, Site Bus, sP, window and command engine, all at random paces."""

import random
from collections import deque

from kit import Pins, Source
from kit.busmodel import SiteBus
from kit.sitebus import READ, WRITE_BACK, Op
from parts import MessageBench

WORD = (1 << 64) - 1


class WordLines(dict):
    """Memory as the rings' tests look at it: line number -> its eight 64-bit words."""

    def read(self, op: int, address: int) -> list[int]:
        words = self.setdefault(address >> 6, [0] * 8)
        return [words[i + 1] << 64 | words[i] for i in range(0, 8, 2)]

    def write(self, op: int, address: int, mask: int, beats: list[int]) -> None:
        self[address >> 6] = [word for beat in beats for word in (beat & WORD, beat >> 64)]


class RingsBus(SiteBus):
    """`dirty`: lines modified in a cache, which intervenes. `failing`: lines nobody answers."""

    def __init__(self, bench: MessageBench, smooth: bool):
        paces = {} if smooth else {"jitter": 4, "ready": 0.8, "gaps": 0.2}
        super().__init__(bench, masters={i: f"io_bus_{i}" for i in range(2)}, latency=0, bypass=False, **paces)
        self.memory, self.dirty, self.failing = WordLines(), {}, set()
        self.errors = lambda address: address >> 6 in self.failing

    def judge(self, op: Op, answers: dict[str, int]) -> None:
        assert op.op in (READ, WRITE_BACK), f"rings are read by READ and written by WRITE_BACK, not {op}"
        super().judge(op, answers)
        if not op.retry and not op.error:
            modified = self.dirty.pop(op.address >> 6, None)
            if modified and op.op == READ:  # the cache intervenes, memory takes the data
                self.memory[op.address >> 6] = modified


class Unit(MessageBench):
    """`sp`, `window`: Express messages to be stored; `lines`: (head, words) of the command engine; `events`: name -> (cycle, index, arg,
    meta); `stamps`: (what, cycle). Paces are chances per cycle."""

    async def start(self, smooth: bool = False) -> "Unit":
        self.pins = Pins(self.dut)
        self.window, self.lines, self.stamps = deque(), deque(), []
        self.pace_sp = 1.0
        self.pace_event = {"High": 1.0, "Low": 1.0, "Local": 1.0, "Room": 1.0}
        await super().start()
        self.bus = RingsBus(self, smooth)
        self.memory, self.dirty = self.bus.memory, self.bus.dirty
        self.stores = Source(self, "io_sp", pace=lambda: random.random() < self.pace_sp)
        self.sp = self.stores.queue
        self.heads, self.line_words = Source(self, "io_line_head"), Source(self, "io_line_data")
        self.sinks = {"High": self.high, "Low": self.low, "Local": self.local, "Room": self.room}
        for name, sink in self.sinks.items():
            sink.pace = lambda name=name: random.random() < self.pace_event[name]
        self.events = {name: [] for name in self.sinks}
        self.watched = [("sp", self.stores.at), ("line", self.heads.at), ("tail", self.link.tails)]
        self.watched += [("header", cycles) for cycles in self.out.headers]
        self.noted = [0] * len(self.watched)
        self.add(self)
        return self

    def paces(self, *, credit: float | None = None, line: float | None = None, link: float | None = None) -> None:
        """Of the credits that come back, of the command engine, of the link in."""
        if credit is not None:
            self.out.pace(credit)
        if line is not None:
            self.heads.pace = self.line_words.pace = line
        if link is not None:
            self.link.pace = link

    def step(self) -> None:
        for i, (what, at) in enumerate(self.watched):
            for cycle in at[self.noted[i] :]:
                self.stamps.append((what, cycle))
                if what == "line":
                    self.line_words.send(*self.lines.popleft()[1])
            self.noted[i] = len(at)
        if self.lines and not self.heads.queue:
            self.heads.send(self.lines[0][0])
        for name, sink in self.sinks.items():
            self.events[name] += [(sink.at[-1], *event) for event in sink.got]  # one a cycle at most
            sink.got.clear()
        # A store of an aP is let on only with room for it, and arrives some cycles later.
        message = self.window[0] if self.window and random.random() < self.pace_sp else None
        if message and not self.pins.get("window_room") >> (message["queue"] * 2 + message["high"]) & 1:
            message = None
        if message:
            self.pins.drive(**{f"window_express_payload_{name}": value for name, value in self.window.popleft().items()})
        self.pins.set("window_express_valid", int(message is not None))

    async def until(self, condition, what: str = "what the test waits for", limit: int = 20_000) -> None:
        await super().until(condition, what, limit)

    async def pulse(self, **pins: int) -> tuple[int, int, int]:
        """Sets pins for one cycle; returns the window's answer a cycle later: (message, meta, data)."""
        self.pins.drive(**pins)
        await self.tick()
        self.pins.drive(**dict.fromkeys(pins, 0))
        await self.tick()
        return tuple(self.pins.get(f"window_answer_{part}") for part in ("message", "meta", "data"))

    async def load(self, queue: int) -> tuple[int, int, int]:
        """The two Express loads: META (dequeues), then DATA."""
        answer = await self.pulse(window_query_valid=1, window_query_payload_basic=0, window_query_payload_queue=queue)
        if answer[0]:
            await self.pulse(window_pop_valid=1, window_pop_payload=queue)
        return answer

    async def pointer(self, queue: int, word: int) -> int:
        return (await self.pulse(window_query_valid=1, window_query_payload_basic=1, window_query_payload_queue=queue,
                                 window_query_payload_word=word))[1]  # fmt: skip

    async def set_pointer(self, queue: int, consumer: bool, value: int) -> None:
        await self.pulse(window_pointer_valid=1, window_pointer_payload_queue=queue,
                         window_pointer_payload_consumer=int(consumer), window_pointer_payload_value=value)  # fmt: skip

    async def slot(self, index: int, words: int = 16, port: int = 0) -> list[int]:
        got = []
        for i in range((words + 1) // 2):
            await self.pulse(**{f"slot_{port}_read_valid": 1, f"slot_{port}_read_payload": index << 3 | i})
            beat = self.pins.get(f"slot_{port}_data")
            got += [beat & WORD, beat >> 64]
        return got[:words]

    async def free(self, index: int, port: int = 0) -> None:
        await self.pulse(**{f"slot_{port}_free_valid": 1, f"slot_{port}_free_payload": index})


async def start(dut, smooth: bool = False) -> Unit:
    """`smooth`: the bus is never late."""
    return await Unit(dut).start(smooth)
