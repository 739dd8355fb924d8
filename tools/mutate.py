#!/usr/bin/env python3
"""Puts one-line faults into a copy of the tree, one at a time, and runs the test that must see each.

    tools/mutate.py [--only REGEX] [--sample N] [--seed S] [--jobs J] [--list]

Faults are in tests/mutation/*.toml: `name`; `file`; `find`, a text that stands in it once; `replace`; `test`, what pytest is given
(path, path::function); `bench`, optional, a regular expression on the cocotb tests of that bench. A test must pass in the copy
without the fault, and fail with it; a fault that does not build is a mistake in the list. Exit 1 unless every fault was seen.
"""

import argparse
import filecmp
import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parents[1]
TOOLS = Path(os.environ.get("TOOLS", ROOT / "build/tools"))
TREES = ROOT / "build" / "mutate"
#: What a test prints when it could not run: the fault is not one, or its entry names what is not there.
BROKEN = re.compile(r"does not build|: error: |No rule to make|no test ran|ERROR: (?:file or directory )?not found|SpinalExit|NoSuch\w+Error")
#: Seconds of one processor that a fault costs, by what its test begins with; the first counts.
SECONDS = {"tests/protocol/test_conform": 60, "tests/protocol": 4, "tests/cocotb/site": 90, "tests/cluster": 40, "tests/cocotb/cache": 60, "tests": 20}
LIMIT = 900  # seconds a test may take


@dataclass(frozen=True)
class Fault:
    list: str
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

    @property
    def seconds(self) -> int:
        """What it costs to judge, about."""
        return next(seconds for start, seconds in SECONDS.items() if self.test.startswith(start))

    def mistake(self, tree: Path = ROOT) -> str | None:
        """What is wrong with the entry when the faulty text does not stand in `tree`, once; else nothing."""
        path = tree / self.file
        if not path.is_file():
            return f"{self.list}: fault {self.name!r}: there is no file {self.file}"
        if (count := path.read_text().count(self.find)) != 1:
            return (f"{self.list}: fault {self.name!r}: `find` stands {count} times in {self.file}, must be once; "
                    f"if the source changed, give the entry its new text: {self.find!r}")
        return f"{self.list}: fault {self.name!r}: `replace` is `find`" if self.replace == self.find else None

    def put(self, tree: Path) -> None:
        """Writes the faulty file into `tree`; ValueError when it cannot."""
        if mistake := self.mistake(tree):
            raise ValueError(mistake)
        path = tree / self.file
        path.write_text(path.read_text().replace(self.find, self.replace))


def faults(root: Path = ROOT) -> list[Fault]:
    """All faults of the lists, in order of file and place; ValueError when two share a name."""
    lists = sorted((root / "tests/mutation").glob("*.toml"))
    found = [Fault(list=str(file.relative_to(root)), **f) for file in lists for f in tomllib.loads(file.read_text())["fault"]]
    names = [f.name for f in found]
    if double := sorted({n for n in names if names.count(n) > 1}):
        raise ValueError(f"faults with one name: {double}")
    return found


def sample(all_faults: list[Fault], count: int, seed: int, budget: float = float("inf")) -> list[Fault]:
    """`count` faults that cost `budget` seconds of one processor together, at most: a cheap one is the likelier, and parts are alike,
    however long their lists."""
    draw, parts = random.Random(seed), Counter(f.part for f in all_faults)
    least, chosen = min((f.seconds for f in all_faults), default=0), []
    for fault in sorted(all_faults, key=lambda f: draw.expovariate(1 / f.seconds / parts[f.part])):
        spent = sum(f.seconds for f in chosen) + fault.seconds
        if len(chosen) < count and spent + least * (count - len(chosen) - 1) <= budget:
            chosen.append(fault)
    return chosen


