"""Waveforms of a window of a run, and what views of them show: one time base with reads.csv and the report."""
import re
import subprocess
import sys

import pytest
import pywellen
from cluster_runs import ROOT, environment, right, run


def written(folder):
    """The waveform, and the value that each signal has at a time, as the edge of that cycle sees it (half a cycle before)."""
    wave = pywellen.Waveform(str(folder / "waves.fst"))
    assert (wave.timescale.factor, str(wave.timescale.unit)) == (100, "ps"), "a cycle is 10 units, a nanosecond"
    found = {var.full_name: var for var in wave.all_vars()}
    return found, lambda name, cycle: found[name].signal.value_at(10 * cycle - 5)


@pytest.mark.full
def test_the_window_of_a_miss_shows_it_at_its_cycles():
    done = right(run("is", 2, 1, "-n 256 -m 64 -i 1", waves_miss=12, name="test-waves-miss"))
    told = re.search(r"remote miss 12 is of (0x\w+), site (\d+) aP (\d+), cycles (\d+) to (\d+)", done.err)
    address, (site, ap, first, last) = int(told[1], 16), map(int, told.groups()[1:])
    found, at = written(ROOT / "build/run/test-waves-miss")
    probe = f"site{site}.Site.io_probe_ap_{ap}_miss"
    assert at(probe + "Start_valid", first) == 1 and at(probe + "Start_payload_address", first) == address
    assert at(probe + "Done_valid", last) == 1 and at(probe + "Start_valid", last) == 0
    times = [time for time, _ in found["site0.Site.clk"].tv]
    assert 10 * (first - 20) <= times[0] < 10 * (first - 18) and 10 * (last + 18) < times[-1] <= 10 * (last + 20) + 5
    assert f" WAVES=1 WAVES_FROM={first - 20} WAVES_TO={last + 20} " in done.report["command"], "the command that repeats it"


@pytest.mark.full
@pytest.mark.parametrize("aps", [1, 2])
def test_views_show_signals_that_are_there(aps):
    done = right(run("hello", 2, aps, waves_from=2000, waves_to=2100, name=f"test-waves-views-a{aps}"))
    assert re.search(r"^waves .*waves\.fst, .*waves\.gtkw, .*waves\.sucl$", done.out, re.MULTILINE), done.out
    folder = ROOT / f"build/run/test-waves-views-a{aps}"
    found, _ = written(folder)
    rows = [line for line in (folder / "waves.gtkw").read_text().splitlines() if line[0] not in "[@-"]
    for row in rows:
        name, msb = re.fullmatch(r"([^[]+)(?:\[(\d+):0\])?", row).groups()
        assert found[name].length == int(msb or 0) + 1, row
    assert len(rows) == 2 * (23 + 5 * aps)
    added = [line.partition(" ")[2] for line in (folder / "waves.sucl").read_text().splitlines() if line.startswith("variable_add ")]
    assert added == [row.partition("[")[0] for row in rows]


@pytest.mark.full
def test_a_window_behind_the_end_is_said():
    done = run("hello", 2, 1, waves_from=10**9, name="test-waves-late")
    assert done.status == 0 and re.search(r"no waveform: the run ended at cycle \d+, waves-from is 1000000000", done.err), done.err


def test_a_miss_that_never_comes_is_refused_with_their_number():
    plain = right(run("hello", 2, 1))
    done = run("hello", 2, 1, waves_miss=10**6)
    assert done.status == 2 and f"WAVES_MISS=1000000: the run ended after {plain.report['misses']['remote']} remote misses" in done.err, done.err


@pytest.mark.parametrize("keys, sentence", [
    (["WAVES_FROM=-1"], "WAVES_FROM=-1 is not a number from 0 to 18446744073709551615"),
    (["WAVES_MISS=0"], "WAVES_MISS=0 is not a number from 1 to 18446744073709551615"),
    (["WAVES_FROM=200", "WAVES_TO=100"], "WAVES_FROM=200 is after WAVES_TO=100"),
    (["WAVES_MISS=3", "WAVES_TO=100"], "WAVES_MISS=3 finds the window of a miss itself: legal is either it, or WAVES_FROM and WAVES_TO"),
    (["WAVES_FROM=200", "THREADS=2"], "THREADS=2 with WAVES=1: one thread writes a waveform"),
])
def test_a_window_that_is_not_legal_is_refused(keys, sentence):
    done = subprocess.run([sys.executable, ROOT / "tools/run.py", "APP=hello", *keys], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr == f"run: {sentence}\n" and not done.stdout, done.stderr
