#!/usr/bin/env python3
"""LogP of the message mechanisms (VY-50): runs apps/logp.c on four sites, writes build/bench/logp.csv, prints it as a table.

    tools/logp.py [dma]

With `dma` the rows of DMA alone (apps/transfers.c, a simulator of SITE=dma=true), in build/bench/dma.csv.
A row a mechanism and size, in cycles; what each column is: apps/logp.c. The first line of the file is the command that repeats it.
"""
import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = {"logp": ["APP=logp", "SITES=4", "APS=1"], "dma": ["APP=transfers", "SITES=4", "APS=1", "SITE=dma=true"]}
COMMAND = "make run " + " ".join(SETTINGS["logp"])
DMA_COMMAND = "make run " + " ".join(SETTINGS["dma"])


def read(what: str = "logp") -> list[dict[str, str]]:
    """What was measured last."""
    lines = (ROOT / f"build/bench/{what}.csv").read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def measure(what: str = "logp") -> list[dict[str, str]]:
    """The rows. Ends with a sentence when the run did not end well or printed none."""
    status, folder = run.run([*SETTINGS[what], "PAGE=0", "TIMEOUT=5000000", f"NAME=bench-{what}"], quiet=True)
    lines = [line.removeprefix("[0] ") for line in (folder / "output.txt").read_text().splitlines() if line.startswith("[0] ")]
    if status or not lines:
        sys.exit(f"logp: the run ended with status {status}: see {folder / 'output.txt'}")
    out = ROOT / f"build/bench/{what}.csv"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(["# make run " + " ".join(SETTINGS[what]), *lines]) + "\n")
    return read(what)


def find(rows: list[dict[str, str]], mechanism: str, size: int) -> dict[str, str]:
    return next(row for row in rows if row["mechanism"] == mechanism and row["bytes"] == str(size))


def main() -> None:
    if sys.argv[1:] not in ([], ["dma"]):
        sys.exit(f"logp: {' '.join(sys.argv[1:])} is not legal: dma, or nothing")
    rows = measure(*sys.argv[1:])
    print("| " + " | ".join(name.replace("_", " ") for name in rows[0]) + " |")
    print("|---" * len(rows[0]) + "|")
    for row in rows:
        print("| " + " | ".join(row.values()) + " |")


if __name__ == "__main__":
    main()
