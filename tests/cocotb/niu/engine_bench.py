"""The command engine with models of what surrounds it: bus, tags, slots, message unit, events; and what a command must do."""

import random
from dataclasses import dataclass, field

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from pair_bus import PairBus
from site_bus_target import CLEAN, FLUSH, KILL, READ, READ_EXCLUSIVE, WRITE_BACK, SiteBusTarget

GET, PUT, TAG, FLUSH_OP, CLEAN_OP, KILL_OP, SEND, FREE = range(8)
OTHER, INVALID, SHARED, EXCLUSIVE, PEND_READ, PEND_EXCL, PEND_DOWN, FILL = range(8)
MAINTENANCE = (FLUSH_OP, CLEAN_OP, KILL_OP)
DONE, MISMATCH, BUS_ERROR, UNTOLD = 98, 99, 104, 106
FIELDS = "op address size check old set next approve free send high tag useWord word dest slot lines notifies".split()

LIMIT = 20000  # cycles of one command


@dataclass
class Command:
    op: int
    address: int = 0x80800000
    size: int = 0
    check: int = 0
    old: int = 0
    set: int = 0
    next: int = 0
    approve: int = 0
    free: int = 0
    send: int = 0
    high: int = 0
    tag: int = 0
    useWord: int = 0
    word: int = 0
    dest: int = 0
    slot: int = 0
    lines: int = 0
    notifies: int = 0

    @property
    def range(self):
        """Lines (numbers) of the tag range."""
        first = self.address >> 6 & ~((1 << self.size) - 1)
        return range(first, first + (1 << self.size))


@dataclass
class Effects:
    """What the outside sees of a sequence of commands."""

    messages: list = field(default_factory=list)  # (dest, tag, high, word, data)
    events: list = field(default_factory=list)  # (index, arg, meta)
    freed: list = field(default_factory=list)
    approvals: list = field(default_factory=list)  # (lines, next or None)
    ops: list = field(default_factory=list)  # (op, address) not retried


class Model:
    """A command's meaning (contract §5), without time."""

    def __init__(self, tags, memory, slots, errors):
        self.tags, self.memory, self.slots, self.errors = tags, memory, slots, errors
        self.effects = Effects()

    def do(self, c):
        e = self.effects
        differs = [line for line in c.range if self.tags.get(line, OTHER) != c.old]
        mismatch = bool(c.check and differs)
        found = self.tags.get(differs[0] if mismatch else c.range[0], OTHER)
        lost = None
        if not mismatch:
            lost = self.effect(c)
        if lost is not None:
            e.events.append((BUS_ERROR, lost, 0))
        if mismatch and not (c.op == TAG and c.notifies):
            e.events.append((MISMATCH, c.address, 1 | found << 4))
        elif c.notifies:
            # Without a first tag command there is no tag found.
            meta = int(mismatch) | found << 4 if c.check or c.op == TAG or self.retags(c) else None
            e.events.append((DONE, c.address, meta))
        if c.free:
            e.freed.append(c.slot)

    def retags(self, c):
        return c.op in (GET, *MAINTENANCE) and c.set and not (c.check and c.old == c.next)

    def effect(self, c):
        e, lost = self.effects, None
        slot = self.slots[128 * c.slot : 128 * c.slot + 64 * c.lines]
        if c.op in (GET, *MAINTENANCE):
            keeps = not c.set or c.next in (SHARED, EXCLUSIVE)
            kind = {FLUSH_OP: FLUSH, CLEAN_OP: CLEAN, KILL_OP: KILL}.get(c.op)
            if c.op == GET:
                kind = (READ if keeps else READ_EXCLUSIVE) if c.send else (CLEAN if keeps else FLUSH)
            data = b""
            for line in c.range:
                if self.errors(line << 6):
                    lost = line << 6
                    data += bytes(64)
                else:
                    e.ops.append((kind, line << 6))
                    data += self.memory(line << 6)
            if c.op == GET and c.send:
                parts = [data[i : i + 128] for i in range(0, len(data), 128)]
                for i, part in enumerate(parts):
                    word = c.word if c.useWord else (c.range[0] + 2 * i) << 6
                    e.messages.append((c.dest, c.tag | (i != len(parts) - 1), c.high, word, bytes(part)))
        if c.op == PUT:
            for i in range(c.lines):
                address = (c.address & ~63) + 64 * i
                if self.errors(address):
                    lost = address
                else:
                    e.ops.append((WRITE_BACK, address))
                    self.memory(address)[:] = slot[64 * i : 64 * i + 64]
        if c.op == SEND:
            e.messages.append((c.dest, c.tag, c.high, c.word if c.useWord else c.address, bytes(slot)))
        sets = c.set and c.op in (PUT, TAG) or self.retags(c)
        if sets:
            self.tags.update({line: c.next for line in c.range})
        if c.send and c.op not in (GET, SEND):
            e.messages.append((c.dest, c.tag, c.high, c.word if c.useWord else c.address, b""))
        if c.approve and c.op in (GET, PUT, TAG, *MAINTENANCE):
            e.approvals.append((c.range, c.next if sets else None))
        return lost


