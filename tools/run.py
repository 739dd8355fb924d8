#!/usr/bin/env python3
"""Runs one parallel program on a simulated cluster: builds what is missing, simulates, leaves report.json and report.html.

    tools/run.py APP=lu SITES=4 APS=1 PROTOCOL=stache ARGS="-n 64"

Keys are those of `make run`; KEYS below says what each takes. Exit status: the program's; 2 for bad input; 3 for a run that
stopped (who waits for what is printed).
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(1, str(Path(__file__).resolve().parent / "check"))
import caches  # noqa: E402
import checkpoint  # noqa: E402
import dram  # noqa: E402
import files  # noqa: E402
import memory  # noqa: E402
import perfetto_trace as trace  # noqa: E402
import plans  # noqa: E402
import protocols  # noqa: E402
import ranks  # noqa: E402
import soft  # noqa: E402
import waves  # noqa: E402
import zephyr  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
KEYS = {
    "APP": ("", "a name in apps/, or the path of a C or PARMACS file (.c, .C, .c.in) or folder of them"),
    "SITES": ("4", "1 to 64"),
    "APS": ("1", "aPs a site, 1 to 4"),
    "PROTOCOL": ("stache", "protocols of the firmware, commas between: names in fw/protocols, or paths of C files or folders; the first is that of pages which choose none"),
    "SOFT": ("", "a protocol by which the aPs themselves keep shared memory coherent, in software; the sPs only open pages"),
    "ARGS": ("", "the program's arguments"),
    "FILES": ("", "files the program may open, beside those in its folder; commas between"),
    "STDIN": ("", "the file that is its stdin"),
    "GLOBALS": ("private", "private, or shared: globals, malloc and stacks are shared memory, for programs with threads"),
    "ATOMICS": ("0", "1: aPs with the A extension (rv32ima), and the program compiled for them"),
    "FPU": ("0", "1: aPs with the F and D extensions, and the program compiled for them"),
    "USERMODE": ("0", "1: aPs with user mode: the program runs in it, and reaches what is its own"),
    "DCACHE": ("8K", "data cache of each aP, a power of two from 4K to 64K"),
    "DWAYS": ("1", "its ways: 1, 2 or 4"),
    "ICACHE": ("4K", "instruction cache of each aP, a power of two from 4K to 64K"),
    "IWAYS": ("1", "its ways: 1, 2 or 4"),
    "BLOCK": ("128", "bytes of a coherence block: 64, 128, 256, 512, 1024, 2048"),
    "HOMES": ("round-robin", "round-robin or first-touch"),
    "MEMORY": ("", "DRAM of a site, a power of two from 16M to 1G; default 16M, or what the private windows and HEAP= need"),
    "HEAP": ("", "shared heap and the eighth of it that the sP keeps, a power of two from 2M to half of MEMORY, which is the default"),
    "PRIVATE": ("", "private window of a process, a power of two from 2M to 64M; default what its stack, code and globals need"),
    "STACK": ("256K", "stack of a process and its start page, a multiple of 4K from 64K to 32M"),
    "TIMEOUT": ("2000000000", "cycles after which a run is stopped"),
    "QUIET": ("1000000", "cycles in which an access may wait while nothing moves"),
    "LATENCY": ("12", "cycles of the DRAM, from address to first beat"),
    "DRAM": ("fixed", "fixed: always LATENCY; or ddr4, hbm2, ddr3: banks, rows and refresh of a board's, at CLOCK"),
    "CLOCK": ("100", "MHz of a site, 10 to 500, by which the DRAM's times are cycles"),
    "SEED": ("0", "0: the DRAM's latency as it is; else up to 7 cycles more, by this seed"),
    "WAVES": ("0", "1: a waveform, waves.fst, and views of it for GTKWave and Surfer"),
    "WAVES_FROM": ("", "WAVES=1 from this cycle on"),
    "WAVES_TO": ("", "WAVES=1 up to this cycle"),
    "WAVES_MISS": ("", "WAVES=1 around the remote miss of this number, from 1 in the order of their ends; a run before finds its cycles"),
    "FW": ("bare", "bare, or zephyr: what the protocols of the sPs run on; zephyr needs ZEPHYR_BASE"),
    "SHELL_LINES": ("", "with FW=zephyr: lines for the shell of site 0's sP, semicolons between"),
    "SHELL_AT": ("", "the cycle at which they are typed; default: when the program has ended"),
    "FIRMWARE": ("", "an sP image other than the protocol's own"),
    "EVENTS": ("0", "1: print every event an sP takes"),
    "PACKETS": ("0", "1: packets.csv, every packet on the links of the sites"),
    "TRACE": ("0", "1: trace.pftrace, for Perfetto: handlers, misses, messages; and packets.csv"),
    "RESET": ("0", "0: registers and memories begin as zeros; else with random contents, by this seed"),
    "FAULT": ("", "for tests: flip:SITE:N or lose:SITE:N"),
    "WIRE": ("", "CYCLES, CYCLES:FAULTS or CYCLES:FAULTS:SEED: between each site and its router a wire of so many cycles each way, 0 to 8000, on which of a million frames FAULTS, 0 to 500000, suffer"),
    "THREADS": ("", "threads that simulate, 1 to 256, at most one a site; default: the cores, but one alone while others use them, or under pytest -n"),
    "RANKS": ("1", "processes that simulate, 1 to SITES, under mpirun"),
    "GDB": ("", "processors that gdb debugs, commas between: ap1.0 is the first aP of site 1, sp0 the service processor of site 0"),
    "GDB_PORT": ("0", "the port of 127.0.0.1 on which the run waits for gdb; 0: any that is free, which it says"),
    "REPLAY": ("", "a plan of a conducted run, which says what is run: replay.txt of `make check`; beside it only PROTOCOL may be said"),
    "SAVE_AT": ("", "mark1: saves the run when process 0 has marked 1, as mark1.checkpoint in its folder"),
    "FROM": ("", "a checkpoint: the run goes on there"),
    "SITE": ("", "parameters of Site's RTL, NAME=VALUE, spaces between: highEvents=64 highSlots=40"),
    "PAGE": ("1", "0: no report.html"),
    "NAME": ("", "folder in build/run; default app-sSITESaAPS"),
}
#: Target that makes the image of each FW=, and the image.
IMAGES = {"bare": ("fw", "firmware.elf"), "zephyr": ("fw-zephyr", "zephyr.elf")}
#: The greatest of the simulator's 64-bit numbers.
MOST = 2**64 - 1


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
    if chosen["REPLAY"]:
        chosen |= replayed(chosen)
    for key, least, most in (("SITES", 1, 64), ("APS", 1, 4)):
        if not chosen[key].isdecimal() or not least <= int(chosen[key]) <= most:
            refuse(f"{key}={chosen[key]} is out of range: {least} to {most}")
    for key, least, most in (("TIMEOUT", 1000, MOST), ("QUIET", 1000, MOST), ("LATENCY", 1, 1000), ("SEED", 0, MOST), ("RESET", 0, 2**31 - 1),
                             ("WAVES", 0, 1), ("EVENTS", 0, 1), ("PACKETS", 0, 1), ("TRACE", 0, 1), ("PAGE", 0, 1), ("ATOMICS", 0, 1), ("FPU", 0, 1), ("USERMODE", 0, 1)):
        if not chosen[key].isdecimal() or not least <= int(chosen[key]) <= most:
            refuse(f"{key}={chosen[key]} is not a number from {least} to {most}")
    if chosen["THREADS"] and (not chosen["THREADS"].isdecimal() or not 1 <= int(chosen["THREADS"]) <= 256):
        refuse(f"THREADS={chosen['THREADS']} is not a number from 1 to 256")
    try:
        waves.settle(chosen, MOST)
        ranks.settle(chosen)
    except (waves.Refused, ranks.Refused) as refused:
        refuse(str(refused))
    if chosen["BLOCK"] not in ("64", "128", "256", "512", "1024", "2048"):
        refuse(f"BLOCK={chosen['BLOCK']} is not legal: 64, 128, 256, 512, 1024 or 2048 bytes")
    if chosen["GLOBALS"] not in ("private", "shared"):
        refuse(f"GLOBALS={chosen['GLOBALS']} is not legal: private or shared")
    if chosen["SOFT"]:
        try:
            chosen = soft.settle(chosen, {key: default for key, (default, _) in KEYS.items()})
        except soft.Refused as refused:
            refuse(str(refused))
    if chosen["FW"] not in IMAGES:
        refuse(f"FW={chosen['FW']} is not legal: bare or zephyr")
    if chosen["SHELL_LINES"] and chosen["FW"] != "zephyr":
        refuse(f"SHELL_LINES={chosen['SHELL_LINES']} needs FW=zephyr: the bare image has no shell")
    if chosen["SHELL_AT"] and (not chosen["SHELL_AT"].isdecimal() or int(chosen["SHELL_AT"]) > MOST):
        refuse(f"SHELL_AT={chosen['SHELL_AT']} is not a number from 0 to {MOST}")
    if chosen["HOMES"] not in ("round-robin", "first-touch"):
        refuse(f"HOMES={chosen['HOMES']} is not legal: round-robin or first-touch")
    try:
        protocols.resolve(chosen["PROTOCOL"])
        if chosen["FW"] == "zephyr":
            zephyr.kernel()
        files.given(chosen["FILES"], chosen["STDIN"])
        memory.divide(chosen, memory.DEFAULT["private"])
        caches.parameters(chosen)
        dram.settle(chosen, {key: default for key, (default, _) in KEYS.items()})
        checkpoint.settle(chosen)
    except (protocols.Refused, files.Refused, memory.Refused, caches.Refused, dram.Refused, checkpoint.Refused) as refused:
        refuse(str(refused))
    if chosen["FIRMWARE"] and not Path(chosen["FIRMWARE"]).is_file():
        refuse(f"FIRMWARE={chosen['FIRMWARE']} is no file")
    if chosen["FAULT"]:
        fault = re.fullmatch(r"(flip|lose):(\d+):([1-9]\d*)", chosen["FAULT"])
        if not fault or int(fault[2]) >= int(chosen["SITES"]):
            refuse(f"FAULT={chosen['FAULT']} is not legal: flip:SITE:N or lose:SITE:N, SITE from 0 to {int(chosen['SITES']) - 1}, N from 1")
        if fault[1] == "flip" and chosen["SITES"] == "1":
            refuse(f"FAULT={chosen['FAULT']} is not legal on one site: it has no link")
    if chosen["WIRE"]:
        wire = re.fullmatch(r"(\d+)(?::(\d+)(?::(\d+))?)?", chosen["WIRE"])
        if not wire or any(int(value or 0) > most for value, most in zip(wire.groups(), (8000, 500000, MOST))):
            refuse(f"WIRE={chosen['WIRE']} is not legal: CYCLES, CYCLES:FAULTS or CYCLES:FAULTS:SEED; CYCLES from 0 to 8000, FAULTS (of a million frames) to 500000, SEED to {MOST}")
        if chosen["SITES"] == "1":
            refuse(f"WIRE={chosen['WIRE']} is not legal on one site: it has no link")
        if chosen["REPLAY"]:
            refuse(f"WIRE={chosen['WIRE']} is not legal with REPLAY=: a conducted run is of links of one clock")
    if wrong := [word for word in chosen["SITE"].split() if not re.fullmatch(r"[a-zA-Z]+=\w+", word) or word.startswith("aps=")]:
        refuse(f"SITE={chosen['SITE']}: '{wrong[0]}' is not legal: NAME=VALUE of a parameter of Site but aps, which is APS=")
    if of_memory := [word for word in chosen["SITE"].split() if word.startswith(("memoryBytes=", "heapBytes=", "privateBytes="))]:
        refuse(f"SITE={chosen['SITE']}: '{of_memory[0]}' is not legal: it is MEMORY=, HEAP= or PRIVATE=")
    of_caches = [word for word in chosen["SITE"].split() if word.startswith(("data", "fetch"))]
    if of_caches:
        refuse(f"SITE={chosen['SITE']}: '{of_caches[0]}' is not legal: it is DCACHE=, DWAYS=, ICACHE= or IWAYS=")
    for key, parameter in (("ATOMICS", "atomics"), ("FPU", "fpu"), ("USERMODE", "user")):
        if chosen[key] == "1" and f"{parameter}=" not in chosen["SITE"]:
            chosen["SITE"] += f" {parameter}=true"
    chosen["SITE"] = " ".join(sorted(word for word in chosen["SITE"].split() if word not in ("atomics=false", "fpu=false", "user=false")))  # the defaults
    if "/" in chosen["NAME"] or chosen["NAME"] in (".", ".."):
        refuse(f"NAME={chosen['NAME']} is not legal: the name of one folder in build/run")
    try:
        shlex.split(chosen["ARGS"])
    except ValueError as error:
        refuse(f"ARGS={chosen['ARGS']} cannot be taken apart: {error}")
    return chosen


def replayed(chosen: dict[str, str]) -> dict[str, str]:
    """What the plan asks for; a protocol of its name may be another file."""
    try:
        asked = plans.settings(plans.read(Path(chosen["REPLAY"]).expanduser()))
    except plans.Refused as refused:
        refuse(f"REPLAY={refused}")
    for key, value in asked.items():
        if chosen[key] not in (KEYS[key][0], value) and key != "PROTOCOL":
            refuse(f"{key}={chosen[key]} with REPLAY=: the plan has {key}={value}")
    protocol = chosen["PROTOCOL"] if chosen["PROTOCOL"] != KEYS["PROTOCOL"][0] else asked["PROTOCOL"]
    return asked | {"PROTOCOL": plans.image(protocol, asked["PROTOCOL"]), "REPLAY": str(Path(chosen["REPLAY"]).expanduser())}


def build_program(s: dict[str, str]) -> tuple[Path, memory.Layout]:
    """Program, and how memory is divided for it: by what it needs, or, when its globals are in the heap, before it is linked."""
    layout = memory.divide(s, memory.DEFAULT["private"])
    link = {**({"TS_STACK": memory.sizes(s)["STACK"]} if s["STACK"] != KEYS["STACK"][0] else {}), **(layout.link() if s["GLOBALS"] == "shared" else {}), **(soft.link(s["BLOCK"]) if s["SOFT"] else {})}
    command = [sys.executable, ROOT / "tools/app.py", s["APP"], *["--shared"] * (s["GLOBALS"] == "shared"), *["--atomics"] * (s["ATOMICS"] == "1"), *["--fpu"] * (s["FPU"] == "1"), *["--user"] * (s["USERMODE"] == "1"), *[f"--soft={s['SOFT']}"] * bool(s["SOFT"]), *(f"--link={k}={v}" for k, v in link.items())]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(2)
    program = Path(done.stdout.strip().splitlines()[-1])
    try:
        divided = memory.divide(s, memory.window_of(program))
    except memory.Refused as refused:
        refuse(str(refused))
    if s["GLOBALS"] == "shared" and divided.link() != layout.link():
        refuse(f"APP={s['APP']} needs a private window of {memory.words(divided.private)}, and its globals are in the heap: say MEMORY={memory.words(divided.memory)}")
    return program, divided


def build(s: dict[str, str]) -> tuple[Path, Path, Path, memory.Layout]:
    """Program, firmware, simulator, memory. Whatever refuses has said why."""
    program, layout = build_program(s)
    parameters = sorted([*s["SITE"].split(), *layout.parameters(), *caches.parameters(s)])
    target, image = IMAGES[s["FW"]]
    for command, says in ((["flock", "build/fw.lock", "make", "-s", target, f"PROTOCOL={s['PROTOCOL']}"], subprocess.DEVNULL),
                          ([ROOT / "tools/sim-build", s["APS"], s["WAVES"], *parameters], sys.stderr)):
        built = subprocess.run(command, cwd=ROOT, stdout=says)
        if built.returncode:
            sys.exit(built.returncode if built.returncode == 2 else 1)
    firmware = Path(s["FIRMWARE"]).resolve() if s["FIRMWARE"] else image_of(s) / image
    kind = "-".join([f"a{s['APS']}{'w' * int(s['WAVES'])}", *parameters])
    return program, firmware, ROOT / f"build/sim/{kind}/turnstile-sim", layout


def image_of(s: dict[str, str]) -> Path:
    """Folder of the firmware's image."""
    return ROOT / "build/fw" / protocols.image_name(s["PROTOCOL"])


