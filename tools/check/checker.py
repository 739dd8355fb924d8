#!/usr/bin/env python3
"""Explores every interleaving of a protocol's handlers on a small cluster, and says whether its promises hold: docs/design/checker.md.

    tools/check/checker.py PROTOCOL=stache SITES=3 BLOCKS=2

Keys are those of `make check`; KEYS below says what each takes. Exit status: 0 all promises hold in all states, 1 one does not (a chart
is in build/check/NAME), 2 bad input, 3 the states were not all looked at.
"""
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))
import chart  # noqa: E402
import plans  # noqa: E402
import protocols  # noqa: E402

ROOT = HERE.parents[1]
PROTOCOLS = sorted(p.stem for p in (HERE / "protocols").glob("*.c"))
#: Key -> default, what it takes, and the program's key with its values (or None: checked here).
KEYS = {
    "PROTOCOL": ("stache", " or ".join(PROTOCOLS) + ", or two of them with a comma: a block of each", None),
    "SITES": ("2", "sites, 2 to 4", ("2", "3", "4")),
    "APS": ("1", "aPs a site, 1 or 2", ("1", "2")),
    "BLOCKS": ("1", "blocks that are accessed, 1 or 2", ("1", "2")),
    "HOMES": ("1", "homes of the blocks: 1 (site 0), 2 (block 1 at site 1), or first-touch", ("1", "2", "first-touch")),
    "BLOCK": ("128", "bytes of a block: 128, or 256, which travels in two parts", ("128", "256")),
    "EVICTIONS": ("1", "0: caches keep their lines until they have to give them", ("0", "1")),
    "OPEN": ("0", "1: pages are not open at the start", ("0", "1")),
    "SMALL": ("0", "1: places for answers and the command FIFO are as few as the firmware takes", ("0", "1")),
    "FULL": ("0", "1: the transmit queue may be full whenever the firmware looks", ("0", "1")),
    "TIMEOUTS": ("0", "1: a command that waits for an approved access may go on without it", ("0", "1")),
    "PROGRESS": ("1", "0: not looked at: that every access can come to its end; takes half the memory", ("0", "1")),
    "STATES": ("0", "stop after so many states; 0: all", None),
    "NAME": ("", "folder in build/check; default PROTOCOL-sSITESaAPSbBLOCKS", None),
}
ALWAYS_LEFT_OUT = (
    "time: latencies are any, the age limit of approvals is never reached",
    "the two lines of a packet apart: they move as one",
    "locks, barriers and other services; instruction fetches; partial accesses; Express and Basic of aPs",
    "damaged packets; depths of the low FIFO and the FIFO of local events",
    "fairness: an access 'is done' when a way to its end stays open from every state",
)
LEFT_OUT_WITHOUT = {
    ("EVICTIONS", "0"): "evictions", ("OPEN", "0"): "the opening of pages (OPEN=1)", ("SMALL", "0"): "few places for answers (SMALL=1)",
    ("FULL", "0"): "a full transmit queue (FULL=1)", ("TIMEOUTS", "0"): "deferrals that time out (TIMEOUTS=1)", ("APS", "1"): "a second aP (APS=2)",
    ("BLOCK", "128"): "blocks in parts (BLOCK=256)", ("BLOCKS", "1"): "a second block (BLOCKS=2)", ("PROGRESS", "0"): "whether accesses come to their end",
}
FLAGS = ["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-Wno-unused-parameter"]


def refuse(sentence: str) -> None:
    sys.exit(print(f"check: {sentence}", file=sys.stderr) or 2)


def settings(arguments: list[str]) -> dict[str, str]:
    chosen = {key: default for key, (default, _, _) in KEYS.items()}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or key not in KEYS:
            refuse(f"'{argument}' is not known; the keys are " + ", ".join(KEYS))
        if value:
            chosen[key] = value
    for key, (_, takes, values) in KEYS.items():
        if values and chosen[key] not in values:
            refuse(f"{key}={chosen[key]} is not legal: {takes}")
    names = chosen["PROTOCOL"].split(",")
    for name in names:
        if name not in PROTOCOLS:
            refuse(f"PROTOCOL={name} is unknown: {KEYS['PROTOCOL'][1]}" if name not in protocols.names() else
                   f"PROTOCOL={name} has no table of a block's state: tools/check/protocols/{name}.c")
    if len(names) > 2 or len(set(names)) < len(names):
        refuse(f"PROTOCOL={chosen['PROTOCOL']} is not legal: one protocol, or two different ones")
    if len(names) == 2:
        chosen |= {"BLOCKS": "2", "HOMES": "2"}
    if not chosen["STATES"].isdecimal():
        refuse(f"STATES={chosen['STATES']} is not a number")
    if chosen["HOMES"] == "2" and chosen["BLOCKS"] == "1":
        refuse("HOMES=2 needs BLOCKS=2")
    if "/" in chosen["NAME"] or chosen["NAME"] in (".", ".."):
        refuse(f"NAME={chosen['NAME']} is not legal: the name of one folder in build/check")
    return chosen


