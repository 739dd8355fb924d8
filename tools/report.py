#!/usr/bin/env python3
"""Makes report.html from a run's report.json: one page, no scripts, plots as SVG.

    tools/report.py build/run/lu-s4a1
"""
import html
import json
import sys
from pathlib import Path

import plots

PAGE = """<!doctype html><meta charset=utf-8><title>{title}</title>
<style>body{{font:15px sans-serif;max-width:820px;margin:2em auto}} svg{{max-width:100%;height:auto}}
td,th{{padding:2px 10px;text-align:right}}</style>
{body}
"""
#: What the cycles of an aP go for (sim/ap_time.h), and the phase that is a program's parallel part.
CLASSES = ("computing", "private_misses", "shared_misses", "messages", "locks", "barriers", "idle")
PARALLEL = "1"
#: StarT-Voyager's cycles and our budget for the nine stages of a clean remote read (docs/reference/nine-stages.md).
STAGES = {
    "aP op capture": (7, 5), "local sP receives": (15, 8), "sP sends to home": (12, 4), "network, 2 hops": (26, 12),
    "home sP receives": (15, 8), "home gathers data, responds": (46, 20), "network": (26, 20),
    "local sP receives reply": (15, 8), "local sP satisfies bus op": (32, 12)}


def region(run: dict) -> int:
    """Cycles between process 0's marks 1 and 2 (the parallel part, without making data and checking answers); else all."""
    at = {value: cycle for cycle, site, ap, value, *_ in run["marks"] if (site, ap) == (0, 0)}
    return at[2] - at[1] if 1 in at and 2 in at else run["cycles"]


def speed_ups(folder: Path, run: dict) -> dict[str, float]:
    """Runs of the same program, arguments and block size beside this one, against their one-process run: of the parallel part."""
    cycles = {}
    for other in sorted(folder.parent.glob("*/report.json")):
        r = json.loads(other.read_text())
        if (r["app"], r["args"], r["block"]) == (run["app"], run["args"], run["block"]) and r["exit_status"] == 0:
            cycles[len(r["sites"]), r["aps"]] = region(r)
    base = cycles.get((1, 1))
    return {f"{s} sites x {a} aP": base / c for (s, a), c in sorted(cycles.items())} if base else {}


def section(title: str, *parts: str) -> str:
    return f"<h2>{html.escape(title)}</h2>" + "".join(part if part.startswith("<") else f"<p>{html.escape(part)}</p>" for part in parts)


def read_stages(reads: dict) -> str:
    title = "Clean remote read, stage by stage"
    if not reads["count"]:
        return section(title, "There was none.")
    here = [reads[stage] for stage in STAGES]
    budget, voyager = ([v[i] for v in STAGES.values()] for i in (1, 0))
    return section(
        title, plots.grouped(list(STAGES), {"here": here, "budget": budget, "StarT-Voyager": voyager}, "cycles", "{:.1f}"),
        f"Mean of {reads['count']:,} reads: {reads['total']:.1f} cycles (least {reads['least']}, most {reads['most']}); "
        f"the budget is {sum(budget)}, StarT-Voyager took {sum(voyager)}.",
        "The first stage begins when the cache finds that it needs the bus. A modified line in its way leaves first, and while another access to the "
        "line is under way the bus puts this one off: with both, it is longer than the 4 or 5 cycles of a capture.")


def latencies(title: str, misses: dict, key: str) -> str:
    words = f"{misses[key]:,}, mean {misses[key + '_mean']:.1f} cycles."
    of = misses.get(key + "_histogram")
    if not of:
        return section(title, words)
    return section(title, words, plots.stacked([f"{int(k)} to {2 * int(k) - 1} cycles" for k in of], {"": list(of.values())}, "misses"))


def page(folder: Path) -> str:
    r = json.loads((folder / "report.json").read_text())
    every = range(r["aps"])
    parts = [f"<h1>{html.escape(r['app'])}: {len(r['sites'])} sites, {r['aps']} aP each</h1><p><code>{html.escape(r['command'])}</code></p>"
             f"<p>{r['cycles']:,} cycles, exit status {r['exit_status']} ({r['ending']}).</p>"]
    ups = speed_ups(folder, r)
    parts.append(section("Speed-up of the parallel part", plots.stacked(list(ups), {"": list(ups.values())}, "times the one-process run", "{:.2f}x") if ups else
                         "No run of this program with these arguments on one site is in build/run: run it with SITES=1 APS=1 to see the speed-up."))
    aps = [f"site {s['site']} aP {i}" for s in r["sites"] for i in every]
    parts.append(section("Where the aPs' cycles went", plots.stacked(aps, named(time_of(r)), "cycles")))
    if PARALLEL in r["time"]:
        parts.append(section("Where the aPs' cycles of the parallel part went", plots.stacked(aps, named(time_of(r, PARALLEL)), "cycles")))
    parts.append(read_stages(r["remote_read"]))
    parts.append(latencies("Misses that an sP served", r["misses"], "remote"))
    parts.append(latencies("Misses that the site's own memory or caches served", r["misses"], "local"))
    parts.append(latencies("Uncached accesses: registers, messages, and what looked for them in vain", r["misses"], "uncached"))
    parts.append(section("Pages that cost their sharers most", hot_pages(r["hot_pages"], r["block"])))
    parts.append(section("sP occupancy", plots.stacked([f"site {s['site']}" for s in r["sites"]],
                                                       {"": [100 * s["sp_busy"] / max(r["cycles"], 1) for s in r["sites"]]}, "% of the cycles", "{:.1f} %", 100)))
    parts.append(section("Protocol", protocol(r)))
    return PAGE.format(title=html.escape(r["app"]), body="\n".join(parts))


def time_of(r: dict, phase: str | None = None) -> dict[str, list[int]]:
    """Cycles of each aP by class (BZ-38), of one phase or of the run."""
    phases = r["time"].values() if phase is None else [r["time"][phase]]
    return {kind: [sum(phase[ap][kind] for phase in phases) for ap in range(len(r["sites"]) * r["aps"])] for kind in CLASSES}


def named(time: dict[str, list[int]]) -> dict[str, list[int]]:
    return {kind.replace("_", " "): cycles for kind, cycles in time.items()}


def hot_pages(pages: list[dict], block: int) -> str:
    """A row a page of the shared heap, the dearest first; blocks that no two sites share a word of are named, since padding mends them."""
    if not pages:
        return "No access of the shared heap needed an sP."
    rows = []
    for p in pages:
        falsely = ", ".join(f"{b:#x}" for b in p["false_sharing"])
        rows.append(f"<tr><td>{p['page']:#x}<td>{p['misses']:,}<td>{p['cycles']:,}<td>{p['sites']}<td>{p['writers']}<td>{falsely}")
    return (f"<table><tr><th>page<th>remote misses<th>cycles of the aPs<th>sites that missed<th>sites that stored<th>blocks of {block} B shared falsely</tr>" + "".join(rows) + "</table>")


def protocol(r: dict) -> str:
    counts = [(k, v) for k, v in {**r["protocol"], **r["messages"]}.items() if isinstance(v, int)]
    return ("<table><tr>" + "".join(f"<th>{html.escape(k.replace('_', ' '))}" for k, _ in counts) + "</tr><tr>" +
            "".join(f"<td>{v:,}" for _, v in counts) + "</tr></table>")


def write_page(folder: Path) -> Path:
    out = folder / "report.html"
    out.write_text(page(folder))
    return out


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: tools/report.py FOLDER (that holds report.json)")
    print(write_page(Path(sys.argv[1])))
