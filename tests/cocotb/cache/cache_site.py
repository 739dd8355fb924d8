"""A Site Bus, memory, another cache and an NIU around one data cache, with one memory everyone must agree on.

Cycle exact to contract §2: a request is broadcast in T0, the cache's answer is sampled in T2, the verdict is driven in T3.
The model is as fast as the contract allows: an op may follow on a line the cycle after the former's end.
"""

import os
import random

from kit import Bench, Pins
from kit.sitebus import INTERVENED, LINE, PARTIALS, BusOp as Op, fresh

SELF, CACHE, NIU = 0, 2, 8


def cached(address):
    return address >> 28 == 8


def in_memory(address):
    return 0x8000_0000 <= address < 0x8100_0000


NONE, LR, SC = 31, 2, 3  # AtomicOp


def signed(word):
    return word - (word >> 31 << 32)


#: What an AMO makes of the word it finds and its operand.
AMOS = {
    0: lambda a, b: a + b & 0xFFFF_FFFF, 1: lambda a, b: b, 4: lambda a, b: a ^ b, 8: lambda a, b: a | b, 12: lambda a, b: a & b,
    16: lambda a, b: min(a, b, key=signed), 20: lambda a, b: max(a, b, key=signed), 24: min, 28: max,
}  # fmt: skip


class SiteOp:
    def __init__(self, master, op, address, mask=0, data=None, niu_retry=None, niu_shared=None):
        self.master, self.op, self.address, self.mask, self.data = master, Op(op), address, mask, data
        self.niu_retry, self.niu_shared = niu_retry, niu_shared
        self.line = address // LINE
        self.conflict = self.done = self.retried = False
        self.answer = None

    def __repr__(self):
        return f"{self.op.name} {self.address:08x} by {self.master}"


