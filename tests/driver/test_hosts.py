"""Guests of one cluster, each with the driver and the card of its site: tests/driver/guest/cluster.c."""
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import host  # noqa: E402
from test_driver import SEED, kernel, kernel_of  # noqa: E402, F401


def boots(hosts, end, **settings):
    """The last host is hostile in the last test, and is killed in it or stands still; the others pass all."""
    runs = host.boots({"HOSTS": str(hosts), "TIMEOUT": "240", "SEED": SEED, "LINE": f"END={end}", **settings})
    names = re.findall(r'^    \{"(\w+)", \1\}', (ROOT / "tests/driver/guest/cluster.c").read_text(), re.MULTILINE)
    assert len(names) >= 6
    for site, run in enumerate(runs):
        wanted = names[:-1] if site == hosts - 1 else names
        assert re.findall(r"^guest: passed (\w+)", run.console, re.MULTILINE) == wanted and run.good, f"site {site}: {run.last()}"
    assert f"guest: {end} me" in runs[-1].console, runs[-1].last()
    return runs


def test_two_hosts_exchange_by_every_mechanism_and_one_that_is_killed_stops_nobody(kernel):  # noqa: F811
    """VY-22, VY-34, VY-T23: Express and Basic messages both ways in order, memory of both homes, aPs of both cards; names that no host has; a hostile host."""
    runs = boots(2, "kill")
    assert re.search(r"the guest of site 1 is (gone|served no more) after \d+ cycles", runs[0].card), runs[0].card


@pytest.mark.full
@pytest.mark.parametrize("hosts, seed", [(2, "2"), (3, "3")])
def test_a_host_that_stands_still_stops_nobody(kernel, hosts, seed):  # noqa: F811
    boots(hosts, "stop", SEED=seed)


@pytest.mark.full
def test_kernels_of_two_hosts_that_check_themselves_find_nothing():
    kernel_of("debug")
    boots(2, "kill", KERNEL="debug", SEED="4")
