"""THREADS= changes nothing but the speed: the same bytes in every file of a run, for any number of threads."""
import shutil

from cluster_runs import PROGRAMS, ROOT, left, right, run


def test_any_number_of_threads_leaves_the_same_bytes():
    """Five sites: a tree of two levels with a place where no site is. All write into one file, all report at once."""
    runs = {}
    for threads in (1, 3):
        name = f"test-threads-{threads}"
        shutil.rmtree(ROOT / "build/run" / name, ignore_errors=True)
        right(run(PROGRAMS / "together.c", 5, name=name, threads=threads, trace=1), "sum 15")
        runs[threads] = left(name)
    assert {"report.json", "reads.csv", "output.txt", "packets.csv", "trace.csv", "files/log"} <= runs[1].keys() == runs[3].keys()
    assert len(runs[1]["files/log"].splitlines()) == 15
    for path, text in runs[1].items():
        assert runs[3][path] == text, path


def test_a_run_ends_in_the_same_cycle_whoever_ends_it():
    """Process 1, which traps, is in the second thread."""
    one, two = (run(ROOT / "tests/apps/probe.c", 2, arguments="trap", name=f"test-threads-end-{threads}", threads=threads) for threads in (1, 2))
    assert "process 1: trap" in one.out and one.status == two.status == 4
    assert one.out == two.out and one.report == two.report != {}
