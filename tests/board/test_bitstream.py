"""A board that is none, a clock that is missed and tools that are not there are refused in a sentence; a bitstream is named by board, version
and build id."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import bitstream
import board_image
import boards
import flash

BOARD = boards.board("ecpix5")


def make(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(["make", "-s", *arguments], cwd=ROOT, capture_output=True, text=True)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Results go below `tmp_path`."""
    monkeypatch.setattr(boards.Board, "out", property(lambda board: tmp_path / board.name))
    (tmp_path / BOARD.name).mkdir()
    return tmp_path / BOARD.name


@pytest.mark.parametrize("target", ["bitstream", "flash"])
@pytest.mark.parametrize("name", ["nonsense", ""])
def test_a_board_that_is_none_is_refused_with_those_there_are(target, name):
    done = make(target, f"BOARD={name}", "DRY=1")
    assert done.returncode != 0
    assert f"{target}: BOARD={name} is no board; there are: ecpix5 (LambdaConcept ECPIX-5 with LFE5UM5G-85F)" in done.stderr


def test_a_table_with_a_row_too_little_is_refused(tmp_path):
    (tmp_path / "boards.toml").write_text((ROOT / "hw/boards.toml").read_text().replace("baud = 115200", "bauds = 115200"))
    with pytest.raises(boards.Refused, match=r"\[ecpix5\] has bauds too much, baud too little"):
        boards.load(tmp_path / "boards.toml")


def reached(folder: Path, fmax: float, asked: float = 40.0) -> None:
    """nextpnr's report of a board, and stand-ins for what else is made on the way."""
    there = {key: {"used": 1, "available": 4} for key in bitstream.DEVICE}
    clocks = {"$glbnet$clk": {"achieved": fmax, "constraint": asked}, "$glbnet$other": {"achieved": 9.0, "constraint": 8.0}}
    (folder / "ecpix5.pnr.json").write_text(json.dumps({"fmax": clocks, "utilization": there}))


def test_a_missed_clock_is_refused_with_the_figure(elsewhere, monkeypatch):
    for step in ("generate", "place"):
        monkeypatch.setattr(bitstream, step, lambda *arguments: [])
    monkeypatch.setattr(bitstream.board_image, "build", lambda *arguments: elsewhere)
    monkeypatch.setattr(bitstream.pnr, "cached", lambda *arguments: True)
    reached(elsewhere, 39.9)
    with pytest.raises(boards.Refused, match=r"ecpix5 reaches 39.9 MHz, its clock is 40: another SEED= \(it was 1\), or a lower `clock`"):
        bitstream.bitstream(BOARD, "hello", 1)
    reached(elsewhere, 40.1)
    file = bitstream.bitstream(BOARD, "hello", 1)
    assert re.fullmatch(r"turnstile-ecpix5-[\w.-]+-[0-9a-f]{8}\.bit", file.name) and file.stem.endswith(f"{bitstream.build_id():08x}")
    assert "clock 40 MHz, Fmax 40.1 MHz" in (report := (elsewhere / "report.txt").read_text()) and "25 %" in report


def test_a_configuration_is_packed_with_the_build_id(elsewhere):
    (elsewhere / "ecpix5.config").write_text(".device LFE5UM5G-85F\n")
    packed = bitstream.pack(BOARD).read_bytes()
    verify, usercode = b"\xe2\x00\x00\x00", b"\xc2\x80\x00\x00"  # commands of the bitstream
    assert verify + bytes.fromhex("81113043") in packed, "the IDCODE of an LFE5UM5G-85F"
    assert usercode + bitstream.build_id().to_bytes(4, "big") in packed


def test_a_clock_that_nextpnr_was_not_asked_for_is_refused(elsewhere):
    reached(elsewhere, 50.0, asked=12.0)
    with pytest.raises(boards.Refused, match="to reach 40 MHz with no clock of ecpix5; MHz it was to reach: .*clk 12.0"):
        bitstream.report(BOARD)


def test_a_program_larger_than_the_board_is_refused(elsewhere, tmp_path):
    program = tmp_path / "large.c"
    program.write_text("#include <stdio.h>\nstatic char large[1 << 17];\nint main(int n, char **a) { large[n] = 1; puts(large + n); return 0; }\n")
    with pytest.raises(boards.Refused, match=rf"APP={program} needs \d+ bytes of its window for stack, code and globals; ecpix5 has 49152"):
        board_image.build(BOARD, str(program), elsewhere)


