"""`make sweep`: every combination once, each row repeatable, a stopped sweep goes on, bad values run nothing."""
import csv
import json
import subprocess
import sys

import pytest
from cluster_runs import ROOT, environment

FOLDER = ROOT / "build/sweep/test"


def sweep(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, ROOT / "tools/sweep.py", *arguments], cwd=ROOT, env=environment(), capture_output=True, text=True)


@pytest.mark.parametrize("arguments, words", [
    (["APP=hello", "SITES=1 2 65"], "SITES=65 is out of range: 1 to 64"),
    (["APP=hello", "BLOCK=64 100"], "BLOCK=100 is not legal"),
    (["APP=hello", "DRAM=ddr4 ddr5"], "DRAM=ddr5 is not legal"),
    (["APP=hello", "DRAM=fixed ddr4", "LATENCY=12 20"], "LATENCY=20 with DRAM=ddr4"),
    (["SITES=1"], "APP= is missing"),
    (["APP=hello", "WAVES=1"], "'WAVES=1' is not known"),
    (["APP=hello", "JOBS=0"], "JOBS=0 is not a number from 1 to 256"),
    (["APP=hello", "NAME=../x"], "NAME=../x is not legal"),
])  # fmt: skip
def test_a_value_that_is_not_legal_runs_nothing(arguments, words):
    done = sweep(*arguments, *([] if any(a.startswith("NAME") for a in arguments) else ["NAME=test-refused"]))
    assert done.returncode == 2 and words in done.stderr
    assert not (ROOT / "build/sweep/test-refused").exists()


def test_every_combination_is_a_row_that_can_be_repeated():
    for file in FOLDER.glob("*"):
        file.unlink()
    arguments = ["APP=hello", "SITES=1 2", "BLOCK=64 256", "NAME=test", "JOBS=2"]
    first = sweep(*arguments)
    assert first.returncode == 0, first.stderr
    rows = json.loads((FOLDER / "results.json").read_text())
    assert [(r["SITES"], r["BLOCK"]) for r in rows] == [("1", "64"), ("1", "256"), ("2", "64"), ("2", "256")]
    with open(FOLDER / "results.csv", newline="") as lines:
        table = list(csv.DictReader(lines))
    assert [int(r["cycles"]) for r in table] == [r["cycles"] for r in rows] and all(r["status"] == "0" for r in table)
    base = {r["BLOCK"]: r["parallel_cycles"] for r in rows if r["SITES"] == "1"}
    assert all(r["speed_up"] == round(base[r["BLOCK"]] / r["parallel_cycles"], 3) for r in rows)

    keys = [k for k in rows[3]["command"].split() if "=" in k]
    again = subprocess.run([sys.executable, ROOT / "tools/run.py", *keys, "NAME=test-sweep-again", "PAGE=0"], cwd=ROOT, env=environment(), capture_output=True)
    assert again.returncode == 0
    assert json.loads((ROOT / "build/run/test-sweep-again/report.json").read_text())["cycles"] == rows[3]["cycles"]

    # Stopped after three: the fourth alone is run, and the table is what it was.
    (FOLDER / "results.json").write_text(json.dumps(rows[:3]))
    second = sweep(*arguments)
    assert "4 runs, 3 of them done before" in second.stdout and second.stdout.count("[4/4]") == 1 and "[3/4]" not in second.stdout
    assert json.loads((FOLDER / "results.json").read_text()) == rows


def test_a_run_that_fails_is_a_row():
    done = sweep("APP=em3d", "TIMEOUT=50000", "NAME=test-failing")
    assert done.returncode == 1 and "1 of 1 runs did not end with status 0" in done.stdout
    (row,) = json.loads((ROOT / "build/sweep/test-failing/results.json").read_text())
    assert (row["status"], row["ending"]) == (3, "timed out")
