"""The site maps to an FPGA without latches, nets of several drivers or none, loops, or large memories in registers."""

import subprocess
from pathlib import Path

import pytest


@pytest.mark.full
def test_site_synthesises_clean():
    done = subprocess.run(["make", "synth", "SYNTH_TOP=site/Site", "FAMILIES=xcup"], cwd=Path(__file__).resolve().parents[2],
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "no latch, one driver a net, no loop" in done.stdout
