"""Site Bus seen from Python: one step a clock cycle, at the falling edge.

Every output of the bus hangs on registers alone, so at the falling edge the outputs of the cycle are final, and what is
driven then counts for the same cycle: a model knows at once whether a handshake it offers takes place.
"""

import random
from dataclasses import dataclass, field

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

READ, READ_EXCLUSIVE, UPGRADE, WRITE_BACK, READ_PARTIAL, WRITE_PARTIAL, FLUSH, CLEAN, KILL = range(9)
NONE, MEMORY, CACHE, NIU = range(4)
PARTIALS = (READ_PARTIAL, WRITE_PARTIAL)
READS = (READ, READ_EXCLUSIVE, READ_PARTIAL)
WRITES = (WRITE_BACK, WRITE_PARTIAL)
BASE = 0x8000_0000
LIMIT = 20_000  # cycles of one test
NIU_WINDOW = range(0xF000_0000, 0xF100_0000)


def beats_of(line: bytes) -> list[int]:
    return [int.from_bytes(line[i : i + 16], "little") for i in range(0, 64, 16)]


def line_of(beats: list[int]) -> bytes:
    return b"".join(b.to_bytes(16, "little") for b in beats)


def fresh(line: int) -> bytes:
    """What memory holds before anyone wrote: each line its own."""
    return random.Random(line).randbytes(64)


@dataclass
class Op:
    op: int
    address: int
    mask: int = 0xFFFF
    bypass: int = 0
    data: list[int] = field(default_factory=list)  # beats out, known at the verdict
    got: list[int] = field(default_factory=list)  # beats in
    fired: int = 0
    answered: int | None = None
    retry: int = 0
    shared: int = 0
    error: int = 0
    first_beat: int | None = None
    done: int | None = None
    responder: int | None = None
    conflict: int | None = None

    @property
    def line(self) -> int:
        return self.address & ~63


@dataclass
class Seen:
    """A broadcast or a verdict."""

    master: int
    op: int
    address: int
    bypass: int
    retry: int = 0
    shared: int = 0
    error: int = 0
    conflict: int = 0
    responder: int = NONE

    @property
    def line(self) -> int:
        return self.address & ~63


class Handles:
    """The signals below `prefix`, looked up once."""

    def __init__(self, dut, prefix: str, *names: str):
        for name in names:
            setattr(self, name.replace("payload_", "").replace("fragment_", ""), getattr(dut, f"{prefix}_{name}"))


class Source:
    """Beats into a Stream(Fragment(128 bits))."""

    def __init__(self, bus, prefix: str):
        self.bus = bus
        self.s = Handles(bus.dut, prefix, "valid", "ready", "payload_last", "payload_fragment")
        self.queue: list[tuple[int, bool]] = []
        self.offered = False
        self.s.valid.value = 0

    def put(self, beats: list[int]) -> None:
        self.queue += [(b, i == len(beats) - 1) for i, b in enumerate(beats)]

    def step(self) -> None:
        if not self.offered:
            if not self.queue or self.bus.lazy():
                return
            self.offered = True
            self.s.fragment.value, self.s.last.value = self.queue[0]
            self.s.valid.value = 1
        elif self.offered == "gone":
            self.offered = False
            self.s.valid.value = 0
            return self.step()
        if self.s.ready.value:
            self.queue.pop(0)
            self.offered = "gone"


class Sink:
    """Takes beats of a Stream(Fragment(128 bits)); `bursts` is what came."""

    def __init__(self, bus, prefix: str):
        self.bus = bus
        self.s = Handles(bus.dut, prefix, "valid", "ready", "payload_last", "payload_fragment")
        self.bursts: list[list[int]] = []
        self.partial: list[int] = []
        self.ready = 0
        self.s.ready.value = 0

    def step(self) -> None:
        ready = int(not self.bus.lazy())
        if ready != self.ready:
            self.ready = self.s.ready.value = ready
        if ready and self.s.valid.value:
            self.partial.append(int(self.s.fragment.value))
            if self.s.last.value:
                self.bursts.append(self.partial)
                self.partial = []


