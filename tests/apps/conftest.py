"""Running programs on the functional model of a cluster (tests/apps/model)."""
import fcntl
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from app_runs import HERE, OUT, ROOT, finished


@pytest.fixture(scope="session")
def model() -> Path:
    """The functional model, compiled once for all workers."""
    sources = sorted((HERE / "model").glob("*.c"))
    target = OUT / "model"
    OUT.mkdir(parents=True, exist_ok=True)
    with open(OUT / "model.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([ROOT / "tools" / "niuheader"], check=True)
        newest = max(p.stat().st_mtime for p in [*(HERE / "model").iterdir(), *(ROOT / "apps" / "include").iterdir(), ROOT / "build/include/niu_regs.h"])
        if not target.exists() or target.stat().st_mtime < newest:
            subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-std=gnu11", *sources, "-o", target], check=True)
    return target


@pytest.fixture(scope="session")
def run_target(model):
    """Runs a program on the model: run_target(program, sites, aps, arguments..., seed=)."""

    def run(program: Path, sites: int, aps: int, *arguments, seed: int = 0) -> SimpleNamespace:
        command = [model, "-s", seed, sites, aps, program, *arguments]
        return finished(subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120))

    return run
