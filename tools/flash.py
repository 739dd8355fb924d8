#!/usr/bin/env python3
"""Writes the newest bitstream of a board into its flash, or into the FPGA alone, and has it read back: with openFPGALoader, a card's with Vivado.

    tools/flash.py BOARD [--ram] [--dry]

--ram: until the board loses its power. --dry: prints the command, runs nothing. Exit status 2 and one sentence when something is missing or of another board.
"""

import argparse
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import boards
import vivado


def newest(board: boards.Board) -> Path:
    made = sorted(board.out.glob(f"turnstile-{board.name}-*.bit"), key=lambda file: file.stat().st_mtime)
    if not made:
        raise boards.Refused(f"there is no bitstream of {board.name}: `make bitstream BOARD={board.name}` makes it")
    return made[-1]


def header(bit: Path) -> dict[str, str]:
    """Fields of a .bit file of Vivado: a (design and options), b (device), c, d."""
    data = bit.read_bytes()[:4096]
    found, at = {}, 2 + int.from_bytes(data[:2], "big") + 2
    while at + 3 <= len(data) and data[at : at + 1] in (b"a", b"b", b"c", b"d"):
        length = int.from_bytes(data[at + 1 : at + 3], "big")
        found[chr(data[at])] = data[at + 3 : at + 3 + length].rstrip(b"\0").decode("ascii", "replace")
        at += 3 + length
    return found


def first_address(mcs: Path) -> int:
    """Of what an Intel hex file writes; -1 if it writes nothing."""
    above = 0
    for line in mcs.read_text().splitlines():
        kind = line[7:9]
        if kind == "04":
            above = int(line[9:13], 16) << 16
        elif kind == "00":
            return above + int(line[3:7], 16)
    return -1


def of_card(board: boards.Card, bit: Path, ram: bool) -> str:
    """Settings of hw/flow/flash.tcl, if the files are the board's and leave the factory's image alone."""
    fields = header(bit)
    design, _, options = fields.get("a", "").partition(";")
    plain = [name.removeprefix("xc").replace("-", "") for name in (fields.get("b", ""), board.device)]
    build = bit.stem.rsplit("-", 1)[-1]
    if design != board.name or not plain[0] or not plain[1].startswith(plain[0]):
        raise boards.Refused(f"{bit.name} is design {design or 'none'} for {fields.get('b') or 'no device'}, {board.name} is {board.device}: make it anew with `make bitstream BOARD={board.name}`")
    if f"userid=0x{build}" not in options.lower():
        raise boards.Refused(f"{bit.name} says {options or 'no build id'} inside: another file has been given its name")
    mcs = bit.with_suffix(".mcs")
    if not ram:
        if not mcs.exists():
            raise boards.Refused(f"there is no {mcs.name} beside {bit.name}: make it anew with `make bitstream BOARD={board.name}`, or RAM=1")
        if first_address(mcs) < board.image:
            raise boards.Refused(f"{mcs.name} would write from 0x{max(first_address(mcs), 0):08x} on, legal is 0x{board.image:08x}: below is the factory's image, from which the card starts when ours is damaged")
    return vivado.settings({"chip": board.device.split("-")[0], "cfgmem": board.cfgmem, "bit": bit, "mcs": mcs, "ram": int(ram)})


def alone(board: boards.Alone, ram: bool) -> list[str]:
    return ["openFPGALoader", "--board", board.loader, *(["--write-sram"] if ram else ["--write-flash", "--verify"]), str(newest(board))]


def prepared(board: boards.Board, ram: bool) -> list[str]:
    """The command that writes."""
    if isinstance(board, boards.Alone):
        return alone(board, ram)
    (board.out / "settings.tcl").write_text(of_card(board, newest(board), ram))
    return vivado.command("flash.tcl", "flash.log")


#: Who has the tool, and what may be wrong when it fails.
TOOLS = {"openFPGALoader": "apt-get install openfpgaloader", "vivado": "AMD has it; Vivado Lab Edition is enough; source its settings64.sh"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board")
    parser.add_argument("--ram", action="store_true")
    parser.add_argument("--dry", action="store_true")
    args = parser.parse_args()
    try:
        board = boards.board(args.board)
        asked = prepared(board, args.ram)
        print(shlex.join(asked))
        if args.dry:
            return 0
        if not shutil.which(asked[0]):
            raise boards.Refused(f"{asked[0]} is not installed: {TOOLS[asked[0]]}, or DRY=1 for the command alone")
        if subprocess.run(asked, cwd=board.out).returncode:
            raise boards.Refused(f"{asked[0]} failed (its words above): is {args.board} on, is its USB cable for JTAG plugged in, may you open it?")
    except boards.Refused as refused:
        print(f"flash: {refused}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
