"""A victim comes to its right answer, and is hardly slowed, beside each program of tests/cluster/hostile (issue 6; VY-34, VY-36, VY-37; T14, T16).

Each of them stopped or corrupted the victim, its sP or its site before it was written; how is in its first comment."""
import os

import pytest
from cluster_runs import PROGRAMS, ROOT, Run, run

HOSTILE = ROOT / "tests/cluster/hostile"
SLOWDOWN = 1.5


def beside(name: str, arguments: str = "", **keys) -> Run:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
    done = run(HOSTILE / f"{name}.c", 2, 2, arguments, timeout=1_500_000, name=f"test-hostile-{name}-{arguments}-{worker}", **keys)
    assert done.status == 0 and "victim: correct" in done.out, done.out + done.err
    return done


@pytest.fixture(scope="module")
def alone():
    return beside("bad_stores", "alone").report["phases"]["1"]


@pytest.mark.parametrize("name", sorted(path.stem for path in HOSTILE.glob("*.c")))
def test_a_hostile_neighbour_harms_nobody(name, alone):
    found = beside(name).report["phases"]["1"]
    assert found["remote"] >= alone["remote"] > 100, "the victim measures nothing"
    assert found["remote_mean"] <= SLOWDOWN * alone["remote_mean"], f"{found['remote_mean']} cycles, alone {alone['remote_mean']}"


def test_a_late_reader_gets_all_in_order():
    """VY-20: three senders fill a queue that is read much later; they are held, nothing is lost, each one's order stays."""
    done = run(PROGRAMS / "queues.c", 2, 2, "late", quiet=200_000)
    assert done.status == 0 and "queues: correct" in done.out, done.out + done.err
    assert "queues: process 1: 180 messages" in done.out
    assert sum(site["taken"].get("101", 0) for site in done.report["sites"]) > 20, "nothing was kept: the test shows nothing"
    assert sum(site["taken"].get("107", 0) for site in done.report["sites"]) > 0


@pytest.mark.parametrize("sites, aps, each, late", [(2, 2, 60, 120_000), pytest.param(4, 4, 20, 30_000, marks=pytest.mark.full)])
def test_a_late_reader_of_a_ring_gets_all_in_order(sites, aps, each, late):
    """VY-20, VY-37, T8: all fill a ring that is read much later; they are held, nothing is lost, each one's order and content stay."""
    done = run(PROGRAMS / "late_ring.c", sites, aps, f"{each} {late}", quiet=200_000, timeout=1_000_000)
    assert done.status == 0 and "late_ring: correct" in done.out, done.out + done.err
    taken = [sum(site["taken"].get(event, 0) for site in done.report["sites"]) for event in ("108", "109")]
    assert taken[0] >= sites * aps - 1 and taken[1] >= 1, f"events 108, 109: {taken}: nobody was held, the test shows nothing"
