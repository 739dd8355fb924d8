#!/usr/bin/env python3
"""Builds one parallel program: for the aPs of a cluster (rv32im ELF), or, with --native, for the workstation.

    tools/app.py lu                   build/apps/lu/lu.elf from apps/lu/
    tools/app.py ~/splash/fft.C       any C or PARMACS file, or a folder of them, anywhere
    tools/app.py --native lu          build/apps/lu/lu.native: the same source as Unix processes

Prints the path of the program. Exit status 2 and one sentence when the name is unknown or the program does not compile.
"""
import argparse
import fcntl
import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import parmacs  # noqa: E402
import protocols  # noqa: E402
import soft as by_software  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
APPS = ROOT / "apps"
# niu_regs.h, made from the RTL by tools/niuheader
REGISTERS = ROOT / "build" / "include"
NOT_PROGRAMS = {"include", "runtime", "common", "host", "soft"}
SOURCES = (".c", ".C", ".c.in")
HEADERS = (".h", ".H", ".h.in")

CROSS = ["riscv64-unknown-elf-gcc", "-march=rv32im", "-mabi=ilp32", "-misa-spec=2.2", "--specs=picolibc.specs"]
# An fma() of a program is the library's: FMADD is not exact (docs/design/fpu.md).
FLOAT = ["-fno-builtin-fma", "-fno-builtin-fmaf"]
USER = ["-DTS_USER"]  # of the runtime and its link.ld
PREPROCESS = ["riscv64-unknown-elf-cpp", "-P", "-D__ASSEMBLER__", "-I", str(REGISTERS)]
# Old programs define variables in headers, and cast between everything. Floating point is the same on every machine.
COMMON = ["-std=gnu11", "-O2", "-g", "-fno-strict-aliasing", "-fcommon", "-ffp-contract=off", "-ffunction-sections", "-fdata-sections"]