class Master:
    """A master's port: at most one op, kept to the contract."""

    def __init__(self, bus, index: int):
        self.bus, self.index = bus, index
        prefix = f"io_masters_{index}"
        self.request = Handles(
            bus.dut, f"{prefix}_request", "valid", "ready", *(f"payload_{n}" for n in ("op", "address", "mask", "bypass")))
        self.answer = Handles(bus.dut, f"{prefix}_answer", "valid", "payload_retry", "payload_shared", "payload_error")
        self.read = Handles(bus.dut, f"{prefix}_read", "valid", "payload_last", "payload_fragment")
        self.wake = getattr(bus.dut, f"{prefix}_wake")
        self.out = Source(bus, f"{prefix}_write")
        self.op: Op | None = None  # presented or outstanding
        self.presented = False
        self.request.valid.value = 0

    def start(self, op: Op) -> Op:
        assert self.op is None
        self.op, self.presented = op, True
        r = self.request
        r.op.value, r.address.value, r.mask.value, r.bypass.value = op.op, op.address, op.mask, op.bypass
        r.valid.value = 1
        self.offer()
        return op

    def offer(self) -> None:
        if self.request.ready.value:
            self.presented = None
            self.op.fired = self.bus.t

    def step(self) -> None:
        """Inputs of this cycle; afterwards `op.done` says whether the op is over."""
        op = self.op
        if op is None:
            assert not self.answer.valid.value and not self.read.valid.value, f"master {self.index} asked for nothing"
            return
        if self.presented is None:
            self.presented = False
            self.request.valid.value = 0
        elif self.presented:
            return self.offer()
        if self.answer.valid.value:
            assert op.answered is None
            a = self.answer
            op.answered = self.bus.t
            op.retry, op.shared, op.error = int(a.retry.value), int(a.shared.value), int(a.error.value)
            v = self.bus.verdict
            assert v and (v.master, v.op, v.address) == (self.index, op.op, op.address)
            assert (v.retry, v.shared, v.error) == (op.retry, op.shared, op.error)
            op.responder, op.conflict = v.responder, v.conflict
            if op.retry or op.error or (op.op not in READS and op.op not in WRITES):
                op.done = self.bus.t
            elif op.op in WRITES:
                self.out.put(op.data)
        if self.read.valid.value:
            assert op.answered is not None and op.op in READS and not op.done
            op.first_beat = op.first_beat or self.bus.t
            op.got.append(int(self.read.fragment.value))
            last = len(op.got) == (1 if op.op in PARTIALS else 4)
            assert bool(self.read.last.value) == last
            if last:
                op.done = self.bus.t

    def end(self) -> None:
        """After `out` moved: a write is over when its last beat was taken."""
        op = self.op
        if op and op.answered is not None and op.done is None and op.op in WRITES and not self.out.queue:
            op.done = self.bus.t
        if op and op.done is not None:
            self.op = None


