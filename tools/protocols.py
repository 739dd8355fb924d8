#!/usr/bin/env python3
"""Protocols of an image: finds them, reads their descriptors (fw/tempest/protocol.h) by compiling them for the workstation, and refuses in
words what no image can hold.

    tools/protocols.py                 the protocols of fw/protocols
    tools/protocols.py stache,update   their modes, messages, counters and services

A protocol is a name in fw/protocols, or the path of a C file or of a folder of them: file and descriptor have its name.
"""
import fcntl
import hashlib
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "fw/protocols"
#: Bounds of fw/tempest/protocol.h, by the words of a refusal.
MESSAGES, MODES, SERVICES, COUNTERS, PROTOCOLS, IMAGE_MODES, IMAGE_SERVICES = 24, 4, 8, 16, 8, 16, 16
TAGS = (1, 2, 3)


class Refused(Exception):
    """The image cannot be built; the message is the whole sentence for the user."""


@dataclass
class Message:
    number: int
    name: str
    channel: str
    data: bool
    handled: bool
    part: bool
    stage: str


@dataclass
class Protocol:
    name: str
    sources: list[Path]
    modes: list[tuple[str, str]] = field(default_factory=list)  # name, consistency
    messages: list[Message] = field(default_factory=list)
    counters: dict[int, str] = field(default_factory=dict)
    services: list[str] = field(default_factory=list)


def names() -> list[str]:
    """Protocols of this repository: folders, and single C files."""
    return sorted({p.stem for p in SHIPPED.iterdir() if p.is_dir() or p.suffix == ".c"})


def resolve(text: str) -> list[Protocol]:
    """The protocols that PROTOCOL= names, with commas between."""
    found = []
    for word in text.split(","):
        path = SHIPPED / word if word in names() and (SHIPPED / word).is_dir() else SHIPPED / f"{word}.c" if word in names() else Path(word).expanduser()
        if path.is_dir() and list(path.glob("*.c")):
            found.append(Protocol(path.resolve().name, sorted(path.resolve().glob("*.c"))))
        elif path.is_file() and path.suffix == ".c":
            found.append(Protocol(path.stem, [path.resolve()]))
        else:
            raise Refused(f"PROTOCOL={text}: '{word}' is no protocol: legal are {', '.join(names())}, or the path of a C file or of a folder of them; commas between several")
    return found


def image_name(text: str) -> str:
    """Folder of the image in build/fw: the protocols' names, and what tells apart two of one name."""
    protocols = resolve(text)
    name = "+".join(p.name for p in protocols)
    outside = [str(s) for p in protocols for s in p.sources if SHIPPED not in s.parents]
    return name + (f"-{hashlib.sha256(repr(outside).encode()).hexdigest()[:8]}" if outside else "")


def table(protocols: list[Protocol]) -> str:
    """The C file that lists an image's protocols."""
    listed = "".join(f"&{p.name}, " for p in protocols)
    return ('#include "tempest.h"\n' + "".join(f"extern const struct tt_protocol {p.name};\n" for p in protocols)
            + f"const struct tt_protocol *const tt_protocols[] = {{{listed}0}};\n")


def over(what: str, count: int, most: int, where: str) -> str:
    return f"{where} has {count} {what}, {count - most} more than {most}"


def describe(protocols: list[Protocol], folder: Path) -> None:
    """Fills in what the descriptors say. Compiles in `folder`."""
    for p in protocols:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", p.name):
            raise Refused(f"a protocol is called '{p.name}': a name has small letters, digits and _, a letter first")
    twice = sorted({p.name for p in protocols if sum(q.name == p.name for q in protocols) > 1})
    if twice:
        raise Refused(f"two protocols are called {twice[0]}: an image holds one of a name")
    if len(protocols) > PROTOCOLS:
        raise Refused(over("protocols", len(protocols), PROTOCOLS, "the image"))
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:  # runs side by side describe the same
        fcntl.flock(lock, fcntl.LOCK_EX)
        (folder / "table.c").write_text(table(protocols))
        program = folder / "describe"
        done = subprocess.run(
            ["gcc", "-std=c11", "-O0", "-w", "-no-pie", "-DTT_WORKSTATION", "-DTT_DESCRIBE", "-DTT_PROTOCOL_INDEX=0", f"-I{ROOT}/fw/niu/functions",
             f"-I{ROOT}/fw/tempest", f"-I{ROOT}/fw/services", *(str(s) for p in protocols for s in p.sources), str(folder / "table.c"),
             str(ROOT / "tools/protocol_list.c"), "-Wl,--unresolved-symbols=ignore-all", "-o", str(program)], capture_output=True, text=True)
        if done.returncode:
            raise Refused(f"{done.stderr.rstrip()}\nprotocols {', '.join(p.name for p in protocols)} do not compile (messages above)")
        read(protocols, subprocess.run([program], capture_output=True, text=True, check=True).stdout)
    for p in protocols:
        check(p)
    check_image(protocols)


