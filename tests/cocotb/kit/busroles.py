"""Around a Site Bus under test: its masters, snoopers, claimant and AXI memory."""

import random

from kit.bench import Bench
from kit.pins import Pins
from kit.sitebus import (
    BASE, CACHE, LINE, MEMORY, NIU, NIU_WINDOW, NONE, PARTIALS, READS, REQUEST, WRITES, Lines, Op, beats_of, merge)
from kit.streams import Sink, Source


class Master:
    """A master's port: at most one op, kept to the contract."""

    def __init__(self, bus: "Bus", index: int):
        self.bus, self.index = bus, index
        self.pins = Pins(bus.dut, f"io_masters_{index}")
        self.out = Source(bus, f"io_masters_{index}_write", pace=bus.eager)
        self.op: Op | None = None  # presented or outstanding
        self.presented = False

    def start(self, op: Op) -> Op:
        """Presents `op` from the next cycle on."""
        assert self.op is None, f"master {self.index} has an op outstanding"
        self.op, self.presented, op.master = op, True, self.index
        self.pins.drive(request_valid=1, **{f"request_payload_{n}": getattr(op, n) for n in REQUEST})
        return op

    def step(self) -> None:
        """Afterwards `op.done` says whether the op is over."""
        op, pins, now = self.op, self.pins, self.bus.cycle
        answer, read = pins.get("answer_valid"), pins.get("read_valid")
        if op is None:
            assert not answer and not read, f"master {self.index} asked for nothing"
            return
        if self.presented:
            if pins.get("request_ready"):
                self.presented = False
                op.fired = now
                pins.set("request_valid", 0)
            return
        if answer:
            assert op.answered is None, f"{op} is answered twice"
            op.answered = now
            op.retry, op.shared, op.error = (pins.get(f"answer_payload_{n}") for n in ("retry", "shared", "error"))
            v = self.bus.verdict
            assert v and (v.master, v.op, v.address) == (self.index, op.op, op.address), f"{op} is answered, the verdict is {v}"
            assert (v.retry and not v.error, v.shared, v.error) == (op.retry, op.shared, op.error), "snoopers see a refused op retried"
            op.responder, op.conflict = v.responder, v.conflict
            if op.retry or op.error or not op.beats:
                op.done = now
            elif op.op in WRITES:
                self.out.burst(op.data[: op.beats])
        if read:
            assert op.answered is not None and op.op in READS and not op.done, f"a beat for {op}"
            op.first_beat = op.first_beat or now
            op.got.append(pins.get("read_payload_fragment"))
            last = len(op.got) == op.beats
            assert bool(pins.get("read_payload_last")) == last, f"{op}: last"
            if last:
                op.done = now

    def end(self) -> None:
        """A write is over when its last beat was taken; seen a cycle later."""
        op = self.op
        if op and op.answered not in (None, self.bus.cycle) and op.done is None and op.op in WRITES and not self.out.queue:
            op.done = self.out.at[-1]
        if op and op.done is not None:
            self.op = None


class AxiMemory:
    """An AXI memory on `prefix`: reads after `latency` cycles from `ar`, in any order when lazy, a write's effect as late as
    its response. `eager` says whether a handshake moves in a cycle. Lines by bus address."""

    def __init__(self, bench: Bench, prefix: str = "io_axi", latency: int = 12, eager=lambda: True, mix: bool = False):
        self.bench, self.latency, self.eager, self.mix = bench, latency, eager, mix
        self.ar, self.aw, self.w, self.b, self.r = (Pins(bench.dut, f"{prefix}_{channel}") for channel in ("ar", "aw", "w", "b", "r"))
        self.lines = Lines()
        self.ready = [False, False, False]
        self.reads: list[list[int]] = []  # due, id, address, beats left
        self.offered: list[int] | None = None  # that of `reads` whose beat is on `r`
        self.addresses: list[tuple[int, int]] = []
        self.beats: list[tuple[int, int, int]] = []
        self.responses: list[tuple] = []  # due, address, beats
        self.last_ar: int | None = None
        bench.add(self)

    def _burst(self, ax: Pins) -> tuple[int, int]:
        address, count = ax.get("payload_addr"), ax.get("payload_len") + 1
        assert ax.get("payload_size") == 4 and ax.get("payload_burst") == 1 and count in (1, 4), "bursts are of 1 or 4 beats of 16 bytes"
        assert address % (16 * count) == 0, f"burst of {count} beats at {address:#x}"
        return BASE + address, count

    def step(self) -> None:
        now = self.bench.cycle
        if self.offered and self.r.get("ready"):
            read, self.offered = self.offered, None
            read[2] += 16
            read[3] -= 1
            if read[3] == 0:
                self.reads.remove(read)
        if self.ready[0] and self.ar.get("valid"):
            self.last_ar = now
            address, count = self._burst(self.ar)
            self.reads.append([now + self.latency, self.ar.get("payload_id"), address, count])
        if self.ready[1] and self.aw.get("valid"):
            self.addresses.append(self._burst(self.aw))
        if self.ready[2] and self.w.get("valid"):
            self.beats.append(tuple(self.w.get(f"payload_{n}") for n in ("data", "strb", "last")))
        if self.addresses and len(self.beats) >= self.addresses[0][1]:
            address, count = self.addresses.pop(0)
            burst, self.beats = self.beats[:count], self.beats[count:]
            assert [b[2] for b in burst] == [0] * (count - 1) + [1], "last of a write burst"
            self.responses.append((now + self.latency, address, burst))

        self.ready = [self.eager(), self.eager(), self.eager()]
        for channel, ready in zip((self.ar, self.aw, self.w), self.ready):
            channel.set("ready", int(ready))
        answers = bool(self.responses) and self.responses[0][0] <= now + 1 and self.eager()
        self.b.set("valid", int(answers))
        if answers:  # `b` is always ready
            _, address, burst = self.responses.pop(0)
            for i, (data, strobe, _) in enumerate(burst):
                merge(self.lines[address & -LINE], (address & 63) + 16 * i, data, strobe)
        due = [read for read in self.reads if read[0] <= now + 1]
        if self.offered is None and due and self.eager():
            read = self.offered = random.choice(due) if self.mix else due[0]
            data = beats_of(self.lines[read[2] & -LINE])[read[2] >> 4 & 3]
            self.r.drive(payload_id=read[1], payload_data=data, payload_last=int(read[3] == 1))
        self.r.set("valid", int(self.offered is not None))

    @property
    def idle(self) -> bool:
        return not (self.reads or self.addresses or self.beats or self.responses)


