"""Shared memory by software on the aPs (SOFT=, BZ-19, BZ-30): right answers, every load and copy checked against one flat memory, refusals in words."""
import sys

import pytest
from cluster_runs import LITMUS, PROGRAMS, ROOT, run

sys.path.insert(0, str(ROOT / "tools"))
import run as runs  # noqa: E402

TIMEOUT = 30_000_000


def right(done, *words):
    assert done.status == 0 and "sP:" not in done.out, done.out + done.err
    for word in words:
        assert word in done.out, done.out
    assert done.report["ending"] == "exited" and all(done.report["checked"][k] > 0 for k in ("loads", "stores", "copies", "bytes_at_end"))
    return done


def soft(app, sites, arguments="", **keys):
    return run(app, sites, 1, arguments, **{"soft": "stache", "timeout": TIMEOUT, **keys})


def on_the_wire(done):
    """Messages of Stache's types between sPs."""
    return sum(count for site in done.report["sites"] for number, count in site["wire"]["protocol"].items() if int(number) < 24)


@pytest.mark.parametrize("app, sites, arguments", [
    ("hello", 3, ""), ("lu", 4, "-n 12"), ("is", 2, "-n 256 -m 64 -i 2"), ("ocean", 3, "-n 8 -i 4 -t 20000"), ("water", 2, "-n 8 -s 1"),
    pytest.param("lu", 4, "", marks=pytest.mark.full), pytest.param("is", 4, "", marks=pytest.mark.full), pytest.param("ocean", 4, "", marks=pytest.mark.full),
    pytest.param("water", 4, "", marks=pytest.mark.full)])
def test_shipped_programs_give_their_answers(app, sites, arguments):
    """The programs compare with what one process calculates. The sPs have no message of a protocol."""
    done = right(soft(app, sites, arguments), "correct")
    assert on_the_wire(done) == 0 and all(site["read_faults"] == site["write_faults"] == 0 for site in done.report["sites"])


@pytest.mark.parametrize("name", ["MP", "SB", pytest.param("IRIW", marks=pytest.mark.full), pytest.param("2+2W", marks=pytest.mark.full)])
def test_litmus(name):
    right(soft(LITMUS, 4, f"-t {name} -n 6"), f"litmus {name}: correct")


@pytest.mark.parametrize("sites, block", [(3, 128), pytest.param(2, 64, marks=pytest.mark.full), pytest.param(2, 512, marks=pytest.mark.full)])
def test_every_kind_of_access_is_checked(sites, block):
    right(soft(PROGRAMS / "soft_widths.c", sites, block=block), "widths: correct")


@pytest.mark.parametrize("which, says", [("", "site 1 aP 0 loads 0 from"), ("store", "the last store there was 7, by site 1 aP 0")])
def test_an_unchecked_access_ends_the_run(which, says):
    done = soft(PROGRAMS / "soft_unchecked.c", 2, which)
    assert done.status == 3 and done.report["ending"] == "inconsistent" and "not sequentially consistent" in done.out and says in done.out, done.out


def test_the_same_run_takes_the_same_cycles():
    cycles = {right(soft("hello", 2, name=name)).report["cycles"] for name in ("soft-same-1", "soft-same-2")}
    assert len(cycles) == 1


@pytest.mark.parametrize("keys, says", [
    ({"aps": 2}, "APS=2 is not legal with SOFT=stache: the aP of a site has the protocol, so a site has one; legal is APS=1"),
    ({"usermode": 1}, "USERMODE=1 is not legal with SOFT=stache"), ({"fpu": 1}, "FPU=1 is not legal with SOFT=stache"), ({"globals": "shared"}, "GLOBALS=shared is not legal with SOFT=stache"),
    ({"homes": "first-touch"}, "HOMES=first-touch is not legal with SOFT=stache"), ({"memory": "32M"}, "MEMORY=32M is not legal with SOFT=stache"),
    ({"protocol": "numa"}, "PROTOCOL=numa is not legal with SOFT=stache"), ({"soft": "moesi"}, "SOFT=moesi: 'moesi' is no protocol"),
    ({"soft": "stache,numa"}, "SOFT=stache,numa is not legal: one protocol"), ({"soft": "update"}, "SOFT=update is not legal: its mode update promises less than sequential consistency"),
    ({"soft": "numa"}, "SOFT=numa is not legal: its sites have a block for one access at a time"),
    ({"app": "em3d"}, "APP=em3d calls ts_basic_"), ({"app": "logp"}, "APP=logp calls ts_")])
def test_what_cannot_be_is_refused_in_words(keys, says):
    done = run(keys.pop("app", "hello"), 2, keys.pop("aps", 1), **{"soft": "stache", **keys})
    assert done.status == 2 and says in done.err, done.err


def test_the_command_in_the_report_repeats_the_run():
    done = right(soft("hello", 2))
    assert done.report["command"] == f"make run APP=hello SITES=2 APS=1 SOFT=stache TIMEOUT={TIMEOUT} PAGE=0" and "stache by software" in done.out


def test_make_hands_on_every_key():
    """`make run KEY=value` takes what tools/run.py does: a key that is not in the recipe would be ignored without a word."""
    recipe = (ROOT / "mk/sim.mk").read_text()
    missing = [key for key in runs.KEYS if f'"{key}=$({key})"' not in recipe]
    assert not missing, f"mk/sim.mk does not hand on {missing}"
