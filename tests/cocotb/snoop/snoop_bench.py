"""Drives a Snooper as bus, commander, firmware and register master; checks every cycle against the model."""

import os
from collections import deque

import kit
import snoop_model as m
from kit import Pins
from kit.registers import RegPort
from kit.sitebus import BASE, CACHE, MEMORY, NIU, NONE, Op
from registers import (
    NIU_APPROVAL_ADDRESS, NIU_APPROVAL_STATE, NIU_APPROVAL_STATE_APPROVED, NIU_APPROVAL_STATE_MASTER, NIU_APPROVAL_STATE_OP,
    NIU_APPROVAL_STATE_VALID, NIU_RESPONDER, NIU_TAGQ)  # fmt: skip

RETRIED, PASSED = m.Answer(retry=True), m.Answer()


def fault(tag, op, master, address, slot=0):
    """The event (index, arg, meta) of an access that the tag does not allow."""
    return (m.EVENT_FAULT + 4 * tag + m.CLASS[op], address, m.meta(Op(op, address, master=master), tag, slot))


def state_of(entry):
    """What APPROVAL_STATE says of an entry."""
    return (NIU_APPROVAL_STATE_VALID(1) | NIU_APPROVAL_STATE_APPROVED(int(entry.approved)) | NIU_APPROVAL_STATE_OP(entry.op)
            | NIU_APPROVAL_STATE_MASTER(entry.master))  # fmt: skip


def cell(cls, op):
    """The responder table's register for a tag and an op."""
    return NIU_RESPONDER(cls * 16 + op)


