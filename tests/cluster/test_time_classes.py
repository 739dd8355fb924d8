"""What the cycles of an aP went for (BZ-38), against the clock of a program that does one thing at a time."""
import re

import pytest
from cluster_runs import PROGRAMS, right, run

CLASSES = ("computing", "private_misses", "shared_misses", "messages", "locks", "barriers", "idle")
#: Marks of programs/time_classes.c.
ALONE, COMPUTES, HITS, PRIVATE, SHARED, QUEUE, LOCK, MUTEX, BARRIER = range(21, 30)
HELD = 20000
LOOKS = 500
#: In a phase there are also its marks and looks at the clock, and instructions that are fetched for the first time.
EDGES = 100


@pytest.fixture(scope="module")
def measured():
    """The cycles that the program says each took, and the report's classes by mark, a list of aPs each."""
    done = right(run(PROGRAMS / "time_classes.c", 2, 1))
    return {name: int(cycles) for name, cycles in re.findall(r"time: (\w+) (\d+)", done.out)}, done.report["time"], done.report["cycles"]


def test_every_cycle_is_in_one_class(measured):
    _, time, cycles = measured
    assert all(tuple(ap) == CLASSES for phase in time.values() for ap in phase)
    assert [sum(sum(phase[ap].values()) for phase in time.values()) for ap in range(2)] == [cycles, cycles]


@pytest.mark.parametrize("name, mark, kind", [("computes", COMPUTES, "computing"), ("hits", HITS, "computing"), ("lock", LOCK, "locks"), ("mutex", MUTEX, "locks"), ("barrier", BARRIER, "barriers")])
def test_what_is_done_all_the_time_is_what_it_is_called(measured, name, mark, kind):
    took, time, _ = measured
    assert took[name] - EDGES <= time[str(mark)][0][kind] <= took[name] + EDGES
    assert sum(time[str(mark)][0].values()) <= took[name] + 2 * EDGES
    assert kind == "computing" or took[name] > 0.9 * HELD, "nobody waited: the test shows nothing"


@pytest.mark.parametrize("name, mark, kind", [("private", PRIVATE, "private_misses"), ("shared", SHARED, "shared_misses")])
def test_misses_are_what_the_same_loads_take_longer(measured, name, mark, kind):
    took, time, _ = measured
    missed = took[name] - took["hits"]
    assert missed > 4 * took["hits"] and 0.97 * missed <= time[str(mark)][0][kind] <= missed + EDGES
    others = set(CLASSES) - {kind, "computing", "messages"}
    assert all(time[str(mark)][0][other] <= EDGES for other in others)


def test_looking_at_a_queue_is_messages(measured):
    took, time, _ = measured
    of = time[str(QUEUE)][0]
    assert 5 * LOOKS <= of["messages"] <= 9 * LOOKS and of["messages"] + of["computing"] >= took["queue"] - EDGES


def test_a_processor_without_a_process_is_idle(measured):
    took, time, _ = measured
    assert time[str(ALONE)][1]["idle"] >= took["alone"] and sum(time[str(ALONE)][1].values()) == time[str(ALONE)][1]["idle"]
    assert all(time[str(mark)][0]["idle"] == 0 for mark in range(ALONE, BARRIER + 1))
