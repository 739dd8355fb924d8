"""Programs with threads on RTL: the lines of the workstation's own threads, and a word for those that lack GLOBALS=shared."""
import subprocess
import sys

from cluster_runs import ROOT, environment, right, run

THREADS = ROOT / "tests/apps/threads.c"


def test_threads_do_what_those_of_the_workstation_do():
    done = right(run(THREADS, 2, 2, globals="shared", name="test-threads"))
    there = subprocess.run([sys.executable, ROOT / "tools/native.py", f"APP={THREADS}"], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert there.returncode == 0 and len(there.stdout.splitlines()) == 4
    assert (ROOT / "build/run/test-threads/output/process-0.out").read_text() == there.stdout


def test_a_created_process_that_traps_is_told_of_shared_globals():
    done = run(ROOT / "tests/apps/probe.c", 1, 2, "trap")
    assert done.status == 4 and "GLOBALS=shared runs it" in done.err
