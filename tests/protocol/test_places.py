"""Every high message has a place that was taken before its request left (docs/design/reservations.md), in whole clusters on the workstation:
the firmware of each site over a model of its NIU, with random delays (BZ-06, BZ-21, VY-42)."""

import functools
import os
import re
import subprocess

import pytest
from protocol_build import HERE, build

SEED = int(os.environ.get("SEED") or 1)


@functools.cache
def program():
    return build("storm", sorted((HERE / "cluster").glob("*.c")))


def storm(*arguments):
    print(f"SEED={SEED}")
    done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert not done.stderr, done.stderr
    return done


@pytest.mark.parametrize("sites, aps, events, slots, rounds", [
    (64, 4, 512, 56, 2), (64, 4, 48, 40, 2), (16, 4, 64, 56, 4), (3, 4, 512, 56, 20), (2, 1, 48, 40, 50)])
def test_no_answer_is_without_a_place(sites, aps, events, slots, rounds):
    """Also: every access sees the last version, all end, and no place is lost."""
    done = storm(sites, aps, events, slots, SEED, rounds)
    assert done.returncode == 0, done.stdout
    most = re.fullmatch(r"most events (\d+), most slots (\d+), messages that waited (\d+)\n", done.stdout)
    assert int(most[1]) <= events and int(most[2]) <= slots
    assert int(most[3]) > 0 or aps == 1  # the places were what held them back


@pytest.mark.parametrize("what, events, slots", [("high events: at site, events", 512, 1_000_000), ("slots: at site, slots", 1_000_000, 56)])
def test_without_places_what_a_site_has_overflows(what, events, slots):
    """The same storm, with firmware that is told of far larger FIFOs: so the storm is one, and the model sees it."""
    done = storm(64, 4, events, slots, SEED, 6, 1_000_000, 10_000)
    assert done.returncode == 1 and done.stdout.startswith(f"overflow of {what}: "), done.stdout
