#!/usr/bin/env python3
"""Runs every combination of the keys' values, side by side, into one table: `make sweep`.

    tools/sweep.py APP="lu em3d" SITES="1 2 4" BLOCK="64 128" NAME=blocks

Keys are those of `make run`, each with one value or several apart by blanks (ARGS: one), and JOBS, runs at a time. build/sweep/NAME/ gets
results.csv, results.json and sweep.html, after every run; a run that is in results.json from the same program, firmware and simulator is not
run again, so a sweep that was stopped goes on where it stood. Exit status: 0; 1 when a run did not end with status 0; 2 for bad input.
"""
import csv
import hashlib
import html
import itertools
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import plots  # noqa: E402
import report  # noqa: E402
import run  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
#: What a sweep is over; all other keys of `make run` but these and ARGS have no place in a table of many runs.
KEYS = ("APP", "SITES", "APS", "PROTOCOL", "BLOCK", "HOMES", "LATENCY", "DRAM", "CLOCK", "SEED", "DCACHE", "DWAYS", "ICACHE", "IWAYS")
ONE = ("ARGS", "TIMEOUT", "QUIET")
COLUMNS = (*KEYS, "ARGS", "status", "ending", "cycles", "parallel_cycles", "speed_up", "remote_misses", "remote_mean", "clean_read_mean",
           "sp_busy_percent", *(f"{kind}_percent" for kind in report.CLASSES), "command")


def refuse(sentence: str) -> None:
    sys.exit(print(f"sweep: {sentence}", file=sys.stderr) or 2)


def combinations(arguments: list[str]) -> tuple[list[dict[str, str]], str, int]:
    """Settings of each run, the sweep's name, runs at a time. Nothing runs when one value is not legal."""
    given, name, jobs = {}, "sweep", str(os.cpu_count())
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or key not in (*KEYS, *ONE, "NAME", "JOBS"):
            refuse(f"'{argument}' is not known; the keys are {', '.join((*KEYS, *ONE))}, NAME and JOBS")
        if key == "NAME":
            name = value or name
        elif key == "JOBS":
            jobs = value or jobs
        elif value:
            given[key] = [value] if key in ONE else value.split()
    if not given.get("APP"):
        refuse("APP= is missing: one program or several, as `make run` takes them")
    if "/" in name or name in (".", ".."):
        refuse(f"NAME={name} is not legal: the name of one folder in build/sweep")
    if not jobs.isdecimal() or not 1 <= int(jobs) <= 256:
        refuse(f"JOBS={jobs} is not a number from 1 to 256")
    chosen = [dict(zip(given, values)) for values in itertools.product(*given.values())]
    threads = ["THREADS=1"] if int(jobs) > 1 else []
    return [run.settings([*(f"{k}={v}" for k, v in c.items()), *threads]) for c in chosen], name, int(jobs)


def fingerprint(s: dict[str, str]) -> str:
    """Of all that a run's cycles depend on: its settings and the three files that it runs."""
    seen = hashlib.sha256(run.command_of(s).encode())
    for file in run.build(s)[:3]:
        seen.update(file.read_bytes())
    return seen.hexdigest()[:16]


def shares(r: dict) -> dict:
    """What the aPs' cycles of the parallel part went for (BZ-38), of the run where none is marked."""
    time = report.time_of(r, report.PARALLEL if report.PARALLEL in r["time"] else None)
    every = sum(map(sum, time.values()))
    return {f"{kind}_percent": round(100 * sum(cycles) / max(every, 1), 1) for kind, cycles in time.items()}


def measured(s: dict[str, str], mark: str) -> dict:
    """One run as a row."""
    status, folder = run.run([*(f"{k}={v}" for k, v in s.items() if v and k not in ("NAME", "PAGE")), "PAGE=0", f"NAME=sweep-{mark}"], quiet=True)
    row = {**{k: s[k] for k in (*KEYS, "ARGS")}, "fingerprint": mark, "status": status, "command": run.command_of(s)}
    file = folder / "report.json"
    if file.exists():
        r = json.loads(file.read_text())
        busy = [site["sp_busy"] for site in r["sites"]]
        row |= shares(r) | {"ending": r["ending"], "cycles": r["cycles"], "parallel_cycles": report.region(r), "remote_misses": r["misses"]["remote"],
                "remote_mean": round(r["misses"]["remote_mean"], 1), "clean_read_mean": round(r["remote_read"]["total"], 1),
                "sp_busy_percent": round(100 * sum(busy) / len(busy) / max(r["cycles"], 1), 1)}
    return row