class Snooper:
    """A snooper's port. `judge` names what it answers to a broadcast ("retry", "shared", "intervene", "claim"); `verdict` and
    `act` follow each verdict and each cycle."""

    def __init__(self, bus: "Bus", index: int):
        self.bus, self.index = bus, index
        self.pins = Pins(bus.dut, f"io_snoop_{index}_answer")

    def judge(self, seen: Op) -> set[str]:
        return set()

    def verdict(self, seen: Op) -> None:
        pass

    def act(self) -> None:
        pass

    def step(self) -> None:
        if self.bus.verdict and not self.bus.verdict.conflict:
            self.verdict(self.bus.verdict)
        asked = self.bus.broadcasts[1]
        answer = self.judge(asked) if asked else ()
        for name in ("retry", "shared", "intervene", "claim"):
            self.pins.set(name, int(name in answer))
        self.act()


class Claimant(Snooper):
    """NIU slave: claims its window (all ops there) and what `claims` says; reads give `content`, writes are kept. `refuses`: ops that it ends
    with an error."""

    def __init__(self, bus: "Bus", index: int):
        super().__init__(bus, index)
        self.read = Source(bus, "io_claim_read", pace=bus.eager)
        self.write = Sink(bus, "io_claim_write", "fragment", pace=bus.eager)
        self.expected: list[int] = []
        self.claims = lambda seen: seen.address in NIU_WINDOW
        self.refuses = lambda seen: False
        self.refusal = Pins(bus.dut, "io")

    @staticmethod
    def content(address: int) -> list[int]:
        return beats_of(random.Random(~address).randbytes(LINE))

    def judge(self, seen: Op) -> set[str]:
        return {"claim"} if self.claims(seen) else set()

    def verdict(self, seen: Op) -> None:
        if seen.responder != NIU:
            return
        if seen.op in READS:
            self.read.burst(self.content(seen.address)[: seen.beats])
        elif seen.op in WRITES:
            self.expected += self.bus.masters[seen.master].op.data[: seen.beats]

    def step(self) -> None:
        super().step()
        asked = self.bus.broadcasts[1]
        self.refusal.set("refuse", int(asked is not None and self.refuses(asked)))

    def act(self) -> None:
        for beat in self.write.got:
            assert beat == self.expected.pop(0), "a claimed write's beat"
        self.write.got.clear()


class Bus(Bench):
    """The bench of a Site Bus with its DRAM home: all ports and the memory. laziness: chance that a handshake or source waits."""

    def __init__(self, dut, *, masters: int, caches: int, laziness: float = 0.0, latency: int = 12):
        super().__init__(dut)
        self.laziness = laziness
        self.verdict: Op | None = None  # of the cycle that ended
        self.broadcasts: list[Op | None] = [None, None]  # those in T0 and in T1 of the cycle that ended
        self.before_verdict = lambda seen: None
        self._seen = Pins(dut, "io_snoop_0")
        self.memory = AxiMemory(self, latency=latency, eager=self.eager, mix=laziness > 0)
        self.masters = [Master(self, i) for i in range(masters)]
        self.snoopers: list[Snooper] = [Snooper(self, i) for i in range(caches + 1)]
        self.niu = Claimant(self, caches + 1)
        self.snoopers.append(self.niu)
        self.users: list = []  # what acts through the masters: has an `act()`
        self.agents.insert(0, self)

    def eager(self) -> bool:
        return self.laziness == 0 or random.random() >= self.laziness

    def _read(self, prefix: str, *names: str) -> dict[str, int]:
        return {n: self._seen.get(f"{prefix}{n}") for n in names}

    def step(self) -> None:
        request = ("master", "op", "address", "bypass")
        seen = Op(**self._read("request_payload_", *request)) if self._seen.get("request_valid") else None
        self.broadcasts = [seen, self.broadcasts[0]]
        self.verdict = None
        if self._seen.get("verdict_valid"):
            self.verdict = Op(**self._read("verdict_payload_request_", *request),
                              **self._read("verdict_payload_", "retry", "shared", "error", "conflict", "responder"))  # fmt: skip
            self.before_verdict(self.verdict)
        for m in self.masters:
            m.step()
        for s in self.snoopers:
            s.step()
        for m in self.masters:
            m.end()
        for user in self.users:
            user.act()

    async def run(self, master: int, op: Op, limit: int = 500) -> Op:
        """One op of one master, alone, to its end (`retry` included)."""
        self.masters[master].start(op)
        await self.until(lambda: op.done is not None, f"end of {op}", limit)
        return op

    async def insist(self, master: int, make) -> Op:
        """The op `make()` gives, again and again until it is not retried."""
        for _ in range(100):
            op = await self.run(master, make())
            if not op.retry:
                return op
        raise AssertionError(f"{op} is retried for ever")

    async def drain(self) -> None:
        await self.until(lambda: self.memory.idle and not any(m.op or m.out.queue for m in self.masters), "rest of the bus", 2000)
        await self.tick(40)