class Memory:
    """An AXI memory: reads after `latency` cycles, in any order when `mix`, write effects as late as the response."""

    def __init__(self, bus, latency: int = 12, mix: bool = True):
        self.bus, self.latency, self.mix = bus, latency, mix
        self.lines: dict[int, bytearray] = {}
        ax = ("valid", "ready", "payload_addr", "payload_id", "payload_len", "payload_size", "payload_burst")
        self.ar, self.aw = Handles(bus.dut, "io_axi_ar", *ax), Handles(bus.dut, "io_axi_aw", *ax)
        self.w = Handles(bus.dut, "io_axi_w", "valid", "ready", "payload_data", "payload_strb", "payload_last")
        self.b = Handles(bus.dut, "io_axi_b", "valid", "payload_id", "payload_resp")
        self.r = Handles(bus.dut, "io_axi_r", "valid", "ready", "payload_id", "payload_resp", "payload_data", "payload_last")
        for h in (self.ar.ready, self.aw.ready, self.w.ready, self.b.valid, self.r.valid, self.b.resp, self.r.resp, self.b.id):
            h.value = 0
        self.reads: list[list[int]] = []  # due, id, address, beats left
        self.offered: list[int] | None = None  # that of `reads` whose beat is on `r`
        self.addresses: list[tuple[int, int]] = []
        self.beats: list[tuple[int, int, int]] = []
        self.responses: list[list] = []  # due, writes

    def __getitem__(self, address: int) -> bytearray:
        line = (address - BASE if address >= BASE else address) & ~63
        if line not in self.lines:
            self.lines[line] = bytearray(fresh(line + BASE))
        return self.lines[line]

    def burst(self, ax) -> tuple[int, int]:
        address, count = int(ax.addr.value), int(ax.len.value) + 1
        assert int(ax.size.value) == 4 and int(ax.burst.value) == 1 and count in (1, 4)
        assert address % (16 * count) == 0
        return address, count

    def step(self) -> None:
        bus, t = self.bus, self.bus.t
        quiet = bus.lazy
        ready = int(not quiet())
        self.ar.ready.value = ready
        if ready and self.ar.valid.value:
            address, count = self.burst(self.ar)
            bus.last_ar = t
            self.reads.append([t + self.latency, int(self.ar.id.value), address, count])
        ready = int(not quiet())
        self.aw.ready.value = ready
        if ready and self.aw.valid.value:
            self.addresses.append(self.burst(self.aw))
        ready = int(not quiet())
        self.w.ready.value = ready
        if ready and self.w.valid.value:
            self.beats.append((int(self.w.data.value), int(self.w.strb.value), int(self.w.last.value)))
        if self.addresses and len(self.beats) >= self.addresses[0][1]:
            address, count = self.addresses.pop(0)
            burst, self.beats = self.beats[:count], self.beats[count:]
            assert [b[2] for b in burst] == [0] * (count - 1) + [1]
            self.responses.append([t + self.latency, address, burst])
        due = self.responses and self.responses[0][0] <= t and not quiet()
        self.b.valid.value = int(bool(due))
        if due:
            _, address, burst = self.responses.pop(0)
            for i, (data, strobe, _) in enumerate(burst):
                at = (address & 63) + 16 * i
                for k in range(16):
                    if strobe >> k & 1:
                        self[address][at + k] = data >> 8 * k & 255
        r = self.r
        due = [read for read in self.reads if read[0] <= t]
        if self.offered is None and due and not quiet():
            read = self.offered = bus.rng.choice(due) if self.mix and bus.laziness else due[0]
            at = read[2] & 63
            r.id.value = read[1]
            r.data.value = int.from_bytes(self[read[2]][at : at + 16], "little")
            r.last.value = int(read[3] == 1)
        r.valid.value = int(self.offered is not None)
        if self.offered and r.ready.value:
            read, self.offered = self.offered, None
            read[2] += 16
            read[3] -= 1
            if read[3] == 0:
                self.reads.remove(read)

    @property
    def idle(self) -> bool:
        return not (self.reads or self.addresses or self.beats or self.responses)


class Snooper:
    """A snooper's port. Subclasses judge at T2 and act at the verdict."""

    def __init__(self, bus, index: int):
        self.bus, self.index = bus, index
        self.s = Handles(bus.dut, f"io_snoop_{index}_answer", "retry", "shared", "intervene", "claim")
        self.driven = dict.fromkeys(("retry", "shared", "intervene", "claim"), 0)
        for name in self.driven:
            getattr(self.s, name).value = 0

    def judge(self, seen: Seen) -> set[str]:
        return set()

    def verdict(self, seen: Seen) -> None:
        pass

    def act(self) -> None:
        pass

    def step(self) -> None:
        if self.bus.verdict and not self.bus.verdict.conflict:
            self.verdict(self.bus.verdict)
        asked = self.bus.at_t2
        answer = self.judge(asked) if asked else set()
        for name, value in self.driven.items():
            if value != (name in answer):
                self.driven[name] = int(name in answer)
                getattr(self.s, name).value = self.driven[name]
        self.act()


