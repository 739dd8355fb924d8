#!/usr/bin/env python3
"""Boots Linux guests with the driver and the card (docs/design/host.md): User-Mode Linux, or Debian's kernel in QEMU.

    tools/host.py                          builds what is missing, runs the tests of tests/driver/guest, prints the guest's console
    tools/host.py HOSTS=2                  two guests, each with the card of a site of one cluster: tests/driver/guest/cluster.c
    tools/host.py TESTS=user               the tests of library and command, tests/driver/user
    tools/host.py KERNEL=debian            Debian's own kernel in QEMU: processes map the card
    tools/host.py ANSWER=0x4:0xdeadbeef    the same with a card that answers so: the driver must refuse it

Keys are those of `make host-run`; KEYS below says what each takes. Exit status: 0 all passed; 1 not; 2 bad input, or nothing to run with.
"""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from host_build import Parts, Refused, built

KEYS = {
    "ANSWER": ("", "for tests: OFFSET:VALUE, what a load of a word of BAR0 reads"),
    "SEED": ("1", "of the guest's random ioctls"),
    "TIMEOUT": ("300", "seconds after which guests are stopped"),
    "CABLE": ("", "1: two guests, whose cards have a wire in place of links, which their drivers set, and a cable between"),
    "HOSTS": ("1", "guests, 1 to 8, each with the card of its site"),
    "KERNEL": ("", "debug: a kernel that checks memory, locks, DMA and leaks; debian: Debian's own in QEMU, which maps the card"),
    "TESTS": ("", "driver; user: of library and command; bench: the cycles of a message; cluster: what several guests run, mapped: what KERNEL=debian runs, and nothing else does"),
    "LINE": ("", "for tests: more words of the guest's kernel command line; pci=nomsi: it has no interrupts for the card"),
    "PROTOCOL": ("stache", "protocols of the card's firmware, commas between"),
}
#: The guest's kernel has gone wrong, whatever the tests say.
BROKEN = re.compile(r"Kernel panic|Oops:|BUG:|WARNING:|KASAN:|general protection fault|Call Trace:")

#: What a guest may ask for itself on its console; it is not waited for then.
SIGNALS = {"guest: kill me": signal.SIGKILL, "guest: stop me": signal.SIGSTOP}

#: User-Mode Linux itself, 6.1: after a fork it walks a process' maps without RCU (arch/um/kernel/tlb.c). Lock checking says so twice a boot.
KNOWN = re.compile(r"WARNING: suspicious RCU usage\n.*\n-+\nlib/maple_tree\.c(?:.*\n)*?.*\? fork_handler.*\n.*\? fork_handler.*\n")


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
    def good(self) -> bool:
        """All passed, or it asked to be ended before the last."""
        asked = any(line in self.console for line in SIGNALS)
        return not self.broken and "guest: FAILED" not in self.console and (asked or bool(self.summary and self.summary[1] == 0))

    def benches(self) -> dict[str, float]:
        """Cycles of the card, of TESTS=bench."""
        return {name: float(cycles) for name, cycles in re.findall(r"^bench: (\w+) +(\d+\.\d) cycles", self.console, re.MULTILINE)}

    @property
    def broken(self) -> bool:
        return bool(BROKEN.search(KNOWN.sub("", self.console)))

    def last(self, lines: int = 40) -> str:
        return "\n".join(["the console's last lines:", *self.console.splitlines()[-lines:], "turnstile-host:", *self.card.splitlines()[-10:]])


