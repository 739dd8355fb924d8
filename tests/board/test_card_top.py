"""A card's top meets its site and its IP port by port; what is used of its device is told in shares."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import boards
import card_check
import synth
from harness import _environment

CARDS = [name for name, board in boards.load().items() if isinstance(board, boards.Card)]
#: Of what the stubs leave out, and of registers that begin with a value.
QUIET = ["UNDRIVEN", "UNUSED", "UNUSEDSIGNAL", "PINCONNECTEMPTY", "PINMISSING", "DECLFILENAME", "SYNCASYNCNET", "PROCASSINIT"]


def lint(board: boards.Card, header: str, folder: Path) -> str:
    """What Verilator says of the top with a site of these ports."""
    _environment()
    (folder / "CardSite.v").write_text(f"{header}\nendmodule\n")
    files = [*card_check.sources(board), folder / "CardSite.v", Path(__file__).with_name("primitives.v")]
    done = subprocess.run(["verilator", "--lint-only", "-Wall", *(f"-Wno-{w}" for w in QUIET), "--top-module", board.name, *files], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr


def header_of(bits: int) -> str:
    """CardSite's ports, from what the top connects; widths are those of the streams and of AXI4."""
    names = re.findall(r"\.(io_\w+|clk|reset)\(", (ROOT / "hw/common/card.v").read_text().split("CardSite site (")[1])
    outputs = r"io_(cq_tready|cc_t(?!ready)|rq_t(?!ready)|npRequest|tx_t(?!ready)|status|axi_(aw|w|ar)_(valid|payload)|axi_(b|r)_ready)"
    widths = {r"(tx|rx)_tdata": bits, r"(tx|rx)_t(keep|user)": bits // 8, r"(cq|cc|rq)_tdata": 64, r"(cq|cc|rq)_tkeep": 2, "cq_tuser": 88, "cc_tuser": 33, "rq_tuser": 62,
              "npRequest": 2, "msix": 4, "payload_addr": 32, "payload_id": 4, "payload_len": 8, "payload_size": 3, "payload_(burst|resp)": 2, "payload_data": 128, "payload_strb": 16}  # fmt: skip
    ports = []
    for name in dict.fromkeys(names):
        width = next((w for form, w in widths.items() if re.search(form, name)), 1)
        ports.append(f"{'output' if re.match(outputs, name) else 'input'} {f'[{width - 1}:0] ' if width > 1 else ''}{name}")
    return f"module CardSite ({', '.join(ports)});"


@pytest.mark.parametrize("name", CARDS)
def test_the_top_meets_its_site_and_its_ip_width_by_width(name, tmp_path):
    assert lint(boards.board(name), header_of(512), tmp_path) == ""


def test_a_site_of_another_width_is_noticed(tmp_path):
    assert "tx_tdata" in lint(boards.board("u50"), header_of(64), tmp_path)


def test_shares_and_depth_of_a_card(tmp_path):
    path = "".join(f"    {i}: \\net [0] (via \\slice[{i}].{cell})\n" for i, cell in enumerate(["lut", "lut", "carry4", "lut"]))
    (tmp_path / "xcup.depth").write_text(f"\nLongest topological path in u50 (length=4):\n{path}\n")
    said = synth.of_card(boards.board("u50"), tmp_path, "xcup", {"LUT": 87168, "LUTRAM": 43584, "FF": 0, "BRAM36": 134.4, "URAM": 64, "DSP": 5952})
    text = "\n".join(said)
    assert re.search(r"^LUT +87168 +871680 +10.0 %$", text, re.M) and re.search(r"^DSP +5952 +5952 +100.0 %$", text, re.M)
    assert "LUT and LUTRAM: 15.0 % of the LUTs" in text and text.endswith("longest path of logic: 4 cells, 2 LUT, 1 carry")


@pytest.mark.parametrize("name, says", [("nonsense", "BOARD=nonsense is no board; there are:"), ("ecpix5", "ecpix5 is no card: `make bitstream BOARD=ecpix5` says what is used of it")])
def test_shares_of_what_is_no_card_are_refused(name, says):
    done = subprocess.run([sys.executable, ROOT / "tools/synth.py", "--board", name], capture_output=True, text=True)
    assert done.returncode == 1 and says in done.stderr
