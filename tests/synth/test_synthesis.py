"""The site maps to FPGAs without latches, nets of several drivers or none, loops, or large memories in registers, and is not much
slower than its processors."""

import subprocess
from pathlib import Path

import pytest

# 0.69 was routed (docs/design/timing.md); the rest is how much one netlist is placed better than another.
RATIO = 0.65


def make(*arguments: str) -> str:
    done = subprocess.run(["make", *arguments], cwd=Path(__file__).resolve().parents[2], capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def test_no_large_memory_in_registers_on_ecp5():
    """ECP5 has no RAM with two ports of byte lanes and defined collisions: such a memory would become registers."""
    assert "no memory of 4096 bits in registers" in make("synth-memories", "SYNTH_TOP=site/Site", "FAMILIES=ecp5")


@pytest.mark.full
@pytest.mark.parametrize("family", ["xcup", "ecp5"])
def test_site_synthesises_clean(family):
    assert "no latch, one driver a net, no loop" in make("synth", "SYNTH_TOP=site/Site", f"FAMILIES={family}")


def test_an_ap_with_all_extensions_lints_clean():
    """They are in no top with its defaults, which `make lint` looks at."""
    assert "lint: cache/ApCore clean" in make("lint", "LINT_TOPS=cache/ApCore atomics=true fpu=true user=true")


@pytest.mark.full
@pytest.mark.parametrize("extension", ["fpu=true", "user=true"])
def test_an_ap_with_an_extension_synthesises_clean(extension):
    assert "no latch, one driver a net, no loop" in make("synth", "SYNTH_TOP=cache/ApCore", f"SYNTH_ARGS={extension}", "FAMILIES=ecp5")


@pytest.mark.full
def test_site_is_not_much_slower_than_its_processors():
    make("pnr", "TOP=site/Site", f"FLOOR={RATIO}")
