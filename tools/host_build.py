"""What a Linux guest with the card is made of (tools/host.py): driver, library, the guest's first process and its initial file system, turnstile-host."""
import fcntl
import functools
import gzip
import os
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build/driver"


class Refused(Exception):
    """There is nothing to run; the message is the whole sentence for the user."""


def environment() -> dict[str, str]:
    tools = os.environ.get("TOOLS") or str(ROOT / "build/tools")
    return {**os.environ, "TOOLS": tools, "VERILATOR_ROOT": f"{tools}/verilator", "PATH": os.pathsep.join([f"{ROOT}/tools", f"{tools}/venv/bin", os.environ["PATH"]])}


def call(*command: str | Path) -> str:
    done = subprocess.run(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Refused(f"'{' '.join(map(str, command))}' failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout.strip()


def copied(source: Path, to: Path) -> None:
    """Without touching what is the same, so that make finds nothing to do."""
    to.mkdir(parents=True, exist_ok=True)
    for file in source.iterdir():
        if not (to / file.name).exists() or (to / file.name).read_bytes() != file.read_bytes():
            shutil.copyfile(file, to / file.name)


def build_module(headers: Path, *architecture: str) -> Path:
    """In a copy: Kbuild leaves what it makes beside the sources."""
    copy = OUT / headers.name
    copied(ROOT / "host-driver/kernel", copy / "kernel")
    copied(ROOT / "host-driver/include", copy / "include")
    call("make", "-s", "-C", headers, *architecture, f"M={copy}/kernel", f"REGISTERS={ROOT}/build/include", "modules")
    return copy / "kernel/turnstile.ko"


def build_guest() -> Path:
    made = OUT / "guest"
    call("gcc", "-std=gnu11", "-static", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/host-driver/include", f"-I{ROOT}/host-driver/lib", f"-I{ROOT}/build/include",
         "-o", made, *sorted((ROOT / "tests/driver/guest").glob("*.c")), OUT / "library/libturnstile.a")
    return made


def build_library() -> dict[str, str]:
    """Installs library, command and a library that is not of this tree; links the program of the user page as it says. What the guest's tests find where."""
    installed, other = OUT / "installed/usr", OUT / "other"
    registers = (ROOT / "build/include/niu_regs.h").read_text()
    other.mkdir(exist_ok=True)
    changed = re.sub(r"(#define HOST_BUILD_ID_VALUE\s+)NIU_U\(\w+\)", r"\1NIU_U(0x0badcafe)", registers)
    if not (other / "niu_regs.h").exists() or (other / "niu_regs.h").read_text() != changed:
        (other / "niu_regs.h").write_text(changed)
    make = ["make", "-s", "-C", ROOT / "host-driver"]
    call(*make, "install", f"OUT={OUT}/library", f"REGISTERS={ROOT}/build/include", f"DESTDIR={OUT}/installed", "PREFIX=/usr")
    call(*make, f"OUT={other}", f"REGISTERS={other}")
    config = ["env", f"PKG_CONFIG_PATH={installed}/lib/pkgconfig", f"PKG_CONFIG_SYSROOT_DIR={OUT}/installed", "pkg-config", "--cflags", "--libs", "turnstile"]
    source = ROOT / "tests/driver/user/first.c"
    call("gcc", "-Wall", "-Werror", "-o", OUT / "first-shared", source, *call(*config).split())
    call("gcc", "-Wall", "-Werror", "-static", "-o", OUT / "first-static", source, *call(*config, "--static").split())
    return {"TREE": str(ROOT), "PYTHON": sys.executable, "INSTALLED": str(installed), "TURNSTILE_LIBRARY": f"{installed}/lib/libturnstile.so.0",
            "OTHER_LIBRARY": f"{other}/libturnstile.so.0.1.0", "PROGRAMS": str(OUT)}


def archive(files: dict[str, tuple[int, bytes]]) -> bytes:
    """An initial file system in cpio's newc format: name -> mode and contents, or device numbers for a character device."""
    def entry(number: int, name: str, mode: int, data: bytes, major: int = 0, minor: int = 0) -> bytes:
        head = "070701" + "".join(f"{v:08x}" for v in (number, mode, 0, 0, 1, 0, len(data), 0, 0, major, minor, len(name) + 1, 0))
        start = head.encode() + name.encode() + b"\0"
        return start + b"\0" * (-len(start) % 4) + data + b"\0" * (-len(data) % 4)

    parts = [entry(1, "dev", stat.S_IFDIR | 0o755, b""), entry(2, "dev/console", stat.S_IFCHR | 0o600, b"", 5, 1)]
    parts += [entry(3 + i, name, mode, data) for i, (name, (mode, data)) in enumerate(files.items())]
    return b"".join(parts) + entry(0, "TRAILER!!!", 0, b"")


@dataclass
class Parts:
    kernel: Path             #: User-Mode Linux, a program; or the image that QEMU boots
    initrd: Path
    card: list[str]          #: turnstile-host with what its cards run
    library: dict[str, str]  #: what the tests of library and command find where
    qemu: Path | None        #: the folder of QEMU's files


@functools.cache
def built(protocol: str, kind: str, cards: str) -> Parts:
    """For a kernel of `kind`: "" or "debug" of User-Mode Linux, "debian" in QEMU. `cards`: "host", or "cards" that have wires."""
    qemu = Path(call("tools/host-qemu")) if kind == "debian" else None
    uml = None if qemu else Path(call("tools/host-kernel", *([kind] if kind else [])))
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        card, library = build_card(protocol, cards), build_library()
        library["FIRMWARE"] = card[1].removeprefix("firmware=")
        module = build_module(uml, "ARCH=um") if uml else build_module(next(qemu.glob("usr/src/linux-headers-*-cloud-amd64")))
        initrd = OUT / f"initrd{kind}-{cards}.gz"
        files = {"init": (stat.S_IFREG | 0o755, build_guest().read_bytes()), "turnstile.ko": (stat.S_IFREG | 0o644, module.read_bytes())}
        if cards == "cards": # which the guest starts
            files |= {"turnstile": (stat.S_IFREG | 0o755, build_command().read_bytes()), "firmware.elf": (stat.S_IFREG | 0o644, Path(library["FIRMWARE"]).read_bytes())}
        new = OUT / "initrd.new"
        new.write_bytes(gzip.compress(archive(files), 1))
        new.rename(initrd) # another guest may be reading the old one
    return Parts(uml / "linux" if uml else next(qemu.glob("boot/vmlinuz-*")), initrd, card, library, qemu)


def build_command() -> Path:
    """The command `turnstile`, for a guest without libraries."""
    made = OUT / "turnstile"
    driver = ROOT / "host-driver"
    call("gcc", "-std=gnu11", "-static", "-O1", f"-I{driver}/include", f"-I{driver}/lib", f"-I{ROOT}/build/include", "-o", made, *sorted((driver / "tools").glob("*.c")), OUT / "library/libturnstile.a")
    return made


def build_card(protocol: str, cards: str) -> list[str]:
    call("tools/sim-build", cards)
    firmware = Path(call("flock", "build/fw.lock", "python3", "tools/firmware.py", protocol))
    program = call("python3", "tools/app.py", "tests/driver/card")
    return [str(ROOT / "build/sim" / cards / "turnstile-host"), f"firmware={firmware}", f"names={firmware.parent}/names.txt", f"program={program}", "aps=1"]
