"""Gives block RAMs of a netlist for ECP5-85 their places, by a floorplan.toml of constraints/: memories of many blocks lie together."""

import json
import re
import tomllib
from pathlib import Path

PLAN = Path(__file__).resolve().parents[1] / "constraints" / "ecp5-85" / "floorplan.toml"
BLOCK_RAMS = ("DP16KD", "PDPW16KD")


class Refused(Exception):
    """The plan does not fit the netlist; the message is the whole sentence for the user."""


def places(columns: list[int], group: dict) -> list[str]:
    """Names of the block RAM places of a group, column by column."""
    inside = [(i, x) for i, x in enumerate(columns) if any(low <= x <= high for low, high in group["spans"])]
    return [f"X{x}/Y{y}/EBR{i % 4}" for i, x in inside for y in group["rows"]]


def plan(netlist: Path, planned: Path, top: str, file: Path = PLAN, module: str = "pins", inside: str = "dut.") -> bool:
    """Writes `netlist` with the places of `top`'s plan to `planned`. False, and nothing written, when it has none.

    module: the netlist's, by default a frame of pins.      inside: how the names begin in it of what is `top`'s.
    """
    described = tomllib.loads(file.read_text())
    groups = described.get(top, [])
    if not groups:
        return False
    document = json.loads(netlist.read_text())
    cells = document["modules"][module]["cells"]
    taken: dict[str, str] = {}
    for group in groups:
        memory, free = group["memory"], places(described["columns"], group)
        blocks = [name for name, cell in cells.items() if cell["type"] in BLOCK_RAMS and name.startswith(inside + memory)]
        blocks.sort(key=lambda name: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)])
        if not blocks:
            raise Refused(f"{file.name}: {top} has no block RAM whose name begins with {memory}")
        if len(blocks) > len(free):
            raise Refused(f"{file.name}: {memory} has {len(blocks)} block RAMs, its rows and spans have {len(free)} places: widen them")
        for name, place in zip(blocks, free):
            if place in taken:
                raise Refused(f"{file.name}: {place} is given to {taken[place]} and to {memory}")
            taken[place] = memory
            cells[name]["attributes"]["BEL"] = place
    planned.write_text(json.dumps(document))
    return True
