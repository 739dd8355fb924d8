"""`make check` (docs/design/checker.md): the promises of each shipped protocol hold in every interleaving of small clusters, and the checker
sees what breaks them: each seeded fault ends in a chart (BZ-26, BZ-27)."""
import subprocess
import xml.etree.ElementTree

import check_faults
import pytest
from check_faults import checker

SHIPPED = checker.protocols.names()
FAULTS = {(protocol, name): fault for protocol in SHIPPED for name, fault in check_faults.faults(protocol).items()}
#: One of each kind: two writers, deadlock, tag mismatch, a slot freed early, a lost place, an old version after a release, an answer too many.
QUICK = [("stache", "grant keeps the home's read tag"), ("stache", "waiting requests are forgotten after a recall"), ("stache", "data is given up before it is put"),
         ("stache", "data forwarded to a reader frees its slot before it is put"), ("stache", "places of a grant are not given back"),
         ("migratory", "Take that overtook the data is forgotten"), ("update", "a release is answered before the acks"), ("update", "a caller is answered twice"),
         ("update", "a reader is no sharer"), ("numa", "Left overtakes the end of the visit"), ("numa", "a store beside a load's visit is forgotten")]
#: Rows of docs/reference/stache.md that only a race reaches.
RACES = ("home BUSY-INV | Upgrade", "home BUSY-RECALL | GetRW", "home SHARED | Upgrade", "home REMOTE | Upgrade", "copy P-UPG | InvalRO",
         "copy P-UPG | InvalRW", "copy P-UPG, overtaken | Grant", "copy P-RO | InvalRO", "copy P-RO, overtaken | DataRO", "copy P-RW, overtaken | DataRW")


def explored(settings):
    s = checker.settings(settings.split())
    return checker.explore(checker.build(s["PROTOCOL"]), s)


@pytest.mark.parametrize("settings, least", [
    ("SITES=2", 400), ("SITES=2 BLOCKS=2", 20_000), ("SITES=2 BLOCKS=2 HOMES=2", 20_000), ("SITES=2 BLOCK=256", 9_000), ("SITES=2 OPEN=1", 800),
    ("SITES=2 HOMES=first-touch", 1_500), ("SITES=2 SMALL=1 FULL=1 OPEN=1", 500), ("SITES=3 SMALL=1", 100_000),
    ("PROTOCOL=migratory SITES=2", 300), ("PROTOCOL=migratory SITES=2 APS=2 OPEN=1", 100_000), ("PROTOCOL=migratory SITES=3 SMALL=1 FULL=1 TIMEOUTS=1 OPEN=1", 20_000),
    ("PROTOCOL=numa SITES=2", 2_500), ("PROTOCOL=numa SITES=3", 100_000), ("PROTOCOL=numa SITES=3 SMALL=1 FULL=1 TIMEOUTS=1 OPEN=1", 300_000),
    ("PROTOCOL=update SITES=2", 50_000), ("PROTOCOL=update SITES=2 SMALL=1 FULL=1 TIMEOUTS=1 OPEN=1", 50_000),
    ("PROTOCOL=stache,migratory SITES=2", 15_000)])
def test_promises_hold_in_every_state(settings, least):
    found = explored(settings)
    assert found["error"] == "", found["error"]
    assert found["complete"] and found["states"] >= least  # fewer: something can no longer happen


@pytest.mark.full
@pytest.mark.parametrize("settings, least", [
    ("SITES=2 APS=2 OPEN=1", 800_000), ("SITES=2 APS=2 TIMEOUTS=1", 1_000_000), ("SITES=3 HOMES=first-touch", 500_000),
    ("SITES=3 TIMEOUTS=1 FULL=1", 150_000), ("SITES=2 BLOCKS=2 BLOCK=256 OPEN=1", 6_000_000),
    ("PROTOCOL=migratory SITES=3 APS=2", 26_000_000), ("PROTOCOL=migratory SITES=4", 50_000), ("PROTOCOL=migratory SITES=3 BLOCKS=2 HOMES=2", 2_500_000),
    ("PROTOCOL=numa SITES=2 APS=2 OPEN=1 TIMEOUTS=1", 2_000_000), ("PROTOCOL=numa SITES=4", 2_000_000), ("PROTOCOL=numa SITES=2 BLOCKS=2 HOMES=2", 300_000),
    ("PROTOCOL=stache,update SITES=2", 1_400_000), ("PROTOCOL=migratory,update SITES=2", 1_100_000)])
def test_promises_hold_in_every_state_of_larger_ones(settings, least):
    test_promises_hold_in_every_state(settings, least)


def test_three_sites_reach_the_rows_of_races():
    found = explored("SITES=3")
    assert found["error"] == "" and found["complete"]
    assert set(RACES) <= set(found["rows"])
    assert "home BUSY-RECALL | None" not in found["rows"]


