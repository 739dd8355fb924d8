"""Queues with names (VY-33, VY-34, VY-36 to VY-39; T16, T17): kept by the sP in DRAM, with and without a FIFO, changed under traffic."""
import re

import pytest
from cluster_runs import PROGRAMS, conserved, run

NAMED = PROGRAMS / "named.c"
#: Of a site's events: kept for the sP, a hold, a resume.
KEPT, HOLD, RESUME = "101", "70", "71"


def taken(done, event: str) -> int:
    return sum(site["taken"].get(event, 0) for site in done.report["sites"])


def exchange(arguments: str, *words: str, **keys):
    done = run(NAMED, 4, 2, arguments, quiet=400_000, timeout=4_000_000, **keys)
    assert done.status == 0 and "sP:" not in done.out, done.out + done.err
    for word in ("named: correct", *words):
        assert word in done.out, done.out
    assert done.report["ending"] == "exited" and not any(done.report["network"].values())
    conserved(done)  # not on_the_wire: an sP's markers to itself are no answers of services
    return done


def switches(done) -> int:
    return sum(int(n) for n in re.findall(r"(\d+) switches", done.out))


def test_queues_beyond_the_resident_lose_nothing_while_they_are_bound_and_unbound():
    """VY-38, VY-39, T17: sixteen queues of one site beside its own, given a FIFO and parked again while four senders send; each sender's order stays."""
    done = exchange("100 0 1", "named: process 0: 200 messages", "named: process 1: 200 messages")
    assert switches(done) > 10
    assert taken(done, KEPT) > 200


def test_a_job_that_stands_still_stops_its_own_senders_alone():
    """VY-36, VY-37, T16: rings fill while their owners do not read; senders are held, lose nothing, and go on; shared memory beside goes on."""
    done = exchange("160 80000 2", "named: process 0: 320 messages")
    assert taken(done, HOLD) > 0 and taken(done, RESUME) == taken(done, HOLD)


def test_names_of_another_job_are_refused():
    """VY-34, VY-36, T14: two processes to whom nothing was granted send to all names: nothing of theirs comes, it is told, and the others lose nothing."""
    done = run(NAMED, 4, 2, "8 0 3 strangers", quiet=400_000, timeout=4_000_000)
    assert done.status == 0 and "named: correct" in done.out, done.out + done.err
    assert "a message to a name without a row" in done.out


@pytest.mark.full
@pytest.mark.parametrize("seed", range(4, 8))
def test_named_queues_at_length(seed):
    exchange(f"200 {seed % 2 * 100_000} {seed}", seed=seed)
