"""A Site Bus as two masters of one unit see it: one broadcast a cycle, one beat a cycle, writes in the order of verdicts."""

import random

from site_bus_target import SiteBusTarget


class Port(SiteBusTarget):
    """One of the two masters; `at` is its place in the ops' order of the log entries."""

    def __init__(self, dut, prefix, pair, **options):
        super().__init__(dut, prefix, **options)
        self.pair, self.memory, self.log = pair, pair.memory, pair.log

    def note(self, kind, op, address, mask):
        super().note(kind, op, address, mask)
        if kind == "request":
            self.turn = max(self.cycle, self.pair.broadcast + 1)
            self.pair.broadcast = self.turn

    async def judged(self):
        """Three cycles after T0; with the other master in the way, T0 is later."""
        for _ in range(self.turn - self.cycle + 3):
            await self.tick()
        if self.pair.late(self):
            for _ in range(self.pair.delay()):
                await self.tick()

    async def read(self, op, address):
        for _ in range(self.pair.delay()):
            await self.tick()
        await super().read(op, address)

    async def beat_turn(self):
        while random.random() < self.gaps or self.pair.read_beat == self.cycle:
            await self.tick()
        self.pair.read_beat = self.cycle

    async def write(self, op, address, mask):
        self.pair.transfers.append(self)
        while self.pair.transfers[0] is not self:
            await self.tick()
        await super().write(op, address, mask)
        self.pair.transfers.pop(0)


class PairBus:
    """Both ports, one memory, one log. `jitter`: cycles by which verdicts and beats may be late, to change their order."""

    def __init__(self, dut, prefix="io_bus", jitter=0, late=lambda port: True, **options):
        self.memory, self.log, self.transfers = {}, [], []
        self.broadcast = self.read_beat = -1
        self.jitter, self.late = jitter, late
        self.ports = [Port(dut, f"{prefix}_{i}", self, **options) for i in range(2)]

    def delay(self):
        return random.randrange(self.jitter + 1)

    @property
    def cycle(self):
        return self.ports[0].cycle

    @property
    def errors(self):
        return self.ports[0].errors

    def line(self, address):
        return self.ports[0].line(address)

    def runs(self):
        return [port.run() for port in self.ports]
