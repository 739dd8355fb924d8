"""A queue that moves between sites while messages fly (VY-35; VY-T15)."""
import pytest
from cluster_runs import PROGRAMS, run


def moves(arguments: str, **keys) -> None:
    done = run(PROGRAMS / "moved.c", 4, 2, arguments, quiet=400_000, timeout=4_000_000, **keys)
    assert done.status == 0 and "moved: correct" in done.out and "sP:" not in done.out, done.out + done.err
    assert all(int(n) > 0 for n in done.out.split("taken by owners ")[1].split()[:3]), done.out


def test_a_queue_moves_while_messages_fly():
    """VY-35, VY-T15: five senders on all sites, five moves between three sites: each message comes once, each sender's of a kind in order; a move that nobody expects is refused."""
    moves("60 5 1")


@pytest.mark.full
@pytest.mark.parametrize("seed", range(2, 6))
def test_a_queue_moves_at_length(seed):
    moves(f"200 12 {seed}", seed=seed)


def test_an_owner_who_moves_a_queue_over_and_over_slows_nobody():
    """VY-35, VY-36: who may send to the queue, asked or not, sends elsewhere as fast as before."""
    done = run(PROGRAMS / "moved_often.c", 2, 2, "250", timeout=1_500_000)
    assert done.status == 0 and "sP:" not in done.out, done.out + done.err
    words = done.out.split()
    alone, beside, moves = (int(words[words.index(word) + at]) for word, at in (("alone", 1), ("beside", 1), ("moves", -1)))
    assert moves >= 5 and beside < 1.25 * alone, done.out
