#!/usr/bin/env python3
"""Instructions of a handler from its first to the one that others wait for: the store that launches a command or sends a message, on the
shortest way there.

    tools/handlers.py build/fw/stache/firmware.elf stache_get_ro stache_data_ro
"""
import re
import subprocess
import sys
from collections import deque
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OBJDUMP = "riscv64-unknown-elf-objdump"
#: Registers whose stores start something: LAUNCH of each operation, and ASK_HOME (build/include/niu_regs.h).
LAUNCH, ASK_HOME = range(0x80, 0xA0), range(0x100, 0x180)


def listing(elf: Path, function: str) -> dict[int, tuple[str, str]]:
    """Address -> (operation, operands)."""
    text = subprocess.run([OBJDUMP, "-d", f"--disassemble={function}", str(elf)], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^ +([0-9a-f]+):\t[0-9a-f ]+\t([\w.]+)(?:\t([^\n#]*))?", text, re.MULTILINE)
    if not found:
        sys.exit(f"handlers: {elf} has no function {function}")
    return {int(at, 16): (operation, operands or "") for at, operation, operands in found}


def starts(operation: str, operands: str) -> bool:
    offset = re.search(r",(-?\d+)\(", operands)
    return operation == "sw" and bool(offset) and (int(offset[1]) in LAUNCH or int(offset[1]) in ASK_HOME)


def instructions(elf: Path, function: str) -> int:
    code = listing(elf, function)
    order = sorted(code)
    after = dict(zip(order, order[1:]))
    first = order[0]
    seen, waiting = {first}, deque([(first, 1)])
    while waiting:
        at, count = waiting.popleft()
        operation, operands = code[at]
        if starts(operation, operands):
            return count
        target = re.search(r"\b([0-9a-f]+) <", operands)
        ways = [int(target[1], 16)] if target and operation[0] in "bj" else []
        if operation not in ("ret", "j", "jr"):
            ways.append(after.get(at, -1))
        for way in ways:
            if way in code and way not in seen:
                seen.add(way)
                waiting.append((way, count + 1))
    sys.exit(f"handlers: {function} of {elf} starts nothing")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(print(__doc__.strip(), file=sys.stderr) or 2)
    for name in sys.argv[2:]:
        print(name, instructions(Path(sys.argv[1]), name))