class Site(Bench):
    """`rates`: probabilities a cycle of what is random; all 0 gives a bus that is never in the way."""

    def __init__(self, dut, index=0, **rates):
        super().__init__(dut)
        self.index, self.pins = index, Pins(dut)
        self.me = 2 * index
        self.rates = dict(retry=0.0, shared=0.0, wake=0.0, stall=0.0, gap=0.0, delay=0, hold=0.0, jam=0.0) | rates
        self.memory, self.truth = {}, {}
        self.other = {}  # line -> [state, data] of the other cache
        self.held = {}  # line -> what the cache may hold: S, E (perhaps modified)
        self.registers = {}
        self.pipe, self.waiting, self.flight = [], [], {}
        self.own = None  # the cache's op between its request and its end
        self.sending = []  # ops whose data the cache owes, in verdict order
        self.reading = []  # beats on their way to the cache
        self.commands, self.loads = [], []
        self.store = None  # the store that may not yet be performed
        self.current = None
        self.fills = 0
        self.after = []
        self.busy = False
        self.fading = {}  # clean victim -> cycle its fill was granted: a snoop that looked before may still have met it
        self.elder = None
        self.conflicts = 0  # in a row, of the cache; 4 reserve its line as the bus's elder does
        self.trace = []  # (cycle, what, ...) for directed tests
        self.responses = []
        self.idle_rate = 0.0
        self.found = None  # what the last AMO must have found
        self.reserved = None  # line of an LR since which nothing happened to it, nor did the CPU anything
        self.perhaps = None  # the same, whatever the CPU did

    # Memory ---------------------------------------------------------------------------------------------------------------
    def line_of(self, store, line):
        if line not in store:
            self.memory.setdefault(line, fresh(line * LINE))
            self.truth.setdefault(line, self.memory[line])
        return store[line]

    def set_truth(self, line, data):
        self.line_of(self.truth, line)
        self.truth[line] = bytes(data)
        for load in self.loads:
            if load["address"] // LINE == line:
                load["may"].add(self.word(load["address"]))

    def word(self, address):
        at = address % LINE & ~3
        return int.from_bytes(self.line_of(self.truth, address // LINE)[at : at + 4], "little")

    @staticmethod
    def patched(line, address, size, data):
        line, at = bytearray(line), address % LINE
        line[at : at + (1 << size)] = data.to_bytes(4, "little")[: 1 << size]
        return bytes(line)

    def commit(self):
        """The cache's last store is performed now."""
        store, self.store = self.store, None
        if store:
            line, data = store["address"] // LINE, store["data"]
            if store["atomic"] in AMOS:
                self.found = self.word(store["address"])
                data = AMOS[store["atomic"]](self.found, data)
            self.set_truth(line, self.patched(self.line_of(self.truth, line), store["address"], store["size"], data))

    def check_atomic(self, command, got):
        """The answer to an LR, SC or AMO."""
        line = command["address"] // LINE
        if command["atomic"] == LR:
            self.reserved = self.perhaps = line
        elif command["atomic"] == SC:
            assert got in (0, 1), f"cycle {self.cycle}: an SC answers {got:x}"
            assert got or self.perhaps == line, f"cycle {self.cycle}: an SC to {command['address']:08x} succeeds, its line is not reserved"
            assert not got or self.reserved != line, f"cycle {self.cycle}: an SC to {command['address']:08x} fails, nothing came between"
            if not got:
                self.store = command
                self.commit()
            self.reserved = self.perhaps = None
        else:
            self.commit()
            assert got == self.found, f"cycle {self.cycle}: an AMO at {command['address']:08x} gave {got:08x}, it found {self.found:08x}"

    def check_sent(self, line, data):
        """Data of the cache must be the truth, with or without its last store."""
        want = self.line_of(self.truth, line)
        if data != want and self.store and self.store["address"] // LINE == line:
            self.commit()
            want = self.truth[line]
        assert data == want, f"cycle {self.cycle}: the cache sent {data.hex()} for line {line * LINE:x}, right is {want.hex()}"

    # Start ----------------------------------------------------------------------------------------------------------------
    async def started(self):
        self.driven = dict(cmd=None, request_ready=0, write_ready=0)
        await self.start(index=self.index)
        self.add(self)
        await self.tick(140)
        return self

    # A cycle --------------------------------------------------------------------------------------------------------------
    def chance(self, name):
        rate = self.rates[name]
        return rate > 0 and random.random() < rate

    def step(self):
        self.sample_cpu()
        self.sample_write()
        self.verdicts()
        self.sample_request()
        self.issue()
        self.drive()

    async def until(self, condition, what="what the test waits for", limit=2000):
        await super().until(lambda: condition(), f"{what}; own {self.own}, flight {self.flight}", limit)

    def sample_cpu(self):
        pins = self.pins
        if pins.get("cpu_rsp_valid"):
            assert self.loads, f"cycle {self.cycle}: a response to no load"
            load = self.loads.pop(0)
            got, error = int(pins.get("cpu_rsp_payload_data")), bool(pins.get("cpu_rsp_payload_error"))
            assert error == load["error"], f"{load['address']:08x}: error {error}"
            if not error:
                if load["atomic"] != NONE:
                    self.check_atomic(load, got)
                assert got in load["may"] or load["atomic"] not in (NONE, LR), (
                    f"cycle {self.cycle}: load {load['address']:08x} gave {got:08x}, right is any of {[hex(m) for m in load['may']]}")
            self.responses.append((load["fired"], self.cycle, got))
        if pins.get("storeError_valid"):
            self.trace.append((self.cycle, "store error", int(pins.get("storeError_payload"))))
        ready = bool(pins.get("cpu_cmd_ready"))
        if ready:
            self.busy = False
            assert self.fills <= 1, f"cycle {self.cycle}: {self.current} needed {self.fills} fills: it lost a line it had obtained"
            self.commit()
            assert not [l for l in self.loads], f"cycle {self.cycle}: ready while a load waits"
        command = self.driven["cmd"]
        if command and ready:
            self.driven["cmd"] = None
            self.commands.pop(0)
            self.current, self.fills = command, 0
            self.busy = True
            address = command["address"]
            self.trace.append((self.cycle, "fire", address))
            if command["atomic"] != SC:
                self.reserved = None
            if command["atomic"] in AMOS and cached(address) and in_memory(address):
                self.store = command
            if command["wr"]:
                if cached(address) and in_memory(address):
                    self.store = command
            else:
                known = cached(address)
                may = {self.word(address)} if known else {self.registers.get(address & ~3, address & ~3)}
                self.loads.append(dict(command, may=may, fired=self.cycle,
                                       error=not in_memory(address) and (address < 0xF000_0000 or command["atomic"] != NONE)))

    def sample_write(self):
        pins = self.pins
        if not pins.get("bus_write_valid"):
            return
        assert self.sending, f"cycle {self.cycle}: data nobody asked for"
        if not self.driven["write_ready"]:
            return
        op = self.sending[0]
        op.beats.append(int(pins.get("bus_write_payload_fragment")).to_bytes(16, "little"))
        last = bool(pins.get("bus_write_payload_last"))
        assert last == (len(op.beats) == (1 if op.op == Op.WRITE_PARTIAL else 4)), f"cycle {self.cycle}: {op}: last"
        if last:
            self.sending.pop(0)
            self.sent(op, b"".join(op.beats))

    def sent(self, op, data):
        """The cache has sent the data of `op`: its own write, or an intervention."""
        self.trace.append((self.cycle, "sent", op))
        op.sent = data
        if op.op == Op.WRITE_PARTIAL:
            word = self.current
            lanes = ((1 << (1 << word["size"])) - 1) << (word["address"] % 16)
            assert op.mask == lanes, f"mask {op.mask:04x} of {word}"
            for i in range(16):
                if op.mask >> i & 1:
                    assert data[i] == word["data"].to_bytes(4, "little")[i % 4 - word["address"] % 4]
            at = word["address"] & ~3
            line = self.patched(self.registers.get(at, at).to_bytes(4, "little"), word["address"] % 4, word["size"], word["data"])
            self.registers[at] = int.from_bytes(line, "little")
            self.end(op)
            return
        self.check_sent(op.line, data)
        if op.op != Op.READ_EXCLUSIVE:
            self.memory[op.line] = data
        elif op.master == NIU:
            self.memory[op.line] = data
        if op.master == CACHE:
            self.other[op.line] = ["M" if op.op == Op.READ_EXCLUSIVE else "S", data]
        self.end(op)

    def end(self, op):
        op.done = True
        self.flight.pop(op.line, None)
        if op is self.own:
            self.own = None

    # Bus ------------------------------------------------------------------------------------------------------------------
    def sample_request(self):
        pins = self.pins
        if pins.get("bus_request_valid") and self.driven["request_ready"]:
            assert self.own is None, f"cycle {self.cycle}: a second op of one master"
            op = SiteOp(self.me, int(pins.get("bus_request_payload_op")), int(pins.get("bus_request_payload_address")),
                       int(pins.get("bus_request_payload_mask")))
            assert not pins.get("bus_request_payload_bypass")
            self.own = op
            self.trace.append((self.cycle, "request", op.op, op.address))
            self.waiting.append(op)

    def post(self, op):
        """A foreign op: joins the arbitration; `op.done` when it has ended, `op.retried` if it was retried."""
        self.waiting.append(op)
        return op

    def issue(self):
        pins = self.pins
        pins.set("snoop_request_valid", 0)
        if not self.waiting or self.chance("hold"):
            return
        op = self.waiting.pop(random.randrange(len(self.waiting)) if self.rates["hold"] else 0)
        op.t0 = self.cycle + 1
        op.conflict = op.line in self.flight or op.master != self.me and op.line == self.elder
        if not op.conflict and op.master == CACHE and not self.still_valid(op):
            op.retried = op.done = True
            return
        if not op.conflict:
            self.flight[op.line] = op
            self.set_request(pins, "snoop_request_payload", op)
            pins.set("snoop_request_valid", 1)
        self.pipe.append(op)

    def still_valid(self, op):
        state = self.other.get(op.line, "I")[0]
        return {Op.READ: state == "I", Op.READ_EXCLUSIVE: state == "I", Op.UPGRADE: state == "S", Op.WRITE_BACK: state == "M"}[op.op]

    @staticmethod
    def set_request(pins, prefix, op):
        for field, value in (("master", op.master), ("op", int(op.op)), ("address", op.address), ("mask", op.mask),
                             ("bypass", int(op.master == NIU))):
            pins.set(f"{prefix}_{field}", value)

    def verdicts(self):
        """End of T2: the answers are in, the verdict is driven in the next cycle."""
        pins = self.pins
        pins.set("snoop_verdict_valid", 0)
        pins.set("bus_answer_valid", 0)
        answer = {k: bool(pins.get(f"snoop_answer_{k}")) for k in ("retry", "shared", "intervene", "claim")}
        if not self.pipe or self.pipe[0].t0 + 2 != self.cycle:
            assert not any(answer.values()), f"cycle {self.cycle}: an answer {answer} to nothing"
            return
        op = self.pipe.pop(0)
        if op.conflict:
            assert not any(answer.values())
        op.answer = answer
        retry = op.conflict or answer["retry"] or (self.chance("retry") if op.niu_retry is None else op.niu_retry)
        mine = op.master == self.me
        state, data = self.other.get(op.line, ("I", None))
        if not op.conflict and op.master != CACHE and op.op in PARTIALS and state != "I":
            if state == "M":
                self.memory[op.line] = data
            self.other.pop(op.line)
            retry = True
        self.check_answer(op, answer, state)
        if not mine and op.op in PARTIALS and op.line == self.reserved:
            self.reserved = None  # retried as it is, it may have taken the line
        shared = answer["shared"] or op.master != CACHE and op.op == Op.READ and state != "I"
        if op.op == Op.READ and not shared:
            shared = self.chance("shared") if op.niu_shared is None else op.niu_shared
        error = not retry and not in_memory(op.address) and op.address < 0xF000_0000
        intervened = not retry and (answer["intervene"] or op.master != CACHE and op.op in INTERVENED and state == "M")
        responder = 0 if retry or error else 2 if intervened else 3 if op.address >= 0xF000_0000 else 1 if op.op in (0, 1, 3, 4, 5) else 0
        self.set_request(pins, "snoop_verdict_payload_request", op)
        for field, value in (("retry", retry), ("shared", shared), ("error", error), ("conflict", op.conflict), ("responder", responder)):
            pins.set(f"snoop_verdict_payload_{field}", int(value))
        pins.set("snoop_verdict_valid", 1)
        # One wire for all masters, as in the bus: it is ours with `valid` alone.
        for field, value in (("retry", retry), ("shared", shared), ("error", error), ("conflict", op.conflict)):
            pins.set(f"bus_answer_payload_{field}", int(value))
        if mine:
            if not op.conflict:
                self.conflicts, self.elder = 0, None
            pins.set("bus_answer_valid", 1)
            self.trace.append((self.cycle + 1, "answer", op.op, retry, shared))
        op.retried, op.shared = retry, shared
        if op.conflict:
            op.done = True
            if op is self.own:
                self.own = None
                self.conflicts += 1
                self.elder = op.line if self.conflicts >= 4 else None
        elif retry or error:
            self.after.append(op)
        else:
            self.judge(op, answer, state, data)

    def check_answer(self, op, answer, state):
        held = self.held.get(op.line)
        assert not answer["claim"]
        if op.master == self.me:
            assert not answer["shared"] and not answer["intervene"]
        elif held is None and op.t0 <= self.fading.get(op.line, -1):
            assert not answer["intervene"]
        elif held is None:
            assert not any(answer.values()), f"cycle {self.cycle}: {op}: {answer} for a line it does not hold"
        elif held == "S":
            assert not answer["intervene"], f"cycle {self.cycle}: {op}: a Shared line intervenes"

    def judge(self, op, answer, state, data):
        """What an op that was not retried does, in T3."""
        mine = op.master == self.me
        if mine:
            self.judge_own(op, state, data)
            return
        if op.line == self.perhaps:
            self.reserved = self.perhaps = None
        if op.op == Op.READ or op.op == Op.CLEAN:
            if self.held.get(op.line):
                self.held[op.line] = "S"
        elif op.op not in PARTIALS:
            self.held.pop(op.line, None)
        if answer["intervene"]:
            op.beats = []
            self.sending.append(op)
            return
        memory = self.line_of(self.memory, op.line)
        pending = self.store and self.store["address"] // LINE == op.line
        if op.op in (Op.READ, Op.READ_EXCLUSIVE):
            seen = data if state == "M" else memory
            assert seen == self.truth[op.line], f"cycle {self.cycle}: {op} finds stale memory; a write of the cache is lost"
            if op.master == CACHE:
                self.other[op.line] = ["M" if op.op == Op.READ_EXCLUSIVE else "S" if op.shared else "E", seen]
            else:
                self.memory[op.line] = seen
                if op.op == Op.READ_EXCLUSIVE:
                    self.other.pop(op.line, None)
                elif state != "I":
                    self.other[op.line][0] = "S"
        elif op.op == Op.UPGRADE:
            if op.master == CACHE:
                self.other[op.line][0] = "M"
        elif op.op == Op.WRITE_BACK:
            assert not (pending and op.master == NIU)
            if op.master == CACHE:
                self.memory[op.line] = data
            else:
                self.memory[op.line] = op.data
                self.set_truth(op.line, op.data)
            self.other.pop(op.line, None)
        elif op.op in (Op.FLUSH, Op.CLEAN):
            if state == "M":
                self.memory[op.line] = data
            if op.op == Op.FLUSH:
                self.other.pop(op.line, None)
            elif state != "I":
                self.other[op.line][0] = "S"
            assert self.memory[op.line] == self.truth[op.line]
        elif op.op == Op.KILL:
            assert not pending
            self.other.pop(op.line, None)
            self.set_truth(op.line, memory)
        elif op.op == Op.READ_PARTIAL:
            assert memory == self.truth[op.line], f"cycle {self.cycle}: {op} finds stale memory"
        elif op.op == Op.WRITE_PARTIAL:
            assert memory == self.truth[op.line], f"cycle {self.cycle}: {op} finds stale memory"
            at = op.address % LINE & ~15
            new = bytes(op.data[i % 16] if at <= i < at + 16 and op.mask >> (i - at) & 1 else b for i, b in enumerate(memory))
            self.memory[op.line] = new
            self.set_truth(op.line, new)
        self.after.append(op)

    def judge_own(self, op, state, data):
        if op.op in (Op.READ, Op.READ_EXCLUSIVE, Op.UPGRADE):
            self.fills += 1
        if op.op in (Op.WRITE_BACK, Op.WRITE_PARTIAL):
            op.beats = []
            self.sending.append(op)
            if op.op == Op.WRITE_BACK:
                assert self.held.get(op.line) == "E", f"cycle {self.cycle}: {op}: it holds {self.held.get(op.line)}"
                assert state == "I", f"cycle {self.cycle}: {op}: the other cache holds {state}"
                self.held.pop(op.line)
            return
        if op.op == Op.UPGRADE:
            assert self.held.get(op.line) == "S", f"cycle {self.cycle}: {op}: it holds {self.held.get(op.line)}"
            assert state in "IS", f"cycle {self.cycle}: {op} kills the only copy, {state} in the other cache"
            self.other.pop(op.line, None)
            self.held[op.line] = "E"
            self.after.append(op)
            return
        if op.op == Op.READ_PARTIAL:
            word = self.registers.get(op.address & ~3, op.address & ~3)
            assert op.mask == ((1 << (1 << self.current["size"])) - 1) << (op.address % 16)
            beats = [(word << 8 * (op.address % 16 & ~3)).to_bytes(16, "little")]
        else:
            line = data if state == "M" else self.line_of(self.memory, op.line)
            assert line == self.truth[op.line], f"cycle {self.cycle}: {op} is given stale data: the model is wrong"
            beats = [line[i : i + 16] for i in range(0, LINE, 16)]
            if op.op == Op.READ:
                if state == "M":
                    self.memory[op.line] = data
                if state != "I":
                    self.other[op.line][0] = "S"
            else:
                self.other.pop(op.line, None)
            self.held[op.line] = "S" if op.op == Op.READ and op.shared else "E"
            victims = [l for l in self.held if l != op.line and (l - op.line) % (8192 // LINE) == 0]
            if len(victims) >= self.ways:
                for v in victims if self.ways == 1 else []:
                    del self.held[v]
                    self.fading[v] = self.cycle
        first = self.cycle + 2 + random.randrange(self.rates["delay"] + 1)
        self.reading = [(first, i == len(beats) - 1, b, op) for i, b in enumerate(beats)]

    ways = 1
    atomics = os.environ.get("ATOMICS") == "1"

    # Inputs of the next cycle ---------------------------------------------------------------------------------------------
    def drive(self):
        pins = self.pins
        for op in self.after:
            self.end(op)
        self.after = []
        ready = int(self.own is None and not self.chance("stall"))
        if ready != self.driven["request_ready"]:
            pins.set("bus_request_ready", ready)
        write = int(not self.chance("stall") and not self.chance("jam"))
        if write != self.driven["write_ready"]:
            pins.set("bus_write_ready", write)
        self.driven.update(request_ready=ready, write_ready=write)
        pins.set("bus_wake", int(self.chance("wake")))
        pins.set("bus_read_valid", 0)
        if self.reading and self.cycle + 1 >= self.reading[0][0] and not self.chance("gap"):
            _, last, beat, op = self.reading.pop(0)
            pins.set("bus_read_valid", 1)
            pins.set("bus_read_payload_last", int(last))
            pins.set("bus_read_payload_fragment", int.from_bytes(beat, "little"))
            if last:
                self.trace.append((self.cycle + 1, "last beat", op))
                self.end(op)
        if not self.driven["cmd"]:
            command = self.commands[0] if self.commands and random.random() >= self.idle_rate else None
            if command and (command["wr"] or command["atomic"] in (SC, *AMOS)) and self.cached_guard(command["address"]):
                command = None
            self.driven["cmd"] = command
            pins.set("cpu_cmd_valid", int(command is not None))
            if command:
                pins.set("cpu_cmd_payload_wr", int(command["wr"]))
                pins.set("cpu_cmd_payload_address", command["address"])
                pins.set("cpu_cmd_payload_size", command["size"])
                if self.atomics:
                    pins.set("cpu_cmd_payload_atomic", command["atomic"])
                size = command["size"]
                value = command["data"] & ((1 << (8 << size)) - 1)
                pins.set("cpu_cmd_payload_data", int.from_bytes(value.to_bytes(1 << size, "little") * (4 >> size), "little"))

    def cached_guard(self, address):
        """A KILL or a put would drop the store: real software never races them, so neither do we."""
        line = address // LINE
        return any(o.line == line and (o.op == Op.KILL or o.op == Op.WRITE_BACK and o.master == NIU)
                   for o in [*self.waiting, *self.pipe, *self.flight.values()])

    # CPU ------------------------------------------------------------------------------------------------------------------
    def load(self, address, size=2):
        self.commands.append(dict(wr=False, address=address, size=size, data=0, atomic=NONE))

    def put(self, address, data, size=2):
        self.commands.append(dict(wr=True, address=address, size=size, data=data & ((1 << (8 << size)) - 1), atomic=NONE))

    def atomic(self, op, address, data=0):
        self.commands.append(dict(wr=False, address=address, size=2, data=data & 0xFFFF_FFFF, atomic=op))

    async def settle(self, limit=3000):
        """Until everything asked for has happened."""
        await self.until(lambda: not (self.commands or self.loads or self.driven["cmd"] or self.sending or self.flight
                                      or self.waiting or self.pipe or self.own or self.busy), "rest", limit)

    def requests(self, since=0):
        return [(t[2], t[3]) for t in self.trace if t[1] == "request" and t[0] >= since]
