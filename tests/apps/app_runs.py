"""Building programs, and running them as Unix processes."""
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "apps"
HERE = Path(__file__).resolve().parent


def app(*arguments, out: Path | None = None) -> subprocess.CompletedProcess:
    """Runs tools/app.py."""
    options = ["--out", str(out)] if out else []
    return subprocess.run([sys.executable, ROOT / "tools" / "app.py", *options, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT)


def build(name, native: bool, out: Path | None = None, shared: bool = False) -> Path:
    done = app(*["--native"] * native, *["--shared"] * shared, name, out=out)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


def finished(done: subprocess.CompletedProcess) -> SimpleNamespace:
    return SimpleNamespace(status=done.returncode, out=done.stdout, err=done.stderr)


def run_native(program: Path, processes: int, *arguments) -> SimpleNamespace:
    environment = dict(os.environ, TS_PROCESSES=str(processes))
    return finished(subprocess.run([program, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=60))
