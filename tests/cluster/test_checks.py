"""The checks of a run fail when they must: each against a fault (BZ-02, BZ-26, VY-41)."""
import re

import pytest
from cluster_runs import PROGRAMS, RANDOM, conserved, faulty_firmware, on_the_wire, right, run

LAST_STORES = PROGRAMS / "last_stores.c"


def test_a_lost_last_store_is_seen():
    """Site 1's DRAM loses one line that nobody reads again."""
    right(run(LAST_STORES, 2, 1), "written")
    done = run(LAST_STORES, 2, 1, fault="lose:1:100")
    assert done.status == 3 and done.report["ending"] == "lost" and "written" in done.out, done.out
    assert re.search(r"a store was lost: site 1, whose tag of 808\w{5} is Exclusive, holds 00 there at the end; the last store was \w\w, "
                     r"by site 1 aP 0", done.out), done.out


def test_a_store_that_only_a_cache_holds_counts():
    """The end compares what caches hold, too: the last half of what was written has not left the cache."""
    done = right(run(LAST_STORES, 2, 1), "written")
    assert done.report["checked"]["bytes_at_end"] >= 16384


def test_two_owners_are_seen_before_a_value_differs():
    done = run(RANDOM, 3, 1, "-n 300 -l 4", firmware=faulty_firmware("keeps_exclusive"))
    assert done.status == 3 and done.report["ending"] == "inconsistent", done.out
    assert re.search(r"two sites hold one line: cycle \d+, site \d sets the tag of 808\w{5} to (Exclusive|Shared) while it is Exclusive at site \d",
                     done.out), done.out
    assert "not sequentially consistent" not in done.out


def test_data_lost_on_its_way_is_seen():
    done = run(RANDOM, 3, 1, "-n 300 -l 4", firmware=faulty_firmware("loses_write_back"))
    assert done.status == 3 and done.report["ending"] == "inconsistent", done.out
    assert "not sequentially consistent" in done.out


def test_counters_that_agree_only_with_each_other_are_seen():
    """All laws hold of them; packet headers know better (BZ-38)."""
    done = run(RANDOM, 2, 1, "-n 100 -l 4", firmware=faulty_firmware("miscounts"))
    assert done.status == 0 and "random: correct" in done.out, done.out
    counted = conserved(done)
    with pytest.raises(AssertionError, match=r"\d+ get_ro were on the wire, \d+ are counted"):
        on_the_wire(done, counted)


def test_a_flipped_bit_on_a_link_is_counted_and_told():
    done = run("hello", 3, 1, quiet=40_000, fault="flip:2:9")
    assert done.status == 3 and done.report["ending"] == "stopped moving", done.out
    assert done.report["network"] == {"damaged": 1, "dropped": 1, "unroutable": 0}
    assert re.search(r"packets were damaged on a link, their messages are lost; router 0 counts 1 on input 2 \(from site 2\); site \d dropped 1",
                     done.out), done.out


def test_processes_that_wait_for_a_message_are_told():
    """Nobody waits for memory: one message to a barrier was forgotten."""
    done = run("hello", 2, 1, quiet=40_000, firmware=faulty_firmware("forgets_barrier"))
    assert done.status == 3 and done.report["ending"] == "stopped moving", done.out
    assert "stopped: every aP looks for what nobody does and nothing moved for 40000 cycles" in done.out
    assert done.report["cycles"] < 400_000
    for site in (0, 1):
        assert re.search(rf"^site {site} aP 0 polls Express queue 2 since cycle \d+; its last message came at \d+; it last sent, at \d+, tag 3 "
                         r"\(BARRIER\) to the sP of site 0$", done.out, re.MULTILINE), done.out


def test_commands_whose_events_had_no_place_are_told():
    """100 commands that tell in one handler: the sP's FIFO and the engine keep most of their events, the console has the count of the others."""
    done = run("hello", 1, 1, firmware=faulty_firmware("asks_too_much"))
    assert done.status == 0, done.out + done.err
    told = re.findall(r"sP: commands whose events had no place: address of the first, how many 0x808\w{5} 0x000000(\w\w)$", done.out, re.MULTILINE)
    assert 0 < sum(int(count, 16) for count in told) < 40, done.out
