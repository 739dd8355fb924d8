"""Reference model of the snooper: what docs/reference/responder-table.md and docs/design/snoop.md promise, a cycle at a time, in plain Python."""

from collections import deque
from dataclasses import dataclass, field

from kit.sitebus import (
    CLEAN, FLUSH, KILL, READ, READ_EXCLUSIVE, READ_PARTIAL, UPGRADE, WRITE_BACK, WRITE_PARTIAL, BusOp)
from registers import META_FAULT_CLAIMED, META_FAULT_CLS, META_FAULT_ENTRY, META_FAULT_MASTER, META_FAULT_OP

OPS = tuple(BusOp)
REQUEST = ("master", "op", "address", "bypass", "mask")
OTHER, INVALID, SHARED, EXCLUSIVE, PEND_READ, PEND_EXCL, PEND_DOWN, FILL = CLS = range(8)
MEMORY, MEMORY_SHARED, RECORD, RETRY, CLAIM, ERROR = ACTIONS = range(6)
EVENT_FAULT, EVENT_ILLEGAL, EVENT_AGED = 32, 96, 102

# The table of docs/reference/responder-table.md, op by op (OTHER, INVALID, SHARED, EXCLUSIVE, PEND_READ, PEND_EXCL, PEND_DOWN, FILL).
P, PS, R, r, C, X = ACTIONS
TABLE_BY_OP = {
    READ: (R, R, PS, P, r, r, r, r),
    READ_EXCLUSIVE: (R, R, R, P, r, r, r, r),
    UPGRADE: (R, r, R, P, r, r, r, r),
    WRITE_BACK: (C, X, X, P, X, X, P, r),
    READ_PARTIAL: (R, R, P, P, r, r, r, r),
    WRITE_PARTIAL: (R, R, R, P, r, r, r, r),
    FLUSH: (R, P, P, P, P, P, P, r),
    CLEAN: (R, P, P, P, P, P, P, r),
    KILL: (R, P, P, P, P, P, P, r),
}


def default_table():
    """table[cls][op]; ops 9 to 15 exist for nobody and are retried."""
    return [[TABLE_BY_OP[op][cls] if op in TABLE_BY_OP else RETRY for op in range(16)] for cls in CLS]


CLASS = {READ: 0, READ_PARTIAL: 0, READ_EXCLUSIVE: 1, WRITE_PARTIAL: 1, WRITE_BACK: 1, UPGRADE: 2, FLUSH: 3, CLEAN: 3, KILL: 3}
MAINTENANCE = {WRITE_BACK, FLUSH, CLEAN, KILL}
STRENGTH = {0: 1, 1: 2, 2: 2}


def covers(noticed, op):
    """The notice of `noticed` serves `op` too: same class or a stronger one; write and upgrade both ask for exclusive."""
    a, b = CLASS[noticed], CLASS[op]
    return a == b if 3 in (a, b) else STRENGTH[a] >= STRENGTH[b]


@dataclass
class Entry:
    line: int
    master: int
    op: int
    approved: bool = False
    age: int = 0


@dataclass
class Answer:
    retry: bool = False
    shared: bool = False
    claim: bool = False


@dataclass
class Command:
    address: int
    size: int = 0
    check: bool = False
    old: int = 0
    set: bool = False
    next: int = 0
    approve: bool = False
    defer: bool = False

    def lines(self):
        n = 1 << self.size
        first = (self.address >> 6) & ~(n - 1)
        return range(first, first + n)


