#!/usr/bin/env python3
"""LogP of the message mechanisms (VY-50): runs apps/logp.c on four sites, writes build/bench/logp.csv, prints it as a table.

    tools/logp.py

A row a mechanism and size, in cycles; what each column is: apps/logp.c. The first line of the file is the command that repeats it.
"""
import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = ["APP=logp", "SITES=4", "APS=1"]
OUT = ROOT / "build/bench/logp.csv"
COMMAND = "make run " + " ".join(SETTINGS)


def read() -> list[dict[str, str]]:
    """What was measured last."""
    return list(csv.DictReader(line for line in OUT.read_text().splitlines() if not line.startswith("#")))


def measure() -> list[dict[str, str]]:
    """The rows. Ends with a sentence when the run did not end well or printed none."""
    status, folder = run.run([*SETTINGS, "PAGE=0", "TIMEOUT=5000000", "NAME=bench-logp"], quiet=True)
    lines = [line.removeprefix("[0] ") for line in (folder / "output.txt").read_text().splitlines() if line.startswith("[0] ")]
    if status or not lines:
        sys.exit(f"logp: the run ended with status {status}: see {folder / 'output.txt'}")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text("\n".join([f"# {COMMAND}", *lines]) + "\n")
    return read()


def find(rows: list[dict[str, str]], mechanism: str, size: int) -> dict[str, str]:
    return next(row for row in rows if row["mechanism"] == mechanism and row["bytes"] == str(size))


def main() -> None:
    rows = measure()
    print("| " + " | ".join(name.replace("_", " ") for name in rows[0]) + " |")
    print("|---" * len(rows[0]) + "|")
    for row in rows:
        print("| " + " | ".join(row.values()) + " |")


if __name__ == "__main__":
    main()