# apps/runtime/streams.c; apps/runtime/shared_malloc.c
STREAMS = [f"-Wl,--wrap={name}" for name in ("fopen", "fdopen", "fclose")]
SHARED_MALLOC = [f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc", "free")]


class Refused(Exception):
    """The program cannot be built; the message is the whole sentence for the user."""


def names() -> list[str]:
    """Programs of this repository: folders with sources, and single C files, in apps/."""
    found = [p.name for p in APPS.iterdir() if p.is_dir() and p.name not in NOT_PROGRAMS and sources_in(p)]
    found += [stem(p) for p in APPS.iterdir() if p.is_file() and p.name.endswith(SOURCES)]
    return sorted(found)


def stem(path: Path) -> str:
    return path.name.split(".")[0]


def sources_in(folder: Path) -> list[Path]:
    """Sources of a folder; x.c beside x.C or x.c.in is what somebody's m4 made of it."""
    found = sorted(p for p in folder.iterdir() if p.is_file() and p.name.endswith(SOURCES))
    written = {stem(p) for p in found if not p.name.endswith(".c")}
    return [p for p in found if not (p.name.endswith(".c") and stem(p) in written)]


def resolve(app: str) -> tuple[str, list[Path], Path]:
    """Name, source files and folder of an APP given as a name in apps/ or a path."""
    if app in names():
        folder = APPS / app
        if folder.is_dir():
            return app, sources_in(folder), folder
        return app, [p for p in sources_in(APPS) if stem(p) == app], APPS
    path = Path(app).expanduser()
    if path.is_dir():
        if not sources_in(path):
            raise Refused(f"the folder {app} has no program: legal are files named *.c, *.C or *.c.in")
        return path.resolve().name, sources_in(path.resolve()), path.resolve()
    if path.is_file() and path.name.endswith(SOURCES):
        return stem(path), [path.resolve()], path.resolve().parent
    what = "is a file of another kind" if path.is_file() else "is no program"
    raise Refused(f"APP={app} {what}: legal are {', '.join(names())}, or the path of a *.c, *.C or *.c.in file or of a folder of them")


def fingerprint(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(str(path).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def files_below(*folders: Path) -> list[Path]:
    return [p for f in folders for p in f.iterdir() if p.is_file()]


def run(command: list[str], app: str) -> None:
    try:
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    except FileNotFoundError:
        raise Refused(f"{command[0]} is not installed: `make setup` installs what is missing") from None
    sys.stderr.write(done.stderr)
    if overflow := re.search(r"region `shared' overflowed by (\d+) bytes", done.stderr):
        raise Refused(f"APP={app}: its globals are {overflow.group(1)} bytes too many for the shared heap, where GLOBALS=shared gives them all but 1 MB: smaller arrays are legal, or more MEMORY= or HEAP=")
    if overflow := re.search(r"region `code' overflowed by (\d+) bytes", done.stderr):
        raise Refused(f"APP={app}: code and constants are {overflow.group(1)} bytes too many for an aP with user mode, which protects 512 KB of them: USERMODE=0 has no such bound")
    if overflow := re.search(r"region `private' overflowed by (\d+) bytes", done.stderr):
        raise Refused(
            f"APP={app}: its globals are {overflow.group(1)} bytes too many for the largest private window: stack, code, globals and message queue of a "
            "process have 64 MB: smaller arrays are legal, or G_MALLOC for large ones"
        )
    if done.returncode:
        raise Refused(f"APP={app} does not compile (messages above); programs known to compile are {', '.join(names())}")


def uses_threads(objects: list[str]) -> bool:
    done = subprocess.run(["riscv64-unknown-elf-nm", "-u", *objects], capture_output=True, text=True, check=True)
    return bool(re.search(r"\bpthread_create$", done.stdout, re.MULTILINE))


def machine_options(atomics: bool, fpu: bool, user: bool) -> list[str]:
    """Of gcc, after CROSS; to compile, not to link. With A gcc would take libraries that multiply by hand; with F and D such as give other
    answers: instead apps/runtime/float.c does what rv32im's calculate."""
    return [*([f"-march=rv32im{'a' * atomics}{'fd' * fpu}", *FLOAT * fpu] if atomics or fpu else []), *USER * user]


class Step:
    """A folder of results that is made again only when an input changed; one maker at a time."""

    def __init__(self, folder: Path, inputs: list[Path]):
        self.folder = folder
        self.stamp = fingerprint(inputs)
        folder.parent.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> bool:
        """True when the results are to be made, in an empty folder."""
        self.lock = open(self.folder.parent / f"{self.folder.name}.lock", "w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        done = self.folder / "inputs.sha256"
        if done.exists() and done.read_text() == self.stamp:
            return False
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        return True

    def __exit__(self, failed, *_):
        if not failed:
            (self.folder / "inputs.sha256").write_text(self.stamp)
        self.lock.close()


def runtime(native: bool, out: Path, options: list[str] = [], soft: str = "") -> list[str]:
    """Objects of the runtime, in `out`; `soft`: with a protocol on the aP."""
    folder = APPS / ("host" if native else "runtime")
    sources = sorted(p for p in files_below(folder, APPS / "common") if p.suffix in (".c", ".S"))
    inputs = files_below(APPS / "include", APPS / "common", folder) + [Path(__file__)]
    if not native:
        run([str(ROOT / "tools" / "niuheader")], "the runtime")
        inputs.append(REGISTERS / "niu_regs.h")
    if soft:
        inputs += by_software.inputs(soft)
    with Step(out, inputs) as stale:
        if stale:
            command = (["gcc"] if native else CROSS + options) + COMMON + ["-Wall", "-Wextra", "-I", str(APPS / "include")]
            if not native:
                command += ["-I", str(REGISTERS)]
                run(PREPROCESS + [str(folder / "link.ld"), "-o", str(out / "link.ld")], "the runtime")
                run(PREPROCESS + ["-DGLOBALS_SHARED", str(folder / "link.ld"), "-o", str(out / "link-shared.ld")], "the runtime")
            for source in sources:
                run(command + (by_software.checked(source) if soft else []) + ["-c", str(source), "-o", str(out / f"{source.parent.name}_{source.name}.o")], "the runtime")
            for source, made, flags in by_software.objects(soft, out) if soft else []:
                run(command + flags + ["-c", str(source), "-o", str(made)], f"SOFT={soft}")
    return [str(p) for p in sorted(out.glob("*.o"))]


def link_script(machine: Path, work: Path, shared: bool, link: dict[str, str]) -> Path:
    """The runtime's, or one of the program's own."""
    if not link:
        return machine / f"link{'-shared' * shared}.ld"
    run([*PREPROCESS, *["-DGLOBALS_SHARED"] * shared, *(f"-D{k}={v}" for k, v in link.items()), str(APPS / "runtime" / "link.ld"), "-o", str(work / "link.ld")], "the runtime")
    return work / "link.ld"


def build(app: str, native: bool, out_root: Path, shared: bool = False, link: dict[str, str] | None = None, atomics: bool = False,
          fpu: bool = False, user: bool = False, soft: str = "") -> Path:
    """Builds and returns the path of the program; `shared`: its globals are (GLOBALS=shared); `link`: macros of apps/runtime/link.ld;
    `atomics`, `fpu`, `user`: for aPs with the A, with the F and D extensions, with user mode; `soft`: the protocol by which the aPs keep
    shared memory coherent."""
    name, files, folder = resolve(app)
    extensions = "-atomics" * atomics + "-fpu" * fpu + "-user" * user + (by_software.kind(soft) if soft else "")
    kind = "-shared" * shared + extensions + "".join(f"-{value}" for value in (link or {}).values())
    target = out_root / name / f"{name}{kind}.{'native' if native else 'elf'}"
    work = out_root / name / ("native" if native else "target" + kind)
    of_machine = out_root / "runtime" / ("native" if native else "target" + extensions)
    options = machine_options(atomics, fpu, user)
    machine = runtime(native, of_machine, options, soft)
    if user:
        link = {**(link or {}), "TS_USER": 1}
    headers = [p for p in folder.iterdir() if p.is_file() and p.name.endswith(HEADERS)]
    inputs = files + headers + files_below(APPS / "include", ROOT / "tools") + [APPS / "runtime/link.ld"] * (not native) + [Path(p) for p in machine]
    with Step(work, inputs) as stale:
        if not stale and target.exists():
            return target
        try:
            staged = parmacs.expand(files, headers, work, APPS / "include")
        except parmacs.Failed as failure:
            sys.stderr.write(f"{failure}\n")
            raise Refused(f"APP={app} does not go through m4 (messages above)") from None
        compiler = (["gcc"] if native else CROSS) + COMMON
        if APPS == folder or APPS in folder.parents:
            compiler += ["-Wall"]
        # -iquote: a program's own limits.h or time.h must not replace the library's.
        compatible = [] if native else ["-idirafter", str(APPS / "runtime" / "compat"), "-idirafter", str(REGISTERS)]
        find = compatible + ["-iquote", str(work), "-iquote", str(folder), "-I", str(APPS / "include"), "-idirafter", str(work), "-idirafter", str(folder)]
        objects = []
        for source in staged:
            objects.append(str(work / f"{source.name}.o"))
            # Headers with BARDEC may come before MAIN_ENV: the types are known from the first line.
            run(compiler + options + (by_software.CHECKED if soft else []) + find + ["-include", "turnstile.h", "-c", str(source), "-o", objects[-1]], app)
        how = ["-pthread"] if native else ["-nostartfiles", "-Wl,--no-warn-rwx-segments", *STREAMS, *SHARED_MALLOC * shared, "-T", str(link_script(of_machine, work, shared, link or {}))]
        if soft and (used := by_software.uses_queues(objects)):
            raise Refused(f"APP={app} calls {used}, and with SOFT={soft} the queues of an aP are the protocol's: without SOFT= it has them")
        if not native and not shared and uses_threads(objects):
            raise Refused(f"APP={app} creates threads (pthread_create), which share their globals: GLOBALS=shared runs it")
        run(compiler + how + ["-Wl,--gc-sections"] + objects + machine + ["-lm", "-o", str(target)], app)
    return target


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("app", nargs="?", help="name in apps/, or path of a file or folder")
    parser.add_argument("--native", action="store_true", help="for the workstation")
    parser.add_argument("--shared", action="store_true", help="its globals, heap and stacks are shared memory, for programs with threads")
    parser.add_argument("--atomics", action="store_true", help="for aPs with the A extension, rv32ima")
    parser.add_argument("--fpu", action="store_true", help="for aPs with the F and D extensions")
    parser.add_argument("--user", action="store_true", help="for aPs with user mode")
    parser.add_argument("--soft", default="", metavar="PROTOCOL", help="shared memory is kept coherent by software on the aPs, with this protocol")
    parser.add_argument("--link", action="append", default=[], metavar="MACRO=VALUE", help="of apps/runtime/link.ld: TS_STACK, TS_HEAP_BASE and TS_HEAP_BYTES")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "apps", help="default build/apps")
    parser.add_argument("--list", action="store_true", help="names of the programs in apps/")
    options = parser.parse_args()
    if options.list:
        print("\n".join(names()))
        return 0
    try:
        if not options.app:
            raise Refused(f"APP is missing: legal are {', '.join(names())}, or the path of a *.c, *.C or *.c.in file or of a folder of them")
        print(build(options.app, options.native, options.out, options.shared, dict(one.split("=", 1) for one in options.link), options.atomics and not options.native,
                    options.fpu and not options.native, options.user and not options.native, options.soft))
    except (Refused, protocols.Refused) as refused:
        print(refused, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
