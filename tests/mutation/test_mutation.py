"""The tests see faults: one-line faults in RTL, firmware and simulator, each with the test that must fail (tests/mutation/*.toml)."""
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import mutate  # noqa: E402

FAULTS = mutate.faults()
SEED = int(os.environ.get("SEED") or 1)
#: A minute and a half on two processors.
SAMPLE = mutate.sample(FAULTS, 10, SEED, budget=180)


def test_there_are_enough_in_every_part():
    parts = {f.part for f in FAULTS}
    units = {p.name for p in (ROOT / "rtl/src/main/scala/turnstile").iterdir() if p.is_dir()} - {"gen", "contract", "registers", "header"}
    assert len(FAULTS) >= 80
    assert parts >= {f"rtl/{u}" for u in units} | {"fw", "sim"}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_fault_stands_where_it_says(fault):
    assert not fault.mistake(), fault.mistake()
    path, _, function = fault.test.split()[0].partition("::")
    assert (ROOT / path).exists(), f"{fault.list}: fault {fault.name!r}: there is no test {path}"
    assert not function or re.search(rf"^(async )?def {re.escape(function.split('[')[0])}\(", (ROOT / path).read_text(), re.MULTILINE), (
        f"{fault.list}: fault {fault.name!r}: {path} has no test {function}")


def test_an_entry_that_became_stale_is_named():
    stale = replace(FAULTS[0], find="what stands nowhere")
    assert stale.mistake().startswith(f"{stale.list}: fault {stale.name!r}: `find` stands 0 times in {stale.file}")
    assert "there is no file rtl/gone.scala" in replace(stale, file="rtl/gone.scala").mistake()


def test_a_small_sample_draws_every_part_in_bounded_time():
    drawn = [mutate.sample(FAULTS, 10, seed, budget=180) for seed in range(300)]
    assert all(len(set(d)) == 10 and sum(f.seconds for f in d) <= 180 for d in drawn)
    assert {f.part for d in drawn for f in d} == {f.part for f in FAULTS}


WORKER = mutate.TREES / os.environ.get("PYTEST_XDIST_WORKER", "main")


def judge(fault, expected):
    verdict = mutate.check([fault], where=WORKER)[fault]
    assert verdict == expected, f"{fault.name} ({fault.file}): {fault.test} {fault.bench}: {verdict}"


@pytest.mark.parametrize("file, test", [("fw/protocols/stache/home.c", "tests/protocol/test_stache.py"),
                                        ("rtl/src/main/scala/turnstile/sp/EventQueue.scala", "tests/cocotb/sp/test_event_queue.py")])
def test_a_fault_that_is_none_passes_unseen(file, test):
    """So a test that fails in the copy fails by the fault."""
    line = (ROOT / file).read_text().splitlines()[0]
    judge(mutate.Fault("", f"nothing in {file}", file, line, f"{line} // ", test), "passed unseen")


@pytest.mark.parametrize("fault", SAMPLE, ids=lambda f: f.name)
def test_fault_of_the_sample_is_seen(fault):
    print(f"SEED={SEED}")
    judge(fault, "seen")


@pytest.mark.full
@pytest.mark.parametrize("fault", [f for f in FAULTS if f not in SAMPLE], ids=lambda f: f.name)
def test_fault_is_seen(fault):
    judge(fault, "seen")
