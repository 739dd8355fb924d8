"""The shape of the LogP figures (VY-31, VY-50; VY-T20): `make logp` prints them, docs/design/message.md has them."""
import subprocess
import sys

import pytest
from cluster_runs import ROOT, environment

sys.path.insert(0, str(ROOT / "tools"))
import logp  # noqa: E402


@pytest.mark.full
def test_express_is_best_for_a_word_and_basic_gains_from_its_size():
    done = subprocess.run([sys.executable, ROOT / "tools/logp.py"], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = logp.read()
    word, small, large = (logp.find(rows, *key) for key in (("express", 4), ("basic", 4), ("basic", 88)))
    for figure in ("overhead_send", "overhead_receive", "one_way"):
        assert float(word[figure]) < float(small[figure]) < float(large[figure]), figure
    assert 0.2 < float(large["link_share"]) < 11 / 13, "88 of the 104 bytes of a packet are payload"
    assert float(small["link_share"]) < float(logp.find(rows, "basic", 32)["link_share"]) < float(logp.find(rows, "basic", 56)["link_share"])


def test_threads_that_share_a_queue_cost_each_other_nothing():
    """VY-27: by one queue, one FIFO, a message takes no longer when more threads use it."""
    rows = logp.measure("several")
    assert [row["threads"] for row in rows] == ["1", "2", "4"]
    assert logp.sharing(rows) <= 1.0, rows


def test_one_load_for_two_queues_costs_less_than_two():
    """VY-31: a look that finds nothing, and one that finds a message, at two queues."""
    rows = {row["way"]: row for row in logp.measure("polls")}
    for found in ("nothing", "express"):
        assert float(rows["onepoll"][found]) < float(rows["each"][found]), found