@dataclass
class Model:
    """State at the beginning of a cycle; `step` is one cycle and returns the answer due in the next one."""

    entries_max: int
    age_limit: int
    heap: range
    table: list = field(default_factory=default_table)
    tags: dict = field(default_factory=dict)
    cycle: int = 0
    room: bool = False
    patience: int = 0  # cycles in which an op kept an entry from ageing

    def __post_init__(self):
        self.entries = [None] * self.entries_max
        self.order, self.waits, self.unseen = deque(), set(), 0
        self.events = deque()  # in the FIFO: (first visible cycle, index, arg, meta)
        self.claims = deque([None, None])
        self.claim_room = True
        self.wake = deque([False, False])

    def tag(self, line):
        return self.tags.get(line, OTHER)

    def own(self, op):
        return [e for e in self.entries if e and e.line == op.address >> 6 and e.master == op.master]

    def approved_in(self, command):
        return any(e and e.approved and e.line in command.lines() for e in self.entries)

    def mismatch(self, command):
        """Whether the compare fails, and the tag reported: of the first wrong line, else of the first line."""
        wrong = [t for t in map(self.tag, command.lines()) if t != command.old] if command.check else []
        return bool(wrong), (wrong or [self.tag(command.lines()[0])])[0]

    def _change(self, command):
        """Tags, then approvals, of a command in its effective cycle; returns the slots of the entries judged anew."""
        if self.mismatch(command)[0] or command.address not in self.heap:
            return [], False
        if command.set:
            self.tags.update(dict.fromkeys(command.lines(), command.next))
        rejudged = []
        for i, e in enumerate(self.entries):
            if not e or e.line not in command.lines():
                continue
            allowed = self.table[command.next][e.op] in (MEMORY, MEMORY_SHARED)
            if not e.approved and command.approve:
                rejudged.append(i)
                e.approved = allowed
                if not allowed:
                    self.entries[i] = None
            elif e.approved and command.set and not allowed:
                self.entries[i] = None
        return rejudged, bool(command.approve or (command.set and command.next != PEND_DOWN))

    def _judge(self, op, column, mine, free, claim_push):
        """The op in T1: its answer, and the event to queue or None."""
        line, tag = op.address >> 6, self.tag(op.address >> 6)
        action = column[tag]
        own = self.own(op)
        pending = next((e for e in own if not e.approved), None)
        approved = next((e for e in own if e.approved), None)
        others = [e for e in self.entries if e and e.line == line and e.master != op.master and not e.approved]
        for e in own:
            e.age = 0
        served = True
        try:
            if pending and (op.op not in MAINTENANCE or op.op == pending.op):
                pending.op = op.op
                return Answer(retry=True), None
            if action in (CLAIM, ERROR):
                if not self.room or not self.claim_room and op.op in (WRITE_BACK, WRITE_PARTIAL):
                    return Answer(retry=True), None
                self.claims[-1] = (op, action, tag)
                return Answer(claim=True), None
            behind = bool(others) and op.op not in MAINTENANCE and not approved
            if action in (MEMORY, MEMORY_SHARED) and not behind:
                return Answer(shared=action == MEMORY_SHARED), None
            if pending or not (action == RECORD or behind):
                return Answer(retry=True), None
            notice = action == RECORD and not any(covers(e.op, op.op) for e in others)
            turn = not self.order or self.order[0] == op.master
            if not mine and not (free and turn):
                served = False
                return Answer(retry=True), None
            if notice and (not self.room or claim_push or self.yields):
                return Answer(retry=True), None
            slot = (mine or free)[0]
            self.entries[slot] = Entry(line, op.master, op.op)
            event = (EVENT_FAULT + 4 * tag + CLASS[op.op], op.address, meta(op, tag, slot)) if notice else None
            return Answer(retry=True), event
        finally:
            self._queue(op.master, served)

    def _queue(self, master, served):
        if self.order and self.order[0] == master:
            self.unseen = 0
        if served:
            self.waits.discard(master)
        else:
            self.waits.add(master)
            if master not in self.order:
                self.order.append(master)

    @property
    def yields(self):
        return self.patience == 64

    def step(self, op, column, command, verdict, popped):
        """One cycle: `op` in T1 (heap, no bypass) and its table column [cls] at T0, the tag command accepted in this cycle,
        the verdict (op, retry, whether the NIU moves the data) in this cycle, whether an event was taken. Returns the answer for the next cycle."""
        room = self.room
        occupied = len(self.events)
        self.room = 8 - occupied >= 5
        room, self.room = self.room, room  # judged with the room of the cycle before
        free = [i for i, e in enumerate(self.entries) if e is None]
        tick = self.cycle % (self.age_limit // 16) == self.age_limit // 16 - 1
        queued = bool(self.order)
        head, head_stale = (self.order[0] if queued else None), False
        if queued:
            head_stale = head not in self.waits or self.unseen == 3
        expired = next(
            (i for i, e in enumerate(self.entries)
             if e and e.age == 17 and not (op and e.line == op.address >> 6 and e.master == op.master)), None)
        expired_entry = self.entries[expired] and Entry(**vars(self.entries[expired])) if expired is not None else None
        committed = []
        if verdict and not verdict[1] and verdict[0].address in self.heap and not verdict[0].bypass:
            committed = [(i, e) for i, e in enumerate(self.entries)
                         if e in self.own(verdict[0]) and e.approved
                         and (verdict[0].op not in MAINTENANCE or e.op == verdict[0].op)]
        if tick:
            for e in filter(None, self.entries):
                e.age = min(17, e.age + 1)
        if tick and queued:
            self.unseen = min(3, self.unseen + 1)

        claim = self.claims.popleft()
        self.claims.append(None)
        claim_push = bool(claim) and bool(verdict) and not verdict[1] and verdict[2]
        pushes = []
        if claim_push:
            c, action, tag = claim
            index = EVENT_ILLEGAL if action == ERROR else EVENT_FAULT + 4 * tag + CLASS[c.op]
            pushes.append((index, c.address, meta(c, tag, META_FAULT_ENTRY.mask) | META_FAULT_CLAIMED(1)))

        before = list(self.entries)
        was_approved = [bool(e and e.approved) for e in before]
        rejudged, woken = self._change(command) if command else ([], False)
        mine = [i for i, e in enumerate(before) if op and e and e.line == op.address >> 6 and e.master == op.master
                and (was_approved[i] or i in rejudged)]
        answer, event = self._judge(op, column, mine, free, claim_push) if op else (Answer(), None)
        if event:
            pushes.append(event)
        freed = False
        for i, e in committed:
            freed = True
            if self.entries[i] is e:
                self.entries[i] = None
        ages = expired is not None and self.room and not claim_push and (not op or self.yields)
        self.patience = min(64, self.patience + 1) if expired is not None and not ages else 0
        if ages:
            pushes.append((EVENT_AGED, expired_entry.line << 6, meta(expired_entry, 0, expired)))
            self.entries[expired] = None
            freed = True
        if head_stale and self.order and self.order[0] == head and not (op and op.master == head):
            self.order.popleft()
            self.waits.discard(head)
            self.unseen = 0

        if popped:
            self.events.popleft()
        assert len(pushes) <= 1 and len(self.events) <= 8
        self.events.extend((self.cycle + 1, *p) for p in pushes)
        self.wake.appendleft(woken or (freed and queued))
        self.wake.pop()
        self.room = room
        self.cycle += 1
        return answer


def meta(op, tag, slot):
    return META_FAULT_MASTER(op.master) | META_FAULT_OP(op.op) | META_FAULT_CLS(tag) | META_FAULT_ENTRY(slot)
