"""Drives a NiuSlave as the Site Bus and the message unit do, with the fixed timing of contract §2."""

import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

READ, READ_EXCLUSIVE, UPGRADE, WRITE_BACK, READ_PARTIAL, WRITE_PARTIAL = range(6)
NIU = 3
PATTERN = 0xBAD0BAD0


class Op:
    """One bus op and, when done, what became of it: `claim`, `retry`, `beats` read."""

    def __init__(self, master, op, address, word=0, mask=None, bypass=0, line=None):
        self.master, self.op, self.address, self.bypass = master, op, address, bypass
        lane = address >> 2 & 3
        self.mask = 0xF << 4 * lane if mask is None else mask
        noise = random.getrandbits(128) & ~(0xFFFFFFFF << 32 * lane)
        self.data = line if line is not None else [noise | word << 32 * lane]
        self.veto = False
        self.snooper_claims = False
        self.done = False
        self.claim = self.retry = None
        self.beats = []
        self.t0 = self.finished = None

    @property
    def word(self):
        words = {beat >> 32 * i & 0xFFFFFFFF for beat in self.beats for i in range(4)}
        assert len(words) == 1, "a load's word is in every lane"
        return words.pop()


class SlaveBus:
    def __init__(self, dut):
        self.dut = dut
        self.cycle = 0
        self.last = {}
        self.handles = {}
        self.waiting = deque()
        self.stage = [None] * 4
        self.writes = deque()
        self.reads = deque()
        self.pace_write = self.pace_read = 1.0
        self.conflicts = 0.0
        self.room = 0xFFFF
        self.fifos = {q: deque() for q in range(8)}
        self.pointers = {}
        self.empty = 0xE0000000
        self.time = 0
        self.out = {"express": [], "pointer": [], "console": [], "exit": [], "mark": [], "event": [], "pop": []}
        self.pace_event = 1.0
        self.room_seen = {}
        self._regs = deque()

    def set(self, name, value):
        if self.last.get(name) != value:
            self.last[name] = value
            self._handle(name).value = value

    def get(self, name):
        return int(self._handle(name).value)

    def _handle(self, name):
        if name not in self.handles:
            self.handles[name] = getattr(self.dut, "io_" + name)
        return self.handles[name]

    async def start(self):
        dut = self.dut
        for handle in dut:
            if handle._name.startswith("io_"):
                try:
                    handle.value = 0
                except (AttributeError, TypeError):
                    pass
        self.set("siteId", 37)
        self.set("sites", 64)
        self.set("aps", 3)
        dut.reset.value = 1
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        for _ in range(3):
            await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        dut.reset.value = 0
        cocotb.start_soon(self._run())

    async def until(self, condition, limit=3000, what="condition"):
        end = self.cycle + limit
        while not condition():
            assert self.cycle < end, f"no {what} after {limit} cycles"
            await RisingEdge(self.dut.clk)

    async def cycles(self, n):
        end = self.cycle + n
        await self.until(lambda: self.cycle >= end, n + 5)

    async def do(self, *args, **more):
        """One op to its end."""
        op = Op(*args, **more)
        self.waiting.append(op)
        await self.until(lambda: op.done, what=f"end of op {op.op} at {op.address:x}")
        return op

    async def load(self, master, address):
        op = await self.do(master, READ_PARTIAL, address)
        return op.word if op.claim else None

    async def register(self, address, data=None):
        done = []
        self._regs.append((address, data, done))
        await self.until(lambda: done)
        return done[0]

    async def _run(self):
        query = None
        answers = []
        while True:
            await FallingEdge(self.dut.clk)
            for done in answers:
                done.append(self.get("regs_data"))
            answers = []
            self.time += 1
            self.set("time", self.time)
            # The lookup of the cycle before is answered.
            if query:
                basic, queue, word = query
                if basic:
                    message, meta, data = 0, self.pointers.get((queue, word), queue << 8 | word), 0
                elif self.fifos.get(queue):
                    message, (meta, data) = 1, self.fifos[queue][0]
                else:
                    message, meta, data = 0, self.empty, random.getrandbits(32)
                self.set("window_answer_message", message)
                self.set("window_answer_meta", meta)
                self.set("window_answer_data", data)
            self.set("window_room", self.room if isinstance(self.room, int) else self.room())
            self.room_seen[self.cycle] = self.last["window_room"]
            self.set("event_ready", int(random.random() < self.pace_event))

            # The pipeline of requests: T0 now, T3 three cycles later. A conflict takes a place and is not broadcast.
            new = None
            if self.waiting:
                new = self.waiting.popleft() if random.random() >= self.conflicts else "conflict"
            self.stage = [new] + self.stage[:3]
            live = isinstance(new, Op)
            self.set("snoop_request_valid", int(live))
            if live:
                new.t0 = self.cycle
                self._request("snoop_request_payload", new)
            self._verdict(self.stage[3])
            self.set("claim_write_valid", int(bool(self.writes) and (self.last.get("claim_write_valid", 0) or random.random() < self.pace_write)))
            if self.writes:
                op, beat = self.writes[0]
                self.set("claim_write_payload_fragment", op.data[beat])
                self.set("claim_write_payload_last", int(beat == len(op.data) - 1))
            self.set("claim_read_ready", int(random.random() < self.pace_read))
            self.set("regs_command_valid", int(bool(self._regs)))
            if self._regs:
                address, data, done = self._regs.popleft()
                self.set("regs_command_payload_write", int(data is not None))
                self.set("regs_command_payload_address", address)
                self.set("regs_command_payload_data", data or 0)
                answers.append(done)

            await RisingEdge(self.dut.clk)
            query = None
            if self.get("window_query_valid"):
                query = (self.get("window_query_payload_basic"), self.get("window_query_payload_queue"),
                         self.get("window_query_payload_word"))
            self._sample()
            self.cycle += 1

    def _request(self, prefix, op):
        for name, value in (("master", op.master), ("op", op.op), ("address", op.address), ("mask", op.mask), ("bypass", op.bypass)):
            self.set(f"{prefix}_{name}", value)

    def _verdict(self, op):
        self.set("snoop_verdict_valid", int(op is not None))
        if op is None:
            return
        self.set("snoop_verdict_payload_conflict", int(op == "conflict"))
        if op == "conflict":
            self.set("snoop_verdict_payload_retry", 1)
            return
        retry = op.retry or op.veto
        claimed = op.claim or op.snooper_claims
        self._request("snoop_verdict_payload_request", op)
        self.set("snoop_verdict_payload_retry", int(retry))
        self.set("snoop_verdict_payload_error", int(not claimed and not retry and op.address >> 28 == 0xF))
        self.set("snoop_verdict_payload_responder", NIU if claimed and not retry else 1)
        if retry or not claimed:
            op.done = True
        elif op.op in (WRITE_BACK, WRITE_PARTIAL):
            self.writes.extend((op, i) for i in range(len(op.data)))
        elif op.op in (READ, READ_EXCLUSIVE, READ_PARTIAL):
            self.reads.append(op)

    def _sample(self):
        answer = self.stage[2]
        if isinstance(answer, Op):
            answer.claim = self.get("snoop_answer_claim")
            answer.retry = self.get("snoop_answer_retry")
        else:
            assert not self.get("snoop_answer_claim") and not self.get("snoop_answer_retry"), "an answer to nobody"
        if self.last["claim_write_valid"] and self.get("claim_write_ready"):
            op, beat = self.writes.popleft()
            self.set("claim_write_valid", 0)
            if beat == len(op.data) - 1:
                op.done, op.finished = True, self.cycle
        if self.get("claim_read_valid") and self.last["claim_read_ready"]:
            assert self.reads, "data nobody asked for"
            op = self.reads[0]
            op.beats.append(self.get("claim_read_payload_fragment"))
            last = self.get("claim_read_payload_last")
            assert last == (len(op.beats) == (1 if op.op == READ_PARTIAL else 4)), "beats of a claimed read"
            if last:
                self.reads.popleft()
                op.done, op.finished = True, self.cycle
        if self.get("window_pop_valid"):
            queue = self.get("window_pop_payload")
            self.out["pop"].append((queue, self.fifos[queue].popleft()))
        if self.get("window_express_valid"):
            self.out["express"].append(tuple(self.get(f"window_express_payload_{f}") for f in ("queue", "tag", "dest", "high", "data")))
        if self.get("window_pointer_valid"):
            self.out["pointer"].append(tuple(self.get(f"window_pointer_payload_{f}") for f in ("queue", "consumer", "value")))
        for name in ("console", "exit", "mark"):
            if self.get(f"{name}_valid"):
                self.out[name].append((self.get(f"{name}_payload_ap"), self.get(f"{name}_payload_value")))
        if self.get("event_valid") and self.last["event_ready"]:
            self.out["event"].append(tuple(self.get(f"event_payload_{f}") for f in ("index", "arg", "meta")))


async def start(dut):
    bus = SlaveBus(dut)
    await bus.start()
    return bus
