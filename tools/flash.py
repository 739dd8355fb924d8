#!/usr/bin/env python3
"""Writes the newest bitstream of a board into its flash, or into the FPGA alone, with openFPGALoader, which reads it back.

    tools/flash.py BOARD [--ram] [--dry]

--ram: until the board loses its power. --dry: prints the command, runs nothing. Exit status 2 and one sentence when something is missing.
"""

import argparse
import shlex
import shutil
import subprocess
import sys

import boards


def command(board: boards.Board, ram: bool) -> list[str]:
    made = sorted(board.out.glob(f"turnstile-{board.name}-*.bit"), key=lambda file: file.stat().st_mtime)
    if not made:
        raise boards.Refused(f"there is no bitstream of {board.name}: `make bitstream BOARD={board.name}` makes it")
    return ["openFPGALoader", "--board", board.loader, *(["--write-sram"] if ram else ["--write-flash", "--verify"]), str(made[-1])]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board")
    parser.add_argument("--ram", action="store_true")
    parser.add_argument("--dry", action="store_true")
    args = parser.parse_args()
    try:
        asked = command(boards.board(args.board), args.ram)
        print(shlex.join(asked))
        if args.dry:
            return 0
        if not shutil.which(asked[0]):
            raise boards.Refused("openFPGALoader is not installed: apt-get install openfpgaloader, or DRY=1 for the command alone")
        if subprocess.run(asked).returncode:
            raise boards.Refused(f"openFPGALoader failed (its words above): is {args.board} on, is its USB cable for JTAG plugged in, may you open it?")
    except boards.Refused as refused:
        print(f"flash: {refused}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
