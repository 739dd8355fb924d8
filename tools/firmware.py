#!/usr/bin/env python3
"""Builds the sP's bare image with one protocol or several: build/fw/NAME/firmware.elf, and beside it names.txt for the simulator.

    tools/firmware.py stache
    tools/firmware.py stache,migratory
    tools/firmware.py stache --fault tests/cluster/firmware/traps.c     the same with that file, which wraps the handlers that it breaks

Prints the path of the image. Exit status 2 and one sentence when the image is refused.
"""
import argparse
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import protocols  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build/fw"
CROSS = "riscv64-unknown-elf-"
INCLUDES = [f"-I{ROOT}/build/include", *(f"-I{ROOT}/fw/{part}" for part in ("niu", "site", "tempest", "services"))]
FLAGS = ["-march=rv32im", "-mabi=ilp32", "-misa-spec=2.2", "-std=c11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-Wno-unused-parameter",
         "-ffreestanding", "-nostdlib", "-fno-jump-tables", "-fno-tree-loop-distribute-patterns", "-msmall-data-limit=4096"]
#: The sP's RAMs and their bytes (contract §5), by their names in fw/bare/link.ld and in Zephyr's script.
RAMS = {"code": ("code", 0x10000), "data": ("data", 0x10000), "ROM": ("code", 0x10000), "RAM": ("data", 0x10000)}


def framework() -> list[Path]:
    return [s for part in ("bare", "site", "tempest", "services") for kind in ("S", "c") for s in sorted((ROOT / "fw" / part).glob(f"*.{kind}"))]


def stale(made: Path, sources: list[Path]) -> bool:
    return not made.exists() or any(s.stat().st_mtime > made.stat().st_mtime for s in sources)


def compile_one(source: Path, made: Path, extra: list[str], headers: list[Path]) -> str:
    """Its messages, empty when all is well."""
    if not stale(made, [source, *headers]):
        return ""
    made.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([f"{CROSS}gcc", *FLAGS, *INCLUDES, *extra, "-c", source, "-o", made], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def link_script() -> Path:
    made, source = OUT / "link.ld", ROOT / "fw/bare/link.ld"
    if stale(made, [source, ROOT / "build/include/niu_regs.h"]):
        subprocess.run([f"{CROSS}cpp", "-P", "-D__ASSEMBLER__", INCLUDES[0], "-o", made, source], check=True)
    return made


def too_large(messages: str, which: str, cure: str = "link fewer protocols") -> str:
    """The linker's words about a full RAM as a sentence, or nothing."""
    over = re.search(r"region `(\w+)' overflowed by (\d+) bytes", messages)
    if over:
        part, most = RAMS[over[1]]
        return f"the image of {which} is too large: {most + int(over[2])} bytes of {part}, {over[2]} more than the sP's {most}: {cure}"
    if "left for the stack" in messages:
        return f"the image of {which} is too large: its data leave less than 2048 of the sP's {RAMS['data'][1]} bytes for the stack: {cure}"
    return ""


def objects_of(chosen: list[protocols.Protocol], folder: Path) -> list[tuple[Path, Path, list[str]]]:
    """Source, object and its own flags of each part of an image."""
    return ([(s, folder / f"{s.parent.name}-{s.stem}.o", []) for s in framework()] + [(folder / "table.c", folder / "table.o", [])]
            + [(s, folder / p.name / f"{s.stem}.o", [f"-DTT_PROTOCOL_INDEX={i}"]) for i, p in enumerate(chosen) for s in p.sources])


def build(text: str, fault: Path | None = None) -> Path:
    chosen = protocols.resolve(text)
    folder = OUT / protocols.image_name(text)
    headers = [ROOT / "build/include/niu_regs.h", *(ROOT / "fw").glob("*/*.h"), *(h for p in chosen for h in p.sources[0].parent.glob("*.h"))]
    names = folder / "names.txt"
    if stale(names, [s for p in chosen for s in p.sources] + headers + [ROOT / "tools/protocols.py"]):
        protocols.describe(chosen, folder)
        names.write_text(protocols.listing(chosen))
    jobs = objects_of(chosen, folder)
    image, wraps = folder / "firmware.elf", []
    if fault:
        image = OUT / "faulty" / f"{fault.stem}.elf"
        image.parent.mkdir(exist_ok=True)
        wraps = sorted({f"-Wl,--wrap={name}" for name in re.findall(r"__wrap_([a-z_]*)", fault.read_text())})
        jobs.append((fault, image.with_suffix(".o"), ["-DTT_PROTOCOL_INDEX=0", *(f"-I{p.sources[0].parent}" for p in chosen)]))
    with ThreadPoolExecutor(4) as pool:
        wrong = [m for m in pool.map(lambda job: compile_one(*job, headers), jobs) if m]
    if wrong:
        raise protocols.Refused("".join(wrong).rstrip() + f"\nthe firmware of PROTOCOL={text} does not compile (messages above)")
    objects, script = [job[1] for job in jobs], link_script()
    if stale(image, [*objects, script]):
        done = subprocess.run([f"{CROSS}gcc", *FLAGS, f"-Wl,-T,{script}", f"-Wl,-Map,{image}.map", *wraps, *objects, "-lgcc", "-o", f"{image}.new"],
                              capture_output=True, text=True)
        if done.returncode:
            raise protocols.Refused(too_large(done.stderr, text) or f"{done.stderr.rstrip()}\nthe firmware of PROTOCOL={text} does not link (messages above)")
        Path(f"{image}.new").rename(image)
    return image


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("protocols")
    parser.add_argument("--fault", type=Path)
    arguments = parser.parse_args()
    try:
        print(build(arguments.protocols, arguments.fault and arguments.fault.resolve()))
    except protocols.Refused as refused:
        sys.exit(print(f"firmware: {refused}", file=sys.stderr) or 2)
