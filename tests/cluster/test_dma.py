"""Transfers from memory to memory on the cluster (VY-21, VY-47; VY-T9). Those with DMA in the sites take a simulator of their own: full."""
import subprocess
import sys

import pytest
from cluster_runs import PROGRAMS, ROOT, environment, run
from test_hostile import SLOWDOWN, beside

sys.path.insert(0, str(ROOT / "tools"))
import logp  # noqa: E402


def test_a_site_without_dma_says_so():
    """VY-47: software asks, and is told in words."""
    done = run(PROGRAMS / "dma.c", 2, 1)
    assert done.status == 1 and "has no DMA: SITE=dma=true" in done.out, done.out + done.err


@pytest.mark.full
@pytest.mark.parametrize("aps, arguments, seed", [(1, "", 0), (1, "bad", 7), (2, "bad", 0)])
def test_transfers_arrive_whole_and_what_is_refused_says_why(aps, arguments, seed):
    """1 B to 64 KB, all processes at once, every alignment; with `bad`, refused ones in between."""
    done = run(PROGRAMS / "dma.c", 2, aps, arguments, site="dma=true", timeout=20_000_000, seed=seed)
    assert done.status == 0 and "dma: correct" in done.out, done.out + done.err


@pytest.mark.full
@pytest.mark.parametrize("pages, private, seed", [("", "", 3), ("1536", "16M", 0)])
def test_pages_are_translated_at_both_ends(pages, private, seed):
    """BZ-T19: each of many pages as source and as target (at most three times of what the NI TLB keeps), marks by direction, a page closed while transfers to it are on their
    way, pages of nobody."""
    done = run(PROGRAMS / "translation.c", 2, 1, pages, site="dma=true", timeout=60_000_000, seed=seed, private=private)
    assert done.status == 0 and "translation: correct" in done.out, done.out + done.err


@pytest.mark.full
def test_random_descriptors_harm_nobody():
    """The victim is right and hardly slower beside a program that asks for whatever there is."""
    alone, found = (beside("dma", arguments, site="dma=true").report["phases"]["1"] for arguments in ("alone", ""))
    assert found["remote_mean"] <= SLOWDOWN * alone["remote_mean"], f"{found['remote_mean']} cycles, alone {alone['remote_mean']}"


@pytest.mark.full
def test_thrashing_is_not_worse_than_a_single_copy():
    """BZ-T20: blocks of 512 and 2048 B, pages that fit and pages that always miss."""
    done = subprocess.run([sys.executable, ROOT / "tools/logp.py", "thrash"], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = logp.read("thrash")
    ways = {(row["bytes"], row["pages"], row["method"]): float(row["one_way"]) for row in rows}
    for size in ("512", "2048"):
        assert ways[size, "fits", "direct"] < ways[size, "thrash", "direct"] < 1.1 * ways[size, "fits", "direct"], f"{ways}"
    assert logp.thrashing(rows) <= 1.1


@pytest.mark.full
def test_transfers_of_4_kb_fill_the_link():
    done = subprocess.run([sys.executable, ROOT / "tools/logp.py", "dma"], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = logp.read("dma")
    assert float(logp.find(rows, "dma", 4096)["link_share"]) >= 0.85
    assert float(logp.find(rows, "dma", 8)["one_way"]) < float(logp.find(rows, "dma", 1024)["one_way"])
