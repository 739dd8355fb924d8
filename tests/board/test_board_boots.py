"""The top of a board, its PLL replaced by a model and nothing else, boots the firmware and runs a program when it has been configured; its UART
line says what the program prints in the simulator."""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
OUT = ROOT / "build/cocotb/board-top"
#: Workers of pytest-xdist share the model, not the folders they run in.
MINE = OUT / os.environ.get("PYTEST_XDIST_WORKER", "main")
sys.path.insert(0, str(ROOT / "tools"))
import board_image
import boards
from harness import _environment

BOARD = boards.board("ecpix5")
LIMIT = 3_000_000


def generate(app: str) -> Path:
    """RTL and contents of its memories with a program in them."""
    folder = MINE / Path(app).stem
    shutil.rmtree(folder, ignore_errors=True)
    command = [ROOT / "tools/rtlgen", "board/BoardSite", folder, *BOARD.parameters(board_image.build(BOARD, app, MINE / "images"))]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def board():
    """Verilated once: a program changes only the contents of the memories, which the model reads when it starts."""
    _environment()
    sources = [generate("hello") / "BoardSite.sv", BOARD.top, HERE / "pll_model.v", HERE / "board_run.cpp"]
    content = hashlib.sha256(b"".join(s.read_bytes() for s in sources)).hexdigest()
    stamp = OUT / "stamp"
    with open(OUT / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != content:
            command = ["verilator", "--cc", "--exe", "--build", "-j", "2", "--assert", "-Wno-fatal", "-Wno-WIDTH", "-Wno-UNOPTFLAT", "-Wno-TIMESCALEMOD", "-O3",
                       "-CFLAGS", "-O1", "--top-module", "ecpix5", "-Mdir", OUT / "verilated", "-o", "board", *sources]  # fmt: skip
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=OUT)
            assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
            stamp.write_text(content)
    return OUT / "verilated/board"


def run(board: Path, folder: Path, baud: int = BOARD.baud, assertions: int = 1, limit: int = LIMIT) -> tuple[str, tuple[str, ...]]:
    """What the line said, and the LEDs: red, green, blue."""
    command = [board, str(BOARD.clock * 1e6 / baud), str(limit), str(assertions)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    text, leds = re.fullmatch(r"(.*)\nleds (.*) after \d+ cycles\n", done.stdout, re.S).groups()
    return text, tuple(leds.split())


def simulated() -> str:
    """What the simulator prints of the same program."""
    done = subprocess.run(["make", "-s", "run", "APP=hello", "SITES=1", "APS=1", "PAGE=0", "NAME=of-board"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return "".join(line[4:] + "\n" for line in done.stdout.splitlines() if line.startswith("[0] "))


def test_the_line_says_what_the_simulator_prints(board):
    expected = simulated()
    assert "hello: the sum is 0, correct" in expected
    text, (red, green, _) = run(board, MINE / "hello")
    assert text == expected
    assert red == "0000" and green in ("0010", "0011")  # ended well; the beat


def test_at_another_speed_the_line_says_something_else(board):
    text, _ = run(board, MINE / "hello", baud=BOARD.baud * 110 // 100, limit=800_000)
    assert "hello" not in text


def test_a_wrong_word_of_the_firmware_is_noticed(board):
    folder = MINE / "broken"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(MINE / "hello", folder)
    (words,) = folder.glob("*sp_instructionRam*.bin")
    lines = words.read_text().splitlines()
    lines[0] = "0" * 32
    words.write_text("\n".join(lines) + "\n")
    text, (red, green, _) = run(board, folder, limit=400_000)
    assert "hello" not in text and green[2] == "0"


def test_a_status_other_than_0_is_red(board):
    text, (red, green, _) = run(board, generate(str(HERE / "fails.c")))
    assert text == "this one fails\n" and red == "0001" and green[2] == "0"


def test_memory_that_is_not_there_is_zeros_and_red(board):
    text, (red, green, _) = run(board, generate(str(HERE / "astray.c")), assertions=0)
    assert text == "it is 0\n" and red == "1000" and green[2] == "1"


def test_messages_that_wait_for_a_full_queue_have_a_place(board):
    text, (red, green, _) = run(board, generate(str(HERE / "late.c")))
    assert text == "24 messages in order\n" and red == "0000" and green[2] == "1"
