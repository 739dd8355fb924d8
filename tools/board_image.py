#!/usr/bin/env python3
"""Builds what the memories of a board hold when it is configured: firmware and a program, as the loader of the simulator would leave them.

    tools/board_image.py BOARD [APP]

Writes instructions.image and data.image (the sP's RAMs), window.image (the aP's private window) into build/hw/BOARD/APP and prints that folder.
"""

import struct
import subprocess
import sys
from pathlib import Path

from elftools.elf.elffile import ELFFile

import boards

ROOT = boards.ROOT
KB, MB = 1 << 10, 1 << 20
#: Of turnstile.board.BoardParams: memory, and where the heap begins in it.
MEMORY, HEAP, PRIVATE = 4 * MB, 2 * MB, 2 * MB
#: Contract §8.
CONFIG_MAGIC, BLOCK_LOG2 = 0x54545543, 7
#: Behind the heap: 1024 messages of the one aP's Express queue (fw/site/overflow.c).
KEPT = 8 * KB


class Memory:
    """Bytes from `base` on, as far as something was put there."""

    def __init__(self, base: int, most: int, what: str):
        self.base, self.most, self.what, self.data = base, most, what, bytearray()

    def put(self, address: int, data: bytes) -> None:
        at = address - self.base
        if at < 0 or at + len(data) > self.most:
            raise boards.Refused(f"{self.what} ends at byte {at + len(data)}, legal are {self.most}")
        self.data.extend(bytes(max(0, at + len(data) - len(self.data))))
        self.data[at : at + len(data)] = data

    def write(self, file: Path, grain: int) -> None:
        text = bytes(self.data) + bytes(-len(self.data) % grain)
        if not file.exists() or file.read_bytes() != text:
            file.write_bytes(text)


class Program:
    def __init__(self, file: Path):
        elf = ELFFile(file.open("rb"))
        self.segments = [(s["p_vaddr"], s.data()) for s in elf.iter_segments() if s["p_type"] == "PT_LOAD" and s["p_filesz"]]
        self.symbols = {s.name: s["st_value"] for s in elf.get_section_by_name(".symtab").iter_symbols()}


def output(*command: object) -> Path:
    """What `command` prints last: a path."""
    done = subprocess.run(list(map(str, command)), cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise boards.Refused("the image is not made (messages above)")
    return Path(done.stdout.split()[-1])


def build(board: boards.Alone, app: str, out: Path) -> Path:
    """The image of `board` with the program `app`, in a folder of `out`."""
    subprocess.run([ROOT / "tools/niuheader"], check=True)
    sys.path.insert(0, str(ROOT / "build/include"))
    import niu_regs as regs

    firmware = Program(output("flock", "build/fw.lock", sys.executable, "tools/firmware.py", "stache"))
    file = output(sys.executable, "tools/app.py", app, f"--link=TS_STACK={board.stack * KB}")
    program = Program(file)
    window, there = regs.AP_PRIVATE_BASE, board.window * KB
    if program.symbols["__private_end"] > window + there:
        raise boards.Refused(f"APP={app} needs {program.symbols['__private_end'] - window} bytes of its window for stack, code and globals; {board.name} has {there}")
    heap = regs.MEMORY_BASE + HEAP
    heap_end = heap + board.heap * KB - KEPT

    parts = {
        "instructions": Memory(regs.SP_IRAM_BASE, regs.SP_IRAM_BYTES, "the firmware's code"),
        "data": Memory(regs.SP_DRAM_BASE, regs.SP_DRAM_BYTES, "the firmware's data"),
        "window": Memory(window, there, f"APP={app}"),
    }
    for address, data in firmware.segments:
        parts["data" if address >= regs.SP_DRAM_BASE else "instructions"].put(address, data)
    config = [CONFIG_MAGIC, 1, 1, BLOCK_LOG2, 0, heap, heap_end, regs.MEMORY_BASE + MEMORY, PRIVATE, 0]
    parts["data"].put(firmware.symbols["tt_config"], struct.pack("<10I", *config))
    for address, data in program.segments:
        parts["window"].put(address, data)
    # No arguments; what the program may have of heap and window is what is there.
    parts["window"].put(program.symbols["__tt_memory"], struct.pack("<3I", heap, heap_end, window + there))
    folder = out / file.name.rsplit("-", 1)[0]
    folder.mkdir(parents=True, exist_ok=True)
    for name, memory in parts.items():
        memory.write(folder / f"{name}.image", 16)
    return folder


def main() -> int:
    try:
        board = boards.board(sys.argv[1])
        if not isinstance(board, boards.Alone):
            raise boards.Refused(f"{board.name} is a card: its host writes its memories")
        print(build(board, sys.argv[2] if len(sys.argv) > 2 else board.program, board.out))
    except boards.Refused as refused:
        print(f"board: {refused}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
