#!/usr/bin/env python3
"""Makes report.html from a run's report.json: one page, no scripts, plots drawn as SVG.

    tools/report.py build/run/lu-s4a1
"""
import html
import json
import sys
from pathlib import Path

#: StarT-Voyager's cycles and our budget for the nine stages of a clean remote read (docs/reference/nine-stages.md).
STAGES = {
    "aP op capture": (7, 5), "local sP receives": (15, 8), "sP sends to home": (12, 4), "network, 2 hops": (26, 12),
    "home sP receives": (15, 8), "home gathers data, responds": (46, 20), "network": (26, 20),
    "local sP receives reply": (15, 8), "local sP satisfies bus op": (32, 12)}
COLOURS = ("#3465a4", "#c17d11", "#73a839", "#cc4125", "#75507b", "#888a85")


def bars(rows: list[tuple[str, list[float]]], names: list[str], unit: str, width: int = 640) -> str:
    """Horizontal bars: a row a label with its parts side by side."""
    most = max((sum(parts) for _, parts in rows), default=0) or 1
    scale = (width - 260) / most
    out = [f'<svg width="{width}" height="{24 * len(rows) + 30}" font-family="sans-serif" font-size="12">']
    for i, (label, parts) in enumerate(rows):
        x, y = 180.0, 24 * i
        out.append(f'<text x="172" y="{y + 15}" text-anchor="end">{html.escape(label)}</text>')
        for k, part in enumerate(parts):
            out.append(f'<rect x="{x:.1f}" y="{y + 3}" width="{part * scale:.1f}" height="16" fill="{COLOURS[k % 6]}">'
                       f'<title>{html.escape(names[k])}: {part:g} {unit}</title></rect>')
            x += part * scale
        out.append(f'<text x="{x + 5:.1f}" y="{y + 15}">{sum(parts):.4g} {unit}</text>')
    x, y = 180, 24 * len(rows) + 16
    for k, name in enumerate(names if len(names) > 1 else []):
        out.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{COLOURS[k % 6]}"/><text x="{x + 14}" y="{y}">{html.escape(name)}</text>')
        x += 30 + 7 * len(name)
    return "\n".join(out) + "</svg>"


def speed_ups(folder: Path, run: dict) -> list[tuple[str, list[float]]]:
    """Runs of the same program, arguments and block size beside this one, against their one-process run."""
    cycles = {}
    for other in sorted(folder.parent.glob("*/report.json")):
        r = json.loads(other.read_text())
        if (r["app"], r["args"], r["block"]) == (run["app"], run["args"], run["block"]) and r["exit_status"] == 0:
            cycles[len(r["sites"]), r["aps"]] = r["cycles"]
    base = cycles.get((1, 1))
    return [(f"{s} sites x {a} aP", [base / c]) for (s, a), c in sorted(cycles.items())] if base else []


def page(folder: Path) -> str:
    r = json.loads((folder / "report.json").read_text())
    reads = r["remote_read"]
    text = [f"<!doctype html><meta charset=utf-8><title>{html.escape(r['app'])}</title>",
            "<style>body{font:15px sans-serif;max-width:760px;margin:2em auto}td,th{padding:2px 10px;text-align:right}"
            "th:first-child,td:first-child{text-align:left}</style>",
            f"<h1>{html.escape(r['app'])}: {len(r['sites'])} sites, {r['aps']} aP each</h1>",
            f"<p><code>{html.escape(r['command'])}</code></p><p>{r['cycles']:,} cycles, exit status {r['exit_status']} ({r['ending']}).</p>"]
    rows = speed_ups(folder, r)
    text.append("<h2>Speed-up</h2>" + (bars(rows, ["speed-up"], "x") if rows else
                "<p>No run of this program with these arguments on one site is in build/run: run it with SITES=1 APS=1 to see the speed-up.</p>"))
    names = ["waiting for a line", "computing or waiting for messages"]
    parts = [(f"site {s['site']} aP {i}", [w, r["cycles"] - w]) for s in r["sites"] for i, w in enumerate(s["ap_wait"])]
    text.append("<h2>Where the aPs' cycles went</h2>" + bars(parts, names, "cycles"))
    text.append("<h2>Clean remote read, stage by stage</h2>")
    if reads["count"]:
        text.append(bars([(n, [round(reads[n], 1)]) for n in STAGES], ["cycles"], "cycles"))
        text.append(f"<p>Mean of {reads['count']} reads: {reads['total']:.1f} cycles (least {reads['least']}, most {reads['most']}).</p>")
        text.append("<table><tr><th>stage<th>here<th>budget<th>StarT-Voyager</tr>" + "".join(
            f"<tr><td>{n}<td>{reads[n]:.1f}<td>{b}<td>{v}</tr>" for n, (v, b) in STAGES.items()) + "</table>")
    else:
        text.append("<p>There was none.</p>")
    for title, key in (("Remote misses", "remote"), ("Misses served by the site's own memory", "local")):
        m = r["misses"]
        text.append(f"<h2>{title}: latency</h2><p>{m[key]:,}, mean {m[key + '_mean']:.1f} cycles.</p>")
        text.append(bars([(f"{int(k)} to {2 * int(k) - 1}", [v]) for k, v in m[key + "_histogram"].items()], ["misses"], ""))
    text.append("<h2>sP occupancy</h2>" + bars([(f"site {s['site']}", [round(100 * s["sp_busy"] / max(r["cycles"], 1), 1)]) for s in r["sites"]],
                                               ["busy"], "%"))
    p, m = r["protocol"], r["messages"]
    text.append("<h2>Protocol</h2><table><tr>" + "".join(f"<th>{k}" for k in list(p)[1:]) + "<th>control<th>data<th>bytes</tr><tr>" +
                "".join(f"<td>{v:,}" for v in list(p.values())[1:]) + "".join(f"<td>{v:,}" for v in m.values()) + "</tr></table>")
    return "\n".join(text) + "\n"


def write_page(folder: Path) -> Path:
    out = folder / "report.html"
    out.write_text(page(folder))
    return out


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: tools/report.py FOLDER (that holds report.json)")
    print(write_page(Path(sys.argv[1])))
