"""Two ports with a wire between their MACs' pins: it takes time, and a switch on it may do anything to a frame."""

import heapq
import itertools
import random
from collections.abc import Callable

from kit import Bench, Pins
from kit.links import BUFFER, LinkReceiver, LinkSender
from kit.packets import good, random_packet

MACS = (0x020000000001, 0x020000000002)  # first byte on the wire in bits 7 to 0
HEAD, FOOT, LEAST, GAP = 3, 2, 8, 3  # beats; a gap stands for preamble, check sequence and silence: 24 bytes
HELLO, CONTROL, DATA = 0, 1, 2

Frame = list[int]
Delivery = tuple[int, Frame, bool]  # cycles later, beats, damaged as its MAC says


def kind(frame: Frame) -> int:
    return frame[1] >> 56 & 15


def untouched(frame: Frame) -> list[Delivery]:
    return [(0, frame, False)]


class Wire:
    """From the transmit pins of one port to the receive pins of the other: `cycles` from the last beat in to the first out, then a beat a
    cycle and a gap. `switch` says for each frame what comes of it."""

    def __init__(self, bench: Bench, source: int, cycles: int = 0):
        self.bench, self.cycles = bench, cycles
        self.tx, self.rx = Pins(bench.dut, f"io_tx_{source}"), Pins(bench.dut, f"io_rx_{1 - source}")
        self.switch: Callable[[Frame], list[Delivery]] = untouched
        self.partial: Frame = []
        self.pause = 0
        self.resets = False  # its port may be reset within a frame
        self.waiting: list[tuple[int, int, Frame, bool]] = []
        self.order = itertools.count()
        self.out: list[tuple[int, int, int]] = []  # beat, last, user; next one last
        self.quiet = 0
        self.frames = [0, 0, 0]  # by kind
        self.beats = 0
        self.direct = cycles == 0  # beats go on as they come
        self.rx.drive(tvalid=0, tkeep=255, tuser=0)
        self.tx.set("tready", 1)
        bench.add(self)

    def inject(self, frame: Frame, damaged: bool = False, later: int = 0) -> None:
        heapq.heappush(self.waiting, (self.bench.cycle + later, next(self.order), frame, damaged))

    def step(self) -> None:
        valid = self.tx.get("tvalid") and self.tx._driven["tready"]
        if self.partial and not valid and self.tx._driven["tready"]:
            assert self.resets, "a gap within a frame"
            self.inject(self.partial, damaged=True)  # as a MAC ends it
            self.partial = []
        if self.pause:
            self.pause -= 1
        if valid:
            beat, last = self.tx.get("tdata"), self.tx.get("tlast")
            self.partial.append(beat)
            self.beats += 1
            if self.direct:
                self.out.append((beat, last, 0))
            if last:
                frame, self.partial = self.partial, []
                assert len(frame) >= LEAST, f"a frame of {8 * len(frame)} bytes; least 60"
                self.frames[kind(frame)] += 1
                self.pause = GAP
                if not self.direct:
                    for later, beats, damaged in self.switch(frame):
                        self.inject(beats, damaged, self.cycles + later)
        self.tx.set("tready", int(self.pause == 0))
        if not self.direct and not self.out:
            if self.quiet:
                self.quiet -= 1
            elif self.waiting and self.waiting[0][0] <= self.bench.cycle:
                _, _, frame, damaged = heapq.heappop(self.waiting)
                self.out = [(beat, int(i == len(frame) - 1), 0) for i, beat in enumerate(frame)][::-1]
                self.out[0] = (frame[-1], 1, int(damaged))
        if self.out:
            beat, last, user = self.out.pop()
            self.rx.drive(tvalid=1, tdata=beat, tlast=last, tuser=user)
            if last:
                self.quiet = GAP
        else:
            self.rx.set("tvalid", 0)


class Pair(Bench):
    """Both sites send packets and check that those of the other come: each once, whole, in the order of its channel."""

    def __init__(self, dut, cycles: int = 0, wires: bool = True):
        super().__init__(dut)
        self.pins = Pins(dut)
        self.wires = [Wire(self, n, cycles) for n in (0, 1)] if wires else []
        self.senders = [LinkSender(self, f"io_fromSite_{n}") for n in (0, 1)]
        self.receivers = [LinkReceiver(self, f"io_toSite_{n}", lambda flits, vc, n=n: self.came(n, flits, vc)) for n in (0, 1)]
        self.expected: list[list[list[list[int]]]] = [[[], []], [[], []]]  # at a site, of a channel: packets to come
        self.got = [0, 0]
        self.strict = True
        self.lost = self.cut = 0
        self.headers: set[int] = set()

    async def begin(self, **pins: int) -> "Pair":
        values = {f"address_{n}_{who}": MACS[n ^ (who == "peer")] for n in (0, 1) for who in ("own", "peer")}
        values |= {"seed_0": random.getrandbits(16), "seed_1": random.getrandbits(16), "silence": 16, "roundTrip": 64 + 4 * max((w.cycles for w in self.wires), default=0)}
        if self.wires:
            values |= {f"tx_{n}_tready": 1 for n in (0, 1)} | {f"rx_{n}_tkeep": 255 for n in (0, 1)}
        await self.start(**{**values, **pins})
        return self

    async def trained(self, limit: int = 3000) -> None:
        await self.until(lambda: self.pins.get("up") == 3, "both ports up", limit=limit)

    def send(self, site: int, count: int = 1, body: int | None = None, vc: int | None = None) -> None:
        for _ in range(count):
            packet = random_packet(site, 1 - site, random.randrange(2) if vc is None else vc, body)
            self.senders[site].push(packet.flits, packet.vc)
            self.headers.add(packet.header)
            self.expected[1 - site][packet.vc].append(packet.flits)

    def came(self, site: int, flits: list[int], vc: int) -> None:
        queue = self.expected[site][vc]
        self.got[site] += 1
        if not self.strict and not good(flits):
            assert flits[0] in self.headers, f"site {site}, channel {vc}: a packet that begins in the middle of one"
            self.cut += 1
            return
        if not self.strict:
            while queue and queue[0] != flits:
                queue.pop(0)
                self.lost += 1
        assert queue and queue[0] == flits, f"site {site}, channel {vc}: a packet that was not sent, came before or lost its place"
        queue.pop(0)

    def forget(self, site: int) -> None:
        """The port is reset, and so are the site's ends of its links."""
        for vc in (0, 1):
            self.senders[site].credits[vc] = BUFFER
            self.receivers[site].held[vc] = 0
            self.receivers[site].partial[vc].clear()

    def forget_expected(self) -> None:
        for site in self.expected:
            for queue in site:
                self.lost += len(queue)
                queue.clear()

    def left(self) -> int:
        return sum(len(queue) for site in self.expected for queue in site)

    async def settled(self, limit: int) -> None:
        await self.until(lambda: not self.left(), "the last packet", limit=limit)

    def count(self, site: int, name: str) -> int:
        return self.pins.get(f"counters_{site}_{name}")
