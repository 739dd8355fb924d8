"""What is wrong with a card's table, top, IP or constraints is said, each thing in a sentence; what is in the repository is right. No Vivado: its flow is
recorded (tools/vivado_record.tcl)."""

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import boards
import card_check
import vivado

CARDS = [name for name, board in boards.load().items() if isinstance(board, boards.Card)]
PINS, CLOCKS, FLASH, IO = (f"constraints/u50/{name}.xdc" for name in ("pins", "clocks", "flash", "io"))
TOP, IP, COMMON, TABLE = "hw/u50/u50.v", "hw/u50/ip.tcl", "hw/common/ip.tcl", "hw/boards.toml"


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A repository of its own, as far as the check looks at it."""
    for folder in ("hw", "constraints", "host-driver/kernel"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.setattr(boards, "ROOT", tmp_path)

    def changed(file: str, find: str, replace: str) -> boards.Card:
        text = (tmp_path / file).read_text()
        assert text.count(find) == 1
        (tmp_path / file).write_text(text.replace(find, replace))
        return boards.board("u50", tmp_path / TABLE)

    return changed


@pytest.mark.parametrize("name", CARDS)
def test_each_card_is_right(name):
    assert card_check.check(boards.board(name)) == []


@pytest.mark.parametrize(
    "file, find, replace, says",
    [
        (PINS, "set_property PACKAGE_PIN Y5 [get_ports {pcie_tx_p[0]}]", "", "port pcie_tx_p[0] has no PACKAGE_PIN"),
        (PINS, "IOSTANDARD LVCMOS18 SLEW SLOW DRIVE 8} [get_ports {led_up}]", "SLEW SLOW} [get_ports {led_up}]", "port led_up has IOSTANDARD None; legal are LVCMOS18, LVDS"),
        (PINS, "IOSTANDARD LVCMOS18 SLEW SLOW DRIVE 8} [get_ports {led_up}]", "IOSTANDARD LVCMOS33} [get_ports {led_up}]", "port led_up has IOSTANDARD LVCMOS33; legal are LVCMOS18, LVDS"),
        (PINS, "PACKAGE_PIN Y5 ", "PACKAGE_PIN Y4 ", "ball Y4 is given to pcie_tx_p[0] and to pcie_tx_n[0]"),
        (PINS, "PACKAGE_PIN Y5 ", "PACKAGE_PIN 5Y ", "PACKAGE_PIN of pcie_tx_p[0] is 5Y; legal are"),
        (PINS, "[get_ports {led_up}]", "[get_ports {led_on}]", "led_on is no port of u50.v"),
        (PINS, "[get_ports {led_up}]", "[get_ports {led_beat}]", "port led_beat has PACKAGE_PIN twice"),
        (PINS, "set_property PACKAGE_PIN AF9 [", "set_property -dict {PACKAGE_PIN AF9 IOSTANDARD LVDS} [", "port pcie_clk_p of a transceiver has IOSTANDARD LVDS; legal is none"),
        (PINS, "set_property PACKAGE_PIN AF9 ", "set_propperty PACKAGE_PIN AF9 ", "pins.xdc: set_propperty is no command that is known here"),
        (PINS, "# LEDs beside", "foreach a {1 2} {}\n# LEDs beside", "pins.xdc: foreach is no command that is known here"),
        (PINS, "PULLUP true", "PULUP true", "PULUP is no property of ports pcie_reset_n"),
        (CLOCKS, "create_clock -name pcie_clk -period 10.000 [get_ports pcie_clk_p]", "", "clock pcie_clk_p has no create_clock; its oscillator has 100 MHz"),
        (CLOCKS, "-period 6.206", "-period 6.400", "clock qsfp_clk_p is constrained to 156.25 MHz, its oscillator has 161.133"),
        (CLOCKS, "[get_ports qsfp_clk_p]", "[get_ports qsfp_clk_n]", "create_clock of qsfp_clk_n, which is no oscillator of u50"),
        (CLOCKS, "-period 6.206", "-periods 6.206", "create_clock has no option -periods"),
        (FLASH, "CONFIG_MODE SPIx4", "CONFIG_MODE SPIx8", "CONFIG_MODE of design is SPIx8; legal are SPIx4"),
        (IO, "[get_ports hbm_cattrip]", "[get_ports hbm_hot]", "io.xdc: hbm_hot is no port of u50.v"),
        (TOP, ".CLKOUT0_DIVIDE_F(10.000)", ".CLKOUT0_DIVIDE_F(8.000)", "the MMCM makes 125 MHz, the board's clock is 100"),
        (TOP, ".CLKFBOUT_MULT_F(10.000), .CLKOUT0_DIVIDE_F(10.000)", ".CLKFBOUT_MULT_F(5.000), .CLKOUT0_DIVIDE_F(5.000)", "the MMCM's oscillator has 500 MHz, legal are 800 to 1600"),
        (TOP, "output wire       led_up,", "output wire       led_up,\n  input wire button,", "port button has no PACKAGE_PIN"),
        (IP, "CONFIG.USER_HBM_STACK {1}", "CONFIG.USER_HBM_STACK {3}", "USER_HBM_STACK of hbm_block is 3; legal are 1|2"),
        (IP, "CONFIG.USER_HBM_STACK {1}", "CONFIG.USER_HBM_STAK {1}", "USER_HBM_STAK is no property of ips hbm_block"),
        (IP, "create_ip -name hbm ", "create_ip -name hmb ", "create_ip hmb: no IP that is known here"),
        (IP, "source $hw/common/ip.tcl", "source $hw/common/pi.tcl", "couldn't read file"),
        (IP, "set mac_reference 161.1328125", "set mac_reference 156.25", "the MAC expects 156.25 MHz, qsfp_clk_p has 161.1328125"),
        (COMMON, "MAX_LINK_WIDTH {X2}", "MAX_LINK_WIDTH {X16}", "the PCI Express block has 64_bit at 250 MHz behind 8.0_GT/s X16; legal is 64_bit at 250 behind 2.5_GT/s X8, 5.0_GT/s X4, 8.0_GT/s X2"),
        (COMMON, "PF0_DEVICE_ID {7453}", "PF0_DEVICE_ID {7454}", "the PCI Express block's device is 7454, the driver's 7453"),
        (COMMON, "pf0_bar4_size $memory", "pf0_bar4_size {512}", "BAR4 has 512 Megabytes, the board's memory 256 MB"),
        (TABLE, 'pins = ["LVCMOS18", "LVDS"]\naps = 3\ndma = true\nentries = 8\nmemory = 256', 'pins = ["LVCMOS18", "LVDS"]\naps = 3\ndma = true\nentries = 8\nmemory = 512', "the board's memory is 512 MB, a port of the HBM has 256"),
        (TABLE, 'device = "xcu50-fsvh2104-2-e"\nclock = 100', 'device = "xcu50-fsvh2104-2-e"\nclock = 80', "the MMCM makes 100 MHz, the board's clock is 80"),
        ("hw/flow/route.tcl", "route_design", "route_desing", "the flow: route_desing is no command that is known here"),
        ("hw/flow/read.tcl", '"$top card"', '"card $top"', "crossings.xdc: set_max_delay stands before the clocks it speaks of"),
    ],
)
def test_each_mistake_is_said(copy, file, find, replace, says):
    board = copy(file, find, replace)
    wrong = card_check.check(board) + card_check.exceptions(card_check.recorded(board)[0], set())
    assert any(says in sentence for sentence in wrong), wrong


def calls_of(board: boards.Card) -> list[vivado.Call]:
    folder = boards.ROOT / "flow"
    folder.mkdir(exist_ok=True)
    (folder / "settings.tcl").write_text(vivado.of_build(board, "a-name", 1))
    (folder / "CardSite.sv").touch()
    return vivado.record("bitstream.tcl", folder, {"SLACK": 0})[0]


def test_the_flow_writes_both_images_with_the_build_id(copy):
    board = copy(TABLE, "[u50]", "[u50]")
    calls = {call.name: call for call in calls_of(board)}
    names = [call.name for call in calls_of(board) if not call.where]
    order = ["read_verilog", "create_ip", "synth_ip", "synth_design", "place_design", "route_design", "report_timing_summary", "write_bitstream", "write_cfgmem"]
    assert [name for name in dict.fromkeys(names) if name in order] == order
    assert calls["synth_design"].option("-part") == board.device and calls["write_bitstream"].arguments[-1] == "a-name.bit"
    assert calls["write_cfgmem"].option("-loadbit") == "up 0x01002000 a-name.bit" and calls["write_cfgmem"].option("-file") == "a-name.mcs"
    assert {card_check.properties(call).get("BITSTREAM.CONFIG.USERID") for call in calls_of(board) if call.name == "set_property"} >= {"0x00000001"}


def test_without_its_clock_there_is_no_bitstream(copy):
    board = copy(TABLE, "[u50]", "[u50]")
    calls_of(board)
    folder = boards.ROOT / "flow"
    calls, _ = vivado.record("bitstream.tcl", folder, {"SLACK": -0.25})
    assert "report_timing_summary" in [call.name for call in calls] and not {"write_bitstream", "write_cfgmem"} & {call.name for call in calls}
    assert (folder / "slack.txt").read_text() == "-0.25 -0.25\n"
