"""The tests see faults: one-line faults in RTL, firmware and simulator, each with the test that must fail (tests/mutation/*.toml)."""
import os
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import mutate  # noqa: E402

FAULTS = mutate.faults()
SEED = int(os.environ.get("SEED") or 1)
#: Parts whose every fault was seen, one by one; another part joins when its list has run whole (`make mutate ONLY=...`).
SEEN = ("fw", "rtl/network")
SAMPLE = mutate.sample([f for f in FAULTS if f.part in SEEN], 10, SEED)


def test_there_are_enough_in_every_part():
    parts = {f.part for f in FAULTS}
    units = {p.name for p in (ROOT / "rtl/src/main/scala/turnstile").iterdir() if p.is_dir()} - {"gen", "contract", "registers", "header"}
    assert len(FAULTS) >= 80
    assert parts >= {f"rtl/{u}" for u in units} | {"fw", "sim"}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_fault_stands_where_it_says(fault):
    assert (ROOT / fault.file).read_text().count(fault.find) == 1 and fault.replace != fault.find
    path, _, function = fault.test.split()[0].partition("::")
    assert (ROOT / path).exists()
    assert not function or re.search(rf"^(async )?def {re.escape(function.split('[')[0])}\(", (ROOT / path).read_text(), re.MULTILINE)


def judged(fault, where):
    verdict = mutate.check([fault], where=where)[fault]
    assert verdict == "seen", f"{fault.name} ({fault.file}): {fault.test} {fault.bench}: {verdict}"


WORKER = mutate.TREES / os.environ.get("PYTEST_XDIST_WORKER", "main")


@pytest.mark.parametrize("fault", SAMPLE, ids=lambda f: f.name)
def test_fault_of_the_sample_is_seen(fault):
    print(f"SEED={SEED}")
    judged(fault, WORKER)


@pytest.mark.full
@pytest.mark.parametrize("fault", [f for f in FAULTS if f not in SAMPLE], ids=lambda f: f.name)
def test_fault_is_seen(fault):
    judged(fault, WORKER)
