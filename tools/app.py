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
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import parmacs  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
APPS = ROOT / "apps"
NOT_PROGRAMS = {"include", "runtime", "common", "host"}
SOURCES = (".c", ".C", ".c.in")
HEADERS = (".h", ".H", ".h.in")

CROSS = ["riscv64-unknown-elf-gcc", "-march=rv32im", "-mabi=ilp32", "-misa-spec=2.2", "--specs=picolibc.specs"]
# Old programs define variables in headers, and cast between everything.
COMMON = ["-std=gnu11", "-O2", "-g", "-fno-strict-aliasing", "-fcommon", "-ffunction-sections", "-fdata-sections"]


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


def fingerprint(files: list[Path], salt: str) -> str:
    digest = hashlib.sha256(salt.encode())
    for path in sorted(files):
        digest.update(str(path).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def files_below(*folders: Path) -> list[Path]:
    return [p for f in folders for p in f.iterdir() if p.is_file()]


def compile_all(command: list[str], files: list[Path], out: Path, app: str) -> list[str]:
    objects = []
    for source in files:
        target = out / (source.name + ".o")
        run(command + ["-c", str(source), "-o", str(target)], app)
        objects.append(str(target))
    return objects


def run(command: list[str], app: str) -> None:
    try:
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    except FileNotFoundError:
        raise Refused(f"{command[0]} is not installed: `make setup` installs what is missing") from None
    sys.stderr.write(done.stderr)
    if done.returncode:
        raise Refused(f"APP={app} does not compile (messages above); programs known to compile are {', '.join(names())}")


def build(app: str, native: bool, out_root: Path) -> Path:
    """Builds and returns the path of the program; does nothing when no input changed since the last time."""
    name, files, folder = resolve(app)
    out = out_root / name
    target = out / f"{name}.{'native' if native else 'elf'}"
    work = out / ("native" if native else "target")
    work.mkdir(parents=True, exist_ok=True)
    platform = APPS / ("host" if native else "runtime")
    headers = [p for p in folder.iterdir() if p.is_file() and p.name.endswith(HEADERS)]
    inputs = files + headers + files_below(APPS / "include", APPS / "common", platform, ROOT / "tools")
    ours = folder == APPS or APPS in folder.parents

    with open(out / "lock", "w") as lock:  # two makes at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = fingerprint(inputs, f"{native}")
        stamp_file = work / "inputs.sha256"
        if target.exists() and stamp_file.exists() and stamp_file.read_text() == stamp:
            return target
        shutil.rmtree(work)
        work.mkdir()
        try:
            staged = parmacs.expand(files, headers, work, APPS / "include")
        except parmacs.Failed as failure:
            sys.stderr.write(f"{failure}\n")
            raise Refused(f"APP={app} does not go through m4 (messages above)") from None
        compiler = (["gcc"] if native else CROSS) + COMMON
        warn = ["-Wall"] if ours else []
        # -iquote: a program's own limits.h or time.h must not replace the library's.
        find = ["-iquote", str(work), "-iquote", str(folder), "-I", str(APPS / "include"), "-I", str(work), "-idirafter", str(folder)]
        objects = compile_all(compiler + warn + find, staged, work, app)
        machine = sorted(p for p in files_below(platform, APPS / "common") if p.suffix in (".c", ".S"))
        objects += compile_all(compiler + ["-Wall", "-Wextra", "-I", str(APPS / "include")], machine, work, app)
        link = ["-Wl,--gc-sections"]
        link += ["-pthread"] if native else ["-nostartfiles", "-Wl,--no-warn-rwx-segments", "-T", str(platform / "link.ld")]
        run(compiler + link + objects + ["-lm", "-o", str(target)], app)
        stamp_file.write_text(stamp)
    return target


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("app", nargs="?", help="name in apps/, or path of a file or folder")
    parser.add_argument("--native", action="store_true", help="for the workstation")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "apps", help="default build/apps")
    parser.add_argument("--list", action="store_true", help="names of the programs in apps/")
    options = parser.parse_args()
    if options.list:
        print("\n".join(names()))
        return 0
    try:
        if not options.app:
            raise Refused(f"APP is missing: legal are {', '.join(names())}, or the path of a *.c, *.C or *.c.in file or of a folder of them")
        print(build(options.app, options.native, options.out))
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
