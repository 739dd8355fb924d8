#!/usr/bin/env python3
"""Runs one parallel program on a simulated cluster: builds what is missing, simulates, leaves report.json and report.html.

    tools/run.py APP=lu SITES=4 APS=1 PROTOCOL=stache ARGS="-n 64"

Keys are those of `make run`; KEYS below says what each takes. Exit status: the program's; 2 for bad input; 3 for a run that
stopped (who waits for what is printed).
"""
import os
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import report  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
PROTOCOLS = ("stache",)
KEYS = {
    "APP": ("", "a name in apps/, or the path of a C or PARMACS file (.c, .C, .c.in) or folder of them"),
    "SITES": ("4", "1 to 64"),
    "APS": ("1", "aPs a site, 1 to 4"),
    "PROTOCOL": ("stache", " or ".join(PROTOCOLS)),
    "ARGS": ("", "the program's arguments"),
    "BLOCK": ("128", "bytes of a coherence block: 64, 128, 256, 512, 1024, 2048"),
    "HOMES": ("round-robin", "round-robin or first-touch"),
    "TIMEOUT": ("2000000000", "cycles after which a run is stopped"),
    "QUIET": ("1000000", "cycles in which an access may wait while nothing moves"),
    "LATENCY": ("12", "cycles of the DRAM"),
    "SEED": ("0", "0: fixed DRAM latency; else it varies, by this seed"),
    "WAVES": ("", "1: a waveform, waves.fst"),
    "FIRMWARE": ("", "an sP image other than the protocol's own"),
    "EVENTS": ("0", "1: print every event an sP takes"),
    "NAME": ("", "folder in build/run; default app-sSITESaAPS"),
}


def refuse(sentence: str) -> None:
    sys.exit(print(f"run: {sentence}", file=sys.stderr) or 2)


def settings(arguments: list[str]) -> dict[str, str]:
    chosen = {key: default for key, (default, _) in KEYS.items()}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or key not in KEYS:
            refuse(f"'{argument}' is not known; the keys are " + ", ".join(KEYS))
        if value:
            chosen[key] = value
    for key, least, most in (("SITES", 1, 64), ("APS", 1, 4)):
        if not chosen[key].isdecimal() or not least <= int(chosen[key]) <= most:
            refuse(f"{key}={chosen[key]} is out of range: {least} to {most}")
    for key, least in (("TIMEOUT", 1000), ("QUIET", 1000), ("LATENCY", 1), ("SEED", 0)):
        if not chosen[key].isdecimal() or int(chosen[key]) < least:
            refuse(f"{key}={chosen[key]} is not a number of at least {least}")
    if chosen["BLOCK"] not in ("64", "128", "256", "512", "1024", "2048"):
        refuse(f"BLOCK={chosen['BLOCK']} is not legal: 64, 128, 256, 512, 1024 or 2048 bytes")
    if chosen["HOMES"] not in ("round-robin", "first-touch"):
        refuse(f"HOMES={chosen['HOMES']} is not legal: round-robin or first-touch")
    if chosen["PROTOCOL"] not in PROTOCOLS:
        refuse(f"PROTOCOL={chosen['PROTOCOL']} is unknown: {' or '.join(PROTOCOLS)}")
    return chosen


def build(s: dict[str, str]) -> tuple[Path, Path, Path]:
    """Program, firmware, simulator. Whatever refuses has said why."""
    done = subprocess.run([sys.executable, ROOT / "tools/app.py", s["APP"]], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(2)
    program = Path(done.stdout.strip().splitlines()[-1])
    for command in (["flock", "build/fw.lock", "make", "-s", "fw"], [ROOT / "tools/sim-build", s["SITES"], s["APS"], s["WAVES"]]):
        built = subprocess.run(command, cwd=ROOT, stdout=sys.stderr)
        if built.returncode:
            sys.exit(built.returncode if built.returncode == 2 else 1)
    tracing = "w" if s["WAVES"] not in ("", "0") else ""
    firmware = Path(s["FIRMWARE"]).resolve() if s["FIRMWARE"] else ROOT / f"build/fw/{s['PROTOCOL']}.elf"
    return program, firmware, ROOT / f"build/sim/s{s['SITES']}a{s['APS']}{tracing}/turnstile-sim"


def command_of(s: dict[str, str]) -> str:
    """The command that repeats this run."""
    given = [f"{k}={shlex.quote(v)}" for k, v in s.items() if v != KEYS[k][0] and k != "NAME" or k in ("APP", "SITES", "APS")]
    return "make run " + " ".join(given)


def run(arguments: list[str], quiet: bool = False) -> tuple[int, Path]:
    """One run; returns its status and its folder. `quiet`: nothing on the terminal."""
    s = settings(arguments)
    if not s["APP"]:
        refuse("APP= is missing: " + KEYS["APP"][1])
    program, firmware, simulator = build(s)
    app = Path(s["APP"]).name.split(".")[0]
    folder = ROOT / "build/run" / (s["NAME"] or f"{app}-s{s['SITES']}a{s['APS']}")
    folder.mkdir(parents=True, exist_ok=True)
    command = [simulator, f"firmware={firmware}", f"program={program}", f"report={folder / 'report.json'}", f"app={app}",
               f"command={command_of(s)}", f"protocol={s['PROTOCOL']}", f"sites={s['SITES']}", f"aps={s['APS']}", f"block={s['BLOCK']}",
               f"homes={s['HOMES']}", f"memory-latency={s['LATENCY']}", f"seed={s['SEED']}", f"timeout={s['TIMEOUT']}",
               f"quiet={s['QUIET']}", f"events={s['EVENTS']}", f"progress={int(not quiet and sys.stderr.isatty())}"]
    if s["WAVES"] not in ("", "0"):
        command.append(f"waves={folder / 'waves.fst'}")
    command += ["--", app, *shlex.split(s["ARGS"])]
    (folder / "report.json").unlink(missing_ok=True)
    with open(folder / "output.txt", "w") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            log.write(line)
            if not quiet:
                print(line, end="", flush=True)
        status = process.wait()
    if (folder / "report.json").exists():
        page = report.write_page(folder)
        if not quiet:
            print(f"{'report':24} {os.path.relpath(page)}")
    return status, folder


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:])[0])
