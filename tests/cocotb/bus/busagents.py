"""What sits on a Site Bus, as models: MESI caches, the NIU's own masters, the NIU snooper."""

import random

from kit.busroles import Bus, Snooper
from kit.sitebus import (
    CLEAN, FLUSH, INTERVENED, KILL, READ, READ_EXCLUSIVE, READ_PARTIAL, READS, UPGRADE, WRITE_BACK, WRITE_PARTIAL, Op, beats_of,
    fresh, line_of, merge)


class Golden(dict):
    """Line -> what a load must see now; None: unknown (a modified line was killed), the next reader defines it."""

    def __missing__(self, line: int) -> bytearray:
        self[line] = bytearray(fresh(line))
        return self[line]

    def check(self, line: int, got: bytes, who: str) -> None:
        if self[line] is None:
            self[line] = bytearray(got)
        assert got == self[line], f"{who} sees an old {line:#x}"

    def store(self, line: int, at: int, data: bytes) -> None:
        if self[line] is not None:
            self[line][at : at + len(data)] = data


class Cache(Snooper):
    """A write-back MESI cache and the core that uses it: random loads, stores and evictions on `lines`.

    `lines` maps a line to [state, data]. What it asks of the bus it decides when it asks; a verdict that finds it void
    (UPGRADE without the copy, WRITE_BACK of what is no longer modified) is an error of the bus.
    """

    def __init__(self, bus: Bus, index: int, golden: Golden, lines: list[int]):
        super().__init__(bus, index)
        self.port = bus.masters[2 * index]
        self.golden, self.pool = golden, lines
        self.lines: dict[int, list] = {}
        self.push: list[int] = []
        self.frozen: dict[int, int] = {}  # line -> cycle of its verdict
        self.answered: set[tuple[int, int]] = set()  # (cycle of the verdict, line) where we said retry
        self.want: tuple[str, int] | None = None
        self.op: Op | None = None
        self.rest = 0
        self.active = True
        self.done = 0

    def state(self, line: int) -> str:
        return self.lines[line][0] if line in self.lines else "I"

    # Snooping --------------------------------------------------------------------------------------------------------
    def judge(self, seen: Op) -> set[str]:
        state = self.state(seen.line)
        if seen.master == 2 * self.index or state == "I":
            return set()
        self.frozen[seen.line] = self.bus.cycle + 1
        if seen.op in (READ_PARTIAL, WRITE_PARTIAL):
            self.answered.add((self.bus.cycle + 2, seen.line))
            return {"retry"}
        answer = {"shared"} if seen.op == READ else set()
        if state == "M" and seen.op in INTERVENED:
            answer.add("intervene")
        return answer

    def verdict(self, seen: Op) -> None:
        line = seen.line
        if seen.master == 2 * self.index:
            return
        if seen.retry:
            if (self.bus.cycle, line) in self.answered:
                if self.state(line) == "M":
                    self.push.append(line)
                else:
                    del self.lines[line]
            return
        state = self.state(line)
        if state == "I":
            return
        if seen.op == UPGRADE:
            assert state == "S", "an UPGRADE got through that killed an exclusive copy: it was void"
        if seen.op == WRITE_BACK and not seen.bypass:
            raise AssertionError("a WRITE_BACK got through while another cache has a copy: it was void")
        if state == "M" and seen.op in INTERVENED:
            self.port.out.burst(beats_of(bytes(self.lines[line][1])))
        if seen.op in (READ, CLEAN):
            self.lines[line][0] = "S"
        else:
            del self.lines[line]

    # The core --------------------------------------------------------------------------------------------------------
    def act(self) -> None:
        bus = self.bus
        if self.op and self.op.done is None and self.op.answered == bus.cycle and self.op.op == WRITE_BACK and not self.op.retry:
            line = self.op.line
            assert self.state(line) == "M", "a void WRITE_BACK got through"
            assert line_of(self.op.data) == bytes(self.lines[line][1])
            del self.lines[line]
        if self.op:
            if self.port.op is not None and self.op.done is None:
                return
            self.finish(self.op)
            self.op = None
        if bus.cycle < self.rest or self.port.op or self.port.out.queue and random.random() < 0.5:
            return
        if self.want is None and self.active and not self.push and bus.eager():
            self.want = (random.choice(("load", "load", "store", "store", "evict")), random.choice(self.pool))
        if self.push:
            line = self.push[0]
            if self.state(line) == "M":
                self.issue(WRITE_BACK, line)
            else:
                self.push.pop(0)
        elif self.want:
            self.attempt(*self.want)

    def issue(self, op: int, line: int) -> None:
        data = beats_of(bytes(self.lines[line][1])) if op == WRITE_BACK else []
        self.op = self.port.start(Op(op, line + random.randrange(64), data=data))

    def attempt(self, what: str, line: int) -> None:
        state = self.state(line)
        if self.frozen.get(line, 0) >= self.bus.cycle and state != "I":
            return  # answered, not judged: the line stays as it is
        if what == "evict":
            if state == "M":
                return self.issue(WRITE_BACK, line)
            self.lines.pop(line, None)
        elif what == "load":
            if state == "I":
                return self.issue(READ, line)
            self.golden.check(line, bytes(self.lines[line][1]), f"cache {self.index}")
        else:
            if state == "I":
                return self.issue(READ_EXCLUSIVE, line)
            if state == "S":
                return self.issue(UPGRADE, line)
            self.store(line)
        self.want = None
        self.done += 1

    def store(self, line: int) -> None:
        at, data = random.randrange(16) * 4, random.randbytes(4)
        entry = self.lines[line]
        self.golden.check(line, bytes(entry[1]), f"cache {self.index}, storing,")
        entry[0] = "M"
        entry[1][at : at + 4] = data
        self.golden.store(line, at, data)

    def finish(self, op: Op) -> None:
        line = op.line
        assert not op.error
        if op.retry:
            self.rest = self.bus.cycle + random.randrange(9)
        elif op.op == UPGRADE:
            assert self.state(line) == "S", "a void UPGRADE got through"
            self.lines[line][0] = "E"
            self.attempt("store", line)
        elif op.op in READS:
            self.lines[line] = ["S" if op.shared else "E", bytearray(line_of(op.got))]
            self.golden.check(line, line_of(op.got), f"cache {self.index}, missing,")
            if op.op == READ_EXCLUSIVE:
                self.lines[line][0] = "E"
                if self.want == ("store", line):
                    self.attempt("store", line)
        elif line in self.push:
            self.push.remove(line)


