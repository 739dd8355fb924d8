"""The Site Bus (contract §2) as values: ops, lines, beats, and the memory behind it."""

import random
from dataclasses import dataclass, field
from enum import IntEnum


class BusOp(IntEnum):
    READ = 0
    READ_EXCLUSIVE = 1
    UPGRADE = 2
    WRITE_BACK = 3
    READ_PARTIAL = 4
    WRITE_PARTIAL = 5
    FLUSH = 6
    CLEAN = 7
    KILL = 8


READ, READ_EXCLUSIVE, UPGRADE, WRITE_BACK, READ_PARTIAL, WRITE_PARTIAL, FLUSH, CLEAN, KILL = BusOp
NONE, MEMORY, CACHE, NIU = range(4)  # who moves the data
PARTIALS = (READ_PARTIAL, WRITE_PARTIAL)
READS = (READ, READ_EXCLUSIVE, READ_PARTIAL)
WRITES = (WRITE_BACK, WRITE_PARTIAL)
INTERVENED = (READ, READ_EXCLUSIVE, FLUSH, CLEAN)  # ops for which a cache with the only right copy gives the data
BASE = 0x8000_0000
NIU_WINDOW = range(0xF000_0000, 0xF100_0000)
LINE = 64
REQUEST = ("op", "address", "mask", "bypass")


def beats_of(line: bytes) -> list[int]:
    return [int.from_bytes(line[i : i + 16], "little") for i in range(0, len(line), 16)]


def line_of(beats: list[int]) -> bytes:
    return b"".join(b.to_bytes(16, "little") for b in beats)


def fresh(line: int) -> bytes:
    """What memory holds before anyone wrote: each line its own."""
    return random.Random(line).randbytes(LINE)


def merge(line: bytearray, at: int, beat: int, mask: int) -> None:
    """Writes the byte lanes of `mask` of a 128-bit beat into the 16 bytes of `line` from `at` on."""
    for lane in range(16):
        if mask >> lane & 1:
            line[at + lane] = beat >> 8 * lane & 255


class Lines(dict):
    """Line address -> its 64 bytes; `fresh` until someone writes."""

    def __missing__(self, line: int) -> bytearray:
        assert line % LINE == 0, f"{line:#x} is no line"
        self[line] = bytearray(fresh(line))
        return self[line]

    def read(self, op: int, address: int) -> list[int]:
        """The beats of a read."""
        beats = beats_of(self[address & -LINE])
        return beats[address >> 4 & 3 :][:1] if op == READ_PARTIAL else beats

    def write(self, op: int, address: int, mask: int, beats: list[int]) -> None:
        line = self[address & -LINE]
        if op == WRITE_PARTIAL:
            merge(line, address & 48, beats[0], mask)
        else:
            line[:] = line_of(beats)


@dataclass(eq=False)
class Op:
    """One op, and what became of it. Cycles are those of the bench; `done` is None until it is over."""

    op: int
    address: int
    mask: int = 0xFFFF
    bypass: int = 0
    data: list[int] = field(default_factory=list)  # beats out, known at the verdict
    master: int = 0
    got: list[int] = field(default_factory=list)  # beats in
    fired: int = 0
    answered: int | None = None
    retry: int = 0
    shared: int = 0
    error: int = 0
    conflict: int = 0
    responder: int = NONE
    first_beat: int | None = None
    done: int | None = None

    @property
    def line(self) -> int:
        return self.address & -LINE

    @property
    def beats(self) -> int:
        """Beats of its data, 0 to 4."""
        return 1 if self.op in PARTIALS else 4 if self.op in (*READS, *WRITES) else 0

    def __repr__(self) -> str:
        return f"{BusOp(self.op).name} {self.address:#x} of master {self.master}"
