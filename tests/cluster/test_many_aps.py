"""Sites of three and four aPs on RTL: sharing, messages between queues of their own, pages of their own kind (BZ-06, BZ-26, BZ-29)."""
import csv
import re

import pytest
from cluster_runs import PROGRAMS, RANDOM, ROOT, SEED, right, run


@pytest.mark.parametrize("sites, aps", [(3, 1), (3, 2), (2, 4), (1, 4)])
def test_every_ap_receives_from_a_queue_of_its_own(sites, aps):
    right(run(PROGRAMS / "queues.c", sites, aps, quiet=30_000), "queues: correct")


def test_aps_share_an_express_queue_without_a_lock():
    """VY-27, VY-T10: eight threads at two queues; and what an sP does not let be shared."""
    right(run(PROGRAMS / "shared_queue.c", 2, 4, quiet=30_000), "192 messages of 4 senders, each once, to 4 takers: correct")


@pytest.mark.parametrize("name, aps, arguments", [("is", 4, "-n 256 -m 64 -i 1"), pytest.param("ocean", 3, "-n 14 -i 2", marks=pytest.mark.full)])
def test_answer_is_right_with_many_aps(name, aps, arguments):
    right(run(name, 2, aps, arguments), f"{name}: ", "correct")


@pytest.mark.parametrize("aps", [4, pytest.param(3, marks=pytest.mark.full)])
def test_many_aps_of_a_site_share_a_block(aps):
    right(run(RANDOM, 2, aps, f"-n 192 -l 3 -s {SEED}", seed=SEED), "random: correct")


def test_pages_have_the_block_size_and_home_that_were_asked_for():
    """Seen on the wire: Get RO goes to the page's home, and as many lines come back as a block of that page has."""
    name = "test-pages"
    done = right(run(PROGRAMS / "pages.c", 4, 1, packets=1, name=name), "pages: correct")
    with open(ROOT / "build/run" / name / "packets.csv") as file:
        sent = [{k: int(v, 0) if k != "end" else v for k, v in row.items()} for row in csv.DictReader(file) if row["end"] == "sent"]
    pages = re.findall(r"page \d at (\w+): home of process (\d), blocks of (\d+)", done.out)
    assert {int(block) for _, _, block in pages} == {64, 128, 256, 512, 1024, 2048}
    for at, home, block in ((int(a, 16), int(h), int(b)) for a, h, b in pages):
        read = at + 2048
        asked = [p for p in sent if (p["from"], p["tag"], p["word"]) == (3, 1, read)]
        assert [p["to"] for p in asked] == [home]
        data = [p for p in sent if p["to"] == 3 and p["tag"] in (10, 11) and p["word"] & -block == read & -block]
        assert {p["from"] for p in data} == {home}
        assert 64 * sum(p["lines"] for p in data) == block


@pytest.mark.parametrize("reset", [1, 5])
def test_random_contents_at_reset_change_no_answer(reset):
    """Registers and memories begin with anything at all."""
    right(run("is", 2, 2, "-n 256 -m 64 -i 1", reset=reset), "is: ", "correct")
    right(run("hello", 5, 1, reset=reset))
