"""Builds one RTL top with Verilator and runs the cocotb tests of a bench on it."""

import fcntl
import hashlib
import logging
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from cocotb._decorators import Test, TestGenerator
from cocotb_tools.runner import get_runner

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.prefix).parent
BUILD = ROOT / "build" / "cocotb"
REPORTS = ROOT / "build" / "test"
DEFAULT_SEED = 1

VERILATOR_ARGS = ["--assert", "-Wno-fatal", "-Wno-WIDTH", "-Wno-UNOPTFLAT", "-Wno-TIMESCALEMOD", "-O3"]


def _runner():
    runner = get_runner("verilator")
    runner.log.setLevel(logging.WARNING)
    return runner


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def _environment() -> None:
    """What tools/env.sh sets, for a plain `pytest` too."""
    os.environ["TOOLS"] = str(TOOLS)
    os.environ["VERILATOR_ROOT"] = str(TOOLS / "verilator")
    path = [str(ROOT / "tools"), str(Path(sys.prefix) / "bin")]
    os.environ["PATH"] = os.pathsep.join(path + [p for p in os.environ["PATH"].split(os.pathsep) if p not in path])


def _tail(path: Path, lines: int = 60) -> str:
    return "\n".join(path.read_text(errors="replace").splitlines()[-lines:]) if path.exists() else "(no log)"