def threads_of(s: dict[str, str]) -> list[str]:
    """Tests side by side, and ranks, have a core each."""
    if s["THREADS"] or s["WAVES"] == "1" or s["RANKS"] != "1" or "PYTEST_XDIST_WORKER" in os.environ:
        return [f"threads={s['THREADS'] or 1}"]
    return [f"threads={min(256, len(os.sched_getaffinity(0)))}", "yielding=1"]


def command_of(s: dict[str, str]) -> str:
    """The command that repeats this run; threads, ranks and being saved change nothing of it."""
    given = [f"{k}={shlex.quote(v)}" for k, v in s.items() if v != KEYS[k][0] and k not in ("NAME", "THREADS", "RANKS", "SAVE_AT", "GDB", "GDB_PORT", *["PROTOCOL"] * bool(s["SOFT"])) or k in ("APP", "SITES", "APS")]
    return "make run " + " ".join(given)


def folder_of(s: dict[str, str]) -> Path:
    return ROOT / "build/run" / (s["NAME"] or f"{app_of(s)}-s{s['SITES']}a{s['APS']}")


def app_of(s: dict[str, str]) -> str:
    return Path(s["APP"]).name.split(".")[0]


def aimed(s: dict[str, str]) -> dict[str, str]:
    """The same settings, with the cycles of WAVES_MISS: a run without waves finds them, and the same inputs take the same cycles."""
    simulate(plain := {**s, "WAVES": "0"}, quiet=True)
    try:
        found = waves.around(folder_of(plain) / "report.json", int(s["WAVES_MISS"]))
    except waves.Refused as refused:
        refuse(str(refused))
    print(f"run: {found.sentence}", file=sys.stderr)
    return {**s, "WAVES_MISS": "", "WAVES_FROM": str(found.first), "WAVES_TO": str(found.last)}


