#!/usr/bin/env python3
"""What a slower memory costs: a clean remote read, and a program's parallel part, by LATENCY= and by DRAM= (docs/design/dram.md).

    tools/memories.py

LATENCY=10 to 20 are 100 to 200 ns at 100 MHz. Prints a table in Markdown.
"""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import dram  # noqa: E402
import report  # noqa: E402
import run  # noqa: E402

MEMORIES = [*(f"LATENCY={cycles}" for cycles in (10, 12, 16, 20)), *(f"DRAM={kind}" for kind in dram.KINDS)]
READS = ("APP=latency", "SITES=4", "APS=1")
PROGRAM = ("APP=em3d", "SITES=4", "APS=1")


def measure(settings: tuple[str, ...], memory: str) -> dict:
    name = f"memories-{settings[0].removeprefix('APP=')}-{memory.replace('=', '-').lower()}"
    status, folder = run.run([*settings, memory, "PAGE=0", f"NAME={name}"], quiet=True)
    if status:
        sys.exit(f"memories: {' '.join(settings)} {memory} ended with status {status}: see {folder / 'output.txt'}")
    return json.loads((folder / "report.json").read_text())


def command(memory: str) -> str:
    return f"make run {' '.join(READS)} {memory}"


def at_site(r: dict) -> float:
    """Mean cycles of the reads of all sites' DRAM."""
    reads = sum(site["memory_reads"] for site in r["sites"])
    return sum(site["memory_reads"] * site["memory_read_mean"] for site in r["sites"]) / reads


def table() -> dict[str, float]:
    """Prints it; `remote_read_clean` by memory."""
    found, base = {}, None
    print(f"| | read of {PROGRAM[0].removeprefix('APP=')} at the DRAM, mean | `remote_read_clean` | parallel part | |\n|---|---|---|---|---|", flush=True)
    for memory in MEMORIES:
        reads, program = measure(READS, memory), measure(PROGRAM, memory)
        found[memory] = reads["phases"]["1"]["remote_mean"]
        cycles = report.region(program)
        base = base or cycles
        print(f"| `{memory}` | {at_site(program):.1f} | {found[memory]:.1f} | {cycles:,} | {cycles / base:.3f} |", flush=True)
    return found


if __name__ == "__main__":
    table()
