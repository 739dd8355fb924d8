"""A clean remote read, 64 B block, two hops, through the firmware of both sites: nine stages, within StarT-Voyager's 194 cycles (docs/reference/nine-stages.md)."""
import csv
import os

import pytest
from cluster_runs import ROOT, STAGES, right, run

#: Each worker of pytest-xdist has a run of its own.
LATENCY = {"sites": 4, "aps": 1, "block": 64, "name": "test-nine-stages-" + os.environ.get("PYTEST_XDIST_WORKER", "alone")}


@pytest.fixture(scope="module")
def latency():
    """Run and its clean reads of mark 1: process 1 reads what lies at site 0."""
    done = right(run("latency", **LATENCY), "latency: correct")
    with open(ROOT / "build/run" / LATENCY["name"] / "reads.csv") as file:
        return done, [row for row in csv.DictReader(file) if row["mark"] == "1"]


def test_all_stages_are_seen(latency):
    _, reads = latency
    assert len(reads) >= 60
    for read in reads:
        cycles = [int(read[stage]) for stage in STAGES]
        assert all(c > 0 for c in cycles), read


def test_stages_sum_to_the_miss(latency):
    done, _ = latency
    remote = done.report["remote_read"]
    assert remote["count"] > 0
    assert sum(remote[stage] for stage in STAGES) == pytest.approx(remote["total"], rel=1e-4)


def test_a_clean_read_takes_at_most_194_cycles(latency):
    done, reads = latency
    totals = [sum(int(read[stage]) for stage in STAGES) for read in reads]
    assert sum(totals) / len(totals) <= 194, sorted(totals)
    assert done.report["phases"]["1"]["remote_mean"] <= 194


def test_a_hit_in_an_open_page_costs_nothing(latency):
    """A line behind an Exclusive or Shared tag comes as fast as one behind none, without the sP (VY-01, BZ-08)."""
    phases = latency[0].report["phases"]
    assert phases["4"]["remote"] == phases["5"]["remote"] == 0
    assert phases["4"]["local_median"] <= phases["6"]["local_median"] and phases["5"]["local_median"] <= phases["6"]["local_median"]
