"""What is wrong with a board's constraints is said, each thing in a sentence; what is in the repository is right."""

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import boards
import constraints

PINS, CLOCKS, TOP = "constraints/ecpix5/pins.lpf", "constraints/ecpix5/clocks.lpf", "hw/ecpix5/ecpix5.v"


@pytest.mark.parametrize("name", [name for name, board in boards.load().items() if isinstance(board, boards.Alone)])
def test_the_constraints_of_each_board_alone_are_right(name):
    assert constraints.check(boards.board(name)) == []


@pytest.mark.parametrize(
    "file, find, replace, says",
    [
        (PINS, 'LOCATE COMP "uart_tx" SITE "R24";', "", "port uart_tx has no LOCATE"),
        (PINS, 'IOBUF PORT "led_b[3]" IO_TYPE=LVCMOS33;', "", "port led_b[3] has no IOBUF"),
        (PINS, 'COMP "uart_tx"', 'COMP "uart_rx"', "pins.lpf: uart_rx is no port of ecpix5.v"),
        (PINS, 'LOCATE COMP "uart_tx"', 'LOCATE COMP "uart_tx" SITE "A1"; LOCATE COMP "uart_tx"', "port uart_tx has 2 LOCATEs (pins.lpf, pins.lpf), legal is one"),
        (PINS, '"R24"', '"T23"', "ball T23 is given to uart_tx and to led_r[0]"),
        (PINS, '"R24"', '"24"', "port uart_tx is at 24, which is no ball of a BGA"),
        (PINS, 'IOBUF PORT "uart_tx" IO_TYPE=LVCMOS33', 'IOBUF PORT "uart_tx" IO_TYPE=SSTL15_I', "port uart_tx has IO_TYPE=SSTL15_I; legal are LVCMOS33"),
        (PINS, 'IOBUF PORT "uart_tx" IO_TYPE=LVCMOS33', 'IOBUF PORT "uart_tx" DRIVE=4', "port uart_tx has no IO_TYPE; legal are LVCMOS33"),
        (PINS, 'IOBUF PORT "uart_tx" IO_TYPE=LVCMOS33', 'IOBUF PORT "uart_tx" IO_TYPE=LVCMOS33 DRIVE=5', "has DRIVE=5; legal are 12, 16, 4, 8"),
        (PINS, 'IOBUF PORT "uart_tx" IO_TYPE=LVCMOS33', 'IOBUF PORT "uart_tx" IO_TYPE=LVCMOS33 COLOUR=RED', "has COLOUR=RED; legal are IO_TYPE, PULLMODE"),
        (PINS, 'LOCATE COMP "clk100"', 'LOCATE PORT "clk100"', "'LOCATE PORT \"clk100\" SITE \"K23\"' is none of LOCATE COMP"),
        (CLOCKS, 'FREQUENCY PORT "clk100" 100 MHZ;', "", "clock clk100 has no FREQUENCY; its oscillator has 100 MHz"),
        (CLOCKS, "100 MHZ", "125 MHZ", "clock clk100 is constrained to 125 MHz, its oscillator has 100"),
        (CLOCKS, '"clk100" 100 MHZ;', '"clk100" 100 MHZ; FREQUENCY PORT "uart_tx" 1 MHZ;', "FREQUENCY of uart_tx, which is no oscillator of ecpix5: clk100"),
        (TOP, ".CLKFB_DIV(2)", ".CLKFB_DIV(3)", "the PLL makes 60 MHz, the board's clock is 40"),
        (TOP, ".CLKOP_DIV(15)", ".CLKOP_DIV(5)", "the PLL's oscillator has 200 MHz, legal are 400 to 800"),
        (TOP, ".CLKI_DIV(5), .CLKFB_DIV(2)", ".CLKI_DIV(20), .CLKFB_DIV(8)", "what the PLL compares has 5 MHz, legal are 10 to 400"),
        (TOP, ".CLKOP_DIV(15), ", "", "the top has no PLL with CLKI_DIV, CLKFB_DIV and CLKOP_DIV"),
        (TOP, "output wire       uart_tx,", "output wire       uart_tx,\n  input wire button,", "port button has no LOCATE"),
    ],
)
def test_each_mistake_is_said(file, find, replace, says, tmp_path, monkeypatch):
    for folder in ("hw", "constraints"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    text = (tmp_path / file).read_text()
    assert text.count(find) == 1
    (tmp_path / file).write_text(text.replace(find, replace))
    monkeypatch.setattr(boards, "ROOT", tmp_path)
    wrong = constraints.check(boards.board("ecpix5", tmp_path / "hw/boards.toml"))
    assert any(says in sentence for sentence in wrong), wrong
