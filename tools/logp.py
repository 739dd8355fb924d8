#!/usr/bin/env python3
"""LogP of the message mechanisms (VY-50): runs apps/logp.c on four sites, writes build/bench/logp.csv and its curves in logp.html, prints it as
a table, and from how many words on one Basic message is quicker than an Express message a word.

    tools/logp.py [dma | polls | thrash | several]
    tools/logp.py readme

With `dma` the rows of DMA alone (apps/transfers.c, a simulator of SITE=dma=true), in build/bench/dma.csv and dma.html; with `polls` what a look at one
queue, at each of two and at both by OnePoll costs (apps/polls.c), in build/bench/polls.csv; with `thrash` what
misses of the NI TLB cost, beside a single copy at each end (apps/thrash.c), in build/bench/thrash.csv; with `several` what a
message costs threads that share an Express queue (apps/several.c), in build/bench/several.csv. With `readme` what was
measured last, of both, as the README's table. A row a mechanism and size, in cycles; what each column is: apps/logp.c. The first line of the file is the command that repeats it.
"""
import csv
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import plots  # noqa: E402
import readme  # noqa: E402
import report  # noqa: E402
import run  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = {"logp": ["APP=logp", "SITES=4", "APS=1"], "dma": ["APP=transfers", "SITES=4", "APS=1", "SITE=dma=true"],
            "polls": ["APP=polls", "SITES=1", "APS=1"], "thrash": ["APP=thrash", "SITES=2", "APS=1", "SITE=dma=true", "PRIVATE=16M"],
            "several": ["APP=several", "SITES=2", "APS=4"]}
COMMAND = "make run " + " ".join(SETTINGS["logp"])
DMA_COMMAND = "make run " + " ".join(SETTINGS["dma"])
THRASH_COMMAND = "make run " + " ".join(SETTINGS["thrash"])
SHARING_COMMAND = "make run " + " ".join(SETTINGS["several"])


def read(what: str = "logp") -> list[dict[str, str]]:
    """What was measured last."""
    lines = (ROOT / f"build/bench/{what}.csv").read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def measure(what: str = "logp") -> list[dict[str, str]]:
    """The rows. Ends with a sentence when the run did not end well or printed none."""
    status, folder = run.run([*SETTINGS[what], "PAGE=0", "TIMEOUT=20000000", f"NAME=bench-{what}"], quiet=True)
    lines = re.findall(r"^\[0(?:\.0)?\] (.*)", (folder / "output.txt").read_text(), re.MULTILINE)
    if status or not lines:
        sys.exit(f"logp: the run ended with status {status}: see {folder / 'output.txt'}")
    out = ROOT / f"build/bench/{what}.csv"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(["# make run " + " ".join(SETTINGS[what]), *lines]) + "\n")
    return read(what)


def find(rows: list[dict[str, str]], mechanism: str, size: int) -> dict[str, str]:
    return next(row for row in rows if row["mechanism"] == mechanism and row["bytes"] == str(size))


def crossover(rows: list[dict[str, str]]) -> int | None:
    """Words, among the sizes measured, from which on a stream of one Basic message each is quicker than of Express messages of a word."""
    word = float(find(rows, "express", 4)["gap_stream"])
    quicker = [int(r["bytes"]) // 4 for r in rows if r["mechanism"] == "basic" and float(r["gap_stream"]) < int(r["bytes"]) / 4 * word]
    return min(quicker, default=None)


def thrashing(rows: list[dict[str, str]]) -> float:
    """Transfers whose pages always miss, over transfers with a single copy at each end: the worst of the sizes."""
    ways = {(row["bytes"], row["pages"], row["method"]): float(row["one_way"]) for row in rows}
    return max(ways[size, "thrash", "direct"] / ways[size, "thrash", "copied"] for size, _, _ in ways)


def sharing(rows: list[dict[str, str]]) -> float:
    """Cycles a message of all threads at one queue, over those of one thread: the worse of sending and taking."""
    alone, together = rows[0], rows[-1]
    return max(float(together[what]) / float(alone[what]) for what in ("send", "take"))


#: Column to what the axis of its plot says, as in Figure 6 of the StarT-Voyager paper.
PLOTS = {"overhead_send": "overhead of sending, cycles", "overhead_receive": "overhead of receiving, cycles", "one_way": "one way, cycles",
         "gap_stream": "gap of a stream, cycles", "link_share": "share of the link's raw rate"}


def page(rows: list[dict[str, str]], command: str) -> str:
    """Curves by payload, a curve a mechanism."""
    parts = [f"<h1>LogP of the message mechanisms</h1><p><code>{command}</code></p>"]
    for column, axis in PLOTS.items():
        series: dict[str, tuple[list[float], list[float]]] = {}
        for row in rows:
            if row.get(column):
                xs, ys = series.setdefault(row["mechanism"], ([], []))
                xs.append(int(row["bytes"]))
                ys.append(float(row[column]))
        if series:
            parts.append(report.section(axis, plots.curves(series, "payload, bytes", axis)))
    return report.PAGE.format(title="LogP", body="\n".join(parts))


#: Rows of the README's table: what was measured, mechanism, bytes.
SHOWN = (("logp", "express", 4), ("logp", "basic", 8), ("logp", "basic", 88), ("logp", "basic+tagon", 216), ("dma", "dma", 4096))


def table() -> str:
    """The README's, of what was measured last."""
    lines = ["| mechanism | bytes | overhead of sending | one way | share of the link |", "|---|---|---|---|---|"]
    for what, mechanism, size in SHOWN:
        row = find(read(what), mechanism, size)
        lines.append(f"| {mechanism} | {size} | {row['overhead_send']} | {row['one_way']} | {row['link_share'] or ''} |")
    return "\n".join(lines) + "\n\nCycles: `tools/logp.py` and `tools/logp.py dma`, which leave curves in `build/bench/logp.html` and `dma.html`.\n"


def main() -> None:
    if sys.argv[1:] not in ([], ["dma"], ["polls"], ["thrash"], ["several"], ["readme"]):
        sys.exit(f"logp: {' '.join(sys.argv[1:])} is not legal: dma, polls, thrash, several, readme, or nothing")
    if sys.argv[1:] == ["readme"]:
        readme.write("logp", table())
        return
    what = sys.argv[1] if sys.argv[1:] else "logp"
    rows = measure(what)
    if what in ("logp", "dma"):
        (ROOT / f"build/bench/{what}.html").write_text(page(rows, "make run " + " ".join(SETTINGS[what])))
    print("| " + " | ".join(name.replace("_", " ") for name in rows[0]) + " |")
    print("|---" * len(rows[0]) + "|")
    for row in rows:
        print("| " + " | ".join(row.values()) + " |")
    if what == "logp":
        words = crossover(rows)
        print(f"\n{'no Basic message' if words is None else f'from {words} words on a Basic message'} is quicker than an Express message a word")


if __name__ == "__main__":
    main()
