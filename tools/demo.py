#!/usr/bin/env python3
"""`make demo`: the five programs on one and on four sites, one table, and the page with the plots."""
import html
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import report  # noqa: E402
import run  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("em3d", "lu", "ocean", "is", "water")


def main() -> int:
    rows, wrong = [], 0
    print(f"{'program':10}{'answer':>9}{'1 site':>13}{'4 sites':>13}{'speed-up':>10}{'misses':>9}{'mean remote miss':>18}", flush=True)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        jobs = {(app, sites): pool.submit(run.run, [f"APP={app}", f"SITES={sites}", f"NAME=demo-{app}-s{sites}"], quiet=True)
                for app in PROGRAMS for sites in (1, 4)}
        for app in PROGRAMS:
            results = {}
            for sites in (1, 4):
                status, folder = jobs[app, sites].result()
                if status:
                    print(f"{app} on {sites} sites ended with status {status}:\n" + (folder / "output.txt").read_text()[-2000:])
                    wrong += 1
                    break
                results[sites] = json.loads((folder / "report.json").read_text())
            else:
                one, four = region(results[1]), region(results[4])
                rows.append((app, one, four, results[4], folder))
                print(f"{app:10}{'correct':>9}{one:>13,}{four:>13,}{one / four:>9.2f}x{results[4]['misses']['remote']:>9,}"
                      f"{results[4]['misses']['remote_mean']:>17.0f}c", flush=True)
    page = ROOT / "build/run/demo.html"
    page.write_text("<!doctype html><meta charset=utf-8><title>Turnstile</title><style>body{font:15px sans-serif;max-width:760px;margin:2em auto}"
                    "</style><h1>Five programs on one and four sites</h1><h2>Speed-up of the parallel part on four sites</h2>" +
                    report.bars([(r[0], [round(r[1] / r[2], 2)]) for r in rows], ["speed-up"], "x") + "".join(
                        f'<p><a href="{r[4].name}/report.html">{html.escape(r[0])}</a></p>' for r in rows))
    print(f"{page.relative_to(ROOT)}")
    return 1 if wrong else 0


def region(r: dict) -> int:
    """Cycles between process 0's marks 1 and 2 (the parallel part, without making data and checking answers); else all."""
    at = {value: cycle for cycle, site, ap, value in r["marks"] if (site, ap) == (0, 0)}
    return at[2] - at[1] if 1 in at and 2 in at else r["cycles"]


if __name__ == "__main__":
    sys.exit(main())
