#!/usr/bin/env python3
"""Writes the table of the nine stages of a clean remote read into README.md, between its lines <!-- stages --> and <!-- /stages -->.

    tools/readme_stages.py [FILE]

FILE is a run's report.json, or a bench.json one of whose entries has "remote_read"; default: the first of MEASUREMENTS that is there.
When the run marked its clean reads (apps/latency.c: mark 1), only those count, from the reads.csv beside FILE. Exit status 2 and one
sentence when there is no measurement to write.
"""
import csv
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import readme  # noqa: E402
from report import STAGES  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
MEASUREMENTS = ("build/run/remote_read/report.json", "build/run/bench-latency/report.json", "build/bench/bench.json")
MARK = "1"
Refused = readme.Refused


def marked(file: Path) -> dict | None:
    """Means over the marked reads of a reads.csv, with "count"; None when there are none."""
    with open(file) as lines:
        reads = [read for read in csv.DictReader(lines) if read["mark"] == MARK]
    return {"count": len(reads), **{n: sum(int(r[n]) for r in reads) / len(reads) for n in STAGES}} if reads else None


def measured(file: Path) -> tuple[dict, str]:
    """The mean cycles of each stage, with "count", and the command that measures them."""
    document = json.loads(file.read_text())
    for part in document if isinstance(document, list) else [document]:
        if "remote_read" in part:
            reads = part["remote_read"]
            missing = [name for name in STAGES if name not in reads]
            if missing:
                raise Refused(f"{file}: remote_read has no stage '{missing[0]}'")
            if not reads["count"]:
                raise Refused(f"{file}: no clean remote read was measured: run a program on two sites or more")
            single = file.parent / "reads.csv"
            return (single.exists() and marked(single)) or reads, part["command"]
    raise Refused(f"{file}: nothing is called remote_read")


def table(reads: dict, command: str) -> str:
    rows = [(name, reads[name], budget, voyager) for name, (voyager, budget) in STAGES.items()]
    lines = ["| | stage | here | budget | StarT-Voyager |", "|---|---|---|---|---|"]
    lines += [f"| {i} | {name} | {here:.1f} | {budget} | {voyager} |" for i, (name, here, budget, voyager) in enumerate(rows, 1)]
    sums = [sum(row[k] for row in rows) for k in (1, 2, 3)]
    lines.append(f"| | sum | {sums[0]:.1f} | {sums[1]} | {sums[2]} |")
    return "\n".join(lines) + f"\n\nCycles, mean of {reads['count']} reads: `{command}`.\n"


def main(arguments: list[str]) -> int:
    if len(arguments) > 1:
        print("usage: tools/readme_stages.py [FILE]", file=sys.stderr)
        return 2
    files = [Path(a) for a in arguments] or [ROOT / m for m in MEASUREMENTS]
    file = next((f for f in files if f.exists()), None)
    try:
        if file is None:
            raise Refused("no measurement: " + " and ".join(str(f) for f in files) + " do not exist; make bench writes one")
        readme.write("stages", table(*measured(file)))
    except Refused as refused:
        print(f"readme_stages: {refused}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
