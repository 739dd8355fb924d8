"""A card's flash takes its own images alone, and never the place of the factory's; a package has the bitstream and the driver of one build."""

import hashlib
import re
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import bitstream
import boards
import card_check
import flash
import release
import vivado

CARD = boards.board("u50")


def bit(design: str, device: str, build: str) -> bytes:
    """The begin of a .bit file as Vivado writes it."""
    fields = {"a": f"{design};UserID=0X{build.upper()};Version=2024.1", "b": device, "c": "2026/11/24", "d": "12:00:00"}
    return b"\x00\x09" + bytes(9) + b"\x00\x01" + b"".join(k.encode() + (len(v) + 1).to_bytes(2, "big") + v.encode() + b"\0" for k, v in fields.items()) + b"e" + bytes(4)


def mcs(address: int) -> str:
    return f":02000004{address >> 16:04X}00\n:10{address & 0xFFFF:04X}00{'FF' * 16}00\n:00000001FF\n"


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A bitstream and its image, as a run of Vivado would leave them."""
    monkeypatch.setattr(boards.Board, "out", property(lambda board: tmp_path))
    build = f"{bitstream.build_id():08x}"
    name = tmp_path / f"turnstile-u50-v1-{build}.bit"
    name.write_bytes(bit("u50", "xcu50-fsvh2104-2-e", build))
    name.with_suffix(".mcs").write_text(mcs(CARD.image))
    return name


def test_the_image_goes_behind_the_factorys_and_is_read_back(made):
    assert flash.prepared(CARD, ram=False)[:3] == ["vivado", "-mode", "batch"]
    calls, ended = vivado.record("flash.tcl", made.parent, {"DEVICES": "xcu50_u55n_0", "PART": "xcu50_u55n", "PROGRAM.HW_CFGMEM_BITFILE": "helper.bit"})
    assert not ended and card_check.settings_of(calls)[0] == []
    said = {key: value for call in calls if call.name == "set_property" for key, value in card_check.properties(call).items()}
    assert said["PROGRAM.ADDRESS_RANGE"] == "use_file" and said["PROGRAM.VERIFY"] == "1" and said["PROGRAM.FILES"] == str(made.with_suffix(".mcs"))
    names = [call.name for call in calls]
    assert names.index("program_hw_cfgmem") < names.index("boot_hw_device")


def test_ram_writes_no_flash(made):
    flash.prepared(CARD, ram=True)
    calls, ended = vivado.record("flash.tcl", made.parent, {"DEVICES": "xcu50_0", "PART": "xcu50"})
    assert not ended and "program_hw_devices" in [c.name for c in calls] and not any("cfgmem" in c.name for c in calls)


@pytest.mark.parametrize("devices, part, says", [("xcu250_0", "xcu250", "the device on the cable is xcu250, .*for xcu50"), ("a b", "xcu50", "2 devices on the cable")])
def test_a_device_that_is_not_the_boards_is_not_written(made, devices, part, says):
    flash.prepared(CARD, ram=False)
    calls, ended = vivado.record("flash.tcl", made.parent, {"DEVICES": devices, "PART": part})
    assert re.search(says, ended)
    assert not any(call.name.startswith("program") for call in calls)


@pytest.mark.parametrize(
    "design, device, build, says",
    [
        ("u250", "xcu250-figd2104-2L-e", None, "is design u250 for xcu250-figd2104-2L-e, u50 is xcu50-fsvh2104-2-e"),
        ("u50", "xcu55c-fsvh2892-2L-e", None, "is design u50 for xcu55c"),
        ("u50", "xcu50-fsvh2104-2-e", "12345678", "says UserID=0X12345678;Version=2024.1 inside: another file has been given its name"),
    ],
)
def test_a_bitstream_of_another_board_is_refused(made, design, device, build, says):
    made.write_bytes(bit(design, device, build or f"{bitstream.build_id():08x}"))
    with pytest.raises(boards.Refused, match=says):
        flash.prepared(CARD, ram=False)


def test_a_file_that_is_no_bitstream_is_refused(made):
    made.write_bytes(b"hello")
    with pytest.raises(boards.Refused, match="is design none for no device"):
        flash.prepared(CARD, ram=True)


@pytest.mark.parametrize("address", [0, 0x01001FF0])
def test_an_image_over_the_factorys_is_refused(made, address):
    made.with_suffix(".mcs").write_text(mcs(address))
    with pytest.raises(boards.Refused, match=f"would write from 0x{address:08x} on, legal is 0x01002000: below is the factory's image"):
        flash.prepared(CARD, ram=False)


def test_without_an_image_only_ram_is_written(made):
    made.with_suffix(".mcs").unlink()
    with pytest.raises(boards.Refused, match=r"there is no turnstile-u50-v1-\w+.mcs beside"):
        flash.prepared(CARD, ram=False)
    assert flash.prepared(CARD, ram=True)


def test_without_vivado_one_sentence_says_what_to_do(made, monkeypatch, capsys):
    monkeypatch.setattr(flash.shutil, "which", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["flash", "u50"])
    assert flash.main() == 2 and "vivado is not installed: AMD has it" in capsys.readouterr().err
    with pytest.raises(boards.Refused, match="Vivado is not installed, and u50 needs it: .* CHECK=1"):
        vivado.build(CARD, "a", 1)


@pytest.mark.parametrize("slack, says", [("-0.25 0.01", "u50 misses its clock of 100 MHz: worst slack -0.25 ns, of hold 0.01 ns"), (None, "Vivado failed on u50")])
def test_a_missed_clock_is_refused_with_the_figure(made, monkeypatch, slack, says):
    def ran(command, cwd):
        if slack:
            (cwd / "slack.txt").write_text(slack)
        return vivado.subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(vivado.shutil, "which", lambda name: name)
    monkeypatch.setattr(vivado.subprocess, "run", ran)
    with pytest.raises(boards.Refused, match=says):
        vivado.build(CARD, "a", 1)


def test_a_package_has_bitstream_and_driver_of_one_build(made):
    for name in release.REPORTS:
        (made.parent / name).write_text(name)
    packed = release.pack(CARD)
    assert packed.name == made.with_suffix(".tar.gz").name and packed.read_bytes() == release.pack(CARD).read_bytes()
    with tarfile.open(packed) as tar:
        files = {name.split("/", 1)[1]: tar.extractfile(name).read() for name in tar.getnames()}
    assert {made.name, made.with_suffix(".mcs").name, "host-driver/kernel/Kbuild", "host-driver/Makefile", "include/niu_regs.h", "timing.rpt"} <= set(files)
    sums = dict(line.split("  ")[::-1] for line in files.pop("SHA256SUMS").decode().splitlines())
    assert sums == {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    assert f"0x{made.stem.rsplit('-', 1)[1]}" in files["include/niu_regs.h"].decode().lower()


def test_a_package_of_another_build_is_refused(made, monkeypatch):
    monkeypatch.setattr(bitstream, "build_id", lambda: 0x12345678)
    with pytest.raises(boards.Refused, match="is not of this tree, whose build id is 12345678"):
        release.pack(CARD)
