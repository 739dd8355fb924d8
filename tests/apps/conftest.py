"""Building and running programs: as Unix processes, and on the functional model of a cluster (tests/apps/model)."""
import fcntl
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "apps"
HERE = Path(__file__).resolve().parent


def app(*arguments, out: Path | None = None) -> subprocess.CompletedProcess:
    """Runs tools/app.py."""
    options = ["--out", str(out)] if out else []
    return subprocess.run([sys.executable, ROOT / "tools" / "app.py", *options, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT)


def build(name, native: bool, out: Path | None = None) -> Path:
    done = app(*(["--native"] if native else []), name, out=out)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


def finished(done: subprocess.CompletedProcess) -> SimpleNamespace:
    return SimpleNamespace(status=done.returncode, out=done.stdout, err=done.stderr)


def run_native(program: Path, processes: int, *arguments) -> SimpleNamespace:
    environment = dict(os.environ, TS_PROCESSES=str(processes))
    return finished(subprocess.run([program, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=60))


@pytest.fixture(scope="session")
def model() -> Path:
    """The functional model, compiled once for all workers."""
    sources = sorted((HERE / "model").glob("*.c"))
    target = OUT / "model"
    OUT.mkdir(parents=True, exist_ok=True)
    with open(OUT / "model.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        newest = max(p.stat().st_mtime for p in [*(HERE / "model").iterdir(), *(ROOT / "apps" / "include").iterdir()])
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
