"""RANKS= changes nothing but the speed: the same bytes in every file of a run, for any number of processes; and one that dies ends all."""
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cluster_runs import PROGRAMS, RANDOM, ROOT, environment, faulty_firmware, left, right, run


def same(name: str, ranks: tuple, app, sites: int, *arguments, **keys):
    """Runs for each number of ranks, the first of which has to agree with all others."""
    run(app, sites, *arguments, name=f"{name}-built", **{**keys, "timeout": 1000})  # what is missing, and what building says
    runs = []
    for n in ranks:
        shutil.rmtree(ROOT / f"build/run/{name}-{n}", ignore_errors=True)
        runs.append((run(app, sites, *arguments, name=f"{name}-{n}", ranks=n, **keys), left(f"{name}-{n}")))
    (first, files), *others = runs
    for other, found in others:
        assert (other.status, other.out.replace(f"{name}-{ranks[1]}", ""), other.err) == (first.status, first.out.replace(f"{name}-{ranks[0]}", ""), first.err)
        assert found.keys() == files.keys()
        for path, text in files.items():
            assert found[path] == text, path
    return first, files


def test_any_number_of_ranks_leaves_the_same_bytes():
    """Five sites: a tree of two levels with a place where no site is. All write into one file, all report at once."""
    done, files = same("test-ranks", (1, 2), PROGRAMS / "together.c", 5, trace=1)
    right(done, "sum 15")
    assert {"report.json", "reads.csv", "output.txt", "packets.csv", "trace.csv", "files/log"} <= files.keys()
    assert len(files["files/log"].splitlines()) == 15


def test_a_run_ends_in_the_same_cycle_whichever_rank_ends_it():
    """Process 1, which traps, is in the second rank."""
    done, _ = same("test-ranks-end", (1, 2), ROOT / "tests/apps/probe.c", 2, 1, "trap")
    assert "process 1: trap" in done.out and done.status == 4


@pytest.mark.full
@pytest.mark.parametrize("ranks, keys, ending", [
    pytest.param((1, 3), {"app": "lu", "sites": 4, "arguments": "-n 8"}, "exited", id="marks"),
    pytest.param((1, 2), {"app": "hello", "aps": 2, "reset": 7, "seed": 3, "homes": "first-touch"}, "exited", id="random-contents"),
    pytest.param((1, 2), {"app": PROGRAMS / "forever.c", "timeout": 60_000}, "timed out", id="time-out"),
    pytest.param((1, 2), {"app": "hello", "quiet": 40_000, "firmware": "drops_get_ro"}, "stopped moving", id="standstill"),
    pytest.param((1, 2), {"app": "hello", "firmware": "traps"}, "trapped", id="trap"),
    pytest.param((1, 2), {"app": "hello", "sites": 3, "fault": "flip:2:9", "quiet": 40_000}, "stopped moving", id="damaged-packet"),
    pytest.param((1, 2), {"app": PROGRAMS / "last_stores.c", "fault": "lose:1:100"}, "lost", id="lost-store"),
    pytest.param((1, 3), {"app": RANDOM, "sites": 3, "arguments": "-n 300 -l 4", "firmware": "keeps_exclusive"}, "inconsistent", id="two-owners"),
    pytest.param((1, 2), {"app": "hello", "soft": "stache"}, "exited", id="by-software"),
])
def test_runs_that_end_in_any_way_leave_the_same_bytes(ranks, keys, ending):
    keys = dict(keys)
    if "firmware" in keys:
        keys["firmware"] = faulty_firmware(keys["firmware"])
    done, _ = same("test-ranks-kind", ranks, keys.pop("app"), keys.pop("sites", 2), keys.pop("aps", 1), keys.pop("arguments", ""), **keys)
    assert done.report["ending"] == ending, done.out


def ranks_of(run_name: str) -> dict[str, int]:
    """Processes that simulate this run, by their number as mpirun told it."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"report={ROOT / 'build/run' / run_name}/".encode() in (folder / "cmdline").read_bytes():
                words = dict(word.split(b"=", 1) for word in (folder / "environ").read_bytes().split(b"\0") if b"=" in word)
                found[words[b"OMPI_COMM_WORLD_RANK"].decode()] = int(folder.name)
        except (OSError, KeyError):  # it has ended; it is mpirun
            continue
    return found


def until(found, seconds: float):
    end = time.monotonic() + seconds
    while not (value := found()) and time.monotonic() < end:
        time.sleep(0.1)
    return value


def test_a_rank_that_dies_ends_the_run_with_its_name():
    run("hello", 4, timeout=1000)  # builds what is missing
    command = [sys.executable, ROOT / "tools/run.py", f"APP={PROGRAMS / 'forever.c'}", "SITES=4", "RANKS=2", "TIMEOUT=1000000", "PAGE=0", "NAME=test-ranks-death"]
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
        until(lambda: len(ranks_of("test-ranks-death")) == 2, 100)
        found = ranks_of("test-ranks-death")
        os.kill(found["1"], signal.SIGKILL)
        begin = time.monotonic()
        _, err = started.communicate(timeout=60)
        assert time.monotonic() - begin < 30, "of a loaded machine"
    assert started.returncode == 3 and "rank 1 (sites 2 to 3) died of signal 9 (Killed), and the run with it" in err, err
    assert until(lambda: not ranks_of("test-ranks-death"), 10), "an orphan"
    assert not (ROOT / "build/run/test-ranks-death/report.json").exists()


@pytest.mark.parametrize("keys, sentence", [
    ({"ranks": 5}, "RANKS=5 is not a number from 1 to 4, the sites"),
    ({"ranks": 0}, "RANKS=0 is not a number from 1 to 4, the sites"),
    ({"ranks": "all"}, "RANKS=all is not a number from 1 to 4, the sites"),
    ({"ranks": 2, "threads": 2}, "THREADS=2 with RANKS=2: a rank is one thread, legal is 1"),
    ({"ranks": 2, "waves": 1}, "WAVES=1 with RANKS=2: one process writes a waveform"),
    ({"ranks": 2, "gdb": "ap0.0"}, "GDB=ap0.0 with RANKS=2: one process has all processors"),
])
def test_what_ranks_cannot_is_refused(keys, sentence):
    done = run("hello", 4, **keys)
    assert done.status == 2 and sentence in done.err and len(done.err.splitlines()) == 1 and not done.out, done.err


def test_ranks_without_mpi_are_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    done = run("hello", 4, ranks=2)
    assert done.status == 2 and "RANKS=2 needs mpirun and mpicc: install the Debian packages openmpi-bin libopenmpi-dev, or say RANKS=1" in done.err, done.err
