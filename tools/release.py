#!/usr/bin/env python3
"""Packs the newest bitstream of a card with the driver that knows it: build/hw/BOARD/turnstile-BOARD-VERSION-BUILDID.tar.gz.

    tools/release.py BOARD

In it: bitstream, flash image, reports of Vivado, host-driver/ and the register header that its build id is of, SHA256SUMS. Two runs on the same
files make the same bytes. Exit status 2 and one sentence when something is missing.
"""

import gzip
import hashlib
import io
import sys
import tarfile
from pathlib import Path

import bitstream
import boards
import flash

REPORTS = ["timing.rpt", "utilization.rpt", "cdc.rpt", "methodology.rpt", "drc.rpt"]


def contents(board: boards.Card) -> dict[str, bytes]:
    """Files by their names in the package."""
    bit = flash.newest(board)
    flash.of_card(board, bit, ram=False)
    of_rtl = f"{bitstream.build_id():08x}"
    if bit.stem.rsplit("-", 1)[-1] != of_rtl:
        raise boards.Refused(f"{bit.name} is not of this tree, whose build id is {of_rtl}: `make bitstream BOARD={board.name}`")
    files = {name.name: name for name in (bit, bit.with_suffix(".mcs"), *(board.out / report for report in REPORTS))}
    files |= {f"host-driver/{f.relative_to(boards.ROOT / 'host-driver')}": f for f in sorted((boards.ROOT / "host-driver").rglob("*")) if f.is_file() and f.suffix != ".pyc"}
    files |= {"include/niu_regs.h": boards.ROOT / "build/include/niu_regs.h", "LICENSE": boards.ROOT / "LICENSE"}
    missing = [str(f) for f in files.values() if not f.exists()]
    if missing:
        raise boards.Refused(f"there is no {', '.join(missing)}: `make bitstream BOARD={board.name}` makes them")
    packed = {name: file.read_bytes() for name, file in files.items()}
    packed["SHA256SUMS"] = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(packed.items())).encode()
    return packed


def pack(board: boards.Card) -> Path:
    stem = flash.newest(board).stem
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as tar:
        for name, data in sorted(contents(board).items()):
            entry = tarfile.TarInfo(f"{stem}/{name}")
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    file = board.out / f"{stem}.tar.gz"
    file.write_bytes(gzip.compress(plain.getvalue(), mtime=0))
    return file


def main() -> int:
    try:
        board = boards.board(sys.argv[1])
        if not isinstance(board, boards.Card):
            raise boards.Refused(f"{board.name} has no driver: its bitstream is all there is of it")
        print(f"release: {pack(board).relative_to(boards.ROOT)}")
    except boards.Refused as refused:
        print(f"release: {refused}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
