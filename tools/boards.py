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
    """A table of hw/boards.toml, which says what each means."""

    name: str
    title: str
    device: str
    package: str
    speed: int
    clock: int
    oscillators: dict[str, float]
    pins: list[str]
    baud: int
    window: int
    heap: int
    stack: int
    program: str
    loader: str

    @property
    def top(self) -> Path:
        return ROOT / "hw" / self.name / f"{self.name}.v"

    @property
    def constraints(self) -> Path:
        return ROOT / "constraints" / self.name

    @property
    def out(self) -> Path:
        return ROOT / "build/hw" / self.name

    def parameters(self, image: Path) -> list[str]:
        """Of board/BoardSite."""
        return [f"clockHz={self.clock * 1000000}", f"baud={self.baud}", f"windowBytes={self.window << 10}", f"heapBytes={self.heap << 10}", f"image={image}"]


def load(table: Path = TABLE) -> dict[str, Board]:
    described, wanted = tomllib.loads(table.read_text()), {f.name for f in fields(Board)} - {"name"}
    for name, row in described.items():
        if set(row) != wanted:
            raise Refused(f"{table.name}: [{name}] has {', '.join(sorted(set(row) - wanted)) or 'nothing'} too much, {', '.join(sorted(wanted - set(row))) or 'nothing'} too little")
    return {name: Board(name, **row) for name, row in described.items()}


def board(name: str, table: Path = TABLE) -> Board:
    known = load(table)
    if name not in known:
        raise Refused(f"BOARD={name} is no board; there are: " + ", ".join(f"{b.name} ({b.title})" for b in known.values()))
    return known[name]
