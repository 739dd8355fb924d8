"""Random sharing: every access that a cache commits agrees with one flat memory (BZ-02, BZ-26, T2, T6, T11, T22).

The seed is 1, or SEED; it is printed with every failure and draws the DRAM's latencies, too."""
import pytest
from cluster_runs import PROGRAMS, RANDOM, SEED, faulty_firmware, right, run


def share(sites, aps, lines, accesses, seed, **keys):
    print(f"SEED={seed}")
    done = right(run(RANDOM, sites, aps, f"-n {accesses} -l {lines} -s {seed}", seed=seed, **keys), "random: correct")
    assert done.report["checked"]["stores"] > accesses / 4
    return done


@pytest.mark.parametrize("block", [64, 128, 512, 2048])
@pytest.mark.parametrize("sites, aps", [(2, 1), (2, 2), (3, 1), (4, 1), (4, 2)])
def test_sharing_is_sequentially_consistent(sites, aps, block):
    share(sites, aps, 2 + block // 64 % 7, 200, SEED + sites + aps, block=block)


@pytest.mark.parametrize("sites, aps", [(2, 2), (4, 1)])
def test_sharing_is_consistent_when_homes_move(sites, aps):
    share(sites, aps, 6, 200, SEED, homes="first-touch")


def test_sharing_is_consistent_beyond_the_cache():
    """An arena of 300 lines: caches of 128 evict."""
    done = share(4, 1, 300, 400, SEED)
    assert done.total("memory_line_writes") > 300


def test_everybody_writes_one_line():
    """All CPUs hammer one block: each gets its turn (BZ-33)."""
    share(4, 2, 1, 200, SEED)


@pytest.mark.full
@pytest.mark.parametrize("homes", ["round-robin", "first-touch"])
@pytest.mark.parametrize("block", [64, 128, 256, 512, 1024, 2048])
@pytest.mark.parametrize("seed", range(2))
def test_sharing_at_length(seed, block, homes):
    share(4, 1 + seed % 2, 1 + (SEED + seed) * 5 % 16, 2000, SEED + 100 + seed, block=block, homes=homes)


@pytest.mark.full
@pytest.mark.parametrize("block", [64, 128, 1024])
def test_sharing_by_eight_sites(block):
    share(8, 1, 8, 2000, SEED, block=block)


@pytest.mark.full
def test_hundred_thousand_accesses():
    done = share(4, 1, 8, 28000, SEED)
    assert done.report["checked"]["loads"] + done.report["checked"]["stores"] > 100_000


def test_the_check_sees_an_early_ack():
    """A copy that acknowledges an invalidation before it is gone is seen by its tag, before others read old data."""
    done = run(RANDOM, 2, 1, "-n 300 -l 4", firmware=faulty_firmware("acks_early"))
    assert done.status == 3 and done.report["ending"] == "inconsistent", done.out
    assert "two sites hold one line: cycle" in done.out and "not sequentially consistent" not in done.out, done.out


@pytest.mark.parametrize("lock, status, words", [("stache", 0, "two_holders: correct"), ("locks_always", 1, "two hold the lock")])
def test_the_program_sees_a_lock_that_is_none(lock, status, words):
    """One holds the lock until the other, who has asked, must have been let in if the lock is none."""
    keys = {} if lock == "stache" else {"firmware": faulty_firmware(lock)}
    done = run(PROGRAMS / "two_holders.c", 2, 1, **keys)
    assert done.status == status and words in done.out, done.out