class Bench(kit.Bench):
    """`tick` is one cycle. A request given to it is T0; its outcome is in its token's "verdict" from T3 on."""

    def __init__(self, dut, event_ready=lambda: True):
        super().__init__(dut)
        self.entries = int(os.environ["ENTRIES"])
        self.age_limit = int(os.environ["AGE_LIMIT"])
        self.timeout = int(os.environ["DEFER_TIMEOUT"])
        self.memory = int(os.environ["MEMORY"])
        self.heap = range(BASE + self.memory // 2, BASE + self.memory - (1 << 20))
        self.event_ready = event_ready
        self.model = m.Model(self.entries, self.age_limit, self.heap)
        self.pipe = deque([None] * 3, maxlen=3)  # ops in T1, T2, T3 with their table column and answer
        self.events = []  # (cycle first visible, index, arg, meta)
        self.wakes = []
        self.results = []  # (cycle accepted, cycle of the result, mismatch, found)
        self.command = None
        self.waited = 0
        self.accepted = deque()
        self.reg_data = None
        self.other_retry = lambda op: False
        self.intervenes = lambda op: False
        self.regs = RegPort(self)
        self.request, self.verdict, self.answer = (Pins(dut, f"io_snoop_{name}") for name in ("request", "verdict", "answer"))
        self.tag_command, self.tag_result = Pins(dut, "io_tag_command"), Pins(dut, "io_tag_result")
        self.event, self.pins = Pins(dut, "io_event"), Pins(dut)

    async def cleared(self):
        """The cycles after reset in which the tags are cleared."""
        for _ in range(len(self.heap) // 2048):
            await self.edge()
            assert self.answer.get("retry") == 0
            self.model.cycle += 1
        self.model.room = True

    async def edge(self):
        """A cycle that the model does not see."""
        await super().tick()

    def present(self, op):
        """Drives the request of the next cycle."""
        self.request.set("valid", int(op is not None))
        if op:
            self.request.drive(**{f"payload_{n}": getattr(op, n) for n in m.REQUEST})

    async def tick(self, request=None, command=None, reg=None):
        """One cycle. `command` stays on the port until it is accepted; `reg`: (address, data or None to read)."""
        model = self.model
        if command:
            assert self.command is None
            self.command, self.waited, self.presented = command, 0, self.cycle + 1
            self.tag_command.drive(valid=1, **{f"payload_{n}": int(v) for n, v in vars(command).items()})
        # The op of T0 three cycles ago has its verdict now.
        t3 = self.pipe[2]
        retry = False
        if t3:
            op, answer = t3["op"], t3["answer"]
            retry = answer.retry or t3["other_retry"]
            niu = answer.claim and not retry and not t3["intervenes"]
            self.verdict.drive(payload_retry=int(retry), payload_responder=NONE if retry else NIU if niu else CACHE if t3["intervenes"] else MEMORY,
                               **{f"payload_request_{n}": getattr(op, n) for n in m.REQUEST})  # fmt: skip
            t3["verdict"] = m.Answer(retry, answer.shared, answer.claim)
            t3["done"] = self.cycle + 1
        self.verdict.set("valid", int(bool(t3)))
        self.present(request)
        self.regs.present(*reg) if reg else self.regs.idle()
        ready = self.event_ready()
        self.event.set("ready", int(ready))
        await self.edge()

        # Outputs of this cycle.
        t2 = self.pipe[1]
        got = m.Answer(*(self.answer.get(n) == 1 for n in ("retry", "shared", "claim")))
        expected = t2["expected"] if t2 else m.Answer()
        assert got == expected, f"cycle {self.cycle}: {t2 and t2['op']} answered {got}, expected {expected}"
        assert self.answer.get("intervene") == 0
        if t2:
            t2["answer"] = got
        visible = self.event.get("valid") == 1
        assert visible == bool(model.events), f"cycle {self.cycle}: event valid {visible}, expected {model.events}"
        if visible:
            event = tuple(self.event.get(f"payload_{n}") for n in ("index", "arg", "meta"))
            assert event == model.events[0][1:], f"cycle {self.cycle}: event {event}, expected {model.events[0]}"
            if not self.events or self.events[-1][4] != id(model.events[0]):
                self.events.append((self.cycle, *event, id(model.events[0])))
                self._keep = model.events[0]
        wake = self.pins.get("wake") == 1
        assert wake == any(model.wake), f"cycle {self.cycle}: wake {wake}, expected {list(model.wake)}"
        if wake:
            self.wakes.append(self.cycle)
        accepted = self._check_command()
        self.reg_data = self.regs.pins.get("data")

        # The model's cycle.
        t1 = self.pipe[0]
        heap_op = t1["op"] if t1 and not t1["op"].bypass and t1["op"].address in self.heap else None
        verdict = (t3["op"], retry, niu) if t3 else None
        answer = model.step(heap_op, t1 and t1["column"], accepted, verdict, visible and ready)
        if t1:
            t1["expected"] = answer
        token = None
        if request:
            token = {"op": request, "column": [row[request.op] for row in model.table], "other_retry": self.other_retry(request),
                     "intervenes": self.intervenes(request),
                     "issued": self.cycle}
        if reg and reg[1] is not None and reg[0] in NIU_RESPONDER.offsets:
            i = NIU_RESPONDER.offsets.index(reg[0])
            model.table[i // 16][i % 16] = reg[1] & 7
        self.pipe.appendleft(token)
        if accepted:
            self.tag_command.set("valid", 0)
        return token

    def _check_command(self):
        """Result of the last command; whether the one on the port is accepted in this cycle, and rightly so."""
        result = self.tag_result.get("valid") == 1
        assert result == bool(self.accepted), f"cycle {self.cycle}: result {result}, accepted {self.accepted}"
        if result:
            cycle, mismatch, found = self.accepted.popleft()
            got = (self.tag_result.get("payload_mismatch") == 1, self.tag_result.get("payload_found"))
            assert got == (mismatch, found), f"cycle {self.cycle}: result {got}, expected {(mismatch, found)}"
            self.results.append((cycle, self.cycle, mismatch, found))
        c = self.command
        if not c:
            return None
        mismatch, found = self.model.mismatch(c)
        must_wait = c.defer and not mismatch and self.model.approved_in(c)
        ready = self.tag_command.get("ready") == 1
        if ready:
            assert not must_wait or self.waited >= self.timeout, f"cycle {self.cycle}: {c} passed an approved access"
            assert self.cycle - self.presented >= (2 if c.check else 1)
            self.accepted.append((self.cycle, mismatch, found))
            self.command = None
            return c
        self.waited = self.waited + 1 if must_wait else self.waited
        assert self.waited <= self.timeout + 4, f"{c} waits for ever"
        if not must_wait:
            assert self.cycle - self.presented - self.waited < 8, f"cycle {self.cycle}: {c} is not accepted"
        return None

    async def op(self, master, op, address, **kw):
        """One op by itself; returns its verdict."""
        token = await self.tick(Op(op, address, master=master, **kw))
        for _ in range(4):
            await self.tick()
        return token["verdict"]

    async def tag(self, address, **kw):
        """One tag command by itself; returns (mismatch, found)."""
        await self.tick(command=m.Command(address, **kw))
        n = len(self.results)
        while len(self.results) == n or self.command:
            await self.tick()
        return self.results[-1][2:]

    async def set(self, address, next, size=0, approve=False, **kw):
        return await self.tag(address, set=True, next=next, size=size, approve=approve, **kw)

    async def write(self, address, data):
        await self.tick(reg=(address, data))

    async def read(self, address):
        await self.tick(reg=(address, None))
        await self.tick()
        return self.reg_data

    async def query(self, address):
        await self.write(NIU_TAGQ, address)
        return await self.read(NIU_TAGQ)

    async def entry(self, i):
        """Approval entry i: None, or (line address, approved, op, master)."""
        status = await self.read(NIU_APPROVAL_STATE(i))
        address = await self.read(NIU_APPROVAL_ADDRESS(i))
        if not NIU_APPROVAL_STATE_VALID.of(status):
            return None
        return (address, bool(NIU_APPROVAL_STATE_APPROVED.of(status)), NIU_APPROVAL_STATE_OP.of(status), NIU_APPROVAL_STATE_MASTER.of(status))

    def take_events(self):
        """(index, arg, meta) of the events seen since the last call."""
        taken, self.events = [e[1:4] for e in self.events], []
        return taken

    def line(self, i, word=0):
        return self.heap[0] + 2048 * word + 64 * i


async def started(dut, **kw):
    bench = Bench(dut, **kw)
    await bench.start(claimRoom=1)
    await bench.cleared()
    return bench
