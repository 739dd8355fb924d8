"""Drives a Snooper as bus, commander, firmware and register master; checks every cycle against the model."""

import os
import random
from collections import deque
from dataclasses import dataclass

import snoop_model as m
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

BASE = 0x8000_0000
TAGQ, TABLE, ENTRIES = 0x0E0, 0x800, 0xC00


@dataclass
class Op:
    master: int
    op: int
    address: int
    bypass: bool = False
    mask: int = 0xFFFF


class Bench:
    """`tick` is one cycle. A request given to it is T0; its outcome is in `verdicts` from T3 on."""

    def __init__(self, dut, event_ready=lambda: True):
        self.dut = dut
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
        self.cycle = 0
        d = dut
        self.req = [d.io_snoop_request_payload_master, d.io_snoop_request_payload_op, d.io_snoop_request_payload_address,
                    d.io_snoop_request_payload_bypass, d.io_snoop_request_payload_mask]
        self.ver = [d.io_snoop_verdict_payload_request_master, d.io_snoop_verdict_payload_request_op,
                    d.io_snoop_verdict_payload_request_address, d.io_snoop_verdict_payload_request_bypass,
                    d.io_snoop_verdict_payload_request_mask]

    async def start(self):
        """Reset, and wait until the tags are cleared."""
        d = self.dut
        for s in (d.io_snoop_request_valid, d.io_snoop_verdict_valid, d.io_tag_command_valid, d.io_event_ready,
                  d.io_regs_command_valid, *self.req, *self.ver, d.io_snoop_verdict_payload_retry,
                  d.io_snoop_verdict_payload_shared, d.io_snoop_verdict_payload_error, d.io_snoop_verdict_payload_conflict,
                  d.io_snoop_verdict_payload_responder):
            s.value = 0
        d.reset.value = 1
        self.clock = Clock(d.clk, 10, "ns")
        self.clock.start()
        for _ in range(3):
            await RisingEdge(d.clk)
        d.reset.value = 0
        for _ in range(len(self.heap) // 2048):
            await FallingEdge(d.clk)
            assert d.io_snoop_answer_retry.value == 0
            await RisingEdge(d.clk)
            self.model.cycle += 1
        d.io_claimRoom.value = 1
        self.model.room = True

    async def tick(self, request=None, command=None, reg=None):
        """One cycle. `command` stays on the port until it is accepted; `reg`: (address, data or None to read)."""
        d, model = self.dut, self.model
        if command:
            assert self.command is None
            self.command, self.waited, self.presented = command, 0, self.cycle
            p = d.io_tag_command_payload_address, d.io_tag_command_payload_size, d.io_tag_command_payload_check, \
                d.io_tag_command_payload_old, d.io_tag_command_payload_set, d.io_tag_command_payload_next, \
                d.io_tag_command_payload_approve, d.io_tag_command_payload_defer
            c = command
            for s, v in zip(p, (c.address, c.size, c.check, c.old, c.set, c.next, c.approve, c.defer)):
                s.value = int(v)
            d.io_tag_command_valid.value = 1
        # The op of T0 three cycles ago has its verdict now.
        t3 = self.pipe[2]
        retry = False
        if t3:
            op, answer = t3["op"], t3["answer"]
            retry = answer.retry or t3["other_retry"]
            for s, v in zip(self.ver, (op.master, op.op, op.address, op.bypass, op.mask)):
                s.value = int(v)
            niu = answer.claim and not retry and not t3["intervenes"]
            d.io_snoop_verdict_payload_retry.value = int(retry)
            d.io_snoop_verdict_payload_responder.value = 0 if retry else 3 if niu else 2 if t3["intervenes"] else 1
            t3["verdict"] = m.Answer(retry, answer.shared, answer.claim)
            t3["done"] = self.cycle
        d.io_snoop_verdict_valid.value = int(bool(t3))
        d.io_snoop_request_valid.value = int(bool(request))
        if request:
            for s, v in zip(self.req, (request.master, request.op, request.address, request.bypass, request.mask)):
                s.value = int(v)
        d.io_regs_command_valid.value = int(reg is not None)
        if reg:
            d.io_regs_command_payload_address.value = reg[0]
            d.io_regs_command_payload_write.value = int(reg[1] is not None)
            d.io_regs_command_payload_data.value = reg[1] or 0
        ready = self.event_ready()
        d.io_event_ready.value = int(ready)
        await FallingEdge(d.clk)

        # Outputs of this cycle.
        t2 = self.pipe[1]
        got = m.Answer(d.io_snoop_answer_retry.value == 1, d.io_snoop_answer_shared.value == 1,
                       d.io_snoop_answer_claim.value == 1)
        expected = t2["expected"] if t2 else m.Answer()
        assert got == expected, f"cycle {self.cycle}: {t2 and t2['op']} answered {got}, expected {expected}"
        assert d.io_snoop_answer_intervene.value == 0
        if t2:
            t2["answer"] = got
        visible = d.io_event_valid.value == 1
        assert visible == bool(model.events), f"cycle {self.cycle}: event valid {visible}, expected {model.events}"
        if visible:
            event = tuple(int(s.value) for s in (d.io_event_payload_index, d.io_event_payload_arg, d.io_event_payload_meta))
            assert event == model.events[0][1:], f"cycle {self.cycle}: event {event}, expected {model.events[0]}"
            if not self.events or self.events[-1][4] != id(model.events[0]):
                self.events.append((self.cycle, *event, id(model.events[0])))
                self._keep = model.events[0]
        wake = d.io_wake.value == 1
        assert wake == any(model.wake), f"cycle {self.cycle}: wake {wake}, expected {list(model.wake)}"
        if wake:
            self.wakes.append(self.cycle)
        accepted = self._check_command()
        self.reg_data = int(d.io_regs_data.value)

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
        if reg and reg[1] is not None and TABLE <= reg[0] < TABLE + 512:
            i = (reg[0] - TABLE) // 4
            model.table[i // 16][i % 16] = reg[1] & 7
        self.pipe.appendleft(token)
        await RisingEdge(d.clk)
        if accepted:
            d.io_tag_command_valid.value = 0
        self.cycle += 1
        return token

    def _check_command(self):
        """Result of the last command; whether the one on the port is accepted in this cycle, and rightly so."""
        d = self.dut
        result = d.io_tag_result_valid.value == 1
        assert result == bool(self.accepted), f"cycle {self.cycle}: result {result}, accepted {self.accepted}"
        if result:
            cycle, mismatch, found = self.accepted.popleft()
            got = (d.io_tag_result_payload_mismatch.value == 1, int(d.io_tag_result_payload_found.value))
            assert got == (mismatch, found), f"cycle {self.cycle}: result {got}, expected {(mismatch, found)}"
            self.results.append((cycle, self.cycle, mismatch, found))
        c = self.command
        if not c:
            return None
        mismatch, found = self.model.mismatch(c)
        must_wait = c.defer and not mismatch and self.model.approved_in(c)
        ready = d.io_tag_command_ready.value == 1
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
        token = await self.tick(Op(master, op, address, **kw))
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
        await self.write(TAGQ, address)
        return await self.read(TAGQ)

    async def entry(self, i):
        """Approval entry i: None, or (line address, approved, op, master)."""
        status = await self.read(ENTRIES + 8 * i + 4)
        address = await self.read(ENTRIES + 8 * i)
        return (address, bool(status >> 30 & 1), status >> 4 & 15, status & 15) if status >> 31 else None

    def take_events(self):
        """(index, arg, meta) of the events seen since the last call."""
        taken, self.events = [e[1:4] for e in self.events], []
        return taken

    def line(self, i, word=0):
        return self.heap[0] + 2048 * word + 64 * i


async def started(dut, **kw):
    bench = Bench(dut, **kw)
    await bench.start()
    return bench


def rng():
    """Randomness from the printed seed: cocotb seeds `random` with it."""
    return random.Random(random.getrandbits(64))
