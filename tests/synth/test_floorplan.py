"""A floorplan gives every block of a memory a place of its own, or says what does not fit."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import floorplan

PLAN = """
columns = [4, 6, 8, 10, 13]
[[Top]]
memory = "sp.ram"
rows = [70, 82]
spans = [[6, 8]]
[[Top]]
memory = "table"
rows = [70]
spans = [[{low}, 13]]
"""


def netlist(folder: Path, **blocks: int) -> Path:
    cells = {f"dut.{memory.replace('_', '.')}.0.{i}": {"type": "DP16KD", "attributes": {}} for memory, n in blocks.items() for i in range(n)}
    cells["dut.sp.ram_address"] = {"type": "TRELLIS_FF", "attributes": {}}
    file = folder / "Top.json"
    file.write_text(json.dumps({"modules": {"pins": {"cells": cells}}}))
    return file


def planned(folder: Path, top: str = "Top", low: int = 10, **blocks: int) -> dict[str, str]:
    (folder / "plan.toml").write_text(PLAN.format(low=low))
    assert floorplan.plan(netlist(folder, **blocks), folder / "out.json", top, folder / "plan.toml")
    cells = json.loads((folder / "out.json").read_text())["modules"]["pins"]["cells"]
    return {name: cell["attributes"]["BEL"] for name, cell in cells.items() if "BEL" in cell["attributes"]}


def test_each_block_has_a_place_of_its_own(tmp_path):
    assert planned(tmp_path, sp_ram=4, table=2) == {
        "dut.sp.ram.0.0": "X6/Y70/EBR1", "dut.sp.ram.0.1": "X6/Y82/EBR1", "dut.sp.ram.0.2": "X8/Y70/EBR2", "dut.sp.ram.0.3": "X8/Y82/EBR2",
        "dut.table.0.0": "X10/Y70/EBR3", "dut.table.0.1": "X13/Y70/EBR0"}  # fmt: skip


def test_what_does_not_fit_is_said(tmp_path):
    with pytest.raises(floorplan.Refused, match="sp.ram has 5 block RAMs, its rows and spans have 4 places"):
        planned(tmp_path, sp_ram=5, table=1)
    with pytest.raises(floorplan.Refused, match="Top has no block RAM whose name begins with table"):
        planned(tmp_path, sp_ram=1)
    with pytest.raises(floorplan.Refused, match="X8/Y70/EBR2 is given to sp.ram and to table"):
        planned(tmp_path, low=8, sp_ram=4, table=1)


def test_a_top_without_a_plan_is_left_to_the_placer(tmp_path):
    assert not floorplan.plan(netlist(tmp_path, sp_ram=1), tmp_path / "out.json", "Other")
    assert not (tmp_path / "out.json").exists()
