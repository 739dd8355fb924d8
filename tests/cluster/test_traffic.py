"""Random traffic of all mechanisms at once (issue 6; VY-16 to VY-39; VY-T10, VY-T15, VY-T17): nothing is lost, doubled, torn or out of its order."""
import re

import pytest
from cluster_runs import PROGRAMS, SEED, run


def traffic(sites: int, aps: int, seed: int, moves: int, hostile: str = "", **keys) -> dict:
    done = run(PROGRAMS / "traffic.c", sites, aps, f"{seed} {moves} {hostile}", timeout=10_000_000, quiet=400_000, seed=seed, **keys)
    assert done.status == 0 and f"traffic: seed {seed}" in done.out, done.out + done.err
    assert not any(done.report["network"].values()) and (hostile or "sP:" not in done.out), done.out
    assert int(re.search(r"(\d+) moves: correct", done.out)[1]) > 0, "no queue moved: the test shows less than it says"
    return done.report


def test_all_mechanisms_at_once_beside_a_hostile_neighbour():
    """Sixteen aPs at four sites: Express, Basic, Tag-On, by a neighbour's queue, to named queues that are bound and unbound, to one that moves; locks and shared memory."""
    report = traffic(4, 4, SEED, 3, "hostile")
    assert sum(site["taken"].get("104", 0) for site in report["sites"]) > 10, "the neighbour does no harm"


@pytest.mark.full
@pytest.mark.parametrize("sites, aps, hostile", [(2, 2, ""), (2, 2, "hostile"), (3, 1, ""), (4, 3, "hostile")])
def test_all_mechanisms_at_length(sites, aps, hostile):
    for seed in range(SEED, SEED + 4):
        traffic(sites, aps, seed, 4, hostile)


@pytest.mark.full
@pytest.mark.parametrize("hostile", ["", "hostile"])
def test_all_mechanisms_and_transfers(hostile):
    for seed in range(SEED, SEED + 3):
        traffic(2, 2, seed, 3, hostile, site="dma=true")