def run(arguments: list[str], quiet: bool = False) -> tuple[int, Path]:
    """One run; returns its status and its folder. `quiet`: nothing on the terminal."""
    s = settings(arguments)
    if not s["APP"]:
        refuse("APP= is missing: " + KEYS["APP"][1])
    return simulate(aimed(s) if s["WAVES_MISS"] else s, quiet)


def simulate(s: dict[str, str], quiet: bool) -> tuple[int, Path]:
    program, firmware, simulator, layout = build(s)
    app, folder = app_of(s), folder_of(s)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        files.stage(s["APP"], files.given(s["FILES"], s["STDIN"]), folder / "files")
    except files.Refused as refused:
        refuse(str(refused))
    shutil.rmtree(folder / "output", ignore_errors=True)
    (folder / "output").mkdir()
    command = [*ranks.command(int(s["RANKS"]), simulator), f"firmware={firmware}", f"names={image_of(s) / 'names.txt'}", f"program={program}", f"report={folder / 'report.json'}", f"app={app}",
               f"command={command_of(s)}", f"protocol={s['SOFT'] + ' by software' if s['SOFT'] else s['PROTOCOL']}", f"sites={s['SITES']}", f"aps={s['APS']}", f"block={s['BLOCK']}",
               f"homes={s['HOMES']}", *layout.options(), *dram.options(s), f"seed={s['SEED']}", f"timeout={s['TIMEOUT']}",
               f"quiet={s['QUIET']}", f"events={s['EVENTS']}", f"progress={int(not quiet and sys.stderr.isatty())}"]
    command += [f"files={folder / 'files'}", f"streams={folder / 'output'}"] + [f"stdin={Path(s['STDIN']).expanduser()}"] * bool(s["STDIN"])
    command += threads_of(s) + [f"reset={s['RESET']}"] + [f"fault={s['FAULT']}"] * bool(s["FAULT"]) + [f"wire={s['WIRE']}"] * bool(s["WIRE"])
    command += [f"shell={s['SHELL_LINES']}"] * bool(s["SHELL_LINES"]) + [f"shell-at={s['SHELL_AT']}"] * bool(s["SHELL_AT"])
    command += [f"gdb={s['GDB']}", f"gdb-port={s['GDB_PORT']}"] * bool(s["GDB"])
    command += [f"conduct={s['REPLAY']}", f"observed={folder / 'observed.txt'}"] * bool(s["REPLAY"])
    command += waves.options(s) + checkpoint.options(s, folder)
    (folder / trace.FILE).unlink(missing_ok=True)
    for keys, option, file in ((("WAVES",), "waves", waves.FILE), (("PACKETS", "TRACE"), "packets", trace.PACKETS), (("TRACE",), "trace", trace.LOG)):
        (folder / file).unlink(missing_ok=True)
        if any(s[key] == "1" for key in keys):
            command.append(f"{option}={folder / file}")
    command += ["--", app, *shlex.split(s["ARGS"])]
    (folder / "report.json").unlink(missing_ok=True)
    with open(folder / "output.txt", "w") as log:
        several = s["RANKS"] != "1"
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE if several else None, stdin=subprocess.DEVNULL if several else None, text=True)
        messages = ranks.Messages(process.stderr) if several else None
        for line in process.stdout:
            log.write(line)
            if not quiet:
                print(line, end="", flush=True)
        status = process.wait()
        log.flush()
    if messages and (death := messages.death(status, int(s["RANKS"]), int(s["SITES"]))):
        print(f"run: {death}", file=sys.stderr)
        status = 3
    if status == 4 and s["GLOBALS"] == "private" and re.search(r"^\S+ process [1-9]\d*: trap", (folder / "output.txt").read_text(), re.MULTILINE) and not quiet:
        print("run: a created process trapped: if the program was written for threads, which share their globals, GLOBALS=shared runs it", file=sys.stderr)
    (folder / "report.html").unlink(missing_ok=True)
    if s["PAGE"] == "1" and (folder / "report.json").exists():
        import report  # takes its time: matplotlib

        page = report.write_page(folder)
        if not quiet:
            print(f"{'report':24} {os.path.relpath(page)}")
    if s["WAVES"] == "1" and (folder / waves.FILE).exists():
        views = waves.write_views(folder, int(s["SITES"]), int(s["APS"]))
        if not quiet:
            print(f"{'waves':24} " + ", ".join(os.path.relpath(file) for file in (folder / waves.FILE, *views)))
    if s["TRACE"] == "1":
        file = trace.write(folder)
        if not quiet:
            print(f"{'trace':24} {os.path.relpath(file)}")
    return status, folder


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:])[0])
