"""The command engine with models of what surrounds it: bus, tags, slots, message unit, events; and what a command must do."""

import random
from dataclasses import dataclass, field

import cocotb
from kit import Bench, Monitor, Pins, Sink, Source
from kit.busmodel import SiteBus
from kit.sitebus import CLEAN, FLUSH, KILL, READ, READ_EXCLUSIVE, WRITE_BACK, Lines
from registers import (
    CLS_EXCLUSIVE as EXCLUSIVE, CLS_FILL as FILL, CLS_INVALID as INVALID, CLS_OTHER as OTHER, CLS_PEND_DOWN as PEND_DOWN,
    CLS_PEND_EXCL as PEND_EXCL, CLS_PEND_READ as PEND_READ, CLS_SHARED as SHARED, EVENT_BUS_ERROR as BUS_ERROR,
    EVENT_COMMAND_DONE as DONE, EVENT_COMMAND_MISMATCH as MISMATCH, EVENT_COMMANDS_UNTOLD as UNTOLD, META_COMMAND_FOUND,
    META_COMMAND_MISMATCH, NIU_OP_CLEAN as CLEAN_OP, NIU_OP_FLUSH as FLUSH_OP, NIU_OP_FREE as FREE, NIU_OP_GET as GET,
    NIU_OP_KILL as KILL_OP, NIU_OP_PUT as PUT, NIU_OP_SEND as SEND, NIU_OP_TAG as TAG)  # fmt: skip

MAINTENANCE = (FLUSH_OP, CLEAN_OP, KILL_OP)
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
            e.events.append((MISMATCH, c.address, META_COMMAND_MISMATCH(1) | META_COMMAND_FOUND(found)))
        elif c.notifies:
            # Without a first tag command there is no tag found.
            meta = META_COMMAND_MISMATCH(mismatch) | META_COMMAND_FOUND(found) if c.check or c.op == TAG or self.retags(c) else None
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


class Engine(Bench):
    """`deferred(command)`: an approved access defers it; `held(command)`: the tag unit does not take it; `stall`: chance that the message
    unit takes nothing; `deaf()`: the sP takes no event. bus: options of SiteBus."""

    def __init__(self, dut, **bus):
        super().__init__(dut)
        self.bus = SiteBus(self, masters={0: "io_bus_0", 1: "io_bus_1"}, bypass=True, **bus)
        self.tags = {}
        self.slots = random.randbytes(64 * 128)
        self.tag_log = []  # (cycle in effect, first line, count, set, next, approve, defer, mismatch)
        self.deferred = self.held = lambda command: False
        self.stall = 0.0
        self.deaf = lambda: False
        self.commands = Source(self, "io_command")
        self.heads = Sink(self, "io_line_head", ("dest", "tag", "high", "word", "lines"), pace=self._keen)
        self.flits = Sink(self, "io_line_data", pace=self._keen)
        self.events = Sink(self, "io_event", ("index", "arg", "meta"), pace=lambda: self._keen() and not self.deaf())
        self.effects = Effects(events=self.events.got, freed=Monitor(self, "io_slot_free").got)
        self.pins, self.tag = Pins(dut), Pins(dut, "io_tag")
        self.add(self)

    def _keen(self):
        return random.random() >= self.stall

    @classmethod
    async def started(cls, dut, **bus):
        e = await cls(dut, **bus).start()
        e.task = cocotb.start_soon(e.tag_unit())
        return e

    def step(self):
        """The slot SRAM: data the cycle after, noise when nobody asked."""
        at = 16 * self.pins.get("slot_read_payload")
        asked = self.pins.get("slot_read_valid")
        self.pins.set("slot_data", int.from_bytes(self.slots[at : at + 16], "little") if asked else random.getrandbits(128))

    def halt(self):
        self.task.cancel()

    async def launch(self, c):
        """Returns the cycle in which the engine took the command."""
        self.commands.send(vars(c))
        await self.until(lambda: not self.commands.queue, f"room for {c}", LIMIT)
        return self.cycle

    async def drain(self):
        """Until the engine is idle and everything it said has arrived."""
        quiet = 0
        for _ in range(LIMIT):
            await self.tick()
            busy = any(self.pins.get(pin) for pin in ("status_busy", "line_data_valid", "event_valid", "command_valid"))
            quiet = 0 if busy else quiet + 1
            if quiet == 4:
                break
        else:
            raise AssertionError(f"the engine is not idle after {LIMIT} cycles")
        flits = b"".join(flit.to_bytes(8, "little") for flit in self.flits.got)
        self.effects.messages.clear()
        for dest, tag, high, word, lines in self.heads.got:
            self.effects.messages.append((dest, tag, high, word, flits[: 64 * lines]))
            assert len(flits) >= 64 * lines, "a message without all of its data"
            flits = flits[64 * lines :]
        assert not flits, "data without a message"
        self.effects.ops = [(op.op, op.address) for op in self.judged]

    @property
    def judged(self):
        """The ops that had an effect, in the order of their verdicts."""
        return [op for op in self.bus.ops if not op.retry and not op.error]

    async def tag_unit(self):
        """Accepts a command in its effective cycle: the second (third with check), later when deferred; result a cycle on."""
        tag = self.tag
        while True:
            await self.tick()
            if not tag.get("command_valid"):
                continue
            get = lambda name: tag.get(f"command_payload_{name}")
            c = Command(TAG, **{name: get(name) for name in ("address", "size", "check", "old", "set", "next", "approve")})
            defer = get("defer")
            differs = [line for line in c.range if self.tags.get(line, OTHER) != c.old]
            mismatch = bool(c.check and differs)
            found = self.tags.get(differs[0] if mismatch else c.range[0], OTHER)
            if c.check:
                await self.tick()
            while self.held(c) or defer and not mismatch and self.deferred(c):
                await self.tick()
            tag.set("command_ready", 1)
            await self.tick()
            tag.set("command_ready", 0)
            self.tag_log.append((self.cycle, c.range[0], len(c.range), c.set, c.next, c.approve, defer, mismatch))
            if not mismatch:
                if c.set:
                    self.tags.update({line: c.next for line in c.range})
                if c.approve:
                    self.effects.approvals.append((c.range, c.next if c.set else None))
            tag.drive(result_valid=1, result_payload_mismatch=int(mismatch), result_payload_found=found)
            await self.tick()
            tag.set("result_valid", 0)

    def model(self):
        """A model that starts where the engine stands."""
        memory = Lines({k: bytearray(v) for k, v in self.bus.memory.items()})
        return Model(dict(self.tags), lambda a: memory[a & -64], self.slots, self.bus.errors), memory


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
        assert engine.bus.memory[address] == data, hex(address)
