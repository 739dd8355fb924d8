"""Around a client of the Site Bus: the bus itself, its other users and memory, cycle for cycle as contract §2 has it."""

import random
from collections import deque

from kit.bench import Bench
from kit.pins import Pace, Pins, pace
from kit.sitebus import CACHE, MEMORY, NIU, NONE, READS, REQUEST, WRITES, Lines, Op
from kit.streams import Sink, Source

ANSWERS = ("retry", "shared", "intervene", "claim")


class Port:
    """One master port of the design; `op` is its op until the next may come."""

    def __init__(self, bus: "SiteBus", number: int, prefix: str):
        self.bus, self.number, self.pins = bus, number, Pins(bus.bench.dut, prefix)
        self.op: Op | None = None

    def sample(self) -> Op | None:
        pins, now = self.pins, self.bus.bench.cycle
        if not (pins.get("request_ready") and pins.get("request_valid")):
            return None
        assert self.op is None, f"cycle {now}: a second op of master {self.number}, whose {self.op} is not over"
        self.op = Op(*(pins.get(f"request_payload_{n}") for n in REQUEST), master=self.number, fired=now)
        return self.op


class SiteBus:
    """An agent of `bench`. A request that fires in cycle 0 has T0 in 1, its verdict in 4, its first beat from memory in 5 + latency.

    masters: number -> prefix of each BusMasterPort of the design.    snoops: prefixes of its SnoopPorts.    claim: of its ClaimPort.
    latency: cycles.    retries: pace at which verdicts are retries.    gaps: pace of cycles in which no beat moves.
    jitter: cycles, at most, by which an op gets the bus, and its data, later: so verdicts and beats change their order.
    ready: pace at which requests are taken.    conflicts: pace at which another's conflict takes the place of an op.
    The paces may be changed at any time: `bus.retries = pace(0.5)`.
    errors(address): nobody answers.    bypass: whether the ops of the design must bypass the tags (BZ-11), None: either.

    `memory`: its lines.    `ops`: every op in the order of verdicts. Other users' ops come by `post` and `do`.
    """

    def __init__(self, bench: Bench, *, masters: dict[int, str] | None = None, snoops: tuple[str, ...] = (), claim: str | None = None,
                 latency: int = 12, retries: Pace = 0, gaps: Pace = 0, jitter: int = 0, ready: Pace = 1, conflicts: Pace = 0,
                 errors=lambda address: False, bypass: bool | None = None):  # fmt: skip
        self.bench, self.latency, self.jitter, self.errors, self.bypass = bench, latency, jitter, errors, bypass
        self.retries, self.gaps, self.ready, self.conflicts = pace(retries), pace(gaps), pace(ready), pace(conflicts)
        self.memory = Lines()
        self.ops: list[Op] = []
        self.ports = {number: Port(self, number, prefix) for number, prefix in (masters or {}).items()}
        self.snoops = [Pins(bench.dut, prefix) for prefix in snoops]
        self.waiting: list[tuple[int, Op]] = []  # from which cycle on it may have the bus
        self.flying: deque[tuple[int, Op]] = deque()  # T0 and op
        self.owed: deque[Op] = deque()  # ops whose data the design owes, in verdict order
        self.reading: list[tuple[int, Op]] = []  # cycle of the first beat
        self.claimed: deque[Op] = deque()  # reads that the design claimed
        self.claimed_writes: deque[tuple[int, Op]] = deque()  # after how many beats it is over
        self._claimed_beats = 0
        bench.add(self)
        self.claim_write = Source(bench, f"{claim}_write") if claim else None
        self.claim_read = Sink(bench, f"{claim}_read", ("fragment", "last")) if claim else None

    # What others do ---------------------------------------------------------------------------------------------------
    def post(self, op: Op) -> Op:
        """An op of a master that is not part of the design; `op.done` says when it is over."""
        op.fired = self.bench.cycle
        self._enter(op)
        return op

    async def do(self, op: Op, limit: int = 3000) -> Op:
        self.post(op)
        await self.bench.until(lambda: op.done is not None, f"end of {op}", limit)
        return op

    def judge(self, op: Op, answers: dict[str, int]) -> None:
        """Sets `op.retry`, `shared`, `error` and `responder`: what all snoopers together say at T2."""
        op.retry = int(answers["retry"] or self.retries())
        op.error = int(not op.retry and not answers["claim"] and self.errors(op.address))
        op.shared = answers["shared"]
        op.responder = (
            NONE if op.retry or op.error else CACHE if answers["intervene"] else NIU if answers["claim"] else MEMORY if op.beats else NONE)

    # A cycle ----------------------------------------------------------------------------------------------------------
    def step(self) -> None:
        now = self.bench.cycle
        self._take_beat(now)
        self._take_claimed(now)
        for port in self.ports.values():
            op = port.sample()
            if op:
                assert self.bypass is None or op.bypass == self.bypass, f"{op}: bypass {op.bypass}"
                self._enter(op)
        self._verdict(now)
        self._issue(now)
        self._give_beat(now)
        for port in self.ports.values():
            if port.op and port.op.done is not None and port.op.done <= now:
                port.op = None
            port.pins.set("request_ready", int(port.op is None and self.ready()))

    def _late(self) -> int:
        return random.randrange(self.jitter + 1) if self.jitter else 0

    def _enter(self, op: Op) -> None:
        self.waiting.append((self.bench.cycle + self._late(), op))

    def _issue(self, now: int) -> None:
        turn = next((i for i, (since, _) in enumerate(self.waiting) if since <= now), None)
        if turn is not None and self.conflicts():
            self.flying.append((now + 1, None))
            turn = None
        op = None
        if turn is not None:
            op = self.waiting.pop(turn)[1]
            op.t0 = now + 1
            self.flying.append((now + 1, op))
        for snoop in self.snoops:
            self._request(snoop, "request", op)

    @staticmethod
    def _request(pins: Pins, name: str, op: Op | None, prefix: str = "") -> None:
        pins.set(f"{name}_valid", int(op is not None))
        if op:
            pins.drive(**{f"{name}_payload_{prefix}{n}": getattr(op, n) for n in ("master", *REQUEST)})

    def _verdict(self, now: int) -> None:
        answers = dict.fromkeys(ANSWERS, 0)
        for snoop in self.snoops:
            for n in ANSWERS:
                answers[n] |= snoop.get(f"answer_{n}")
        for port in self.ports.values():
            port.pins.set("answer_valid", 0)
        if not self.flying or self.flying[0][0] + 2 != now:
            assert not any(answers.values()), f"cycle {now}: {answers} to nothing"
            for snoop in self.snoops:
                snoop.set("verdict_valid", 0)
            return
        op = self.flying.popleft()[1]
        if op is None:
            assert not any(answers.values()), f"cycle {now}: {answers} to what was not broadcast"
            for snoop in self.snoops:
                snoop.drive(verdict_valid=1, verdict_payload_conflict=1, verdict_payload_retry=1)
            return
        op.answers = answers
        self.judge(op, answers)
        op.answered = now + 1
        self.ops.append(op)
        verdict = {n: getattr(op, n) for n in ("retry", "shared", "error", "conflict")}
        for snoop in self.snoops:
            self._request(snoop, "verdict", op, "request_")
            snoop.drive(verdict_payload_responder=op.responder, **{f"verdict_payload_{n}": v for n, v in verdict.items()})
        if op.master in self.ports:
            self.ports[op.master].pins.drive(answer_valid=1, **{f"answer_payload_{n}": v for n, v in verdict.items()})
        if op.retry or op.error or not op.beats and op.responder != CACHE:
            op.done = now + 1
        else:
            self.move(op)

    def move(self, op: Op) -> None:
        """Starts the data of an op that was not retried."""
        if op.responder == NIU:
            if op.op in WRITES:
                self.claim_write.burst(op.data[: op.beats])
                self._claimed_beats += op.beats
                self.claimed_writes.append((self._claimed_beats, op))
            else:
                self.claimed.append(op)
        elif op.master in self.ports and op.op in WRITES or op.responder == CACHE:
            self.owed.append(op)
        elif op.master in self.ports:
            self.reading.append((op.answered + 1 + self.latency + self._late(), op))
        else:
            if op.op in WRITES:
                self.memory.write(op.op, op.address, op.mask, op.data)
            else:
                op.got = self.memory.read(op.op, op.address)
            op.done = op.answered

    def _take_beat(self, now: int) -> None:
        """A beat that the design sends, and whether it may send the next."""
        for port in self.ports.values():
            if port.pins.get("write_ready") and port.pins.get("write_valid"):
                op = self.owed[0]
                op.got.append(port.pins.get("write_payload_fragment"))
                last = len(op.got) == (op.beats or 4)
                assert bool(port.pins.get("write_payload_last")) == last, f"cycle {now}: beat {len(op.got)} of {op}: last"
                if last:
                    self.owed.popleft()
                    self.memory.write(op.op, op.address, op.mask, op.got)
                    op.data, op.done = op.got, now
        head = self.owed[0] if self.owed else None
        moves = head is not None and head.answered <= now and not self.gaps()
        for port in self.ports.values():
            port.pins.set("write_ready", int(moves and port.number == head.master))

    def _give_beat(self, now: int) -> None:
        """At most one beat a cycle, to one of those who read."""
        for port in self.ports.values():
            port.pins.set("read_valid", 0)
        due = [op for first, op in self.reading if first <= now + 1]
        if not due or self.gaps():
            return
        op = random.choice(due) if self.jitter else due[0]
        op.got.append(self.memory.read(op.op, op.address)[len(op.got)])
        op.first_beat = op.first_beat or now + 1
        if len(op.got) == op.beats:
            self.reading = [r for r in self.reading if r[1] is not op]
            op.done = now + 1
        self.ports[op.master].pins.drive(read_valid=1, read_payload_fragment=op.got[-1], read_payload_last=int(op.done is not None))

    def _take_claimed(self, now: int) -> None:
        if self.claim_read is None:
            return
        for beat, last in self.claim_read.got:
            assert self.claimed, f"cycle {now}: data nobody asked for"
            op = self.claimed[0]
            op.got.append(beat)
            assert bool(last) == (len(op.got) == op.beats), f"cycle {now}: beat {len(op.got)} of {op}: last"
            if last:
                self.claimed.popleft()
                op.done = self.claim_read.at[-1]
        self.claim_read.got.clear()
        while self.claimed_writes and len(self.claim_write.at) >= self.claimed_writes[0][0]:
            beats, op = self.claimed_writes.popleft()
            op.done = self.claim_write.at[beats - 1]
