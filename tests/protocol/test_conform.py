"""The checker's model and the RTL, with the same choices (docs/design/checker.md#held-to-the-rtl): the model allows what the RTL does, a
difference between the two is seen, and a counter-example of the checker is one on the RTL (BZ-26)."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import check_faults
import pytest
from check_faults import ROOT, checker

sys.path.insert(0, str(ROOT / "tools"))
import conform  # noqa: E402
import plans  # noqa: E402
import run  # noqa: E402

#: `SEED=7 pytest ...` makes other choices.
SEED = int(os.environ.get("SEED") or 1)
#: Rows of stache.md that only a race reaches, and that a run of 300 choices on three sites does.
RACES = ("home BUSY-INV | Upgrade", "copy P-UPG | InvalRO", "copy P-UPG, overtaken | Grant", "copy P-RO, overtaken | DataRO")


@pytest.fixture(autouse=True)
def tools(monkeypatch):
    """TOOLS and PATH for a plain `pytest` too, as tools/env.sh sets them."""
    tools = Path(sys.prefix).parent
    monkeypatch.setenv("TOOLS", str(tools))
    monkeypatch.setenv("VERILATOR_ROOT", str(tools / "verilator"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(ROOT / "tools"), str(Path(sys.prefix) / "bin"), os.environ["PATH"]]))


def conformed(settings, steps, seed=SEED):
    """What conform.json says of a run; its sentence tells the seed."""
    words = settings.split()
    name = "test-conform-" + "-".join(w.split("=")[1] for w in words) + f"-{seed}"
    done = subprocess.run([ROOT / "tools/check/conform.py", *words, f"SEED={seed}", f"STEPS={steps}", f"NAME={name}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((ROOT / "build/run" / name / "conform.json").read_text())


@pytest.mark.parametrize("settings", ["PROTOCOL=stache SITES=3", "PROTOCOL=stache SITES=2 APS=2 BLOCKS=2 BLOCK=256", "PROTOCOL=migratory SITES=3 APS=2",
                                      "PROTOCOL=numa SITES=3", "PROTOCOL=update SITES=3"])
def test_the_model_allows_what_the_rtl_does(settings):
    found = conformed(settings, 300)
    assert found["choices"] >= 300 and found["seen"] >= 120
    if settings == "PROTOCOL=stache SITES=3" and SEED == 1:
        assert set(RACES) <= set(found["rows"])


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("settings", [f"PROTOCOL={protocol} SITES={sites} APS={aps} BLOCKS={blocks} BLOCK={block}"
                                      for protocol in checker.protocols.names() for sites, aps, blocks, block in ((2, 1, 1, 128), (3, 2, 2, 128), (4, 1, 2, 256), (4, 2, 1, 128))
                                      if block == 128 or protocol == "stache"])
def test_the_model_allows_what_the_rtl_does_at_length(settings, seed):
    assert conformed(settings, 2000, 1000 * SEED + seed)["choices"] >= 2000


@pytest.fixture(scope="module")
def observed():
    """What was seen in a right run of stache."""
    settings = checker.settings(["PROTOCOL=stache", "SITES=3"]) | {"SHIPPED": "1"}
    conformed("PROTOCOL=stache SITES=3", 300, 1)
    return settings, (ROOT / "build/run/test-conform-stache-3-1/observed.txt").read_text()


def followed(settings, text, tmp_path):
    (tmp_path / "observed.txt").write_text(text)
    return conform.follow(checker.build(settings["PROTOCOL"], shipped=True), settings, tmp_path / "observed.txt")


def altered(text, pattern, change, nth=3):
    """The n-th line that the pattern fits, changed."""
    lines = text.splitlines(keepends=True)
    at = [i for i, line in enumerate(lines) if re.match(pattern, line)][nth]
    lines[at] = change(lines[at])
    return "".join(lines)


@pytest.mark.parametrize("pattern, change, sentence", [
    (r"tags 2 1 1", lambda line: "tags 2 2 1\n", r"the model has \[tag of site 1: 1\], the RTL \[tag of site 1: 2\]"),
    (r"memory 1 0 0", lambda line: "memory 1 1 0\n", r"the model has \[memory of site 1: 0\], the RTL \[memory of site 1: 1\]"),
    (r"waits 0 0 1", lambda line: "waits 0 0 0\n", r"the model has \[waiting aP of site 2: 1\], the RTL \[waiting aP of site 2: 0\]"),
    (r"message high .* 2$", lambda line: line.replace(" 2\n", " 1\n"), r"the model has \[message high .* 2\], the RTL \[message high .* 1\]"),
    (r"message low", lambda line: "", r"the model has \[message low"),
    (r"choice take", lambda line: "", r"the model has \[message|the model cannot come to rest"),
    (r"choice store", lambda line: line.replace("store", "load"), r"the model has"),
    (r"message low", lambda line: line + line, r"the RTL \[message low"),
])
def test_what_differs_is_told(observed, tmp_path, pattern, change, sentence):
    settings, text = observed
    assert followed(settings, text, tmp_path)["error"] == ""
    found = followed(settings, altered(text, pattern, change), tmp_path)
    assert re.search(sentence, found["error"]), found["error"]


@pytest.mark.parametrize("line", ["choice jump 0 0 0", "choice load 3 0 0", "choice load 0 0 1", "choice take 0 3 low", "tags 1", "rest", "tags 1 1 x"])
def test_a_file_that_is_none_is_refused(observed, tmp_path, line):
    settings, text = observed
    assert f"is not of a conducted run of these settings: {line}" in followed(settings, line + "\n" + text, tmp_path)["error"]


def test_nothing_seen_is_no_agreement(observed, tmp_path):
    assert followed(observed[0], "", tmp_path)["error"] == "nothing was seen"


@pytest.mark.parametrize("name", ["grant keeps the home's read tag", "data is given up before it is put", "waiting requests are forgotten after a recall"])
def test_a_model_with_another_protocol_is_seen(observed, tmp_path, name):
    """The fault is in the handlers that the model runs, not in those on the RTL."""
    settings, text = observed
    (tmp_path / "observed.txt").write_text(text)
    program = check_faults.faulty(check_faults.faults("stache")[name], "stache", tmp_path)
    found = conform.follow(program, settings | {"SHIPPED": ""}, tmp_path / "observed.txt")
    assert found["error"] or found["broken"]


#: Fault -> what the RTL says when it goes the checker's way to it.
REPLAYED = {
    ("stache", "waiting requests are forgotten after a recall"): "stopped: an access waits and nothing moved",
    ("migratory", "a block on its way is asked for again"): "sP: more answers than were asked for",
    ("update", "a release is answered before the acks"): "not sequentially consistent: ",
    ("numa", "a load's visit is not taken back"): "",  # nothing but that it is not at rest
}
#: What the RTL says of a promise that the checker found broken, where its own words are others.
WORDS = {"deadlock": "stopped: ", "no way to an end": "stopped: ", "one site may write while another may read or write": "two sites hold one line: ",
         "the access sees an old version": "not sequentially consistent: ", "a service answers a program that waits for none": "an answer with tag 16 of the sP of site 0 "}
#: Faults that the RTL does not come to on the checker's way: steps within a site have their own order there. An sP takes a fault at once, for
#: example, where the way lets it wait behind a message.
OTHER_WAY = {("update", "a store asks twice"), ("update", "a visit is not remembered"), ("migratory", "a second access asks again"), ("numa", "a second access asks again"), ("stache", "home's load asks beside the home's store that waits"),
             ("update", "a release leaves out what is lent and is answered"), ("stache", "a page opens with the wrong tag")}  # the last: an access waits before the first choice


def shortest(protocol, name, tmp_path):
    """The checker's way to a fault: program, settings, what was found, the protocol's source."""
    fault = check_faults.faults(protocol)[name]
    for more in [fault.get("with") or check_faults.WITH.get(name)] if fault.get("with") or name in check_faults.WITH else ["SITES=2", "SITES=3"]:
        folder = tmp_path / more.replace(" ", "")
        settings = checker.settings([f"PROTOCOL={protocol}", *more.split()])
        program = check_faults.faulty(fault, protocol, folder)
        found = checker.explore(program, settings)
        if found["error"]:
            break
    source = folder / "fw/protocols" / protocol
    return program, settings, found, source if source.is_dir() else source.with_suffix(".c")


def replayed(protocol, plan, **keys):
    name = f"test-replay-{os.getpid()}"
    given = {"PROTOCOL": protocol, "REPLAY": plan, "QUIET": 60000, "TIMEOUT": 3_000_000, "PAGE": 0, "NAME": name, **keys}
    (ROOT / "build/run" / name / "observed.txt").unlink(missing_ok=True)
    return subprocess.run([ROOT / "tools/run.py", *(f"{k}={v}" for k, v in given.items())], capture_output=True, text=True), ROOT / "build/run" / name / "observed.txt"


def comes_to_it(program, settings, found, source, tmp_path):
    """The run on the RTL of the faulty protocol, and whether it came to what the checker found: it says so, or the faulty model beside it does."""
    plan = tmp_path / "replay.txt"
    plan.write_text(plans.of_path(settings, found))
    done, observed = replayed(source, plan)
    assert done.returncode != 2, done.stdout + done.stderr
    beside = conform.follow(program, settings, observed)
    sentence = found["error"].split(": ")[0]
    same = not beside["error"] and beside["broken"].split(": ")[0] == sentence
    return done, plan, same or WORDS.get(sentence, sentence) in done.stdout, beside


@pytest.mark.parametrize("protocol, name", REPLAYED)
def test_a_counter_example_is_one_on_the_rtl(protocol, name, tmp_path):
    program, settings, found, source = shortest(protocol, name, tmp_path)
    done, plan, came, beside = comes_to_it(program, settings, found, source, tmp_path)
    assert came, beside
    assert REPLAYED[protocol, name] in done.stdout
    assert f"{sum('choice' in step for step in found['path'])} choices\n" in done.stdout
    # The same way without the fault: another message or none comes somewhere on it, or all ends well.
    right, _ = replayed(protocol, plan)
    assert right.returncode == 0 or "the RTL went another way: choice " in right.stdout, right.stdout + right.stderr


@pytest.mark.full
@pytest.mark.parametrize("protocol, name", [(p, n) for p in checker.protocols.names() for n in check_faults.faults(p) if n not in check_faults.HARMLESS and (p, n) not in REPLAYED])
def test_every_counter_example_is_one_on_the_rtl(protocol, name, tmp_path):
    program, settings, found, source = shortest(protocol, name, tmp_path)
    if plans.why_not(settings, found):
        return  # the checker says so: test_the_checker_writes_the_plan
    assert comes_to_it(program, settings, found, source, tmp_path)[2] == ((protocol, name) not in OTHER_WAY)


def test_the_checker_writes_the_plan(tmp_path):
    _, settings, found, _ = shortest("migratory", "a block on its way is asked for again", tmp_path / "faulty")
    command = checker.replay(settings, found, tmp_path / "replay.txt")
    assert command == f"make conform PLAN={os.path.relpath(tmp_path / 'replay.txt')}, or make run REPLAY="
    text = (tmp_path / "replay.txt").read_text()
    assert text.startswith(f"protocol migratory\nsites {settings['SITES']}\naps 1\nblock 128\nblocks 1\nrest\nchoice ") and text.endswith("\nrest\n")
    for without in ("OPEN=1", "HOMES=first-touch", "FULL=1", "TIMEOUTS=1"):
        s = checker.settings(["PROTOCOL=migratory", without])
        assert checker.replay(s, found, tmp_path / "none.txt").startswith(f"no plan: a conducted run has no {without}")
    assert not (tmp_path / "none.txt").exists()


HEAD = "protocol stache\nsites 2\naps 1\nblock 128\nblocks 1\n"


@pytest.mark.parametrize("text, sentence", [
    (None, "run: REPLAY={plan} cannot be read"),
    ("sites 2\n", "run: REPLAY={plan} is no plan of a conducted run: it has no line `protocol`; `make check` writes such files"),
    (HEAD.replace("sites 2", "sites 5") + "random 1 5\n", "conduct= with 5 sites of 1 aPs: legal are 2 to 4 sites of 1 or 2"),
    (HEAD.replace("block 128", "block 512") + "random 1 5\n", "conduct= with block=512: legal are 128 and 256"),
    (HEAD, "{plan} plans nothing: `random SEED STEPS`, or choices"),
    (HEAD + "choice load 0 0 1\n", "{plan}, line 6: 'choice load 0 0 1' is no line of a plan"),
    (HEAD + "choice load 2 0 0\n", "{plan}, line 6: 'choice load 2 0 0' is no line of a plan"),
    (HEAD + "choice take 0 1 middle\n", "{plan}, line 6: 'choice take 0 1 middle' is no line of a plan"),
    (HEAD + "choice\n", "{plan}, line 6: 'choice' is no line of a plan"),
    (HEAD + "random 1\n", "{plan}, line 6: 'random 1' is no line of a plan"),
    (HEAD.replace("blocks 1", "blocks 9") + "random 1 5\n", "{plan}, line 5: 'blocks 9' is no line of a plan"),
])
def test_a_plan_that_is_none_is_refused(tmp_path, text, sentence):
    plan = tmp_path / "plan.txt"
    if text is not None:
        plan.write_text(text)
    done, _ = replayed("stache", plan)
    assert done.returncode == 2 and sentence.format(plan=plan) in done.stderr, done.stderr


def test_the_plan_says_what_is_run(tmp_path):
    plan = tmp_path / "plan.txt"
    plan.write_text(HEAD + "random 1 5\n")
    done, _ = replayed("stache", plan, SITES=3)
    assert done.returncode == 2 and "SITES=3 with REPLAY=: the plan has SITES=2" in done.stderr


@pytest.mark.parametrize("argument, sentence", [("STEPS=0", "STEPS=0 is not a number from 1 to 1000000"), ("OPEN=1", "'OPEN=1' is not known; the keys are PROTOCOL"),
                                                ("PROTOCOL=stache,numa", "PROTOCOL=stache,numa is not legal: one protocol"), ("SEED=x", "SEED=x is not a number"),
                                                ("PLAN=/no/where", "PLAN=/no/where cannot be read"), ("PLAN=README.md", "PLAN=README.md is no plan of a conducted run: it has no line `protocol`")])
def test_bad_input_of_conform_is_refused_in_words(argument, sentence):
    done = subprocess.run([ROOT / "tools/check/conform.py", argument], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 2 and done.stderr.startswith(f"conform: {sentence}"), done.stderr
