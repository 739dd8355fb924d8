#!/usr/bin/env python3
"""Holds the model of `make check` to the RTL: runs both with the same choices, and compares tags, memory, waiting aPs and messages.

    tools/check/conform.py PROTOCOL=stache SITES=3 SEED=7 STEPS=500
    tools/check/conform.py PLAN=build/check/stache-s3a1b1/replay.txt

Keys are those of `make conform`. The simulator chooses by chance, one to three things at a time, or as a plan says; the model follows, and
must allow what was seen whenever nothing more happens by itself (docs/design/checker.md). Exit status: 0 it does; 1 it does not, or a promise is
broken; 2 bad input; 3 the run on the RTL did not end well.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))
import checker  # noqa: E402
import plans  # noqa: E402
import run  # noqa: E402

ROOT = HERE.parents[1]
#: Those of the checker, and what is chosen.
SHARED = ("PROTOCOL", "SITES", "APS", "BLOCKS", "BLOCK")
OWN = {"SEED": ("1", 0, 2**63), "STEPS": ("300", 1, 1_000_000)}


def refuse(sentence: str) -> None:
    sys.exit(print(f"conform: {sentence}", file=sys.stderr) or 2)


def settings(arguments: list[str]) -> tuple[dict[str, str], int, int, str, str]:
    """Of the checker; seed, steps, name, plan."""
    keys = (*SHARED, *OWN, "PLAN", "NAME")
    given = {key: value for key, _, value in (a.partition("=") for a in arguments) if value}
    if unknown := [a for a in arguments if a.split("=")[0] not in keys or "=" not in a]:
        refuse(f"'{unknown[0]}' is not known; the keys are " + ", ".join(keys))
    if plan := given.get("PLAN", ""):
        if beside := sorted({*given} & {*SHARED, *OWN}):
            refuse(f"{beside[0]}={given[beside[0]]} with PLAN=: the plan says what is run")
        try:
            given |= {name.upper(): value for name, value in plans.read(Path(plan).expanduser()).items()}
        except plans.Refused as refused:
            refuse(f"PLAN={refused}")
    s = checker.settings([f"{key}={given[key]}" for key in SHARED if given.get(key)])
    if "," in s["PROTOCOL"]:
        refuse(f"PROTOCOL={s['PROTOCOL']} is not legal: one protocol")
    numbers = []
    for key, (default, least, most) in OWN.items():
        text = given.get(key) or default
        if not text.isdecimal() or not least <= int(text) <= most:
            refuse(f"{key}={text} is not a number from {least} to {most}")
        numbers.append(int(text))
    name = given.get("NAME") or f"conform-{s['PROTOCOL']}-s{s['SITES']}a{s['APS']}b{s['BLOCKS']}x{s['BLOCK']}"
    return s | {"SHIPPED": "1"}, *numbers, name, plan


def follow(program: Path, s: dict[str, str], observed: Path) -> dict:
    done = subprocess.run([program, *checker.options(s), f"FOLLOW={observed}"], stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        refuse(f"{program} ended with status {done.returncode}")
    return json.loads(done.stdout)


def carry_out(plan: Path, name: str, *more: str) -> int:
    """The run of the RTL; returns its status."""
    folder = ROOT / "build/run" / name
    (folder / "observed.txt").unlink(missing_ok=True)
    status, _ = run.run([f"REPLAY={plan}", "PAGE=0", f"NAME={name}", *more], quiet=True)
    if not (folder / "observed.txt").exists():
        refuse(f"the run on the RTL ended with status {status} before it began")
    return status


def conform(arguments: list[str]) -> int:
    s, seed, steps, name, given = settings(arguments)
    program = checker.build(s["PROTOCOL"], shipped=True)
    folder = ROOT / "build/run" / name
    folder.mkdir(parents=True, exist_ok=True)
    plan = Path(given).expanduser() if given else folder / "plan.txt"
    if not given:
        service = checker.explore(program, {**s, "STATES": "1", "PROGRESS": "0"})["service"]
        plan.write_text(plans.by_chance(s, service, seed, steps))
    status = carry_out(plan, name, f"SEED={0 if given else seed % 1000}")
    found = follow(program, s, folder / "observed.txt")
    (folder / "conform.json").write_text(json.dumps({"settings": s, "seed": seed, "status": status, **found}, indent=1))
    verdict = (f"the RTL does what the model does not allow: {found['error']}" if found["error"] else
               f"both came to a broken promise: {found['broken']}" if found["broken"] else "the model allows all that the RTL did")
    words = [f"{key}={s[key]}" for key in SHARED if s[key] != checker.KEYS[key][0] or key in ("PROTOCOL", "SITES")] + [f"SEED={seed}", f"STEPS={steps}"]
    print(f"make conform {f'PLAN={given}' if given else ' '.join(words)}: {verdict}")
    for site, cells in enumerate(found["last"][0] if found["last"] else []):
        print("\n".join(f"  site {site}, cell {cell}: {text}" for cell, text in enumerate(cells)))
    print(f"  compared     {found['seen']} times, after {found['choices']} choices; the model was in up to {found['most']} states at a time")
    print(f"  handlers     {len(found['rows'])} rows (state, event)")
    if status:
        print(f"  on the RTL   status {status}: " + next((line for line in (folder / "output.txt").read_text().splitlines() if line), "no output"))
    print(f"  {os.path.relpath(folder)}: observed.txt, conform.json, output.txt")
    return 1 if found["error"] or found["broken"] else 3 if status else 0


if __name__ == "__main__":
    sys.exit(conform(sys.argv[1:]))
