"""Events leave in the order of their FIFOs, high before local before low, none lost, none late."""

import random
from collections import deque

import pytest
from harness import run_unit
from kit import Bench, Pins, test

FIFOS = 3


class Queue(Bench):
    def __init__(self, dut):
        super().__init__(dut)
        self.number = 0
        self.waiting = [deque() for _ in range(FIFOS)]
        self.offers = [None] * FIFOS
        self.pins = Pins(dut)
        self.modes = {}

    async def start(self):
        """Gives a random mode to every page."""
        await super().start(known=1)
        for page in range(2048):
            self.modes[page] = random.randrange(32)
            self.pins.drive(pages_valid=1, pages_payload_page=page, pages_payload_mode=self.modes[page])
            await self.tick()
        self.pins.drive(pages_valid=0)
        return self

    async def step(self, pushes, take, enable=7):
        """One cycle: `pushes` of each FIFO that has nothing on offer; returns the event taken, or None."""
        pins = self.pins
        pins.drive(enable=enable, next_ready=int(take))
        for i, push in enumerate(pushes):
            if self.offers[i] is None and push:
                self.number += 0x1001  # another page
                self.offers[i] = self.number
            pins.set(f"push_{i}_valid", int(self.offers[i] is not None))
            if self.offers[i] is not None:
                pins.drive(**{f"push_{i}_payload_{n}": v for n, v in (("arg", self.offers[i]), ("index", i), ("meta", ~self.offers[i] & 0xFFFF))})
        await self.tick()
        got = None
        if pins.get("next_valid"):
            i, arg = pins.get("next_payload_index"), pins.get("next_payload_arg")
            assert pins.get("next_payload_meta") & 0xFFFF == ~arg & 0xFFFF
            assert enable >> i & 1 and self.waiting[i], "an event of a FIFO that is off or empty"
            assert arg == self.waiting[i][0], f"FIFO {i} lost or reordered an event"
            assert pins.get("mode") == self.modes[arg >> 12 & 2047], "not the mode of the event's page"
            if take:
                got = (i, arg)
        for i, fifo in enumerate(self.waiting):
            assert pins.get(f"counts_{i}") == len(fifo)
        if got:
            self.waiting[got[0]].popleft()
        for i in range(FIFOS):
            if self.offers[i] is not None and pins.get(f"push_{i}_ready"):
                self.waiting[i].append(self.offers[i])
                self.offers[i] = None
        return got


@test(timeout=100_000)
async def test_order_is_kept(dut):
    """Random pushes, takes and enables: each FIFO's events once each and in order, its count right in every cycle."""
    q = await Queue(dut).start()
    taken = 0
    for _ in range(60):
        fill, drain = random.choice([0.05, 0.3, 0.9]), random.choice([0, 0.3, 0.9, 1])
        enable = random.choice([7, 7, 7, 5, 2, 0])
        for _ in range(60):
            taken += await q.step([random.random() < fill for _ in range(FIFOS)], random.random() < drain, enable) is not None
    while any(q.waiting) or any(q.offers):
        await q.step([0] * FIFOS, 1)
    assert taken > 300


@test(timeout=100_000)
async def test_a_push_meets_a_pop(dut):
    """With n events waiting and the first one taken in the cycle of a push, or in one just before or after, none is lost."""
    q = await Queue(dut).start()
    for fifo in range(FIFOS):
        push = [i == fifo for i in range(FIFOS)]
        for waiting in range(5):
            for gap in range(4):
                for takes in range(1, 4):
                    for _ in range(waiting):
                        await q.step(push, 0)
                    for _ in range(gap):
                        await q.step([0] * FIFOS, 0)
                    for _ in range(takes):
                        await q.step(push, 1)
                    for _ in range(40):
                        await q.step([0] * FIFOS, 1)
                    assert not q.waiting[fifo]


@test(timeout=100_000)
async def test_an_event_shows_in_the_next_cycle(dut):
    """Pushed into an empty FIFO in one cycle, it is `next` in the following one; the higher FIFO goes first."""
    q = await Queue(dut).start()
    for pushes in ([1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]):
        await q.step(pushes, 1)
        got = [await q.step([0] * FIFOS, 1) for _ in range(sum(pushes))]
        assert [g and g[0] for g in got] == [i for i in range(FIFOS) if pushes[i]]
        await q.step([0] * FIFOS, 1)


@test(timeout=100_000)
async def test_an_event_in_two_cycles(dut):
    """A FIFO with one and with many waiting takes one a cycle and gives one in two; what came as its only one left is there 3 cycles later."""
    q = await Queue(dut).start()
    for fifo in range(FIFOS):
        for waiting in (1, 3, 10):
            push = [i == fifo for i in range(FIFOS)]
            for _ in range(waiting):
                await q.step(push, 0)
            for _ in range(4):
                await q.step([0] * FIFOS, 0)
            taken = [cycle for cycle in range(50) if await q.step(push, 1)]
            gaps = [b - a for a, b in zip(taken, taken[1:])]
            assert taken[0] == 0 and gaps[0] == (3 if waiting == 1 else 2) and set(gaps[1:]) == {2}, f"{waiting} waiting: {gaps}"
            for _ in range(2 * 40):
                await q.step([0] * FIFOS, 1)
            assert not any(q.waiting)


@pytest.mark.parametrize("depth", [16, 64])
def test_event_queue(depth):
    run_unit("sp/EventQueue", {"high": depth, "local": depth, "low": depth})
