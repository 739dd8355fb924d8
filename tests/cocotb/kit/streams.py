"""Both ends of a Stream, and a Flow watched. Each is an agent of its bench from the moment it is made."""

from collections import deque

from kit.bench import Bench
from kit.pins import Pace, Paced, Payload, Pins


class Source(Paced):
    """Drives the Stream or Flow `prefix`: what `send` queues, one a cycle at most, each held until it is taken.

    pace: of new offers.     at: cycles in which a payload was taken.
    """

    def __init__(self, bench: Bench, prefix: str, fields: tuple[str, ...] | str | None = None, pace: Pace = 1.0):
        self.pace = pace
        self.bench, self.pins = bench, Pins(bench.dut, prefix)
        self.payload = Payload(bench.dut, f"{prefix}_payload", fields)
        self.flow = not hasattr(bench.dut, f"{prefix}_ready")
        self.queue: deque = deque()
        self.at: list[int] = []
        self.offered = False
        self.pins.set("valid", 0)
        bench.add(self)

    def send(self, *values, **fields: int) -> None:
        """Queues each of `values` (as Payload takes them), or the one payload of `fields`."""
        self.queue.extend(values)
        if fields:
            self.queue.append(fields)

    def burst(self, beats) -> None:
        """Queues the beats of one packet of a Stream of Fragments: last set on the last."""
        beats = list(beats)
        self.queue.extend({"fragment": b, "last": i == len(beats) - 1} for i, b in enumerate(beats))

    def step(self) -> None:
        if self.offered and (self.flow or self.pins.get("ready")):
            self.queue.popleft()
            self.at.append(self.bench.cycle)
            self.offered = False
        if not self.offered and self.queue and self._go():
            self.offered = True
            self.payload.write(self.queue[0])
        self.pins.set("valid", int(self.offered))


class Sink(Paced):
    """Takes the Stream `prefix` at `pace`.     got: payloads.     at: the cycle of each."""

    def __init__(self, bench: Bench, prefix: str, fields: tuple[str, ...] | str | None = None, pace: Pace = 1.0):
        self.pace = pace
        self.bench, self.pins = bench, Pins(bench.dut, prefix)
        self.payload = Payload(bench.dut, f"{prefix}_payload", fields)
        self.got: list = []
        self.at: list[int] = []
        self.ready = False
        bench.add(self)

    def step(self) -> None:
        if self.ready and self.pins.get("valid"):
            self.got.append(self.payload.read())
            self.at.append(self.bench.cycle)
        self.ready = self._go()
        self.pins.set("ready", int(self.ready))


class Monitor:
    """Watches the Flow `prefix`.     got: payloads.     at: the cycle of each."""

    def __init__(self, bench: Bench, prefix: str, fields: tuple[str, ...] | str | None = None):
        self.bench, self.pins = bench, Pins(bench.dut, prefix)
        self.payload = Payload(bench.dut, f"{prefix}_payload", fields)
        self.got: list = []
        self.at: list[int] = []
        bench.add(self)

    def step(self) -> None:
        if self.pins.get("valid"):
            self.got.append(self.payload.read())
            self.at.append(self.bench.cycle)
