"""F and D on the cluster: sites of `FPU=1`, for which a simulator of their own is made: full."""
import re
import subprocess
import sys

import pytest
from cluster_runs import PROGRAMS, ROOT, environment, right, run

FLOATS = PROGRAMS / "floats.c"


def digests(out: str) -> dict[str, str]:
    return dict(re.findall(r"(arithmetic|library|smoothed) ([0-9a-f]{16})", out))


def workstation() -> dict[str, str]:
    """Of the same source compiled for this machine, which has its own library."""
    done = subprocess.run([sys.executable, ROOT / "tools/native.py", f"APP={FLOATS}", "PROCESSES=2"], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = digests(done.stdout)
    assert len(found) == 3, done.stdout
    del found["library"]
    return found


def test_a_site_without_an_fpu_refuses_its_programs():
    """The program is compiled for it, the site has none: it says so before main."""
    done = run(FLOATS, 1, 1, fpu=1, site="fpu=false")
    assert done.status != 0 and "this site has none: FPU=1 makes both" in done.out, done.out + done.err


def test_software_calculates_as_the_workstation():
    assert workstation().items() <= digests(right(run(FLOATS, 2, 1)).out).items()


@pytest.mark.full
@pytest.mark.parametrize("sites, aps, atomics, seed", [(2, 1, 0, 0), (4, 1, 0, 5), (2, 2, 1, 3)])
def test_every_result_is_that_of_software(sites, aps, atomics, seed):
    """Bit for bit, the library's functions too; arithmetic also that of the workstation."""
    found = digests(right(run(FLOATS, sites, aps, fpu=1, atomics=atomics, seed=seed)).out)
    assert found == digests(right(run(FLOATS, 2, 1)).out)
    assert workstation().items() <= found.items()


@pytest.mark.full
@pytest.mark.parametrize("app, arguments", [("em3d", "-n 16 -i 2"), ("lu", "-n 16"), ("ocean", ""), ("water", ""), ("is", ""), ("appbt", "")])
def test_programs_with_an_fpu(app, arguments):
    right(run(app, 4, 1, arguments, fpu=1), f"{app}: correct")


@pytest.mark.full
def test_programs_without_it_run_on_sites_with_one():
    right(run("em3d", 4, 1, "-n 16 -i 2", site="fpu=true"), "correct")
