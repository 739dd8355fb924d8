"""What a run says of its speed, and what makes it faster without changing it."""
import os
import re
import subprocess
import sys

import pytest
from cluster_runs import PROGRAMS, ROOT, environment, right, run


def test_a_terminal_is_told_how_fast_it_goes_and_how_long_it_may_take():
    """Of a run that never ends; of what is told once a second, there is one line at least."""
    reader, terminal = os.openpty()
    given = [f"APP={PROGRAMS / 'forever.c'}", "SITES=2", "TIMEOUT=600000", "PAGE=0", "NAME=test-progress"]
    done = subprocess.run([sys.executable, ROOT / "tools/run.py", *given], cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    told = os.read(reader, 4096).decode()
    os.close(reader)
    assert done.returncode == 3
    found = re.findall(r"forever: (\d+) k cycles, (\d+) k/s, \d+ remote misses; at this speed TIMEOUT ends it in (\d+) s", told)
    assert found, told
    cycles, rate, left = map(int, found[-1])
    expected = (600 - cycles) / rate
    assert 0 < cycles < 600 and abs(left - expected) <= 1 + expected / rate  # both are rounded


@pytest.mark.full
def test_a_profile_changes_the_speed_alone():
    """Takes two builds of the model."""
    simulator, report = ROOT / "build/sim/a1/turnstile-sim", ROOT / "build/run/test-profile/report.json"
    right(run("hello", 4, name="test-profile"))
    plain, before = simulator.read_bytes(), report.read_bytes()
    done = subprocess.run([sys.executable, ROOT / "tools/sim_profile.py", "1"], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    right(run("hello", 4, name="test-profile"))
    assert simulator.read_bytes() != plain and report.read_bytes() == before