def test_flashing_without_a_bitstream_says_how_to_make_one(elsewhere):
    with pytest.raises(boards.Refused, match="there is no bitstream of ecpix5: `make bitstream BOARD=ecpix5` makes it"):
        flash.prepared(BOARD, ram=False)


def test_the_newest_bitstream_is_written_and_read_back(elsewhere):
    for time, name in ((2, "turnstile-ecpix5-new-2.bit"), (1, "turnstile-ecpix5-old-1.bit")):
        (elsewhere / name).touch()
        os.utime(elsewhere / name, (time, time))
    assert flash.prepared(BOARD, ram=False)[1:] == ["--board", "ecpix5", "--write-flash", "--verify", str(elsewhere / "turnstile-ecpix5-new-2.bit")]
    assert flash.prepared(BOARD, ram=True)[3] == "--write-sram"


def test_a_missing_openfpgaloader_is_said_after_the_command(elsewhere, monkeypatch, capsys):
    (elsewhere / "turnstile-ecpix5-a-1.bit").touch()
    monkeypatch.setattr(flash.shutil, "which", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["flash", "ecpix5"])
    assert flash.main() == 2
    said = capsys.readouterr()
    assert said.out.startswith("openFPGALoader --board ecpix5") and "openFPGALoader is not installed" in said.err


def test_a_board_that_does_not_answer_is_said(elsewhere, monkeypatch, capsys):
    (elsewhere / "turnstile-ecpix5-a-1.bit").touch()
    monkeypatch.setattr(flash.shutil, "which", lambda name: name)
    monkeypatch.setattr(flash.subprocess, "run", lambda command, cwd: subprocess.CompletedProcess(command, 1))
    monkeypatch.setattr(sys, "argv", ["flash", "ecpix5"])
    assert flash.main() == 2
    assert "is ecpix5 on, is its USB cable for JTAG plugged in" in capsys.readouterr().err


def bits_of(block: dict) -> list[int]:
    """A DP16KD's contents as 16384 words of one bit: 64 parameters of 16 rows of 20 bits, in which 8 and 17 to 19 are not used."""
    rows = [int(block["parameters"][f"INITVAL_{i:02X}"], 2) >> 20 * row & 0x3FFFF for i in range(64) for row in range(16)]
    return [row >> bit & 1 for row in rows for bit in (*range(8), *range(9, 17))]


def words_of(netlist: dict, memory: str) -> list[int]:
    """Contents of a memory of which each block RAM holds one bit of each word."""
    blocks = {int(name.rsplit(".", 1)[1]): cell for name, cell in netlist["cells"].items() if cell["type"] == "DP16KD" and name.startswith(f"{memory}.")}
    return [sum(bit << i for i, bit in enumerate(bits)) for bits in zip(*(bits_of(blocks[i]) for i in sorted(blocks)))]


def test_contents_of_block_rams_are_read_as_yosys_writes_them():
    cells = {f"ram.0.{i}": {"type": "DP16KD", "parameters": {f"INITVAL_{n:02X}": "0" * 320 for n in range(64)}} for i in range(2)}
    cells["ram.0.0"]["parameters"]["INITVAL_00"] = f"{1 << 0 | 1 << 9 | 1 << 20:0320b}"
    cells["ram.0.1"]["parameters"]["INITVAL_01"] = f"{1 << 16:0320b}"
    words = words_of({"cells": cells}, "ram")
    assert len(words) == 16384 and {i: word for i, word in enumerate(words) if word} == {0: 1, 8: 1, 16: 1, 256 + 15: 2}


@pytest.mark.full
def test_the_bitstream_is_made_and_holds_the_firmware():
    done = make("bitstream", "BOARD=ecpix5")
    assert done.returncode == 0, done.stdout + done.stderr
    file = ROOT / re.search(r"^bitstream: (\S+)$", done.stdout, re.M)[1]
    assert file.stat().st_size > 100_000 and b"LFE5UM5G-85F-8CABGA554" in file.read_bytes()[:100]
    image = (BOARD.out / BOARD.program / "instructions.image").read_bytes()
    firmware = [int.from_bytes(image[i : i + 4], "little") for i in range(0, len(image), 4)]
    netlist = json.loads((BOARD.out / "ecpix5.json").read_text())["modules"]["ecpix5"]
    words = words_of(netlist, "board.site_1.sp.instructionRam")
    assert words[: len(firmware)] == firmware and not any(words[len(firmware) :])
