"""The simulator's network, routers joined in C++ by FatTreePlan, does in every cycle what the Verilated FatTree does (VY-42, VY-48)."""
import re
import subprocess

import pytest
from cluster_runs import ROOT, SEED, environment

FULL = pytest.mark.full


@pytest.mark.parametrize("sites, parts", [(2, 1), (4, 3), (5, 2), (8, 2), pytest.param(3, 3, marks=FULL), pytest.param(11, 4, marks=FULL),
                                          pytest.param(16, 1, marks=FULL)])
def test_same_outputs_in_every_cycle_for_any_number_of_parts(sites, parts):
    built = subprocess.run([ROOT / "tools/sim-build", "twin", str(sites)], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    done = subprocess.run([ROOT / f"build/sim/twin-s{sites}/network_twin", str(SEED), "20000", str(parts)], capture_output=True, text=True)
    assert done.returncode == 0, f"SEED={SEED}: {done.stdout}{done.stderr}"
    sent, received, damaged, unroutable = map(int, re.findall(r"\d+", done.stdout))
    assert sent > 4000 * sites and received > 0.9 * sent and damaged > 0
    assert (unroutable > 0) == (sites not in (4, 8, 16)), done.stdout
