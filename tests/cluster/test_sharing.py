"""Where the sharers' cycles go: pages of the heap by cost, and blocks that are shared falsely, on one program with its words near and far."""
import re

import pytest
from cluster_runs import PROGRAMS, right, run

NEIGHBOURS = PROGRAMS / "neighbours.c"
ROUNDS = 20


def of_the_words(stride, block=128, look=""):
    done = right(run(NEIGHBOURS, 4, 1, f"{stride} {look}", block=block))
    page = int(re.search(r"page (\w+), correct", done.out)[1], 16)
    return page, {p["page"]: p for p in done.report["hot_pages"]}


@pytest.mark.parametrize("stride, block, look, falsely", [(4, 128, "", [0]), (4, 128, "look", []), (64, 128, "", [0, 128]), (64, 128, "look", [128]), (64, 64, "", []), (0, 128, "", [])])
def test_a_block_is_shared_falsely_when_no_word_of_it_is_shared(stride, block, look, falsely):
    page, found = of_the_words(stride, block, look)
    assert found[page]["false_sharing"] == [page + offset for offset in falsely]


def test_the_page_that_is_fought_for_is_the_dearest():
    page, found = of_the_words(4)
    mine = found[page]
    assert mine["sites"] == mine["writers"] == 4
    assert mine["misses"] >= 2 * ROUNDS and mine["cycles"] > 100 * mine["misses"] and mine["cycles"] == max(p["cycles"] for p in found.values())
    assert list(found) == sorted(found, key=lambda p: -found[p]["cycles"]) and len(found) <= 16


def test_padding_takes_the_misses_away():
    """A block a word: each site asks once to read and once to store, and the home opens the page."""
    page, found = of_the_words(128)
    assert 3 <= found[page]["misses"] <= 2 * 4 and found[page]["writers"] == 4
