"""Programs in the manner of SPLASH-2 and its descendants, by somebody else: unchanged, they compile and run."""
import re

import pytest
from app_runs import HERE, ROOT, build, run_native

ALIENS = {"pi.C": "-p{}", "grid": "{}", "pool.c.in": "{}"}


@pytest.mark.parametrize("processes", [1, 2, 4])
@pytest.mark.parametrize("name", ALIENS)
def test_runs_on_the_workstation(name, processes):
    done = run_native(build(HERE / "alien" / name, native=True), processes, ALIENS[name].format(processes))
    assert done.status == 0 and "PASSED" in done.out, done.out + done.err


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("processes", [1, 3, 4])
@pytest.mark.parametrize("name", ALIENS)
def test_runs_on_the_ap(name, processes, seed, run_target):
    done = run_target(build(HERE / "alien" / name, native=False), 2, 2, ALIENS[name].format(processes), seed=seed)
    assert done.status == 0 and "PASSED" in done.out, done.out + done.err


def test_every_macro_is_used_by_an_alien():
    macros = (ROOT / "apps" / "include" / "parmacs.m4").read_text()
    names = set(re.findall(r"^(?:ts_macro|define)\(`([A-Z]\w+)'", macros, re.MULTILINE))
    text = "".join(p.read_text() for p in (HERE / "alien").rglob("*") if p.is_file())
    twins = {"MAIN_END_LITE", "MAIN_INITENV_LITE", "GET_PID_F", "NU_MALLOC_F", "SPLASH4_ROI_BEGIN", "SPLASH4_ROI_END", "MEXIT",
             "NU_GSDEC", "NU_GETSUB"}
    # G_MALLOC in an expression becomes G_MALLOC_F.
    unused = {n for n in names if not re.search(rf"\b{n}\b", text)} - twins - {"G_MALLOC_F"}
    assert not unused