class Claimant(Snooper):
    """NIU slave: claims its window (all ops there) and what `claims` says; reads give `content`, writes are kept."""

    def __init__(self, bus, index: int):
        super().__init__(bus, index)
        self.read = Source(bus, "io_claim_read")
        self.write = Sink(bus, "io_claim_write")
        self.expected: list[list[int]] = []
        self.claims = lambda seen: seen.address in NIU_WINDOW

    @staticmethod
    def content(address: int) -> list[int]:
        return beats_of(random.Random(~address).randbytes(64))

    def judge(self, seen: Seen) -> set[str]:
        return {"claim"} if self.claims(seen) else set()

    def verdict(self, seen: Seen) -> None:
        if seen.responder != NIU:
            return
        if seen.op in READS:
            self.read.put(self.content(seen.address)[: 1 if seen.op in PARTIALS else 4])
        elif seen.op in WRITES:
            self.expected.append(list(self.bus.masters[seen.master].op.data))

    def act(self) -> None:
        self.read.step()
        self.write.step()
        while self.write.bursts:
            assert self.write.bursts.pop(0) == self.expected.pop(0)


class Bus:
    """The bench: ports, models, time. `laziness` is the chance that any handshake or source waits in a cycle."""

    def __init__(self, dut, masters: int, caches: int, rng: random.Random, laziness: float = 0.0, latency: int = 12):
        self.dut, self.rng, self.laziness, self.t = dut, rng, laziness, 0
        self.verdict: Seen | None = None
        self.shout: list[Seen | None] = [None, None, None]
        self.at_t2: Seen | None = None
        names = ("master", "op", "address", "bypass")
        self.t0 = Handles(dut, "io_snoop_0_request", "valid", *(f"payload_{n}" for n in names))
        self.t3 = Handles(
            dut, "io_snoop_0_verdict", "valid",
            *(f"payload_request_{n}" for n in names),
            *(f"payload_{n}" for n in ("retry", "shared", "error", "conflict", "responder")))
        self.masters = [Master(self, i) for i in range(masters)]
        self.memory = Memory(self, latency)
        self.snoopers: list[Snooper] = [Snooper(self, i) for i in range(caches + 1)]
        self.niu = Claimant(self, caches + 1)
        self.snoopers.append(self.niu)
        self.agents: list = []
        self.before_verdict = lambda seen: None
        dut.io_wake.value = 0

    def lazy(self) -> bool:
        return self.laziness > 0 and self.rng.random() < self.laziness

    async def reset(self) -> None:
        self.dut.reset.value = 1
        cocotb.start_soon(Clock(self.dut.clk, 10, "ns").start())
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.reset.value = 0

    async def step(self) -> None:
        await FallingEdge(self.dut.clk)
        self.t += 1
        assert self.t < LIMIT, "the test waits for ever"
        seen = None
        if self.t0.valid.value:
            s = self.t0
            seen = Seen(int(s.master.value), int(s.op.value), int(s.address.value), int(s.bypass.value))
        self.shout = [seen, *self.shout[:2]]
        self.at_t2 = self.shout[2]
        self.verdict = None
        if self.t3.valid.value:
            v = self.t3
            self.verdict = Seen(*(int(h.value) for h in (
                v.request_master, v.request_op, v.request_address, v.request_bypass,
                v.retry, v.shared, v.error, v.conflict, v.responder)))
            self.before_verdict(self.verdict)
        for m in self.masters:
            m.step()
        for s in self.snoopers:
            s.step()
        for m in self.masters:
            m.out.step()
            m.end()
        for a in self.agents:
            a.act()
        self.memory.step()

    async def run(self, master: int, op: Op, limit: int = 500) -> Op:
        """One op of one master, alone, to its end (`retry` included)."""
        self.masters[master].start(op)
        while op.done is None:
            await self.step()
            assert self.t - op.fired < limit, f"{op} of master {master} does not end"
        return op

    async def insist(self, master: int, make) -> Op:
        """The op `make()` gives, again and again until it is not retried."""
        for _ in range(100):
            op = await self.run(master, make())
            if not op.retry:
                return op
        raise AssertionError(f"{op} of master {master} is retried for ever")

    async def steps(self, n: int) -> None:
        for _ in range(n):
            await self.step()

    async def drain(self) -> None:
        for _ in range(2000):
            await self.step()
            if self.memory.idle and not any(m.op or m.out.queue for m in self.masters):
                return await self.steps(40)
        raise AssertionError("the bus does not come to rest")
