"""Shared memory by software on the aPs (SOFT=, docs/design/soft.md): what a run of it may be, and its part of the runtime."""
import re
import subprocess
from pathlib import Path

import protocols

ROOT = Path(__file__).resolve().parent.parent
APPS, FW = ROOT / "apps", ROOT / "fw"
#: The sP's page mode of such a run.
PAGES = APPS / "soft/pages/soft.c"
#: gcc puts a call before each load and store; string functions are those of apps/soft/strings.c, not gcc's own.
CHECKED = ["-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0",
           *(f"-fno-builtin-{name}" for name in ("memcpy", "memmove", "memset", "memcmp", "memchr", "mempcpy", "strlen", "strnlen", "strcpy", "stpcpy", "strncpy", "strcat",
                                                 "strncat", "strcmp", "strncmp", "strchr", "strrchr"))]
#: Of the runtime, what lies in shared memory is used by these.
CHECKED_SOURCES = {"events.c", "heap.c", "monitor.c", "sync.c", "process.c"}
#: Protocols that take a block away again after one access.
VISITS = {"numa"}
#: Calls of a program that need the queues of its aP.
QUEUES = re.compile(r"\b(ts_(?:express|basic|tagon|onepoll|queue|dma|call)\w*)$", re.MULTILINE)


class Refused(Exception):
    """The run cannot be; the message is the whole sentence for the user."""


def settle(chosen: dict[str, str], defaults: dict[str, str]) -> dict[str, str]:
    """The settings of a run with SOFT=, or a refusal in words."""
    soft = chosen["SOFT"]
    try:
        found = protocols.resolve(soft)
    except protocols.Refused as refused:
        raise Refused(str(refused).replace("PROTOCOL=", "SOFT=")) from None
    if len(found) != 1:
        raise Refused(f"SOFT={soft} is not legal: one protocol, which all pages of the run have")
    for key, legal, why in (("APS", "1", "the aP of a site has the protocol, so a site has one"),
                            ("PROTOCOL", defaults["PROTOCOL"], "the protocol of the aPs is SOFT='s, and that of the sPs only opens pages"),
                            ("GLOBALS", "private", "stacks in shared memory are not checked"),
                            ("HOMES", "round-robin", "the first touch of a page is not seen"),
                            ("USERMODE", "0", "the protocol is part of the program"),
                            ("ATOMICS", "0", "checked programs are built for rv32im"), ("FPU", "0", "checked programs are built for rv32im"),
                            ("MEMORY", "", "software tags are for the heap of a site with 16M"), ("HEAP", "", "software tags are for the heap of a site with 16M"),
                            ("FIRMWARE", "", "the sPs' image is that of pages kept by software"), ("REPLAY", "", "a plan is one of the sPs' protocols")):
        if chosen[key] != legal:
            raise Refused(f"{key}={chosen[key]} is not legal with SOFT={soft}: {why}; legal is {key}={legal}")
    if found[0].name in VISITS:
        raise Refused(f"SOFT={soft} is not legal: its sites have a block for one access at a time, and a copy from block to block needs two; legal are migratory, stache, or a path")
    try:
        protocols.describe(found, ROOT / "build/fw" / f"soft-of-{protocols.image_name(soft)}")
    except protocols.Refused as refused:
        raise Refused(str(refused)) from None
    for mode, promises in found[0].modes:
        if promises != "sequential":
            raise Refused(f"SOFT={soft} is not legal: its mode {mode} promises less than sequential consistency, which is what the run is compared with")
    return {**chosen, "PROTOCOL": str(PAGES)}


def kind(soft: str) -> str:
    return f"-soft-{protocols.image_name(soft)}"


def link(block: str) -> dict[str, int]:
    """Macros of apps/runtime/link.ld."""
    return {"TS_SOFT_BLOCK_LOG2": int(block).bit_length() - 1}


def uses_queues(objects: list[str]) -> str:
    """A function of the program's that a run by software does not have, or nothing."""
    done = subprocess.run(["riscv64-unknown-elf-nm", "-u", *objects], capture_output=True, text=True, check=True)
    found = QUEUES.search(done.stdout)
    return found[1] if found else ""


def inputs(soft: str) -> list[Path]:
    sources = [s for p in protocols.resolve(soft) for s in p.sources]
    return [*sources, *(h for s in sources for h in s.parent.glob("*.h")), *(p for part in ("tempest", "niu/functions", "services") for p in (FW / part).glob("*.[ch]")),
            *(APPS / "soft").glob("*.[ch]"), Path(__file__)]


def checked(source: Path) -> list[str]:
    """Flags of a source of the runtime."""
    return ["-DTS_SOFT", *(CHECKED if source.name in CHECKED_SOURCES else [])]


def objects(soft: str, out: Path) -> list[tuple[Path, Path, list[str]]]:
    """Source, object and its own flags of the protocol and of what it runs on."""
    chosen = protocols.resolve(soft)
    protocols.describe(chosen, out / "protocol")
    firmware = ["-DTT_SOFT", *(f"-I{FW / part}" for part in ("niu/functions", "tempest", "services")), "-Wno-missing-field-initializers", "-Wno-unused-parameter"]
    found = [(s, out / f"soft_{s.stem}.o", CHECKED if s.stem == "strings" else firmware if s.stem == "engine" else ["-DTS_SOFT"]) for s in sorted((APPS / "soft").glob("*.c"))]
    found += [(s, out / f"soft_tempest_{s.stem}.o", firmware) for s in sorted((FW / "tempest").glob("*.c"))]
    found += [(out / "protocol/table.c", out / "soft_table.o", firmware)]
    return found + [(s, out / f"soft_protocol_{s.stem}.o", [*firmware, "-DTT_PROTOCOL_INDEX=0"]) for s in chosen[0].sources]