def read(protocols: list[Protocol], text: str) -> None:
    here = iter(protocols)
    told = sum(line.startswith("protocol ") for line in text.splitlines())
    if told < len(protocols):  # the list of descriptors ends at one that is not there
        name = protocols[told].name
        raise Refused(f"protocol {name} has no descriptor: 'const struct tt_protocol {name}' (fw/tempest/protocol.h) is in none of its files")
    for line in text.splitlines():
        kind, *w = line.split(" ")
        if kind == "protocol":
            p = next(here)
            if w[0] != p.name:
                raise Refused(f"the descriptor of {p.name} has .name = {w[0]}: file, variable and .name are one word")
        elif kind == "mode":
            p.modes.append((w[1], w[2]))
        elif kind == "side":
            check_side(p, *w)
        elif kind == "message":
            p.messages.append(Message(int(w[0]), w[1], w[2], w[3] != "0", w[4] == "given", w[5] == "given", w[6]))
        elif kind == "counter":
            p.counters[int(w[0])] = w[1]
        elif kind == "service":
            if w[2] != "given":
                raise Refused(f"service {w[1]} of {p.name} has no handler")
            p.services.append(w[1])


def check_side(p: Protocol, side: str, read_: str, write: str, tag: str, state_bytes: str) -> None:
    where = f"mode {p.modes[-1][0]} of {p.name}, at {'its home' if side == 'home' else 'a copy'},"
    if read_ != "given" or write != "given":
        raise Refused(f"{where} has no handler of a {'load' if read_ != 'given' else 'store'} that its tag forbids")
    if int(tag) not in TAGS:
        raise Refused(f"{where} opens with tag {tag}: legal are TT_INVALID, TT_READ_ONLY, TT_READ_WRITE")
    if int(state_bytes) not in (1, 2, 4, 8, 16):
        raise Refused(f"{where} has {state_bytes} bytes of state a block: legal are 1, 2, 4, 8, 16")


def check(p: Protocol) -> None:
    for what, count, most in (("modes", len(p.modes), MODES), ("services", len(p.services), SERVICES), ("counters", max(p.counters, default=-1) + 1, COUNTERS),
                              ("message types (a number each, and one for early parts of data)", max((m.number + m.data for m in p.messages), default=-1) + 1, MESSAGES)):
        if count > most:
            raise Refused(over(what, count, most, f"protocol {p.name}"))
    if not p.modes:
        raise Refused(f"protocol {p.name} has no mode: no page could choose it")
    numbers = {m.number: m for m in p.messages}
    for m in p.messages:
        where = f"message {m.number} ({m.name}) of {p.name}"
        if m.name == "?" or m.channel == "?" or not m.handled:
            raise Refused(f"{where} lacks {'a name' if m.name == '?' else 'a channel: TT_LOW or TT_HIGH' if m.channel == '?' else 'a handler'}")
        if m.data and (m.number % 2 or m.channel == "low"):
            raise Refused(f"{where} carries data, so its {'number must be even' if m.number % 2 else 'channel must be high'}")
        if m.data and m.number + 1 in numbers:
            raise Refused(f"{where} carries data, so number {m.number + 1}, which {numbers[m.number + 1].name} has, is that of its early parts")
        if m.part and not m.data:
            raise Refused(f"{where} has a handler of parts, but no data")


def hashed(name: str) -> int:
    """FNV-1a, by which a program asks the firmware for a name (fw/services/calls.c)."""
    value = 0x811C9DC5
    for byte in name.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def check_image(protocols: list[Protocol]) -> None:
    for kind, found, most in (("mode", [m for p in protocols for m, _ in p.modes], IMAGE_MODES),
                              ("service", [f"{p.name}.{s}" for p in protocols for s in p.services], IMAGE_SERVICES)):
        if len(found) > most:
            raise Refused(over(kind + "s", len(found), most, "the image"))
        seen = {}
        for name in found:
            if name in seen.values():
                raise Refused(f"two {kind}s of the image are called {name}: programs could not tell them apart")
            if hashed(name) in seen:
                raise Refused(f"{kind}s {seen[hashed(name)]} and {name} have one hash: rename one")
            seen[hashed(name)] = name


def listing(protocols: list[Protocol]) -> str:
    """Names for the simulator: a line each, numbers as on the wire and in the counters' order."""
    lines, mode = [], 0
    for p in protocols:
        lines.append(f"protocol {p.name}")
        for name, consistency in p.modes:
            lines.append(f"mode {mode} {name} {consistency}")
            mode += 1
        for m in p.messages:
            lines.append(f"message {m.number} {m.name} {m.channel} {int(m.data)} {m.stage}")
        lines += [f"counter {i} {name}" for i, name in p.counters.items()]
        lines += [f"service {name}" for name in p.services]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    try:
        if len(sys.argv) == 1:
            print("\n".join(names()))
        else:
            chosen = resolve(sys.argv[1])
            describe(chosen, ROOT / "build/fw" / image_name(sys.argv[1]))
            print(listing(chosen), end="")
    except Refused as refused:
        sys.exit(print(f"protocols: {refused}", file=sys.stderr) or 2)
