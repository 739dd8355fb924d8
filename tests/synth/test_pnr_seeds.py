"""Place and route ends: a placement that the router cannot finish gives way to the next seed (docs/design/timing.md)."""

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import pnr

# Stands for nextpnr: seeds below the given one never end, that one does.
ROUTER = """
import sys, time
good, log, seed = int(sys.argv[1]), sys.argv[2], int(sys.argv[4])
rounds = 90 if seed >= good else 500
open(log, "w").write("".join(f"Info:     iter={i} wires=7 overused=1\\n" for i in range(rounds)))
time.sleep(0 if seed >= good else 600)
"""


def route(folder: Path, good: int) -> None:
    (folder / "in.json").write_text("{}")
    (folder / "router.py").write_text(ROUTER)
    pnr.routed(folder, "run", [folder / "in.json"], [sys.executable, "router.py", str(good), "run.log"], 1)


def test_the_next_seed_is_tried(tmp_path, capfd):
    began = time.monotonic()
    route(tmp_path, 3)
    assert time.monotonic() - began < 60
    said = capfd.readouterr().err
    assert "seed 1 leaves wires in conflict" in said and "seed 2 leaves" in said and "seed 3 leaves" not in said
    assert "iter=89" in (tmp_path / "run.log").read_text()


def test_the_log_of_another_run_counts_for_nothing(tmp_path, capfd):
    (tmp_path / "run.log").write_text("Info:     iter=400 wires=7 overused=1\n")
    (tmp_path / "run.stamp").write_text("of other input")
    route(tmp_path, 1)
    assert "leaves wires" not in capfd.readouterr().err


def test_a_seed_that_the_router_refuses_gives_way(tmp_path, capfd):
    (tmp_path / "in.json").write_text("{}")
    (tmp_path / "router.py").write_text("import sys\nsys.exit('no route for the clock' if sys.argv[2] == '1' else 0)")
    pnr.routed(tmp_path, "run", [tmp_path / "in.json"], [sys.executable, "router.py"], 1)
    assert "seed 1: pnr:" in (said := capfd.readouterr().err) and "no route for the clock" in said and "seed 2" not in said


def test_no_seed_is_an_error_in_words(tmp_path):
    with pytest.raises(SystemExit, match="not routed with seeds 1 to 4; another --seed may do"):
        route(tmp_path, 9)


def test_a_line_more_in_a_source_is_the_same_netlist():
    """Placement depends on names: those that tell a Scala line must not, or no result stands for the next commit."""
    before = "wire when_BusClient_l86; wire when_BusClient_l86_1; wire _zz_when_Slot_l9_regNext; assign when_BusClient_l86 = _zz_when_Slot_l9_regNext;"
    after = before.replace("l86", "l94").replace("_l9_", "_l120_")
    assert pnr.renamed(after) == pnr.renamed(before)
    assert pnr.renamed(before).startswith("wire when_BusClient_0; wire when_BusClient_1_1; wire _zz_when_Slot_regNext_2; assign when_BusClient_0 = _zz_when_Slot")
