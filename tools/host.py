#!/usr/bin/env python3
"""Boots a Linux guest with the driver and the card (docs/design/host.md): User-Mode Linux, its PCI bus joined to turnstile-host.

    tools/host.py                          builds what is missing, runs the tests of tests/driver/guest, prints the guest's console
    tools/host.py TESTS=user               the tests of library and command, tests/driver/user
    tools/host.py ANSWER=0x4:0xdeadbeef    the same with a card that answers so: the driver must refuse it

Keys are those of `make host-run`; KEYS below says what each takes. Exit status: 0 all passed; 1 not; 2 bad input, or nothing to run with.
"""
import fcntl
import functools
import gzip
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build/driver"
KEYS = {
    "ANSWER": ("", "for tests: OFFSET:VALUE, what a load of a word of BAR0 reads"),
    "SEED": ("1", "of the guest's random ioctls"),
    "TIMEOUT": ("300", "seconds after which the guest is stopped"),
    "KERNEL": ("", "debug: a kernel that checks memory, locks, DMA and leaks"),
    "TESTS": ("driver", "driver, or user: of library and command"),
    "PROTOCOL": ("stache", "protocols of the card's firmware, commas between"),
}
#: The guest's kernel has gone wrong, whatever the tests say.
BROKEN = re.compile(r"Kernel panic|Oops:|BUG:|WARNING:|KASAN:|general protection fault|Call Trace:")

#: User-Mode Linux itself, 6.1: after a fork it walks a process' maps without RCU (arch/um/kernel/tlb.c). Lock checking says so twice a boot.
KNOWN = re.compile(r"WARNING: suspicious RCU usage\n.*\n-+\nlib/maple_tree\.c(?:.*\n)*?.*\? fork_handler.*\n.*\? fork_handler.*\n")


class Refused(Exception):
    """There is nothing to run; the message is the whole sentence for the user."""


@dataclass
class Run:
    status: int     #: of the kernel's program
    console: str
    card: str       #: what turnstile-host said

    @property
    def summary(self) -> tuple[int, int] | None:
        """Tests that passed and failed, if the guest came to its end."""
        found = re.search(r"^guest: (\d+) passed, (\d+) failed", self.console, re.MULTILINE)
        return (int(found[1]), int(found[2])) if found else None

    @property
    def broken(self) -> bool:
        return bool(BROKEN.search(KNOWN.sub("", self.console)))

    def last(self, lines: int = 40) -> str:
        return "\n".join(["the console's last lines:", *self.console.splitlines()[-lines:], "turnstile-host:", *self.card.splitlines()[-10:]])


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


def build_module(kernel: Path) -> Path:
    """In a copy: Kbuild leaves what it makes beside the sources."""
    copy = OUT / kernel.name
    copied(ROOT / "host-driver/kernel", copy / "kernel")
    copied(ROOT / "host-driver/include", copy / "include")
    call("make", "-s", "-C", kernel, "ARCH=um", f"M={copy}/kernel", f"REGISTERS={ROOT}/build/include", "modules")
    return copy / "kernel/turnstile.ko"


def build_guest() -> Path:
    made = OUT / "guest"
    call("gcc", "-std=gnu11", "-static", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/host-driver/include", f"-I{ROOT}/build/include",
         "-o", made, *sorted((ROOT / "tests/driver/guest").glob("*.c")))
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


@functools.cache
def built(protocol: str, kind: str) -> tuple[Path, Path, list[str], dict[str, str]]:
    """The kernel's program, its initial file system, turnstile-host with what it runs, and where library and command are."""
    kernel = Path(call("tools/host-kernel", *([kind] if kind else [])))
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        initrd = OUT / f"initrd{kind}.gz"
        return kernel / "linux", initrd, build_all(kernel, protocol, initrd), build_library()


def build_all(kernel: Path, protocol: str, initrd: Path) -> list[str]:
    call("tools/sim-build", "host")
    firmware = Path(call("flock", "build/fw.lock", "python3", "tools/firmware.py", protocol))
    program = call("python3", "tools/app.py", "tests/driver/card")
    module, guest = build_module(kernel), build_guest()
    files = {"init": (stat.S_IFREG | 0o755, guest.read_bytes()), "turnstile.ko": (stat.S_IFREG | 0o644, module.read_bytes())}
    new = OUT / "initrd.new"
    new.write_bytes(gzip.compress(archive(files), 1))
    new.rename(initrd) # another guest may be reading the old one
    return [str(ROOT / "build/sim/host/turnstile-host"), f"firmware={firmware}", f"names={firmware.parent}/names.txt", f"program={program}", "sites=1", "aps=1"]


def ended(process: subprocess.Popen, seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def boot(settings: dict[str, str]) -> Run:
    chosen = {key: settings.get(key, default) for key, (default, _) in KEYS.items()}
    kernel, initrd, card, library = built(chosen["PROTOCOL"], chosen["KERNEL"])
    answer = [f"answer={chosen['ANSWER']}"] if chosen["ANSWER"] else []
    with tempfile.TemporaryDirectory(prefix="turnstile-") as folder: # a Unix socket's path is short
        socket, said = f"{folder}/card", Path(folder) / "said"
        with said.open("w") as log:
            server = subprocess.Popen([*card, *answer, f"socket={socket}"], stdout=log, stderr=subprocess.STDOUT)
        try:
            while "the card waits" not in said.read_text():
                if ended(server, 0.05):
                    raise Refused(f"turnstile-host ended: {said.read_text().strip()}")
            arguments = ["mem=256M", f"initrd={initrd}", f"virtio_uml.device={socket}:1234", "con0=null,fd:1", "panic=-1", "oops=panic", f"umid=card{os.getpid()}",
                         f"uml_dir={folder}", f"SEED={chosen['SEED']}", *(f"{key}={value}" for key, value in library.items()),
                         "--", "refused" if chosen["ANSWER"] else chosen["TESTS"]]
            console = Path(folder) / "console"
            with console.open("w") as log:
                guest = subprocess.Popen([kernel, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
            stopped = not ended(guest, float(chosen["TIMEOUT"]))
            if stopped:
                os.killpg(guest.pid, signal.SIGKILL) # the guest's processes are its own
                guest.wait()
            text = console.read_text(errors="replace")
            if stopped:
                text += f"\nhost: stopped after {chosen['TIMEOUT']} s\n"
            ended(server, 5)
        finally:
            server.kill()
            server.wait()
        return Run(guest.returncode, text, said.read_text())


def main(arguments: list[str]) -> int:
    settings = {}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or key not in KEYS:
            print(f"host: '{argument}' is not known; the keys are {', '.join(KEYS)}", file=sys.stderr)
            return 2
        if value:
            settings[key] = value
    begin = time.monotonic()
    try:
        run = boot(settings)
    except Refused as refused:
        print(f"host: {refused}", file=sys.stderr)
        return 2
    print(run.console, run.card, sep="")
    print(f"host: {time.monotonic() - begin:.1f} s")
    good = run.summary and run.summary[1] == 0 and not run.broken
    return 0 if good or "ANSWER" in settings else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
