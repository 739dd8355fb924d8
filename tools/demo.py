#!/usr/bin/env python3
"""`make demo`: the five programs on one and on four sites, one table, and the page with the plots."""
import html
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import plots  # noqa: E402
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
                one, four = report.region(results[1]), report.region(results[4])
                rows.append((app, one, four, results[4], folder))
                print(f"{app:10}{'correct':>9}{one:>13,}{four:>13,}{one / four:>9.2f}x{results[4]['misses']['remote']:>9,}"
                      f"{results[4]['misses']['remote_mean']:>17.0f}c", flush=True)
    page = ROOT / "build/run/demo.html"
    ups = plots.stacked([r[0] for r in rows], {"": [r[1] / r[2] for r in rows]}, "times the run on one site", "{:.2f}x")
    links = "".join(f'<p><a href="{r[4].name}/report.html">{html.escape(r[0])}</a></p>' for r in rows)
    page.write_text(report.PAGE.format(title="Turnstile", body="<h1>Five programs on one and four sites</h1>" + report.section(
        "Speed-up of the parallel part on four sites", ups) + links))
    print(f"{page.relative_to(ROOT)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
