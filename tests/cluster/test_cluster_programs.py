"""Parallel programs on real RTL and firmware: right answers, consistent memory, messages that add up (BZ-26, BZ-28, BZ-38, T9, T10)."""
import re
import shutil

import pytest
from cluster_runs import LITMUS, ROOT, right, run

#: Sizes for a few hundred thousand cycles.
PROGRAMS = {"hello": "", "lu": "-n 8 -b 2", "em3d": "-n 16 -i 2", "ocean": "-n 14 -i 2", "is": "-n 256 -m 64 -i 1", "water": "-n 8 -s 1"}
#: Outcomes that some interleaving gives: what the readers read; of 2+2W what x and y hold.
ALLOWED = {"MP": {"00", "01", "11"}, "SB": {"01", "10", "11"}, "LB": {"00", "01", "10"}, "2+2W": {"21", "12", "22"}}
TESTS = ["MP", "SB", "LB", "IRIW", "CoRR", "2+2W"]


@pytest.mark.parametrize("aps", [1, 2])
@pytest.mark.parametrize("sites", [2, 4])
@pytest.mark.parametrize("name", PROGRAMS)
def test_answer_is_right(name, sites, aps):
    done = right(run(name, sites, aps, PROGRAMS[name]), f"{name}: ", "correct")
    assert len(done.report["sites"]) == sites and done.total("get_ro") > 0


@pytest.mark.parametrize("name", PROGRAMS)
def test_answer_is_right_on_one_site(name):
    done = right(run(name, 1, 1, PROGRAMS[name]), "correct")
    assert done.report["messages"]["data"] == 0


@pytest.mark.parametrize("name, block", [("em3d", 64), ("is", 256), ("ocean", 512), ("water", 1024), ("lu", 2048)])
def test_block_size_changes_no_answer(name, block):
    right(run(name, 4, 1, PROGRAMS[name], block=block), "correct")


@pytest.mark.parametrize("name", ["em3d", "ocean", "is"])
def test_first_touch_changes_no_answer(name):
    right(run(name, 4, 1, PROGRAMS[name], homes="first-touch"), "correct")


def test_bytes_are_blocks():
    """hello asks for no block size of its own."""
    for block in (64, 128, 1024):
        done = right(run("hello", 2, 1, block=block))
        assert done.report["messages"]["bytes"] == done.report["messages"]["data"] * block


@pytest.mark.parametrize("keys", [{}, {"seed": 5}], ids=["fixed", "jitter"])
def test_same_inputs_same_cycles(keys):
    one, two = (right(run("is", 2, 2, PROGRAMS["is"], name=f"test-again-{i}-{len(keys)}", **keys)) for i in (1, 2))
    assert one.report["cycles"] == two.report["cycles"] and one.report["sites"] == two.report["sites"]


@pytest.mark.full
def test_a_waveform_is_written_and_changes_nothing():
    plain, traced = (right(run("hello", 2, 1, waves=waves, name=f"test-waves-{waves}")) for waves in (0, 1))
    assert traced.report["cycles"] == plain.report["cycles"]
    assert (ROOT / "build/run/test-waves-1/waves.fst").stat().st_size > 100_000


def test_another_seed_another_course():
    one, two = (right(run("is", 2, 1, PROGRAMS["is"], seed=s)) for s in (5, 6))
    assert one.report["cycles"] != two.report["cycles"]


@pytest.mark.parametrize("together", ["", " -f"], ids=["two-pages", "one-block"])
@pytest.mark.parametrize("name", TESTS)
def test_litmus(name, together):
    sites, aps = (2, 2) if together else (4, 1)
    done = right(run(LITMUS, sites, aps, f"-t {name} -n 24{together}"), f"litmus {name}: correct")
    outcomes = {text: int(count) for text, count in re.findall(r"(\d+) x (\d+)", done.out)}
    assert sum(outcomes.values()) == 24 and len(outcomes) >= 2, "no interleaving but one was seen"
    assert name not in ALLOWED or set(outcomes) <= ALLOWED[name]


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.parametrize("name", TESTS)
def test_litmus_at_length(name, seed):
    right(run(LITMUS, 4, 1 + seed % 2, f"-t {name} -n 200 -s {seed}" + " -f" * (seed % 3 == 0), seed=seed), f"litmus {name}: correct")


@pytest.mark.full
@pytest.mark.parametrize("name", PROGRAMS)
def test_answer_is_right_on_eight_sites(name):
    right(run(name, 8, 1), "correct")


@pytest.mark.parametrize("name, arguments", [("pi.C", "-p4"), ("grid", "4")])
def test_a_parmacs_program_from_elsewhere(name, arguments, tmp_path):
    source = ROOT / "tests/apps/alien" / name
    (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    right(run(tmp_path / name, 4, 1, arguments), "PASSED")


def test_lines_carry_the_number_of_their_site():
    lines = right(run("hello", 4, 1)).out.splitlines()
    for site in range(4):
        assert f"[{site}] hello from process {site} of 4 on site {site}" in lines
    lines = right(run("hello", 2, 2)).out.splitlines()
    for process in range(4):
        assert f"[{process // 2}.{process % 2}] hello from process {process} of 4 on site {process // 2}" in lines
