"""Random ops, tag commands, table writes and register reads, judged cycle by cycle by the model (VY-T1, VY-T2, VY-T3)."""

import random

import pytest
import snoop_model as m
from kit import test
from registers import NIU_APPROVAL_STATE, NIU_RESPONDER, NIU_TAGQ
from snoop_bench import Op, cell, started, state_of
from snoop_run import run_snooper


class Master:
    """Retries one op until it passes; now and then turns UPGRADE into READ_EXCLUSIVE, or gives up."""

    def __init__(self, number, bench, lines):
        self.number, self.bench, self.lines = number, bench, lines
        self.op, self.token, self.next, self.passed = None, None, 0, 0

    def request(self):
        """The op it asks for in this cycle, if any."""
        cycle = self.bench.cycle
        if self.token:
            if "verdict" not in self.token:
                return None
            token, self.token = self.token, None
            if not token["verdict"].retry:
                self.op, self.passed, self.next = None, self.passed + 1, cycle + random.randrange(20)
            else:
                self.next = cycle + random.randrange(1, 40)
                if self.op.op == m.UPGRADE and random.random() < 0.2:
                    self.op = Op(m.READ_EXCLUSIVE, self.op.address, master=self.number)
                if random.random() < 0.01:
                    self.op = None
        if cycle < self.next:
            return None
        if not self.op:
            line = random.choice(self.lines)
            op = random.choices(m.OPS, (8, 6, 5, 1, 3, 3, 1, 1, 1))[0]
            self.op = Op(op, line + random.randrange(64), master=self.number, bypass=random.random() < 0.03, mask=random.getrandbits(16))
        return self.op


async def traffic(dut, cycles, masters, words, lines_per_word, event_rate, command_rate):
    bench = await started(dut, event_ready=lambda: random.random() < event_rate)
    lines = [bench.line(random.randrange(32), random.randrange(words)) for _ in range(words * lines_per_word)]
    lines += [bench.heap[0] - 64, bench.heap[-1] + 1] if words > 1 else []
    ms = [Master(i, bench, lines) for i in random.sample(range(16), masters)]
    bench.other_retry = lambda op: random.random() < 0.05
    bench.intervenes = lambda op: random.random() < 0.1
    for word in range(words):
        await bench.set(bench.line(0, word), m.INVALID, size=5)
    query = None
    for _ in range(cycles):
        # The bus: one request a cycle, none to a line in flight.
        flying = {t["op"].address >> 6 for t in bench.pipe if t}
        ready = [(x, op) for x in ms if (op := x.request()) and op.address >> 6 not in flying]
        chosen, request = random.choice(ready) if ready and random.random() < 0.9 else (None, None)
        command = None
        if not bench.command and random.random() < command_rate:
            waiting = [e for e in bench.model.entries if e]
            address = random.choice(waiting).line << 6 if waiting and random.random() < 0.6 else random.choice(lines)
            tag = bench.model.tag(address >> 6)
            command = m.Command(address, size=random.choice((0, 0, 1, 2, 5)), check=random.random() < 0.3,
                                old=tag if random.random() < 0.7 else random.randrange(8), set=random.random() < 0.9,
                                next=random.choices(m.CLS, (1, 3, 4, 6, 2, 2, 2, 1))[0], approve=random.random() < 0.5,
                                defer=random.random() < 0.4)
        reg = None
        if query is None and random.random() < 0.2:
            kind = random.randrange(4)
            if kind == 0:
                cls, op = random.randrange(8), random.randrange(9)
                reg = (cell(cls, op), m.default_table()[cls][op] if random.random() < 0.8 else random.randrange(6))
            elif kind == 1:
                query = (NIU_RESPONDER(random.randrange(128)), None)
            elif kind == 2:
                query = (NIU_APPROVAL_STATE(random.randrange(bench.entries)), None)
            else:
                reg = (NIU_TAGQ, random.choice(lines))
                query = (NIU_TAGQ, None)
        if reg is None and query:
            reg, due, query = query, query[0], None
        else:
            due = None
        token = await bench.tick(request, command, reg)
        if chosen:
            chosen.token = token
        if due:
            expected = None
            if due in NIU_RESPONDER.offsets:
                cls, op = divmod(NIU_RESPONDER.offsets.index(due), 16)
                expected = bench.model.table[cls][op]
            elif due != NIU_TAGQ:
                e = bench.model.entries[NIU_APPROVAL_STATE.offsets.index(due)]
                expected = state_of(e) if e else 0
            await bench.tick()
            if expected is not None:
                assert bench.reg_data == expected, f"cycle {bench.cycle}: register {due:#x}"
    passed, told = sum(x.passed for x in ms), len(bench.events)
    dut._log.info(f"{passed} ops passed, {told} events, {len(bench.results)} tag commands")
    assert passed > cycles // 400 and told > cycles // 2000 and len(bench.results) > cycles // 100
    return bench


@test(timeout=60_000)
async def test_contended_lines(dut):
    """Sixteen masters on few lines of one word."""
    await traffic(dut, 8000, masters=16, words=1, lines_per_word=6, event_rate=0.5, command_rate=0.05)


@test(timeout=60_000)
async def test_many_commands(dut):
    """Commands back to back against ops on many lines."""
    await traffic(dut, 8000, masters=6, words=4, lines_per_word=16, event_rate=0.9, command_rate=1)


@test(timeout=60_000)
async def test_slow_events(dut):
    """An event stream that is nearly stopped: everything waits, nothing is lost or told twice."""
    await traffic(dut, 8000, masters=8, words=2, lines_per_word=16, event_rate=0.02, command_rate=0.03)


@test(timeout=60_000)
async def test_long_waits(dut):
    """Few commands: entries fill, age, and the oldest refused goes first."""
    await traffic(dut, 16000, masters=16, words=2, lines_per_word=32, event_rate=0.5, command_rate=0.015)


@pytest.mark.parametrize("entries", [1, 8, 32])
def test_snooper_random(entries):
    run_snooper(entries)