def compare(rows: list[dict]) -> None:
    """Speed-up of each run over the one of one process that differs in nothing else."""
    def others(row: dict) -> tuple:
        return tuple(row[k] for k in (*KEYS, "ARGS") if k not in ("SITES", "APS"))

    base = {others(r): r["parallel_cycles"] for r in rows if (r["SITES"], r["APS"], r["status"]) == ("1", "1", 0)}
    for row in rows:
        if row["status"] == 0 and others(row) in base:
            row["speed_up"] = round(base[others(row)] / row["parallel_cycles"], 3)


def write(folder: Path, rows: list[dict]) -> None:
    """The three files, each whole or not at all."""
    compare(rows)

    def put(name: str, text: str) -> None:
        (folder / f"{name}.new").write_text(text)
        (folder / f"{name}.new").replace(folder / name)

    put("results.json", json.dumps(rows, indent=1) + "\n")
    with open(folder / "results.csv.new", "w", newline="") as out:
        table = csv.DictWriter(out, COLUMNS, extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)
    (folder / "results.csv.new").replace(folder / "results.csv")
    put("sweep.html", page(rows))


def page(rows: list[dict]) -> str:
    varied = [k for k in KEYS[1:] if len({r[k] for r in rows}) > 1]
    parts = ["<h1>Sweep</h1>"]
    for app in dict.fromkeys(r["APP"] for r in rows):
        mine = [r for r in rows if r["APP"] == app and r["status"] == 0]
        labels = [" ".join(f"{k}={r[k]}" for k in varied) or app for r in mine]
        if mine and all("speed_up" in r for r in mine):
            drawn = plots.stacked(labels, {"": [r["speed_up"] for r in mine]}, "speed-up of the parallel part", "{:.2f}x")
        else:
            drawn = plots.stacked(labels, {"": [r["parallel_cycles"] for r in mine]}, "cycles of the parallel part") if mine else "No run ended well."
        parts.append(report.section(app, drawn))
    cells = [[str(r.get(c, "")) for c in COLUMNS] for r in rows]
    parts.append("<table><tr>" + "".join(f"<th>{c}" for c in COLUMNS) + "</tr>" + "".join(
        "<tr>" + "".join(f"<td>{html.escape(c)}" for c in row) + "</tr>" for row in cells) + "</table>")
    return report.PAGE.format(title="sweep", body="\n".join(parts))


def main(arguments: list[str]) -> int:
    chosen, name, jobs = combinations(arguments)
    folder = ROOT / "build/sweep" / name
    folder.mkdir(parents=True, exist_ok=True)
    kept = {}
    if (folder / "results.json").exists():
        kept = {row["fingerprint"]: row for row in json.loads((folder / "results.json").read_text()) if row["status"] == 0}
    marks = [fingerprint(s) for s in chosen]
    rows = {mark: kept[mark] for mark in marks if mark in kept}
    print(f"{len(chosen)} runs, {len(rows)} of them done before, {jobs} at a time", flush=True)
    begin, done = time.monotonic(), 0
    todo = [(s, mark) for s, mark in zip(chosen, marks) if mark not in rows]
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        futures = [pool.submit(measured, s, mark) for s, mark in todo]
        for future in as_completed(futures):
            row = future.result()
            rows[row["fingerprint"]] = row
            done += 1
            write(folder, [rows[mark] for mark in marks if mark in rows])
            left = (time.monotonic() - begin) / done * (len(todo) - done)
            print(f"[{len(rows)}/{len(chosen)}] {row['command'].removeprefix('make run ')}: "
                  + (f"{row['cycles']:,} cycles" if row["status"] == 0 else f"status {row['status']}") + f"; about {left:.0f} s left", flush=True)
    write(folder, [rows[mark] for mark in marks])
    wrong = sum(row["status"] != 0 for row in rows.values())
    if wrong:
        print(f"{wrong} of {len(rows)} runs did not end with status 0: build/run/sweep-*/output.txt says why")
    print(os.path.relpath(folder / "results.csv"), os.path.relpath(folder / "sweep.html"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