class Engine:
    def __init__(self, dut, **bus):
        self.dut = dut
        self.bus = PairBus(dut, **bus)
        self.tags = {}
        self.slots = bytearray(random.Random(7).randbytes(64 * 128))
        self.effects = Effects()
        self.tag_log = []  # (cycle in effect, first line, count, set, next, approve, defer, mismatch)
        self.deferred = lambda command: False
        self.held = lambda command: False  # the tag unit does not take it
        self.stall = 0.0
        self.deaf = lambda: False  # the sP takes no event
        self.head_cycles, self.flit_cycles, self.event_cycles = [], [], []
        self.heads, self.flits = [], []

    @classmethod
    async def start(cls, dut, **bus):
        e = cls(dut, **bus)
        for pin in ("io_command_valid", "io_tag_command_ready", "io_tag_result_valid", "io_line_head_ready",
                    "io_line_data_ready", "io_event_ready", "io_slot_data"):  # fmt: skip
            getattr(dut, pin).value = 0
        dut.reset.value = 1
        e.tasks = [cocotb.start_soon(Clock(dut.clk, 10, "ns").start())]
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.reset.value = 0
        e.tasks += [cocotb.start_soon(t) for t in (*e.bus.runs(), e.tag_unit(), e.message_unit(), e.slot_sram())]
        return e

    def halt(self):
        for task in self.tasks:
            task.cancel()

    async def launch(self, c):
        d = self.dut
        for name in FIELDS:
            getattr(d, f"io_command_payload_{name}").value = getattr(c, name)
        d.io_command_valid.value = 1
        for _ in range(LIMIT):
            await RisingEdge(d.clk)
            if d.io_command_ready.value:
                break
        else:
            raise AssertionError(f"the engine takes no command for {LIMIT} cycles")
        d.io_command_valid.value = 0
        return self.bus.cycle

    async def drain(self):
        """Until the engine is idle and everything it said has arrived."""
        quiet = 0
        for _ in range(LIMIT):
            await RisingEdge(self.dut.clk)
            busy = self.dut.io_status_busy.value or self.dut.io_line_data_valid.value or self.dut.io_event_valid.value or self.dut.io_command_valid.value
            quiet = 0 if busy else quiet + 1
            if quiet == 4:
                break
        else:
            raise AssertionError(f"the engine is not idle after {LIMIT} cycles")
        flits = b"".join(self.flits)
        self.effects.messages.clear()
        for dest, tag, high, word, lines in self.heads:
            self.effects.messages.append((dest, tag, high, word, flits[: 64 * lines]))
            assert len(flits) >= 64 * lines, "a message without all of its data"
            flits = flits[64 * lines :]
        assert not flits, "data without a message"
        self.effects.ops = [(e[2], e[3]) for e in self.bus.log if e[1] == "verdict"]

    async def tag_unit(self):
        """Accepts a command in its effective cycle: the second (third with check), later when deferred; result a cycle on."""
        d = self.dut
        while True:
            await RisingEdge(d.clk)
            if not d.io_tag_command_valid.value:
                continue
            get = lambda name: int(getattr(d, f"io_tag_command_payload_{name}").value)
            c = Command(TAG, get("address"), get("size"), get("check"), get("old"), get("set"), get("next"), get("approve"))
            defer = get("defer")
            differs = [line for line in c.range if self.tags.get(line, OTHER) != c.old]
            mismatch = bool(c.check and differs)
            found = self.tags.get(differs[0] if mismatch else c.range[0], OTHER)
            if c.check:
                await RisingEdge(d.clk)
            while self.held(c) or defer and not mismatch and self.deferred(c):
                await RisingEdge(d.clk)
            d.io_tag_command_ready.value = 1
            await RisingEdge(d.clk)
            d.io_tag_command_ready.value = 0
            self.tag_log.append((self.bus.cycle, c.range[0], len(c.range), c.set, c.next, c.approve, defer, mismatch))
            if not mismatch:
                if c.set:
                    self.tags.update({line: c.next for line in c.range})
                if c.approve:
                    self.effects.approvals.append((c.range, c.next if c.set else None))
            d.io_tag_result_valid.value = 1
            d.io_tag_result_payload_mismatch.value = int(mismatch)
            d.io_tag_result_payload_found.value = found
            await RisingEdge(d.clk)
            d.io_tag_result_valid.value = 0

    async def message_unit(self):
        """Takes heads and data, each when it likes, and the events."""
        d = self.dut
        while True:
            ready = [random.random() >= self.stall for _ in range(3)]
            ready[2] = ready[2] and not self.deaf()
            d.io_line_head_ready.value, d.io_line_data_ready.value, d.io_event_ready.value = map(int, ready)
            await RisingEdge(d.clk)
            if d.io_line_head_valid.value and ready[0]:
                self.head_cycles.append(self.bus.cycle)
                self.heads.append(tuple(int(getattr(d, f"io_line_head_payload_{n}").value) for n in ("dest", "tag", "high", "word", "lines")))
            if d.io_line_data_valid.value and ready[1]:
                self.flits.append(int(d.io_line_data_payload.value).to_bytes(8, "little"))
                self.flit_cycles.append(self.bus.cycle)
            if d.io_event_valid.value and ready[2]:
                self.effects.events.append(tuple(int(getattr(d, f"io_event_payload_{n}").value) for n in ("index", "arg", "meta")))
                self.event_cycles.append(self.bus.cycle)

    async def slot_sram(self):
        d = self.dut
        while True:
            await RisingEdge(d.clk)
            if d.io_slot_read_valid.value:
                at = 16 * int(d.io_slot_read_payload.value)
                d.io_slot_data.value = int.from_bytes(self.slots[at : at + 16], "little")
            else:
                d.io_slot_data.value = random.getrandbits(128)
            if d.io_slot_free_valid.value:
                self.effects.freed.append(int(d.io_slot_free_payload.value))

    def model(self):
        """A model that starts where the engine stands."""
        memory = {k: bytearray(v) for k, v in self.bus.memory.items()}
        source = SiteBusTarget.line

        class Lines:
            pass

        lines = Lines()
        lines.memory = memory
        return Model(dict(self.tags), lambda a: source(lines, a), self.slots, self.bus.errors), memory


def same_effects(engine, model, memory):
    """The outside of the engine is that of the model, with nothing missing and nothing more."""
    got, want = engine.effects, model.effects
    # Two lines are on their way, so neighbours may be judged in either order (writes may not); a READ begun before its compare
    # was answered changes nothing and may stand beside what the commands ask.
    ops = list(got.ops)
    for op, following in zip(want.ops, [*want.ops[1:], None]):
        at = ops.index(op) if op in ops else len(ops)
        assert at < len(ops) and all(o[0] == READ or o == following for o in ops[:at]), f"{op} is missing or out of order"
        del ops[at]
    assert all(o[0] == READ for o in ops)
    writes = lambda ops: [o for o in ops if o[0] == WRITE_BACK]
    assert writes(got.ops) == writes(want.ops)
    assert got.messages == want.messages
    assert [(i, a, m if w is not None else None) for (i, a, m), (_, _, w) in zip(got.events, want.events)] == want.events
    assert len(got.events) == len(want.events)
    assert got.freed == want.freed
    assert got.approvals == want.approvals
    assert {k: v for k, v in engine.tags.items() if v != OTHER} == {k: v for k, v in model.tags.items() if v != OTHER}
    for address, data in memory.items():
        assert engine.bus.line(address) == data, hex(address)
