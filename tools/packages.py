#!/usr/bin/env python3
"""Draws the package graph of rtl/: who imports whom, lowest first. Exit 1 with the cycle when imports form one.

An import is a line `import turnstile.X...` or a qualified name `turnstile.X.Y` in code; `gen` (the generator) and the `Units`
objects it loads by name count like everything else.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1] / "rtl" / "src" / "main" / "scala" / "turnstile"


def imports(root: Path) -> dict[str, dict[str, str]]:
    """Package -> the packages it names -> the first file that does."""
    graph: dict[str, dict[str, str]] = {d.name: {} for d in sorted(root.iterdir()) if d.is_dir()}
    for file in sorted(root.glob("*/*.scala")):
        package = file.parent.name
        code = re.sub(r"/\*.*?\*/|//[^\n]*|\"[^\"\n]*\"", "", file.read_text(), flags=re.S)
        for name in re.findall(r"\bturnstile\.(\w+)\b(?=\.)", code):
            if name != package and name in graph:
                graph[package].setdefault(name, file.name)
    return graph


def layers(graph: dict[str, dict[str, str]]) -> tuple[list[list[str]], dict[str, dict[str, str]]]:
    """Packages by height, and what is left when nothing more can be placed: the packages on or above a cycle."""
    rest, placed, result = dict(graph), set(), []
    while free := [p for p, uses in rest.items() if set(uses) <= placed]:
        result.append(sorted(free))
        placed |= set(free)
        rest = {p: u for p, u in rest.items() if p not in placed}
    return result, rest


def cycle(rest: dict[str, dict[str, str]]) -> list[str]:
    """One cycle among `rest`, its first package again at the end."""
    path = [next(iter(rest))]
    while True:
        path.append(next(p for p in rest[path[-1]] if p in rest))
        if path[-1] in path[:-1]:
            return path[path.index(path[-1]) :]


def main(root: Path = ROOT) -> int:
    graph = imports(root)
    heights, rest = layers(graph)
    for height, packages in enumerate(heights):
        for package in packages:
            print(f"{height}  {package:10} {' '.join(sorted(graph[package])) or '-'}")
    if rest:
        loop = cycle(rest)
        steps = [f"{a} imports {b} ({a}/{rest[a][b]})" for a, b in zip(loop, loop[1:])]
        print(f"packages: imports form a cycle: {', '.join(steps)}; move what they share below both, into contract", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
