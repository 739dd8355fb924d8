"""A counter-example as a sequence chart: a column a site, a row a step; text for a terminal, SVG for a page."""
import textwrap
from xml.sax.saxutils import escape

WIDTH = 30  # characters of a column of the text chart


def arrows(found: dict) -> list[tuple[int | None, int | None, int, int, str]]:
    """Messages as (step sent, step taken or None, from, to, name): the order of a pair and a channel is kept."""
    waiting, done = {}, []
    for n, step in enumerate(found["path"]):
        if "from" in step:
            done.append((*waiting[step["from"], step["site"], step["channel"]].pop(0), n))
        for sent in step["sent"]:
            waiting.setdefault((step["site"], sent["to"], sent["channel"]), []).append((n, step["site"], sent["to"], sent["name"]))
    left = [(*message, None) for queue in waiting.values() for message in queue]
    return [(sent, taken, source, to, name) for sent, source, to, name, taken in done + left]


def states(step_sites: list[list[str]], before: list[list[str]], site: int) -> list[str]:
    """What is new at a site, a line a block or part."""
    many = len(step_sites[site]) > 1
    return [(f"{cell}: " if many else "") + now for cell, (now, old) in enumerate(zip(step_sites[site], before[site])) if now != old]


def text(found: dict) -> str:
    sites = len(found["first"])
    column = [WIDTH * i + WIDTH // 2 for i in range(sites)]
    lines = ["".join(f"site {i}".center(WIDTH) for i in range(sites)).rstrip()]
    for site, cells in enumerate(found["first"]):
        lines += [f"{'':4}site {site} at first: {cell}" for cell in cells]
    before, taken = found["first"], {t: (s, a, b, name) for s, t, a, b, name in arrows(found) if t is not None}
    for n, step in enumerate(found["path"]):
        row = [" "] * (WIDTH * sites)
        for c in column:
            row[c] = "|"
        if n in taken and taken[n][1] != taken[n][2]:
            sent, source, to, name = taken[n]
            left, right = sorted((column[source], column[to]))
            label = f" {name} (sent in {sent + 1}) "
            row[left + 1:right] = label.center(right - left - 1, "-")[:right - left - 1]
            row[column[to] + (1 if source > to else -1)] = "<" if source > to else ">"
        row[column[step["site"]]] = "o"
        lines.append("".join(row).rstrip())
        told = f"{n + 1:3}. site {step['site']}: {step['text']}"
        lines += textwrap.wrap(told, 130, subsequent_indent=" " * 5)
        for site in range(sites):
            lines += [f"{'':8}site {site} now: {cell}" for cell in states(step["sites"], before, site)]
        before = step["sites"]
    lines += [f"still on its way: {name} from site {a} to site {b}, sent in {s + 1}" for s, t, a, b, name in arrows(found) if t is None]
    return "\n".join([*lines, f"  => {found['error']}", ""])


def svg(found: dict, title: str) -> str:
    sites, across, left, top = len(found["first"]), 340, 60, 90
    x = [left + across * i for i in range(sites)]
    notes, before, y, at = [], found["first"], top + 40, []
    for n, step in enumerate(found["path"]):
        rows = textwrap.wrap(step["text"], 50) + [line for cell in states(step["sites"], before, step["site"]) for line in textwrap.wrap("now " + cell, 50)]
        at.append(y)
        notes.append((y, step["site"], n, rows, len(textwrap.wrap(step["text"], 50))))
        before = step["sites"]
        y += 14 * len(rows) + 18
    bottom = y + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + across * sites}" height="{bottom + 60}" font-family="sans-serif" font-size="11">',
           '<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#1f4e9c"/></marker></defs>',
           '<rect width="100%" height="100%" fill="white"/>', f'<text x="20" y="24" font-size="14">{escape(title)}</text>',
           f'<text x="20" y="44" font-size="13" fill="#b00020">{escape(found["error"])}</text>']
    for i in range(sites):
        out += [f'<text x="{x[i]}" y="{top - 12}" font-size="13" font-weight="bold">site {i}</text>',
                f'<text x="{x[i]}" y="{top + 4}" fill="#555">{escape("; ".join(found["first"][i])[:50])}</text>',
                f'<line x1="{x[i]}" y1="{top + 10}" x2="{x[i]}" y2="{bottom}" stroke="#bbb"/>']
    for sent, taken, source, to, name in arrows(found):
        y1, y2 = at[sent], at[taken] if taken is not None else bottom
        dashes = "" if taken is not None else ' stroke-dasharray="4 3"'
        out += [f'<line x1="{x[source]}" y1="{y1}" x2="{x[to]}" y2="{y2}" stroke="#1f4e9c" stroke-width="1.4" marker-end="url(#a)"{dashes}/>',
                f'<text x="{x[source] + (x[to] - x[source]) * 0.72:.0f}" y="{y1 + (y2 - y1) * 0.72 - 5:.0f}" text-anchor="middle" fill="#1f4e9c" stroke="white" stroke-width="3" paint-order="stroke">{escape(name)}</text>']
    for y0, site, n, rows, told in notes:
        out += [f'<circle cx="{x[site]}" cy="{y0}" r="4" fill="#b00020"/>', f'<text x="20" y="{y0 + 4}" fill="#555">{n + 1}</text>']
        out += [f'<text x="{x[site] + 9}" y="{y0 + 4 + 14 * k}" fill="{"#000" if k < told else "#777"}">{escape(row)}</text>' for k, row in enumerate(rows)]
    return "\n".join([*out, "</svg>", ""])
