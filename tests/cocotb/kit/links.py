"""Both ends of a Link: flits one way, credits for each virtual channel the other."""

import random
from collections import deque
from collections.abc import Callable

from kit.bench import Bench
from kit.pins import Pace, Paced, Pins, pace

BUFFER = 32


class LinkSender(Paced):
    """Master end of the link `prefix`: packets of each virtual channel in order, one flit a cycle, within credits."""

    def __init__(self, bench: Bench, prefix: str, pace: Pace = 1.0):
        self.pace = pace
        self.bench, self.pins = bench, Pins(bench.dut, prefix)
        self.queues: list[deque[tuple[int, bool]]] = [deque(), deque()]
        self.credits = [BUFFER, BUFFER]
        self.sent = 0
        self.tails: list[int] = []  # cycles in which a tail is on the link
        self.high_first = False  # else channels take turns at random
        self.pins.set("flit_valid", 0)
        bench.add(self)

    def push(self, flits: list[int], vc: int) -> None:
        self.queues[vc].extend((flit, i == len(flits) - 1) for i, flit in enumerate(flits))

    def step(self) -> None:
        returned = self.pins.get("credit")
        if returned:
            for vc in (0, 1):
                self.credits[vc] += returned >> vc & 1
                assert self.credits[vc] <= BUFFER, f"{self.pins.prefix}: a credit of vc {vc} too many"
        able = [vc for vc in (0, 1) if self.queues[vc] and self.credits[vc]]
        valid = bool(able) and self._go()
        if valid:
            vc = able[-1] if self.high_first or len(able) == 1 else random.choice(able)
            flit, last = self.queues[vc].popleft()
            self.credits[vc] -= 1
            self.sent += 1
            if last:
                self.tails.append(self.bench.cycle + 1)
            self.pins.drive(flit_payload_data=flit, flit_payload_last=int(last), flit_payload_vc=vc)
        self.pins.set("flit_valid", int(valid))


class LinkReceiver:
    """Slave end of the link `prefix`: a buffer for each virtual channel that frees flits at a pace of its own.

    arrived(flits, vc) is called in the cycle of each tail.
    """

    def __init__(self, bench: Bench, prefix: str, arrived: Callable[[list[int], int], None]):
        self.bench, self.pins = bench, Pins(bench.dut, prefix)
        self.held = [0, 0]
        self.partial: list[list[int]] = [[], []]
        self.flits = [0, 0]
        self.headers: list[list[int]] = [[], []]  # cycle of each header
        self.arrived = arrived
        self._go = [pace(1.0), pace(1.0)]
        self.pins.set("credit", 0)
        bench.add(self)

    def pace(self, *specs: Pace) -> None:
        """Paces at which flits of low and of high are freed; one for both if there is but one."""
        self._go = [pace(specs[0]), pace(specs[-1])]

    def step(self) -> None:
        if self.pins.get("flit_valid"):
            vc = self.pins.get("flit_payload_vc")
            self.held[vc] += 1
            self.flits[vc] += 1
            assert self.held[vc] <= BUFFER, f"{self.pins.prefix}: more flits of vc {vc} than it had credits for"
            if not self.partial[vc]:
                self.headers[vc].append(self.bench.cycle)
            self.partial[vc].append(self.pins.get("flit_payload_data"))
            if self.pins.get("flit_payload_last"):
                flits, self.partial[vc] = self.partial[vc], []
                self.arrived(flits, vc)
        credit = 0
        for vc in (0, 1):
            if self.held[vc] and self._go[vc]():
                self.held[vc] -= 1
                credit |= 1 << vc
        self.pins.set("credit", credit)
