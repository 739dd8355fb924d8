"""Clock crossings are found in the RTL, whatever their form, and each of a card's has its exception."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import bitstream
import boards
import card_check
import crossings
import vivado

CARDS = [name for name, board in boards.load().items() if isinstance(board, boards.Card)]

SYNCHRONISER = """module BufferCC (
  input  wire          io_dataIn,
  output wire          io_dataOut,
  input  wire          clk
);
  (* async_reg = "true" *) reg                 buffers_0;
  (* async_reg = "true" *) reg                 buffers_1;
  assign io_dataOut = buffers_1;
  always @(posedge clk) begin
    buffers_0 <= io_dataIn;
    buffers_1 <= buffers_0;
  end
endmodule
module Plain (
  input  wire          io_in,
  output wire          io_out,
  input  wire          clk
);
  reg                 kept;
  assign io_out = kept;
  always @(posedge clk) begin
    kept <= io_in;
  end
endmodule
"""
#: Two clocks; a register of io_other, and what each case adds.
TOP = """module Top (
  input  wire          io_in,
  output wire          io_out,
  input  wire          io_other,
  input  wire          clk
);
  reg                 far;
  reg                 near;
  reg        [3:0]    ram [0:15];
  reg        [3:0]    word;
  wire                passed;
  assign io_out = near ^ word[0] ^ passed;
  always @(posedge io_other) begin
    far <= io_in;
  end
BODY
endmodule
"""


def found(tmp_path: Path, body: str) -> set[tuple[str, str, str, str]]:
    (tmp_path / "Top.sv").write_text(SYNCHRONISER + TOP.replace("BODY", body))
    return {(c.source, c.sink, c.cell, c.pin) for c in crossings.find(tmp_path / "work", "Top", tmp_path / "Top.sv", [])}


@pytest.mark.parametrize(
    "body, crossing",
    [
        ("  always @(posedge clk) begin\n    near <= far;\n  end", ("io_other", "clk", "near", "D")),
        ("  always @(posedge clk) begin\n    near <= !(far && near);\n  end", ("io_other", "clk", "near", "D")),
        ("  always @(posedge clk or posedge far) begin\n    if(far) near <= 1'b1;\n    else near <= 1'b0;\n  end", ("io_other", "clk", "near", "PRE")),
        ("  always @(posedge io_other) begin\n    ram[word] <= {4{io_in}};\n  end\n  always @(posedge clk) begin\n    word <= ram[{near, word[2:0]}];\n  end", ("io_other", "clk", "word", "D")),
        ("  always @(posedge clk) begin\n    ram[far] <= 4'd1;\n    word <= ram[1];\n  end", ("io_other", "clk", "ram", "ADDR")),
        ('  (* keep_hierarchy = "TRUE" *) BufferCC far_buffercc (\n    .io_dataIn  (far   ), //i\n    .io_dataOut (passed), //o\n    .clk        (clk   )  //i\n  );', ("io_other", "clk", "far_buffercc/buffers_0", "D")),
        ("  Plain plain (\n    .io_in  (far   ), //i\n    .io_out (passed), //o\n    .clk    (clk   )  //i\n  );", ("io_other", "clk", "plain", "io_in")),
    ],
    ids=["register", "logic", "reset", "memory read", "memory written", "synchroniser", "black box"],
)  # fmt: skip
def test_a_crossing_is_found(tmp_path, body, crossing):
    assert crossing in found(tmp_path, body)


def test_one_clock_is_no_crossing(tmp_path):
    assert found(tmp_path, "  always @(posedge io_other) begin\n    near <= far;\n  end\n  Plain plain (\n    .io_in  (io_in ), //i\n    .io_out (passed), //o\n    .clk    (clk   )  //i\n  );") == set()


def test_a_part_that_is_not_understood_is_no_silence(tmp_path):
    with pytest.raises(RuntimeError, match="module Top has 1 parts, of which 0 are understood"):
        found(tmp_path, "  Plain plain (\n    .io_in (far), .io_out (passed), .clk (clk));")


def exception(name: str, *arguments: str) -> vivado.Call:
    return vivado.Call("crossings.xdc", name, arguments)


NEW = crossings.Crossing("card/user_clk", "clk", "card/site/new_buffercc/buffers_0", "D")
TO = "@cells(card/site/new_buffercc/buffers_0_reg*)"


@pytest.mark.parametrize(
    "there, call, says",
    [
        ({NEW}, None, "crossing from card/user_clk to card/site/new_buffercc/buffers_0 (D, of clk) has no exception"),
        ({NEW}, exception("set_max_delay", "-datapath_only", "4.0", "-from", "@clocks(@nets(card/mac_clk))", "-to", TO), "has no exception"),
        (set(), exception("set_max_delay", "-datapath_only", "4.0", "-from", "@clocks(@nets(card/user_clk))", "-to", TO), "is of no crossing from card/user_clk"),
        ({crossings.Crossing("none", "clk", "hold/seen", "CLR")}, exception("set_false_path", "-to", "@pins(hold/seen_reg*/PRE)"), "crossing from none to hold/seen (CLR, of clk) has no exception"),
    ],
    ids=["new", "of another clock", "gone", "another pin"],
)  # fmt: skip
def test_a_crossing_without_an_exception_of_its_own_is_said(there, call, says):
    wrong = card_check.exceptions([call] if call else [], there)
    assert any(says in sentence for sentence in wrong), wrong


def test_a_crossing_with_its_exception_is_right():
    assert card_check.exceptions([exception("set_max_delay", "-datapath_only", "4.0", "-from", "@clocks(@nets(card/user_clk))", "-to", TO)], {NEW}) == []


@pytest.fixture(scope="module")
def sites():
    """CardSite.sv of each card: made once for those that have the same."""
    made: dict[tuple[str, ...], Path] = {}

    def site(board: boards.Card) -> Path:
        key = tuple(board.parameters())
        if key not in made:
            board.out.mkdir(parents=True, exist_ok=True)
            made[key] = bitstream.generate_card(board)
        return made[key]

    return site


@pytest.mark.parametrize("name", CARDS)
def test_each_crossing_of_each_card_has_its_exception(name, sites):
    board = boards.board(name)
    site = sites(board)
    there = crossings.find(board.out / "crossings", name, site, card_check.sources(board))
    assert len(there) > 30 and card_check.exceptions(card_check.recorded(board)[0], there) + card_check.width(board, site) == []


def test_another_width_is_said(tmp_path):
    (tmp_path / "CardSite.sv").write_text("  output wire [63:0]   io_tx_tdata,")
    assert card_check.width(boards.board("u50"), tmp_path / "CardSite.sv")[0].startswith("CardSite has 64 bits to the MAC, u50 has 512: `mac` in boards.toml")
