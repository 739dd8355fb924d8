"""The programs of apps/ check their own answers: right on any number of processes, loud when an answer is wrong (BZ-T21, BZ-28, BZ-39)."""
import re
import shutil

import pytest
from app_runs import ROOT, build, run_native

PROGRAMS = ["em3d", "hello", "is", "lu", "moldyn", "ocean", "water"]
PARMACS = [p for p in PROGRAMS if p != "hello"]

# A mistake in the parallel part only, so that the sequential check must see it.
MISTAKES = {
    "em3d": ("mine[i] -= edge->", "mine[i] += edge->"),
    "is": ("mine[at++] = low + v;", "mine[at++] = low + v + (v == 17);"),
    "lu": ("if (owner(k, j) == me) solve_row", "if (owner(k, j) == me && k != 1) solve_row"),
    "moldyn": ("p < list + pairs; p++)", "p < list + pairs - 1; p++)"),
    "ocean": ("for (int i = first; i < last; i++) largest = relax", "for (int i = first; i < last - 1; i++) largest = relax"),
    "water": ("force[i].sum[d] += sum[i][d];", "force[i].sum[d] += sum[i][d] | 1;"),
}


@pytest.mark.parametrize("processes", [1, 2, 4, 8])
@pytest.mark.parametrize("name", PROGRAMS)
def test_answer_is_right_on_the_workstation(name, processes):
    done = run_native(build(name, native=True), processes)
    assert done.status == 0 and f"{name}: " in done.out and "correct" in done.out, done.out + done.err


@pytest.mark.parametrize("name,arguments", [
    ("em3d", "-n 50 -d 3 -r 60 -s 3 -i 5"), ("is", "-n 1000 -m 37 -i 4"), ("lu", "-n 30 -b 5"), ("lu", "-n 32 -b 4"),
    ("moldyn", "-n 100 -i 41"), ("moldyn", "-n 60 -i 9 -l 4 -r 250"), ("ocean", "-n 14 -t 20000 -i 100"), ("water", "-n 30 -s 3 -c 60"), ("is", "-n 777 -m 65536 -p 3"), ("lu", "-n 24 -b 24"),
])
def test_options_change_the_problem(name, arguments):
    done = run_native(build(name, native=True), 6, *arguments.split())
    assert done.status == 0 and "correct" in done.out, done.out + done.err


@pytest.mark.parametrize("sites,aps", [(1, 1), (2, 2), (4, 1)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_answer_is_right_on_the_ap(name, sites, aps, run_target):
    done = run_target(build(name, native=False), sites, aps)
    assert done.status == 0 and "correct" in done.out, done.out + done.err


@pytest.mark.parametrize("name", PARMACS)
def test_four_sites_are_faster_than_one(name, run_target):
    """Without the cost of communication: the work is divided, at least 2.2 times faster on 4."""
    program = build(name, native=False)
    cycles = [int(re.search(r"(\d+) cycles", run_target(program, sites, 1).out).group(1)) for sites in (1, 4)]
    # The model lets each of several aPs rest a quarter of the time.
    assert 500_000 < cycles[0] < 3_000_000
    assert cycles[1] * 3 / 4 < cycles[0] / 2.2, cycles


@pytest.mark.parametrize("name", PARMACS)
def test_wrong_answer_is_loud(name, tmp_path):
    right, wrong = MISTAKES[name]
    text = (ROOT / "apps" / name / f"{name}.c.in").read_text()
    assert text.count(right) == 1
    source = tmp_path / f"{name}.c.in"
    source.write_text(text.replace(right, wrong))
    done = run_native(build(source, native=True, out=tmp_path / "out"), 4)
    assert done.status == 1 and re.search(r"\w+ .*sequentially", done.out), done.out
    shutil.rmtree(tmp_path / "out")


@pytest.mark.parametrize("name", PARMACS)
def test_illegal_option_names_the_range(name):
    done = run_native(build(name, native=True), 2, "-p", "3")
    assert done.status == 2 and "p 1..2" in done.out, done.out