def ended(process: subprocess.Popen, seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def uml(parts: Parts, card: str, name: str, folder: str, words: list[str], log) -> subprocess.Popen:
    arguments = ["mem=256M", f"initrd={parts.initrd}", f"virtio_uml.device={card}:1234", "con0=null,fd:1", "panic=-1", "oops=panic", f"umid={name}", f"uml_dir={folder}", *words]
    return subprocess.Popen([parts.kernel, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)


def qemu(parts: Parts, card: str, folder: str, words: list[str], log) -> subprocess.Popen:
    """One processor: QEMU's proxy drops what a second asks of the card while the first waits. Without KVM, which halves loads of 8 bytes."""
    root = parts.qemu
    here = root / "usr/bin/qemu-system-x86_64"
    libraries = os.pathsep.join(f"{root}/{place}/x86_64-linux-gnu" for place in ("usr/lib", "lib"))
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(card)
        command = [here, "-L", root / "usr/share/qemu", "-L", root / "usr/share/seabios", "-nodefaults", "-no-user-config", "-accel", "tcg", "-m", "256M",
                   "-machine", "pc,memory-backend=memory", "-object", "memory-backend-memfd,id=memory,size=256M,share=on", "-nographic", "-no-reboot",
                   "-serial", "stdio", "-serial", f"file:{folder}/tests", "-kernel", parts.kernel, "-initrd", parts.initrd, "-append", " ".join(["console=ttyS0", "quiet", "panic=-1", "oops=panic", *words]),
                   "-qtest", f"unix:{folder}/qtest,server=on,wait=off", "-qtest-log", "none", "-device", f"x-pci-proxy-dev,fd={line.fileno()},id=card"]
        return subprocess.Popen(command, pass_fds=[line.fileno()], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                                env={**os.environ, "LD_LIBRARY_PATH": libraries})


def chosen_of(settings: dict[str, str]) -> dict[str, str]:
    """All settings, checked."""
    chosen = {key: settings.get(key, default) for key, (default, _) in KEYS.items()}
    debian, hosts = chosen["KERNEL"] == "debian", chosen["HOSTS"]
    if not re.fullmatch("[1-8]", hosts):
        raise Refused(f"HOSTS={hosts} is not legal: 1 to 8 guests")
    if chosen["CABLE"] not in ("", "1") or chosen["CABLE"] and hosts != "2":
        raise Refused(f"CABLE={chosen['CABLE']} HOSTS={hosts} is not legal: a cable is between HOSTS=2, CABLE=1")
    tests = chosen["TESTS"] = chosen["TESTS"] or ("mapped" if debian else "driver" if hosts == "1" else "cluster")
    only = {"mapped": debian, "cluster": hosts != "1"}
    if tests not in ("driver", "user", "bench", *only) or any(holds != (tests == name) for name, holds in only.items()) or debian and chosen["ANSWER"]:
        raise Refused(f"TESTS={tests} HOSTS={hosts} KERNEL={chosen['KERNEL']} ANSWER={chosen['ANSWER']} is not legal: TESTS is driver, user or bench; "
                      "cluster with HOSTS of 2 or more, which takes no other; or mapped with KERNEL=debian, which takes no ANSWER")
    return chosen


def wait_for(guests: list[subprocess.Popen], consoles: list[Path], seconds: float) -> list[bool]:
    """Until all have ended but those that asked for a signal; then none is left. Which had to be stopped."""
    end, asked = time.monotonic() + seconds, set()
    while waiting := [k for k, guest in enumerate(guests) if guest.poll() is None and k not in asked]:
        if time.monotonic() > end:
            break
        for k in waiting:
            for line, number in SIGNALS.items():
                if line in consoles[k].read_text(errors="replace"):
                    os.killpg(guests[k].pid, number)
                    asked.add(k)
        time.sleep(0.05)
    for guest in guests:
        if guest.poll() is None:
            os.killpg(guest.pid, signal.SIGKILL) # the guest's processes are its own
            guest.wait()
    return [k in waiting for k in range(len(guests))]


def boots(settings: dict[str, str]) -> list[Run]:
    """What became of each guest, by site."""
    chosen = chosen_of(settings)
    debian, hosts = chosen["KERNEL"] == "debian", int(chosen["HOSTS"])
    parts = built(chosen["PROTOCOL"], chosen["KERNEL"], "cards" if chosen["CABLE"] else "host")
    answer = [f"answer={chosen['ANSWER']}"] if chosen["ANSWER"] else []
    held = ["held=1"] if chosen["TESTS"] == "user" or chosen["CABLE"] else [] # the guest starts the card
    with tempfile.TemporaryDirectory(prefix="turnstile-") as folder: # a Unix socket's path is short
        cards, said = [f"{folder}/card{site}" for site in range(hosts)], Path(folder) / "said"
        sockets = [f"qemu={cards[0]}", f"qtest={folder}/qtest"] if debian else [f"socket={card}" for card in cards]
        with said.open("w") as log:
            server = subprocess.Popen([*parts.card, f"sites={hosts}", *answer, *held, *sockets], stdout=log, stderr=subprocess.STDOUT)
        try:
            while not re.search("cards? waits?", said.read_text()):
                if ended(server, 0.05):
                    raise Refused(f"turnstile-host ended: {said.read_text().strip()}")
            words = [*chosen["LINE"].split(), f"SEED={chosen['SEED']}", *([] if debian else [f"{key}={value}" for key, value in parts.library.items()]), "--", "refused" if answer else chosen["TESTS"]]
            consoles, guests = [Path(folder) / f"console{site}" for site in range(hosts)], []
            for site, console in enumerate(consoles):
                with console.open("w") as log:
                    mine = [f"SITE={site}", f"SITES={hosts}", *words]
                    guests.append(qemu(parts, cards[site], folder, mine, log) if debian else uml(parts, cards[site], f"card{os.getpid()}-{site}", folder, mine, log))
            stopped = wait_for(guests, consoles, float(chosen["TIMEOUT"]))
            ended(server, 5)
            runs = []
            for guest, console, late in zip(guests, consoles, stopped):
                apart = Path(folder) / "tests"
                text = (console.read_text(errors="replace") + (apart.read_text(errors="replace") if apart.exists() else "")).replace("\r", "")
                runs.append(Run(guest.returncode, text + (f"\nhost: stopped after {chosen['TIMEOUT']} s\n" if late else ""), said.read_text()))
            return runs
        finally:
            server.kill()
            server.wait()


def boot(settings: dict[str, str]) -> Run:
    """Of one guest."""
    (run,) = boots(settings)
    return run


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
        runs = boots(settings)
    except Refused as refused:
        print(f"host: {refused}", file=sys.stderr)
        return 2
    for site, run in enumerate(runs):
        print(f"host: site {site}:\n{run.console}" if len(runs) > 1 else run.console, end="")
    print(runs[0].card, end="")
    print(f"host: {time.monotonic() - begin:.1f} s")
    if settings.get("TESTS") == "bench":
        return 0 if runs[0].benches() and not runs[0].broken else 1
    good = all(run.good for run in runs)
    return 0 if good or "ANSWER" in settings else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