class Tree:
    """A copy of the tracked and new files and of the compiled classes, with builds of its own that are kept from run to run. Of a
    Scala file with a fault that file alone is compiled: a fault changes no signature. Maven never runs here: its notes name absolute
    paths, and it would delete the classes of the tree they came from."""

    def __init__(self, path: Path):
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
        files = {n for n in names.stdout.decode().split("\0") if n and (ROOT / n).is_file()}
        for name in files:
            self.restore(name)
        copied = [p for top in ("rtl/src", "tests", "fw", "sim", "apps", "tools", "mk") for p in (path / top).rglob("*") if p.is_file()]
        for file in copied:
            if str(file.relative_to(path)) not in files and "__pycache__" not in file.parts:
                file.unlink()
        self.run("tools/rtlgen", "compile", cwd=ROOT)
        self.restore("rtl/target/classpath")
        self.restore_classes()

    def restore(self, name: str | Path) -> bool:
        """The file as the working tree has it; untouched, and False, when it is the same, so that nothing is built again."""
        source, target = ROOT / name, self.path / name
        if target.exists() and filecmp.cmp(source, target, shallow=False):
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
        return True

    def restore_classes(self) -> None:
        """The classes as the working tree has them, and the note that nothing is left to compile."""
        classes = Path("rtl/target/classes")
        wanted = {p.relative_to(ROOT) for p in (ROOT / classes).rglob("*.class")}
        strange = [p for p in (self.path / classes).rglob("*.class") if p.relative_to(self.path) not in wanted]
        for path in strange:
            path.unlink()
        if any([self.restore(name) for name in wanted]) or strange or self.stale():
            self.note()

    def note(self) -> None:
        (self.path / "rtl/target/compiled").touch()

    def stale(self) -> bool:
        """Whether something of rtl/ is newer than the note."""
        noted = self.path / "rtl/target/compiled"
        sources = [self.path / "rtl/pom.xml", *(self.path / "rtl/src").rglob("*")]
        return not noted.exists() or any(p.stat().st_mtime > noted.stat().st_mtime for p in sources)

    def compile(self, name: str) -> None:
        """Compiles one Scala file over the classes of all; CalledProcessError with the compiler's words."""
        libraries = (self.path / "rtl/target/classpath").read_text().strip()
        plugin = next(jar for jar in libraries.split(":") if "idsl-plugin" in jar)
        self.run("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xss16m", "-cp", libraries, "scala.tools.nsc.Main", "-nowarn",
                 "-language:reflectiveCalls", f"-Xplugin:{plugin}", "-cp", f"rtl/target/classes:{libraries}", "-d", "rtl/target/classes", name)
        self.note()

    def run(self, *command: str, cwd: Path | None = None) -> None:
        subprocess.run(command, cwd=cwd or self.path, env={**os.environ, "TOOLS": str(TOOLS)}, capture_output=True, text=True, check=True)

    def test(self, test: str, bench: str) -> tuple[str, str]:
        """'passes', 'fails' or 'does not run', and what pytest printed."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "TURNSTILE", "MAKE"))}
        # SEED draws the faults; the test sees its fault with the seed it has.
        environment |= {"TOOLS": str(TOOLS), "TEST": bench, "SEED": "", "PYTHONDONTWRITEBYTECODE": "1"}
        command = ["bash", "-c", '. tools/env.sh && exec pytest -x -q -p no:cacheprovider -o addopts="" "$@"', "mutate", *test.split()]
        pytest = subprocess.Popen(command, cwd=self.path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  start_new_session=True)
        try:
            output, _ = pytest.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(pytest.pid, signal.SIGKILL)  # and what it started
            return "does not run", f"not decided in {LIMIT} s\n{pytest.communicate()[0]}"
        if pytest.returncode == 0:
            return "passes", output
        return "does not run" if pytest.returncode != 1 or BROKEN.search(output) else "fails", output


VERDICTS = {"passes": "passed unseen", "fails": "seen", "does not run": "does not run"}


def judge(fault: Fault, tree: Tree) -> tuple[str, str]:
    """'seen', 'passed unseen', 'does not build' or, when the test could not, 'does not run'; and the output."""
    fault.put(tree.path)
    try:
        if fault.file.endswith(".scala"):
            tree.compile(fault.file)
        outcome, output = tree.test(fault.test, fault.bench)
        return VERDICTS[outcome], output
    except subprocess.CalledProcessError as error:
        return "does not build", error.stdout + error.stderr
    finally:
        tree.restore(fault.file)
        tree.restore_classes()


class Trees:
    """Trees for as many jobs as go on at a time."""

    def __init__(self, where: Path, jobs: int):
        self.where, self.jobs = where, jobs
        self.free: SimpleQueue[Tree] = SimpleQueue()
        for i in range(jobs):
            self.free.put(Tree(where / f"tree{i}"))

    def map(self, what, items: list, line) -> list:
        """`what(item, tree)`, a verdict and an output, for each item; prints `line(item)` with verdict and seconds, keeps the output."""
        def one(item):
            tree, start = self.free.get(), time.monotonic()
            try:
                verdict, output = what(item, tree)
            finally:
                self.free.put(tree)
            log = self.where / "logs" / f"{hashlib.sha1(repr(item).encode()).hexdigest()[:10]}.log"
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(f"{item}\n{verdict}\n{output}")
            where = "" if verdict in ("seen", "passes") else f"  ({log})"
            print(f"{verdict:14} {time.monotonic() - start:5.0f} s  {line(item)}{where}", flush=True)
            return verdict

        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(one, items))


def check(chosen: list[Fault], jobs: int = 1, where: Path = TREES, sound: bool = False) -> dict[Fault, str]:
    """Judges all `chosen`, `jobs` at a time, a line each; returns the verdicts. `sound`: first that each test passes without a fault."""
    trees, failing = Trees(where, min(jobs, len(chosen)) or 1), set()
    if sound:
        tests = list(dict.fromkeys((f.test, f.bench) for f in chosen))
        outcomes = trees.map(lambda t, tree: tree.test(*t), tests, lambda t: f"without a fault: {' '.join(t)}")
        failing = {t for t, outcome in zip(tests, outcomes) if outcome != "passes"}
    judged = [f for f in chosen if (f.test, f.bench) not in failing]
    verdicts = trees.map(judge, judged, lambda f: f"{f.part:12} {f.name}")
    return dict(zip(judged, verdicts)) | {f: "fails without it" for f in chosen if f not in judged}


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
    verdicts = check(chosen, options.jobs, sound=True)
    seen = sum(v == "seen" for v in verdicts.values())
    print(f"mutate: {seen} of {len(chosen)} faults seen")
    return 0 if chosen and seen == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