class Fetcher:
    """An instruction cache: reads, is never snooped."""

    def __init__(self, bus: Bus, master: int, golden: Golden, lines: list[int]):
        self.bus, self.port, self.golden, self.pool = bus, bus.masters[master], golden, lines
        self.op: Op | None = None
        self.rest = self.done = 0
        self.active = True

    def act(self) -> None:
        if self.op and self.op.done is not None:
            op, self.op = self.op, None
            self.check(op)
            if op.retry:
                self.rest = self.bus.cycle + random.randrange(9)
                self.again = op
            else:
                self.done += 1
        if self.op is None and self.port.op is None and self.bus.cycle >= self.rest:
            op = self.next()
            if op:
                self.op = self.port.start(op)

    again: Op | None = None

    def next(self) -> Op | None:
        if self.again:
            a, self.again = self.again, None
            return Op(a.op, a.address, a.mask, a.bypass, a.data)
        return self.choose() if self.active and self.bus.eager() else None

    def choose(self) -> Op:
        return Op(READ, random.choice(self.pool))

    def check(self, op: Op) -> None:
        if op.done and not op.retry and op.op in READS:
            self.golden.check(op.line, line_of(op.got), f"master {self.port.index}")


class NiuMaster(Fetcher):
    """The NIU's own ops, `bypass`: gets and puts of lines, partial ops, FLUSH, CLEAN, KILL.

    A line got exclusively is `held` by the NIU snooper (others are retried) until it is put back.
    """

    def __init__(self, bus: Bus, master: int, golden: Golden, lines: list[int], held: set[int]):
        super().__init__(bus, master, golden, lines)
        self.held = held
        self.mine: int | None = None

    def choose(self) -> Op | None:
        if self.mine is not None:
            return Op(WRITE_BACK, self.mine, bypass=1, data=beats_of(random.randbytes(64)))
        line = random.choice(self.pool)
        if line in self.held:
            return None
        kind = random.choice((READ, READ_EXCLUSIVE, WRITE_BACK, READ_PARTIAL, WRITE_PARTIAL, FLUSH, CLEAN, KILL))
        if kind in (READ_PARTIAL, WRITE_PARTIAL):
            return Op(kind, line + random.randrange(64), random.getrandbits(16), bypass=1, data=[random.getrandbits(128)])
        return Op(kind, line, bypass=1, data=beats_of(random.randbytes(64)) if kind == WRITE_BACK else [])

    def judged(self, op: Op) -> None:
        """At the verdict: what memory will hold."""
        if op.op == READ_EXCLUSIVE:
            self.held.add(op.line)
            self.mine = op.line
        elif op.op == WRITE_BACK:
            self.golden[op.line] = bytearray(line_of(op.data))
            self.held.discard(op.line)
            self.mine = None
        elif op.op == WRITE_PARTIAL and self.golden[op.line] is not None:
            merge(self.golden[op.line], op.address & 48, op.data[0], op.mask)

    def check(self, op: Op) -> None:
        if op.op == READ_PARTIAL and not op.retry and self.golden[op.line] is not None:
            at = op.address & 48
            assert op.got[0].to_bytes(16, "little") == self.golden[op.line][at : at + 16]
        elif op.op != READ_PARTIAL:
            super().check(op)

    def act(self) -> None:
        if self.op and self.op.answered == self.bus.cycle and not self.op.retry:
            self.judged(self.op)
        super().act()

    def next(self) -> Op | None:
        if self.again and self.again.line in self.held and self.again.line != self.mine:
            return None
        if self.mine is not None and not self.again:
            return self.choose()
        return super().next()


class NiuSnooper(Snooper):
    """Retries others on lines the NIU holds, and at times for no reason, as a tag that is pending would."""

    def __init__(self, bus: Bus, index: int, held: set[int], moody: float = 0.1):
        super().__init__(bus, index)
        self.held, self.moody = held, moody

    def judge(self, seen: Op) -> set[str]:
        if seen.bypass:
            return set()
        return {"retry"} if seen.line in self.held or random.random() < self.moody else set()
