"""How the DRAM of a site is divided for a run: MEMORY=, HEAP=, PRIVATE=, STACK=, and what the program asks for (contract §1)."""
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MB = 1 << 20
#: Least and most of each key, powers of two but for STACK, and its default in bytes; 0: what the others ask for.
RANGES = {"MEMORY": (16 * MB, 1024 * MB, 0), "HEAP": (2 * MB, 512 * MB, 0), "PRIVATE": (2 * MB, 64 * MB, 0), "STACK": (64 << 10, 32 * MB, 256 << 10)}
#: Of a site that is told nothing else: the RTL's own (turnstile.registers.MemoryLayout).
DEFAULT = {"memory": 16 * MB, "heap": 8 * MB, "private": 2 * MB}


class Refused(Exception):
    """The memory cannot be divided so; the message is the whole sentence for the user."""


def words(size: int) -> str:
    for unit, letter in ((1 << 30, "G"), (MB, "M"), (1 << 10, "K")):
        if size % unit == 0:
            return f"{size // unit}{letter}"
    return str(size)


def sizes(chosen: dict[str, str]) -> dict[str, int]:
    """Bytes of each key."""
    found = {}
    for key, (least, most, default) in RANGES.items():
        text = chosen[key]
        given = re.fullmatch(r"(\d+)([KMG])", text)
        size = int(given[1]) << {"K": 10, "M": 20, "G": 30}[given[2]] if given else default if not text else -1
        rule = "a multiple of 4K" if key == "STACK" else "a power of two"
        illegal = size % 4096 if key == "STACK" else size & (size - 1)
        if text and (illegal or not least <= size <= most):
            raise Refused(f"{key}={text} is not legal: {rule} from {words(least)} to {words(most)}, as {words(least)}")
        found[key] = size
    return found


def power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


@dataclass(frozen=True)
class Layout:
    """Bytes of DRAM, of the shared heap with the system's part behind it, of an aP's private window."""
    memory: int
    heap: int
    private: int

    def parameters(self) -> list[str]:
        """Of the RTL: those that are not its own."""
        return [f"{key}Bytes={getattr(self, key)}" for key in sorted(DEFAULT) if getattr(self, key) != (self.memory // 2 if key == "heap" else DEFAULT[key])]

    def options(self) -> list[str]:
        """Of the simulator."""
        return [f"{key}={getattr(self, key) // MB}" for key in DEFAULT]

    def link(self) -> dict[str, int]:
        """Of a program with GLOBALS=shared: where the shared heap is."""
        return {} if (self.memory, self.heap) == (DEFAULT["memory"], DEFAULT["heap"]) else {
            "TS_HEAP_BASE": 0x80000000 + self.memory - self.heap, "TS_HEAP_BYTES": self.heap - max(self.heap // 8, MB)}


def divide(chosen: dict[str, str], private: int) -> Layout:
    """The memory of a run whose program needs a window of `private` bytes."""
    size, aps = sizes(chosen), int(chosen["APS"])
    if size["PRIVATE"] and size["PRIVATE"] < private:
        raise Refused(f"PRIVATE={chosen['PRIVATE']} is too small for APP={chosen['APP']}, whose stack, code, globals and message queue need "
                      f"{words(private)}: legal are {words(private)} to 64M")
    private = max(size["PRIVATE"], private)
    windows = aps * private
    memory = size["MEMORY"] or max(16 * MB, 2 * size["HEAP"], power_of_two(windows + (size["HEAP"] or windows)))
    heap = size["HEAP"] or memory // 2
    if heap > memory // 2:
        raise Refused(f"HEAP={chosen['HEAP']} is more than half of MEMORY={words(memory)}: legal are 2M to {words(memory // 2)}, or MEMORY={words(2 * heap)}")
    if windows + heap > memory:
        need = power_of_two(windows + (size["HEAP"] or windows))
        raise Refused(f"MEMORY={words(memory)} is too small: private windows of {aps} aPs have {words(windows)}, the shared heap has {words(heap)}: "
                      f"legal are MEMORY={words(need)} to 1G, or a smaller PRIVATE= or HEAP=")
    return Layout(memory, heap, private)


def window_of(program: Path) -> int:
    """The least private window of an ELF: its stack, code and globals, and the message queue."""
    sys.path.insert(0, str(ROOT / "build/include"))
    import niu_regs

    listed = subprocess.run(["riscv64-unknown-elf-nm", program], capture_output=True, text=True, check=True).stdout
    end = int(re.search(r"^(\w+) \w __private_end$", listed, re.MULTILINE)[1], 16)
    return max(DEFAULT["private"], power_of_two(end - niu_regs.AP_PRIVATE_BASE + niu_regs.AP_MESSAGE_BYTES))
