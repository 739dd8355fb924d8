"""Guests of one cluster, each with the driver and the card of its site (tests/driver/guest/cluster.c); and turnstile-host by itself."""
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import host  # noqa: E402
import host_build  # noqa: E402
from test_driver import SEED, kernel  # noqa: E402, F401
from vhost_guest import CONFIG_WRITE, READ, RING_NUM, WRITE, Guest  # noqa: E402


def boots(hosts, end, **settings):
    """The last host is hostile in the last test, and is killed in it or stands still; the others pass all."""
    runs = host.boots({"HOSTS": str(hosts), "TIMEOUT": "240", "SEED": SEED, "LINE": f"END={end}", **settings})
    names = re.findall(r'^    \{"(\w+)", \1\}', (ROOT / "tests/driver/guest/cluster.c").read_text(), re.MULTILINE)
    assert len(names) >= 6
    for site, run in enumerate(runs):
        wanted = names[:-1] if site == hosts - 1 else names
        assert re.findall(r"^guest: passed (\w+)", run.console, re.MULTILINE) == wanted and run.good, f"site {site}: {run.last()}"
    assert f"guest: {end} me" in runs[-1].console and "an sP stopped" not in runs[0].card, runs[-1].last()
    return runs


def test_two_hosts_exchange_by_every_mechanism_and_one_that_is_killed_stops_nobody(kernel):  # noqa: F811
    """VY-22, VY-34, VY-T23: Express and Basic messages both ways in order, memory of both homes, aPs of both cards; names that no host has; a hostile host."""
    runs = boots(2, "kill")
    assert re.search(r"the guest of site 1 is (gone|served no more) after \d+ cycles", runs[0].card), runs[0].card


def test_two_cards_on_a_cable_are_a_cluster_when_their_drivers_have_set_wire_and_firmware(kernel):  # noqa: F811
    """VY-43: the same over the wire between cards: both drivers say who its ends are, an interrupt tells them that it is up, then they write the firmware."""
    runs = boots(2, "kill", CABLE="1")
    assert all(re.search(r"turnstile .*: the wire is up$", run.console, re.MULTILINE) for run in runs), runs[0].last()
    told = dict(re.findall(r"^(\w+) +(\S+)$", runs[0].console, re.MULTILINE))
    assert told["own"] == "02:00:00:00:00:01" and told["peer"] == "02:00:00:00:00:02" and int(told["frames"]) > 1000, runs[0].last()
    assert [told[name] for name in ("damaged", "foreign", "dropped", "cut", "overruns")] == ["0"] * 5, runs[0].last()


@pytest.mark.full
@pytest.mark.parametrize("hosts, seed", [(2, "2"), (3, "3")])
def test_a_host_that_stands_still_stops_nobody(kernel, hosts, seed):  # noqa: F811
    boots(hosts, "stop", SEED=seed)


COMMAND, MEMORY_ENABLE, EXPRESS_TX = 4, 2, 0x200000


class Served:
    """turnstile-host with two guests that enable their cards."""

    def __init__(self, card, folder):
        folder.mkdir()
        self.process = subprocess.Popen([*card, "sites=2", *(f"socket={folder}/{site}" for site in range(2))], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert "2 cards wait" in self.process.stdout.readline()
        self.guests = [Guest(folder / str(site)) for site in range(2)]
        for guest in self.guests:
            guest.access(CONFIG_WRITE, 0, COMMAND, 2, MEMORY_ENABLE.to_bytes(2, "little"))

    def ended(self):
        for guest in self.guests:
            guest.close()
        said, _ = self.process.communicate(timeout=20)
        return said


@pytest.fixture
def serve(tmp_path):
    """Serves two guests in a folder of this name."""
    card, all_served = host_build.build_card("stache", "host"), []

    def new(name):
        all_served.append(Served(card, tmp_path / name))
        return all_served[-1]

    yield new
    for served in all_served:
        served.process.kill()
        served.process.wait()


def test_the_same_accesses_in_the_same_order_take_the_same_cycles(serve):
    """Of two hosts by turns: messages to aPs of both sites, loads of queues and of shared memory; another order takes others."""
    def cycles(name, turns):
        served = serve(name)
        for site, queue, to in turns:
            store = EXPRESS_TX | queue << 17 | 1 << 12 | to << 6 | 2 << 3
            served.guests[site].access(WRITE, 2, store, 4, to.to_bytes(4, "little"))
            served.guests[1 - to].access(READ, 2, 0x400000 + queue * 4096, 8)
            served.guests[site].access(READ, 4, 0xC00000 + 4096 * to, 4)
        return re.findall(r"gone after (\d+) cycles", served.ended())

    chance = random.Random(SEED)
    print(f"SEED={SEED}")
    turns = [(chance.randrange(2), 6 + chance.randrange(2), chance.randrange(2)) for _ in range(20)]
    once = cycles("a", turns)
    assert len(once) == 2 and cycles("b", turns) == once and cycles("c", turns[1:]) != once


def test_a_guest_that_breaks_the_protocol_or_stops_within_it_stops_no_other(serve):
    served = serve("s")
    good, bad = served.guests
    bad.line.send(RING_NUM.to_bytes(4, "little"))
    assert good.access(READ, 0, 0, 4) == 0x4C545354
    said = served.ended()
    assert "site 1: vhost-user: the guest went away within a request" in said and served.process.returncode == 2
    assert re.search(r"site 1 is served no more.*\n.*site 0 is gone", said), said
