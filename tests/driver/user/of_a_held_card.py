"""A card is started by its driver alone: the first tests, for the card is held when the guest finds it, and without firmware."""
import os
import re
import struct
import subprocess
from pathlib import Path

import pytest
import turnstile
from kit import INSTALLED, NOBODY, SYSFS, card_with_queue, seeded

COMMAND = INSTALLED / "bin/turnstile"
FIRMWARE = Path(os.environ["FIRMWARE"])


def run(*arguments, **options):
    return subprocess.run([COMMAND, "firmware", *arguments], capture_output=True, text=True, timeout=120, **options)


def attribute(name):
    return (SYSFS / name).read_text().strip()


def test_a_held_card_is_told():
    assert attribute("firmware") == "held" and attribute("site") == "0 1"
    assert run("--json").stdout == '{"firmware": "held", "site": 0, "sites": 1}\n'
    with card_with_queue() as card:
        card.send(turnstile.name_of_queue(0, card.queue), 1)
        with pytest.raises(turnstile.Error) as refused:
            card.receive(timeout=0.05)
        assert refused.value.code == turnstile.Code.TIMEOUT, "no name means anything yet"


def test_what_is_no_firmware_is_refused(tmp_path):
    """Each with its sentence, and the card stays held."""
    image = FIRMWARE.read_bytes()
    first = struct.unpack_from("<I", image, 28)[0]  # of the segments

    def changed(at, *words):
        return image[:at] + struct.pack(f"<{len(words)}I", *words) + image[at + 4 * len(words) :]

    def says(data, sentence):
        file = tmp_path / "file"
        file.write_bytes(data)
        done = run("--load", file)
        assert done.returncode == 1 and sentence in done.stderr, done.stderr
    says(b"", "is no firmware: a 32-bit little-endian ELF file of RISC-V is wanted")
    says(Path("/bin/true").read_bytes(), "is no firmware: a 32-bit")
    says(image[:200], "its tables are not in the file, which has 200 bytes: is it whole?")
    says(changed(28, 0xFFFFFFF0), "its tables are not in the file")
    says(changed(first + 12, 0x1FFFF), "for address 0x1ffff: the sP has 0 to 0x1ffff")
    says(changed(first + 16, 0x7FFFFFFF), "is not in the file")
    says(image.replace(b"tt_config\0", b"tt_confis\0"), "has no symbol tt_config")
    done = run("--load", tmp_path / "nothing")
    assert done.returncode == 1 and "No such file or directory" in done.stderr
    assert attribute("firmware") == "held"


def test_only_root_starts_a_card():
    assert run(user=NOBODY).stdout.startswith("firmware")
    for arguments, sentence in ((["--load", FIRMWARE], "may not"), (["--hold"], "root starts cards")):
        done = run(*arguments, user=NOBODY)
        assert done.returncode == 1 and sentence in done.stderr, done.stderr
    assert attribute("firmware") == "held"


def test_words_are_written_and_read_where_they_belong():
    bytes_of = seeded().randbytes
    with (SYSFS / "sp_memory").open("r+b", buffering=0) as memory:
        for at, data in ((0, bytes_of(500)), (0xFFFC, bytes_of(8)), (0x1FFF0, bytes_of(16))):
            assert os.pwrite(memory.fileno(), data, at) == len(data)
            assert os.pread(memory.fileno(), len(data), at) == data
        for at, data in ((2, bytes(4)), (0, bytes(3))):
            with pytest.raises(OSError, match="Invalid argument"):
                os.pwrite(memory.fileno(), data, at)


def test_a_place_that_cannot_be_is_refused():
    for place in ("1 1", "0 0", "0 65", "-1 2", "0", "0 1 2", "zero one"):
        with pytest.raises(OSError, match="Invalid argument"):
            (SYSFS / "site").write_text(place)
    done = run("--load", FIRMWARE, "--site", "1", "--sites", "2")
    assert done.returncode == 1 and "the card is site and number of sites '0 1' by its pins, not '1 2'" in done.stderr
    done = run("--load", FIRMWARE, "--site", "2", "--sites", "2")
    assert done.returncode == 2 and "--site 2 of --sites 2 is not legal: 0 to 1" in done.stderr


def test_firmware_is_loaded_and_runs():
    """And is written and held first, as on a cable, where nobody may speak before both ends hear."""
    done = run("--load", FIRMWARE, "--hold")
    assert done.returncode == 0 and re.search("^firmware +held$", done.stdout, re.MULTILINE), done.stdout + done.stderr
    done = run("--hold", "--run")
    assert done.returncode == 2 and "--hold and --run: legal is one of them" in done.stderr
    done = run("--run", "--json")
    assert done.returncode == 0 and done.stdout == '{"firmware": "runs", "site": 0, "sites": 1}\n', done.stderr
    assert attribute("firmware") == "runs"
    with pytest.raises(OSError, match="Device or resource busy"):
        (SYSFS / "site").write_text("0 1")
    with (SYSFS / "sp_memory").open("r+b", buffering=0) as memory, pytest.raises(OSError, match="Device or resource busy"):
        os.pwrite(memory.fileno(), bytes(4), 0)
    with turnstile.Card() as card:
        card.express_open()
