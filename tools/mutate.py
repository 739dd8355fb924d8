#!/usr/bin/env python3
"""Puts one-line faults into a copy of the tree, one at a time, and runs the test that must see each.

    tools/mutate.py [--only REGEX] [--sample N] [--seed S] [--jobs J] [--list]

Faults are in tests/mutation/*.toml: `name`; `file`; `find`, a text that stands in it once; `replace`; `test`, what pytest is given
(path, path::function); `bench`, optional, a regular expression on the cocotb tests of that bench. A fault is seen when the
test fails; one that does not build is no fault but a mistake in the list. Exit 1 unless every fault was seen.
"""

import argparse
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parents[1]
TOOLS = Path(os.environ.get("TOOLS", ROOT / "build/tools"))
TREES = ROOT / "build" / "mutate"
BROKEN = re.compile(r"rtl/ does not compile|does not build|: error: |No rule to make|no test ran|ERROR: (?:file or directory )?not found")
LIMIT = 900  # seconds a test may take


@dataclass(frozen=True)
class Fault:
    name: str
    file: str
    find: str
    replace: str
    test: str
    bench: str = ""

    @property
    def part(self) -> str:
        """rtl/snoop, fw, sim ...: what the fault is in."""
        folders = Path(self.file).parts
        return f"rtl/{folders[-2]}" if folders[0] == "rtl" else folders[0]

    def put(self, tree: Path) -> None:
        """Writes the faulty file into `tree`; ValueError unless `find` stands in the file exactly once."""
        path = tree / self.file
        text = path.read_text() if path.exists() else ""
        if (count := text.count(self.find)) != 1:
            raise ValueError(f"{self.name}: {self.find!r} stands {count} times in {self.file}, must be once")
        path.write_text(text.replace(self.find, self.replace))


def faults(root: Path = ROOT) -> list[Fault]:
    """All faults of the lists, in order of file and place; ValueError when two share a name."""
    found = [Fault(**f) for file in sorted((root / "tests/mutation").glob("*.toml")) for f in tomllib.loads(file.read_text())["fault"]]
    names = [f.name for f in found]
    if double := sorted({n for n in names if names.count(n) > 1}):
        raise ValueError(f"faults with one name: {double}")
    return found


def sample(all_faults: list[Fault], count: int, seed: int) -> list[Fault]:
    """`count` faults, parts of the tree in turn, so that a small sample looks at many of them."""
    draw = random.Random(seed)
    parts: dict[str, list[Fault]] = {}
    for fault in draw.sample(all_faults, len(all_faults)):
        parts.setdefault(fault.part, []).append(fault)
    order, chosen = draw.sample(sorted(parts), len(parts)), []
    while len(chosen) < min(count, len(all_faults)):
        for part in order:
            if parts[part] and len(chosen) < count:
                chosen.append(parts[part].pop())
    return chosen


class Tree:
    """A copy of the tracked and new files, with builds of its own that are kept from run to run. Compiled classes are not copied: the
    compiler's notes hold absolute paths, and it would delete those of the tree they came from."""

    def __init__(self, path: Path):
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
        self.files = [n for n in names.stdout.decode().split("\0") if n and (ROOT / n).is_file()]
        for name in self.files:
            self.restore(name)
        for name in [p.relative_to(path) for top in ("rtl/src", "tests", "fw", "sim", "apps", "tools", "mk") for p in (path / top).rglob("*") if p.is_file()]:
            if str(name) not in self.files and "__pycache__" not in name.parts:
                (path / name).unlink()

    def restore(self, name: str) -> None:
        """The file as the working tree has it; untouched when it is the same, so that nothing is built again."""
        source, target = ROOT / name, self.path / name
        if target.exists() and target.read_bytes() == source.read_bytes():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)

    def run(self, test: str, bench: str) -> tuple[bool, str]:
        """Whether `test` passes here, and what it printed."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "TURNSTILE", "MAKE"))}
        environment |= {"TOOLS": str(TOOLS), "TEST": bench, "PYTHONDONTWRITEBYTECODE": "1"}
        command = ["bash", "-c", '. tools/env.sh && exec pytest -x -q -p no:cacheprovider -o addopts="" "$@"', "mutate", *test.split()]
        try:
            done = subprocess.run(command, cwd=self.path, env=environment, capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return True, f"not decided in {LIMIT} s"
        return done.returncode == 0, done.stdout + done.stderr


def judge(fault: Fault, tree: Tree) -> tuple[str, str]:
    """'seen', 'passed unseen' or 'does not build', and the test's output."""
    fault.put(tree.path)
    try:
        passed, output = tree.run(fault.test, fault.bench)
    finally:
        tree.restore(fault.file)
    if passed:
        return "passed unseen", output
    return ("does not build" if BROKEN.search(output) else "seen"), output


def check(chosen: list[Fault], jobs: int = 1, where: Path = TREES) -> dict[Fault, str]:
    """Judges all `chosen`, `jobs` at a time, a line each; returns the verdicts."""
    trees: SimpleQueue[Tree] = SimpleQueue()
    for i in range(min(jobs, len(chosen)) or 1):
        trees.put(Tree(where / f"tree{i}"))

    def one(fault: Fault) -> tuple[Fault, str]:
        tree, start = trees.get(), time.monotonic()
        try:
            verdict, output = judge(fault, tree)
        finally:
            trees.put(tree)
        log = where / "logs" / f"{hashlib.sha1(fault.name.encode()).hexdigest()[:10]}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(f"{fault}\n{verdict}\n{output}")
        print(f"{verdict:14} {time.monotonic() - start:5.0f} s  {fault.part:12} {fault.name}" + ("" if verdict == "seen" else f"  ({log})"), flush=True)
        return fault, verdict

    with ThreadPoolExecutor(jobs) as pool:
        return dict(pool.map(one, chosen))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="regular expression on the name, file or test")
    parser.add_argument("--sample", type=int, default=0, help="judge this many, drawn by --seed; 0 all")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED") or 1))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="names and tests only")
    options = parser.parse_args()
    chosen = [f for f in faults() if re.search(options.only, f"{f.name} {f.file} {f.test}")]
    if options.sample:
        print(f"mutate: {options.sample} of {len(chosen)}, SEED={options.seed}")
        chosen = sample(chosen, options.sample, options.seed)
    if options.list:
        for f in chosen:
            print(f"{f.part:12} {f.name}: {f.test} {f.bench}")
        return 0
    verdicts = check(chosen, options.jobs)
    seen = sum(v == "seen" for v in verdicts.values())
    print(f"mutate: {seen} of {len(chosen)} faults seen")
    return 0 if chosen and seen == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
