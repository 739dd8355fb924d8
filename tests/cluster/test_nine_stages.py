"""A clean remote read, 64 B block, two hops, through the firmware of both sites: nine stages, within StarT-Voyager's 194 cycles (docs/reference/nine-stages.md)."""
import csv
import os
import re
from collections import Counter

import pytest
from cluster_runs import PROGRAMS, ROOT, STAGES, faulty_firmware, right, run

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


def test_a_clean_read_takes_at_most_194_cycles(latency):
    done, reads = latency
    totals = [sum(int(read[stage]) for stage in STAGES) for read in reads]
    assert sum(totals) / len(totals) <= 194, sorted(totals)
    assert done.report["phases"]["1"]["remote_mean"] <= 194


def test_marks_say_how_busy_each_sp_was(latency):
    """From one mark to the next no sP is busy longer than that took; while 64 blocks are read both ends are, the other sites hardly (BZ-38)."""
    report = latency[0].report
    marks = report["marks"]
    for (before, *_, busy), (after, *_, later) in zip(marks, marks[1:], strict=False):
        assert all(0 <= y - x <= after - before for x, y in zip(busy, later, strict=True))
    assert all(x <= site["sp_busy"] for x, site in zip(marks[-1][4], report["sites"], strict=True))
    of_reader = [m for m in marks if m[1] == 1]
    first = [m[3] for m in of_reader].index(1)
    home, reader, *others = (y - x for x, y in zip(of_reader[first][4], of_reader[first + 1][4], strict=True))
    reads = report["phases"]["1"]["remote"]
    assert all(20 * reads < busy < 120 * reads for busy in (home, reader)) and all(busy < 10 * reads for busy in others)


def test_a_hit_in_an_open_page_costs_nothing(latency):
    """A line behind an Exclusive or Shared tag comes as fast as one behind none, without the sP (VY-01, BZ-08)."""
    phases = latency[0].report["phases"]
    assert phases["4"]["remote"] == phases["5"]["remote"] == 0
    assert phases["4"]["local_median"] <= phases["6"]["local_median"] and phases["5"]["local_median"] <= phases["6"]["local_median"]


GET_RO, DATA_RO, BLOCK = 1, 10, 128


@pytest.fixture(scope="module")
def boundaries():
    """Of every read of `clocked`: what each boundary of its stages differs by from another clock's time.

    The other clocks: the aP's own, before and after its load; each sP's own, at the begin of a handler; the links, by the headers
    and tails of the packets with the block's address. None of them knows of stages.
    """
    name = "test-clocked-" + os.environ.get("PYTEST_XDIST_WORKER", "alone")
    done = right(run(PROGRAMS / "clocked.c", 2, 1, packets=1, firmware=faulty_firmware("clocks"), name=name, block=BLOCK), "clocked: correct")
    folder = ROOT / "build/run" / name
    with open(folder / "reads.csv") as reads, open(folder / "packets.csv") as packets:
        reads, packets = list(csv.DictReader(reads)), list(csv.DictReader(packets))
    ap = {int(a, 16): (int(b), int(c)) for a, b, c in re.findall(r"read (\w+) (\d+) (\d+)", done.out)}
    sp = {(int(site), handler, int(a, 16)): int(time, 16)
          for site, handler, a, time in re.findall(r"\[(\d) sP\] (\w+) (\w{8})(\w{8})$", done.out, re.MULTILINE)}
    found, pages = [], set()
    for read in reads:
        address = int(read["address"], 16)
        if address not in ap:
            continue
        if address >> 12 not in pages:  # the first read of a page waits until it is open at both ends
            pages.add(address >> 12)
            continue
        at = [int(read["start"])]
        for stage in STAGES:
            at.append(at[-1] + int(read[stage]))

        def link(site, end, tag, column):
            [packet] = [p for p in packets if (int(p["site"]), p["end"], int(p["tag"])) == (site, end, tag)
                        and int(p["word"], 16) & -BLOCK == address & -BLOCK]
            return int(packet[column])

        found.append([at[0] - ap[address][0], at[2] - at[1], sp[1, "stache_copy_read", address] - at[2], at[3] - link(1, "sent", GET_RO, "first"),
                      at[4] - link(0, "came", GET_RO, "last"), sp[0, "stache_get_ro", address] - at[5], at[6] - link(0, "sent", DATA_RO, "first"),
                      at[7] - link(1, "came", DATA_RO, "last"), sp[1, "stache_data_ro", address] - at[8], ap[address][1] - at[9]])
    assert len(found) >= 30
    return [Counter(column) for column in zip(*found, strict=True)]


def test_messages_are_on_the_link_when_stages_say_so(boundaries):
    """Stages 3 and 6 end with a header on the link; 4 and 7 a constant of the receiving NIU after the tail came."""
    for sent in (boundaries[3], boundaries[6]):
        assert set(sent) == {0}
    assert boundaries[4] == boundaries[7] and len(boundaries[4]) == 1 and 1 <= min(boundaries[4]) <= 5


def test_handlers_begin_when_stages_say_so(boundaries):
    """Stages 2, 5 and 8 end as the sP takes the event; its handler reads the clock a constant dispatch later, the same for all three."""
    assert boundaries[2] == boundaries[5] == boundaries[8] and len(boundaries[2]) == 1 and 1 <= min(boundaries[2]) <= 15


def test_an_idle_sp_takes_an_event_at_once(boundaries):
    """Stage 1 ends at most a few cycles before stage 2: nothing else is under way but the idle handler."""
    assert boundaries[1].most_common(1)[0][0] == 1 and max(boundaries[1]) <= 40


def test_the_processor_waits_as_long_as_stages_say(boundaries):
    """Begin and end of a read against two looks at the aP's clock: constants, the first time through the code apart."""
    first, last = boundaries[0], boundaries[9]
    assert len(last) == 1 and 0 <= min(last) <= 30
    assert len(first) <= 2 and first.most_common(1)[0] == (min(first), first.total() - (len(first) - 1)) and 0 <= min(first) <= 30