@contextlib.contextmanager
def replacing(target: Path):
    """A name to write to, which becomes `target`: others may build the same at the same time."""
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        yield f"{folder}/{target.name}"
        os.replace(f"{folder}/{target.name}", target)


def compile_into(folder: Path, compiler: list[str], sources: list[Path], watched: list[Path]) -> list[Path]:
    """Objects of `sources`, made again when a watched file is newer."""
    folder.mkdir(parents=True, exist_ok=True)
    newest = max(f.stat().st_mtime for f in [*watched, Path(__file__)])
    objects = []
    for source in sources:
        target = folder / f"{source.parent.name}-{source.stem}.o"
        if not target.exists() or target.stat().st_mtime <= newest:
            with replacing(target) as new:
                if subprocess.run([*compiler, "-c", str(source), "-o", new]).returncode:
                    refuse(f"{source} does not compile")
        objects.append(target)
    return objects


def refuse_hidden_state(objects: list[Path]) -> None:
    """What the firmware remembers outside struct tt_state would be no part of a state of the search."""
    for line in subprocess.run(["size", *map(str, objects)], capture_output=True, text=True, check=True).stdout.splitlines()[1:]:
        _, data, bss, *_, name = line.split()
        if int(bss) or int(data):
            refuse(f"{Path(name).stem} has variables of its own ({data} B of data, {bss} B of bss); a protocol keeps its state in memory of tt_alloc")


def build(protocol: str, firmware: Path = ROOT / "fw", folder: Path | None = None, shipped: bool = False) -> Path:
    """The program that explores `protocol`, one or two with a comma, from the firmware's sources; `shipped`: with as many places for answers as
    the firmware has, where a search takes fewer to see them full."""
    names = protocol.split(",")
    folder = folder or ROOT / "build/check" / ("+".join(names) + "-shipped" * shipped)
    seam = sorted(HERE.glob("*.c"))
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "table.c"
    if not table.exists():
        table.write_text(protocols.table([protocols.Protocol(name, []) for name in names]) + '#include "table.h"\n'
                         + "".join(f"extern const struct check_protocol check_{name};\n" for name in names)
                         + "const struct check_protocol *const check_protocols[] = {" + "".join(f"&check_{name}, " for name in names) + "};\n")
    sources = [s for part in ("tempest", "services") for s in sorted((firmware / part).glob("*.c"))] + [table]
    headers = [*HERE.glob("*.h"), *firmware.glob("niu/functions/*.h"), *firmware.glob("*/*.h"), *firmware.glob("protocols/*/*.h")]
    gcc = ["gcc", "-std=c11", *FLAGS, "-fno-pie", "-DTT_WORKSTATION", *["-DCHECK_AS_SHIPPED"] * shipped, "-include", str(HERE / "limits.h"), f"-I{HERE}",
           *(f"-I{firmware / part}" for part in ("niu/functions", "tempest", "services", "protocols"))]
    handlers = compile_into(folder, gcc, sources, [*headers, *sources])
    for index, name in enumerate(names):
        own = sorted((firmware / "protocols" / name).glob("*.c"))  # none: one file, which the table includes
        described = [*own, HERE / "protocols" / f"{name}.c"]
        handlers += compile_into(folder / name, [*gcc, f"-DTT_PROTOCOL_INDEX={index}", f"-I{firmware / 'protocols' / name}"], described,
                                 [*headers, *described, *firmware.glob(f"protocols/{name}.c")])
    refuse_hidden_state(handlers)
    objects = handlers + compile_into(folder, gcc, seam, [*headers, *seam])
    engine = sorted(HERE.glob("*.cpp"))
    objects += compile_into(ROOT / "build/check/engine", ["g++", "-std=c++20", "-O3", "-fno-pie", *FLAGS[1:]], engine, [*engine, *HERE.glob("*.h")])
    program = folder / "turnstile-check"
    if not program.exists() or program.stat().st_mtime <= max(o.stat().st_mtime for o in objects):
        with replacing(program) as new:
            subprocess.run(["g++", "-no-pie", *map(str, objects), "-o", new], check=True)
    return program


