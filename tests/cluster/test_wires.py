"""A wire between cards: programs over it (WIRE=), and a fast bench of its ports under faults of each kind (VY-43)."""
import re
import subprocess

import pytest
from cluster_runs import PROGRAMS, ROOT, SEED, environment, right, run

KINDS = ("lost", "flipped", "repeated", "reordered", "delayed", "stopped")


@pytest.mark.parametrize("faults", [4000, pytest.param(1_000_000, marks=pytest.mark.full)])
def test_faults_of_each_kind_lose_nothing_repeat_nothing_and_keep_order(faults):
    built = subprocess.run([ROOT / "tools/sim-build", "wire"], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    done = subprocess.run([ROOT / "build/sim/wire/wire_faults", str(SEED), str(faults)], capture_output=True, text=True)
    print(f"SEED={SEED}\n{done.stdout}")
    assert done.returncode == 0, f"SEED={SEED}: {done.stdout}{done.stderr}"
    counted = {name: int(number) for name, number in re.findall(r"^(\w+) +(\d+)$", done.stdout, re.MULTILINE)}
    assert all(counted[kind] >= faults for kind in (*KINDS, "passed")) and counted["flits"] > faults, counted


def test_programs_see_nothing_of_the_wire_but_time_whatever_the_threads():
    """One frame of ten suffers: same answers, memory checked, the same cycles for one thread and two."""
    plain = right(run(PROGRAMS / "together.c", 2, threads=1), "sum 6")
    wires = [right(run(PROGRAMS / "together.c", 2, threads=threads, wire=f"100:100000:{SEED}"), "sum 6") for threads in (1, 2)]
    assert wires[0].report == wires[1].report
    assert wires[0].report["misses"]["remote_mean"] > plain.report["misses"]["remote_mean"] + 400, "there and back"
    assert "wires" not in plain.report and len(wires[0].report["wires"]) == 2
    for of_site in wires[0].report["wires"]:
        for way in (of_site["from_site"], of_site["to_site"]):
            port = way["port"]
            assert way["frames"] > 50 and sum(way["faults"].values()) and set(way["faults"]) == set(KINDS)
            assert port["damaged"] == way["faults"]["flipped"] and not port["downs"] + port["dropped"] + port["cut"]
    assert sum(way["port"]["again"] for of_site in wires[0].report["wires"] for way in of_site.values())


@pytest.mark.parametrize("wire, sites, says", [("fast", 2, "CYCLES:FAULTS:SEED"), ("8001", 2, "0 to 8000"), ("1:500001", 2, "to 500000"), ("1:", 2, "CYCLES:FAULTS"), ("10", 1, "it has no link")])
def test_a_wire_that_cannot_be_is_refused_in_words(wire, sites, says):
    done = run(PROGRAMS / "together.c", sites, wire=wire)
    assert done.status == 2 and f"WIRE={wire}" in done.err and says in done.err, done.err
