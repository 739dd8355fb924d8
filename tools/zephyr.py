#!/usr/bin/env python3
"""Builds the sP's image on Zephyr with one protocol or several: build/fw/NAME/zephyr.elf, of the same objects as the bare image.

    ZEPHYR_BASE=/path/of/zephyr tools/zephyr.py stache

Prints the path of the image. Exit status 2 and one sentence when there is no kernel or the image is refused.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import firmware  # noqa: E402
import protocols  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("cmake", "ninja")
CURE = "link fewer protocols, or none of the shell (CONFIG_SHELL=n in fw/app/prj.conf)"


def kernel() -> Path:
    """The tree of Zephyr that ZEPHYR_BASE names."""
    wanted = re.search(r"revision: v(\d+)\.(\d+)", (ROOT / "fw/west.yml").read_text())
    place = os.environ.get("ZEPHYR_BASE", "")
    if not place:
        raise protocols.Refused(f"ZEPHYR_BASE is not set: set it to the path of a Zephyr {wanted[1]}.{wanted[2]} tree (docs/user/zephyr.md)")
    version = Path(place) / "VERSION"
    found = re.search(r"VERSION_MAJOR = (\d+)\s+VERSION_MINOR = (\d+)", version.read_text()) if version.is_file() else None
    if not found:
        raise protocols.Refused(f"ZEPHYR_BASE={place} is no Zephyr tree: it has no file VERSION (docs/user/zephyr.md)")
    if found[1] != wanted[1]:
        raise protocols.Refused(f"ZEPHYR_BASE={place} is Zephyr {found[1]}.{found[2]}: fw/west.yml wants {wanted[1]}.{wanted[2]}")
    if missing := [tool for tool in NEEDED if not shutil.which(tool)]:
        raise protocols.Refused(f"{' and '.join(missing)} not found: Zephyr's build needs them (docs/user/zephyr.md)")
    return Path(place).resolve()


def objects(text: str) -> list[Path]:
    """What both images are linked of."""
    folder = firmware.build(text).parent
    return [made for source, made, _ in firmware.objects_of(protocols.resolve(text), folder) if source.parent.name != "bare"]


def build(text: str) -> Path:
    base = kernel()
    linked = objects(text)
    name = protocols.image_name(text)
    place, image = ROOT / "build/zephyr" / name, ROOT / "build/fw" / name / "zephyr.elf"
    includes = [ROOT / "build/include", *(ROOT / "fw" / part for part in ("niu", "site", "tempest", "services"))]
    environment = {"ZEPHYR_TOOLCHAIN_VARIANT": "cross-compile", "CROSS_COMPILE": shutil.which(f"{firmware.CROSS}gcc").removesuffix("gcc")}
    configure = ["cmake", "-GNinja", "-S", ROOT / "fw/app", "-B", place, "-DBOARD=turnstile_sp", f"-DZEPHYR_MODULES={ROOT / 'fw'}",
                 f"-DTURNSTILE_INCLUDE={';'.join(map(str, includes))}", f"-DTURNSTILE_OBJECTS={';'.join(map(str, linked))}"]
    asked, asks = place / "asked.txt", f"{base} {configure}"
    commands = [["ninja", "-C", place]]
    if not asked.exists() or asked.read_text() != asks:  # ninja configures again by itself when a file of the build changes
        shutil.rmtree(place, ignore_errors=True)
        commands.insert(0, configure)
    for command in commands:
        done = subprocess.run(command, env={**os.environ, **environment, "ZEPHYR_BASE": str(base)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise protocols.Refused(firmware.too_large(done.stdout, text, CURE) or f"{done.stdout.rstrip()}\nthe Zephyr image of PROTOCOL={text} does not build (messages above)")
    asked.write_text(asks)
    shutil.copyfile(place / "zephyr/zephyr.elf", image)
    return image


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(print(__doc__.strip(), file=sys.stderr) or 2)
    try:
        print(build(sys.argv[1]))
    except protocols.Refused as refused:
        sys.exit(print(f"fw-zephyr: {refused}", file=sys.stderr) or 2)