#: SiteParams.highEvents and highSlots, for a program that was built as shipped.
SHIPPED = {"PLACES": "512", "SLOTS": "56"}


def options(s: dict[str, str]) -> list[str]:
    """The settings in the program's own words."""
    given = {k: s[k] for k in ("SITES", "APS", "BLOCKS", "EVICTIONS", "FULL", "TIMEOUTS", "PROGRESS", "STATES")}
    given |= {"SHIFT": "7" if s["BLOCK"] == "128" else "8", "PAGES": "2" if s["HOMES"] == "2" else "1"}
    given |= {"FIRST_TOUCH": "1", "OPEN": "1"} if s["HOMES"] == "first-touch" else {"OPEN": s["OPEN"]}
    given |= {"COMMANDS": "1", "PLACES": "6", "SLOTS": "12"} if s["SMALL"] == "1" else {}
    given |= SHIPPED if s.get("SHIPPED") else {}
    return [f"{k}={v}" for k, v in given.items()]


def explore(program: Path, s: dict[str, str]) -> dict:
    done = subprocess.run([program, *options(s)], stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        refuse(f"{program} ended with status {done.returncode}")
    return json.loads(done.stdout)


def command_of(s: dict[str, str]) -> str:
    return "make check " + " ".join(f"{k}={v}" for k, v in s.items() if v != KEYS[k][0] and k != "NAME" or k in ("PROTOCOL", "SITES"))


def left_out(s: dict[str, str]) -> list[str]:
    return [text for (key, value), text in LEFT_OUT_WITHOUT.items() if s[key] == value and not (key == "OPEN" and s["HOMES"] == "first-touch")] + list(ALWAYS_LEFT_OUT)


def summary(s: dict[str, str], found: dict) -> str:
    verdict = f"FAILS: {found['error']}" if found["error"] else "holds" if found["complete"] else "no fault found, but not all states were looked at"
    rate = found["states"] / max(found["seconds"], 1e-3)
    lines = [
        f"{command_of(s)}: {verdict}",
        f"  states       {found['states']:,}{', all there are' if found['complete'] else ''}; {found['transitions']:,} steps between them; {found['depth']} steps deep",
        f"  rate         {rate:,.0f} states/s ({found['seconds']:.1f} s{', and %.1f s backwards from rest' % found['progress_seconds'] if found['complete'] else ''}), {found['memory_mb']:,} MB",
        f"  handlers     met {found['firmware_states']:,} states of a site's firmware, in {len(found['rows'])} rows (state, event)",
        f"  symmetry     each state stands for up to {found['renamings']}; 64 bits kept of each: one was left out with probability {found['omission']:.1g}",
        f"  at most      {found['most_events']} answers and {found['most_slots']} slots at a site at a time",
        "  not modelled:", *(f"    * {text}" for text in left_out(s))]
    return "\n".join(lines)


def replay(s: dict[str, str], found: dict, target: Path) -> str:
    """The way to the fault for the simulator: the commands that take it, or why there is none."""
    if reason := plans.why_not(s, found):
        return f"no plan: a conducted run has no {reason}"
    target.write_text(plans.of_path(s, found))
    return f"make conform PLAN={os.path.relpath(target)}, or make run REPLAY="


def check(arguments: list[str]) -> int:
    s = settings(arguments)
    found = explore(build(s["PROTOCOL"]), s)
    folder = ROOT / "build/check" / (s["NAME"] or f"{s['PROTOCOL'].replace(',', '+')}-s{s['SITES']}a{s['APS']}b{s['BLOCKS']}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "check.json").write_text(json.dumps({"command": command_of(s), "settings": s, "not_modelled": left_out(s), **found}, indent=1))
    for old in ("chart.txt", "chart.svg", "replay.txt"):
        (folder / old).unlink(missing_ok=True)
    if found["error"]:
        text = chart.text(found)
        (folder / "chart.txt").write_text(text)
        (folder / "chart.svg").write_text(chart.svg(found, command_of(s)))
        print(text)
    print(summary(s, found))
    print(f"  {os.path.relpath(folder)}: check.json" + (", chart.txt, chart.svg" if found["error"] else ""))
    if found["error"]:
        print("  on the RTL   " + replay(s, found, folder / "replay.txt"))
    return 1 if found["error"] else 0 if found["complete"] else 3


if __name__ == "__main__":
    sys.exit(check(sys.argv[1:]))