@pytest.mark.full
@pytest.mark.parametrize("settings", ["PROTOCOL=update SITES=3", "PROTOCOL=update SITES=2 APS=2", "PROTOCOL=update SITES=2 BLOCKS=2",
                                      "PROTOCOL=stache,migratory SITES=3", "PROTOCOL=stache,update SITES=3"])
def test_promises_hold_in_the_first_states_of_the_largest(settings):
    found = explored(settings + " PROGRESS=0 STATES=20000000")
    assert found["error"] == "" and (found["complete"] or found["states"] >= 20_000_000)


def seen(protocol, name, tmp_path):
    fault = FAULTS[protocol, name]
    for settings in [fault.get("with") or check_faults.WITH.get(fault["name"])] if fault.get("with") or fault["name"] in check_faults.WITH else ["SITES=2", "SITES=3"]:
        found = check_faults.explored(fault, protocol, tmp_path / settings.replace(" ", ""), settings)
        if found["error"]:
            break
    return found


@pytest.mark.parametrize("protocol, name", QUICK)
def test_a_fault_is_found(protocol, name, tmp_path):
    assert seen(protocol, name, tmp_path)["error"]


@pytest.mark.full
@pytest.mark.parametrize("protocol, name", [n for n in FAULTS if n not in QUICK])
def test_every_fault_is_found(protocol, name, tmp_path):
    assert bool(seen(protocol, name, tmp_path)["error"]) == (name not in check_faults.HARMLESS)


@pytest.mark.parametrize("protocol", SHIPPED)
def test_there_are_enough_faults(protocol):
    assert len({name for p, name in FAULTS if p == protocol} - set(check_faults.HARMLESS)) >= 12


def test_a_counter_example_is_a_chart_with_names(tmp_path):
    found = check_faults.explored(FAULTS["stache", "grant keeps the home's read tag"], "stache", tmp_path, "SITES=2")
    text = checker.chart.text(found)
    assert found["error"] in text.splitlines()[-1]
    for wanted in ("site 1: the sP takes the fault of an upgrade, at the block, sends Upgrade to site 0: copy RO becomes copy P-UPG",
                   "<--- Upgrade (sent in 10) ---", "-- Grant (sent in 12) --", "the engine's FLUSH, tag stays ReadOnly, sends Grant to site 1"):
        assert wanted in text, wanted
    drawing = xml.etree.ElementTree.fromstring(checker.chart.svg(found, "title"))
    assert sum(e.tag.endswith("line") for e in drawing.iter()) == 2 + len(checker.chart.arrows(found))
    letter = 6.5  # pixels, of 11 pixel text
    clipped = [e.text for e in drawing.iter() if e.tag.endswith("text") and float(e.get("x")) + letter * len(e.text) > float(drawing.get("width")) and e.get("font-size") is None]
    assert not clipped


def test_a_protocol_with_a_variable_of_its_own_is_refused(tmp_path, capfd):
    fault = {"name": "hidden", "file": "fw/protocols/stache/home.c", "find": "static int busy(", "replace": "uint32_t served;\nstatic int busy("}
    with pytest.raises(SystemExit) as end:
        check_faults.faulty(fault, "stache", tmp_path)
    assert end.value.code == 2 and "has variables of its own" in capfd.readouterr().err


@pytest.mark.parametrize("argument, sentence", [("SITES=5", "SITES=5 is not legal: sites, 2 to 4"), ("PROTOCOL=no", "PROTOCOL=no is unknown: migratory or "),
                                                ("PROTOCOL=stache,stache", "PROTOCOL=stache,stache is not legal: one protocol, or two different ones"),
                                                ("HOMES=2", "HOMES=2 needs BLOCKS=2"), ("SIZE=1", "'SIZE=1' is not known; the keys are PROTOCOL"),
                                                ("STATES=-1", "STATES=-1 is not a number")])
def test_bad_input_is_refused_in_words(argument, sentence):
    done = subprocess.run([check_faults.ROOT / "tools/check/checker.py", argument], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.startswith(f"check: {sentence}")


def test_make_check_has_its_own_number_of_sites():
    """SITES and APS mean four sites elsewhere."""
    done = subprocess.run(["make", "-s", "check", "NAME=test"], cwd=check_faults.ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "make check PROTOCOL=stache SITES=2: holds" in done.stdout, done.stdout + done.stderr


def test_what_is_not_modelled_is_printed_with_the_result():
    done = subprocess.run([check_faults.ROOT / "tools/check/checker.py", "SITES=2", "NAME=test"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("make check PROTOCOL=stache SITES=2: holds\n")
    for wanted in ("all there are", "states/s", "not modelled:", "deferrals that time out (TIMEOUTS=1)", "probability"):
        assert wanted in done.stdout, wanted
    partial = subprocess.run([check_faults.ROOT / "tools/check/checker.py", "SITES=2", "STATES=50", "NAME=test"], capture_output=True, text=True)
    assert partial.returncode == 3 and "not all states were looked at" in partial.stdout
