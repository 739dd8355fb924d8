#!/usr/bin/env python3
"""Cycles a second of processor time of a lone VexRiscv in plain Verilator: the package's Full variant, memory behind its buses, nothing else.

    tools/lone_core.py
"""
import subprocess
from pathlib import Path

import pythondata_cpu_vexriscv

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build/sim/lone"
CYCLES = 4_000_000
#: Of a turn of its program, at the least: it must have run.
LONGEST = 100


def speed() -> float:
    FOLDER.mkdir(parents=True, exist_ok=True)
    source = Path(pythondata_cpu_vexriscv.data_location) / "VexRiscv_Full.v"
    with open(FOLDER / "verilator.log", "w") as log:
        built = subprocess.run(["verilator", "--cc", "--exe", "--build", source, ROOT / "tools/lone_core.cpp", "--top-module", "VexRiscv", "--Mdir", FOLDER,
                                "-o", "lone_core", "-O3", "--x-assign", "fast", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-MAKEFLAGS",
                                "OBJCACHE=ccache OPT_FAST=-O3"], stdout=log, stderr=log)  # fmt: skip
    if built.returncode:
        raise SystemExit(f"lone_core: it does not build: {FOLDER / 'verilator.log'}")
    done = subprocess.run([FOLDER / "lone_core", str(CYCLES)], capture_output=True, text=True, check=True)
    turns, rate = map(int, done.stdout.split())
    if turns < CYCLES / LONGEST:
        raise SystemExit(f"lone_core: {turns} turns of its program in {CYCLES} cycles: it does not run")
    return rate


if __name__ == "__main__":
    print(f"{speed():.0f} cycles/s")
