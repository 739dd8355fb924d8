"""The boards of hw/: their table, hw/boards.toml, and what is refused about it."""

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "hw/boards.toml"


class Refused(Exception):
    """The message is the whole sentence for the user."""


@dataclass(frozen=True)
class Board:
    """A table of hw/boards.toml, which says what each row means."""

    name: str
    title: str
    device: str
    clock: int
    oscillators: dict[str, float]
    pins: list[str]

    @property
    def top(self) -> Path:
        return ROOT / "hw" / self.name / f"{self.name}.v"

    @property
    def constraints(self) -> Path:
        return ROOT / "constraints" / self.name

    @property
    def out(self) -> Path:
        return ROOT / "build/hw" / self.name


@dataclass(frozen=True)
class Alone(Board):
    """A site that runs a program by itself, made with yowasp's tools."""

    package: str
    speed: int
    baud: int
    window: int
    heap: int
    stack: int
    program: str
    loader: str

    def parameters(self, image: Path) -> list[str]:
        """Of board/BoardSite."""
        return [f"clockHz={self.clock * 1000000}", f"baud={self.baud}", f"windowBytes={self.window << 10}", f"heapBytes={self.heap << 10}", f"image={image}"]


@dataclass(frozen=True)
class Card(Board):
    """A site in a host's slot, made with Vivado."""

    aps: int
    dma: bool
    entries: int
    memory: int
    mac: int
    cfgmem: str
    flash: int
    image: int
    has: dict[str, int]

    def parameters(self) -> list[str]:
        """Of board/CardSite."""
        return [f"aps={self.aps}", f"dma={str(self.dma).lower()}", f"entries={self.entries}", f"memoryBytes={self.memory << 20}", f"macBits={self.mac}"]


KINDS = {"alone": Alone, "card": Card}


def load(table: Path = TABLE) -> dict[str, Board]:
    found = {}
    for name, row in tomllib.loads(table.read_text()).items():
        kind = row.pop("kind", None)
        if kind not in KINDS:
            raise Refused(f"{table.name}: [{name}] has kind = {kind!r}; legal are {', '.join(KINDS)}")
        wanted = {f.name for f in fields(KINDS[kind])} - {"name"}
        if set(row) != wanted:
            raise Refused(f"{table.name}: [{name}] has {', '.join(sorted(set(row) - wanted)) or 'nothing'} too much, {', '.join(sorted(wanted - set(row))) or 'nothing'} too little")
        found[name] = KINDS[kind](name, **row)
    return found


def board(name: str, table: Path = TABLE) -> Board:
    known = load(table)
    if name not in known:
        raise Refused(f"BOARD={name} is no board; there are: " + ", ".join(f"{b.name} ({b.title})" for b in known.values()))
    return known[name]
