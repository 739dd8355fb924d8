"""Messages of programs on aPs, by the library, through the real data caches (VY-16 to VY-19, VY-28, VY-29, VY-31, VY-32, VY-44; VY-T7, VY-T12, VY-T13)."""
import pytest
from cluster_runs import PROGRAMS, right, run

BASIC = PROGRAMS / "basic.c"


def exchange(sites, aps, arguments, **keys):
    return right(run(BASIC, sites, aps, arguments, quiet=100_000, timeout=3_000_000, **keys), "basic: correct")


def test_all_sizes_arrive_whole_around_the_rings():
    """0 to 88 bytes, 1 to 16 a pointer update, two aPs of each site at once, each sending and receiving."""
    exchange(2, 2, "")


def test_lines_are_gathered_and_sent_many_times():
    """1 and 2 lines from all over the tag-on area, each many times; changed when all that took them have left."""
    exchange(2, 1, "lines")


def test_messages_beside_shared_memory():
    """One aP of each site sends and receives while the other computes in shared memory."""
    assert exchange(2, 2, "half lines").report["misses"]["remote"] > 100


def test_one_load_asks_both_queues_in_their_order():
    """VY-31, VY-32, T13: what waits comes in the order of the group, also when it is registered anew, and nothing is lost or taken twice meanwhile."""
    right(run(PROGRAMS / "onepoll.c", 2, 2, "", quiet=100_000, timeout=3_000_000), "onepoll: correct")


def test_groups_of_foreign_queues_are_refused():
    """VY-31, VY-34: the sP makes groups of the asker's own resident queues and refuses all others, and itself to other sites."""
    done = run(PROGRAMS / "groups.c", 2, 2, quiet=100_000, timeout=1_000_000)
    assert done.status == 0 and "groups: correct" in done.out, done.out + done.err


@pytest.mark.full
@pytest.mark.parametrize("aps", [1, 3])
@pytest.mark.parametrize("arguments", ["", "lines", "half", "half lines"])
def test_messages_at_length(aps, arguments):
    for seed in range(1, 4):
        exchange(4, aps, arguments, seed=seed)