def generate(unit: str, params: Mapping[str, object], outdir: Path) -> Path:
    """Writes the Verilog of `unit` ("snoop/Snooper") into `outdir` and returns its path."""
    command = [str(ROOT / "tools" / "rtlgen"), unit, str(outdir), *(f"{k}={_text(v)}" for k, v in params.items())]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return outdir / f"{unit.split('/')[-1]}.sv"


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _build(unit: str, params: Mapping[str, object], sources: Sequence[Path], args: Sequence[str], waves: bool) -> Path:
    """Verilates and compiles `unit` unless the same sources and arguments were built before; returns the directory."""
    top = unit.split("/")[-1]
    build = BUILD / f"{unit.replace('/', '-')}-{_digest(sorted(params.items()), sources, args, waves)}"
    build.mkdir(parents=True, exist_ok=True)
    with open(build / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        verilog = generate(unit, params, build)
        # At time 0 clocks inside the model, too, hold anything (see `plusargs` below), and an edge of theirs means nothing.
        verilog.write_text(re.sub(r"^(\s*)assert\(", r"\1if($time != 0) assert(", verilog.read_text(), flags=re.MULTILINE))
        files = [*map(Path, sources), verilog]
        content = _digest(*(f.read_bytes() for f in [*files, *sorted(build.glob("*.bin"))]), VERILATOR_ARGS)
        stamp = build / "stamp"
        if not ((build / top).exists() and stamp.exists() and stamp.read_text() == content):
            stamp.unlink(missing_ok=True)
            try:
                _runner().build(
                    sources=files,
                    hdl_toplevel=top,
                    build_dir=build,
                    build_args=[*VERILATOR_ARGS, *(["--trace-fst"] if waves else []), *args],
                    timescale=("1ns", "1ps"),
                    waves=waves,
                    log_file=build / "build.log",
                )
            except RuntimeError as error:
                raise AssertionError(f"{unit} does not build ({error}), {build}/build.log:\n{_tail(build / 'build.log')}") from None
            stamp.write_text(content)
    return build


def _failures(results: Path) -> tuple[int, list[str]]:
    """Number of cocotb tests in a JUnit file, and one line for each that failed."""
    cases = ElementTree.parse(results).getroot().findall(".//testcase")
    failed = []
    for case in cases:
        for bad in (*case.findall("failure"), *case.findall("error")):
            failed.append(f"{case.get('name')}: {bad.get('error_msg') or bad.get('message') or bad.text or 'failed'}")
    return len(cases), failed


def cocotb_tests(module) -> list[Test]:
    """The cocotb tests of a bench."""
    return [t for g in vars(module).values() if isinstance(g, TestGenerator) for t in g.generate_tests()]


def run_unit(
    unit: str,
    params: Mapping[str, object] | None = None,
    test_module: str | None = None,
    sources: Sequence[Path] = (),
    verilator_args: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    tests: str | None = None,
) -> None:
    """Runs the cocotb tests of `test_module` on `unit`; raises AssertionError naming every test that failed.

    unit: UNIT/TOP as `tools/rtlgen list` prints it.      params: the key=value arguments of the generator.
    test_module: default: the caller's module.            sources: more Verilog files (checkers, memories).
    env: passed to the tests.                             tests: regular expression on test names; default: TEST= or all.
    Environment: SEED (an integer or "random"), WAVES=1 (writes dump.fst), TEST.
    """
    __tracebackhide__ = True
    _environment()
    caller = sys._getframe(1).f_globals
    module = test_module or caller["__name__"]
    here = Path(caller["__file__"]).parent
    waves = os.environ.get("WAVES", "0") not in ("", "0")
    seed = os.environ.get("SEED") or str(DEFAULT_SEED)
    if seed == "random":
        seed = str(int.from_bytes(os.urandom(4), "little"))

    endless = [t.name for t in cocotb_tests(sys.modules[module]) if not hasattr(t.func, "timeout")]
    assert not endless, f"{module}: {', '.join(endless)} may run for ever; write @test(timeout=CYCLES), of kit, in place of @cocotb.test"

    build = _build(unit, params or {}, sources, verilator_args, waves)
    node = os.environ.get("PYTEST_CURRENT_TEST", module).split("::")[-1].split(" ")[0]
    name = re.sub(r"[^A-Za-z0-9_.=-]+", "-", f"{here.name}-{module}-{node}").strip("-")
    run = build / name
    run.mkdir(exist_ok=True)
    for image in build.glob("*.bin"):  # $readmemb looks for the contents of memories where the simulation runs
        link = run / image.name
        link.unlink(missing_ok=True)
        link.symlink_to(image)
    results = REPORTS / "cocotb" / f"{name}.xml"
    results.parent.mkdir(parents=True, exist_ok=True)
    results.unlink(missing_ok=True)
    log = run / "run.log"
    print(f"{name}: SEED={seed} log {log}" + (f" waves {run}/dump.fst" if waves else ""))

    saved = list(sys.path)
    sys.path[:0] = [str(here), str(ROOT / "tests" / "cocotb")]
    crash = None
    try:
        _runner().test(
            test_module=module,
            hdl_toplevel=unit.split("/")[-1],
            hdl_toplevel_lang="verilog",
            build_dir=build,
            test_dir=run,
            results_xml=str(results),
            seed=seed,
            extra_env={**(env or {}), "DESIGN": str(build / f"{unit.split('/')[-1]}.sv")},
            test_filter=tests or os.environ.get("TEST") or None,
            # Whatever has no reset value begins at random.
            plusargs=["+verilator+rand+reset+2", f"+verilator+seed+{1 + int(seed) % 0x7FFFFFFE}"],
            waves=waves,
            log_file=log,
        )
    except (RuntimeError, SystemExit) as error:
        crash = error
    finally:
        sys.path[:] = saved

    where = f"SEED={seed}, log {log}"
    if not results.exists():
        raise AssertionError(f"{name}: the simulation ended without results ({crash}), {where}:\n{_tail(log)}")
    count, failed = _failures(results)
    if failed:
        raise AssertionError(f"{name}: {len(failed)} of {count} failed, {where}:\n  " + "\n  ".join(failed) + f"\n{_tail(log)}")
    if crash:
        raise AssertionError(f"{name}: all tests passed, but the simulation failed ({crash}): an assertion of the RTL?, {where}:\n{_tail(log)}")
    if count == 0:
        raise AssertionError(f"{name}: no test ran; is TEST= or tests= wrong? {where}")
