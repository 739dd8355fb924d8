#!/usr/bin/env python3
"""How much longer the mean remote miss of a victim takes beside each program of tests/cluster/hostile than alone (issue 6, VY-37).

    tools/victim.py [NAME ...]
"""
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run  # noqa: E402

#: Runs at a time; each is over after TIMEOUT cycles, some 15 s of processor time, at the latest.
AT_ONCE = 2
TIMEOUT = 1_000_000
HOSTILE = Path(__file__).resolve().parent.parent / "tests/cluster/hostile"


def names() -> list[str]:
    return sorted(path.stem for path in HOSTILE.glob("*.c"))


def mean(name: str, alone: bool) -> float:
    """Of the victim's remote misses under mark 1. Ends with a sentence when the victim did not come to its right answer."""
    settings = [f"APP={HOSTILE / name}.c", "SITES=2", "APS=2", f"TIMEOUT={TIMEOUT}", "PAGE=0", f"NAME=victim-{name}" + "-alone" * alone, "ARGS=" + "alone" * alone]
    status, folder = run.run(settings, quiet=True)
    if status or "victim: correct" not in (folder / "output.txt").read_text():
        sys.exit(f"victim: beside {name} the run ended with status {status}: see {folder / 'output.txt'}")
    return json.loads((folder / "report.json").read_text())["phases"]["1"]["remote_mean"]


def slowdowns(chosen: list[str]) -> dict[str, float]:
    base = mean(chosen[0], alone=True)
    print(f"{'alone':16}{base:>8.1f} cycles", flush=True)
    found = {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for name, beside in zip(chosen, pool.map(lambda name: mean(name, alone=False), chosen)):
            found[name] = beside / base
            print(f"{name:16}{beside:>8.1f} cycles {found[name]:>7.2f}", flush=True)
    return found


if __name__ == "__main__":
    worst = slowdowns(sys.argv[1:] or names())
    print(f"victim_slowdown {max(worst.values()):.2f}, beside {max(worst, key=worst.get)}")
