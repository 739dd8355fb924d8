"""Worst register-to-register paths of a netlist for ECP5, by source name: of a placed or routed one from the SDF file that nextpnr
writes, of one that is only synthesised by an estimate. Times are nanoseconds."""

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

CLOCKS = re.compile(r"CLK[AB]?|WCK")
# What Yosys and nextpnr append to the source's name when they name a cell: kind, port, number.
MADE_UP = re.compile(r"(_(TRELLIS_FF|TRELLIS_DPR16X4|LUT4|PFUMX|L6MUX21|CCU2C|DP16KD|PDPW16KD|MULT18X18D)_.*|\$.*|\.\d+\.\d+(_\w+)?$)")


@dataclass
class TimedPath:
    """`levels`: look-up tables and carry chains passed; `begin`, `end`: source names of the registers or memories."""

    time: float
    levels: int
    begin: str
    end: str


class Graph:
    """Pins, arcs with delays between them, pins where a path begins (delay from the clock) and where one ends (set-up time)."""

    def __init__(self):
        self.arcs = defaultdict(list)
        self.inward = Counter()
        self.begins: dict[str, float] = {}
        self.ends: dict[str, float] = {}
        self.logic: set[str] = set()

    def arc(self, a: str, b: str, delay: float):
        self.arcs[a].append((b, delay))
        self.inward[b] += 1

    def worst(self, count: int) -> list[TimedPath]:
        """The `count` worst paths, one for each pair of source names without their numbers."""
        arrival, before = dict(self.begins), {}
        ready = [pin for pin in set(self.arcs) | set(self.begins) if not self.inward[pin]]
        left = dict(self.inward)
        while ready:
            a = ready.pop()
            for b, delay in self.arcs[a]:
                if a in arrival and arrival[a] + delay > arrival.get(b, -1.0) and b not in self.begins:
                    arrival[b], before[b] = arrival[a] + delay, a
                left[b] -= 1
                if not left[b]:
                    ready.append(b)
        found, seen = [], set()
        for time, end in sorted(((arrival[e] + setup, e) for e, setup in self.ends.items() if e in arrival), reverse=True):
            trace = [end]
            while trace[-1] in before:
                trace.append(before[trace[-1]])
            names = source(trace[-1]), source(end)
            pair = tuple(re.sub(r"\d+", "#", n) for n in names)
            if pair not in seen:
                seen.add(pair)
                found.append(TimedPath(time, sum(pin in self.logic for pin in trace), *names))
                if len(found) == count:
                    break
        return found


def source(pin: str) -> str:
    """Hierarchical name in the Scala sources of the register or memory that `pin` (instance/port) belongs to."""
    return MADE_UP.sub("", pin.rsplit("/", 1)[0].replace("\\", "")).removeprefix("dut.")


def from_sdf(path: Path) -> Graph:
    """The graph of a placed or routed design. Of min:typ:max the maximum counts."""
    graph, instance = Graph(), ""
    for line in path.open():
        word, _, rest = line.strip().removeprefix("(").partition(" ")
        if word == "INSTANCE":
            instance = rest.rstrip(")")
        elif word in ("INTERCONNECT", "IOPATH", "SETUPHOLD"):
            delay = max(float(x) for group in re.findall(r"\(([\d.-]+:[\d.-]+:[\d.-]+)\)", rest)[: 2 if word != "SETUPHOLD" else 1]
                        for x in group.split(":")) / 1000  # fmt: skip
            if word == "INTERCONNECT":
                a, b = rest.split(" ")[:2]
                graph.arc(a, b, delay)
            elif word == "IOPATH":
                a, b = rest.split(" ")[:2]
                if CLOCKS.fullmatch(a):
                    graph.begins[f"{instance}/{b}"] = delay
                else:
                    graph.arc(f"{instance}/{a}", f"{instance}/{b}", delay)
                    graph.logic.add(f"{instance}/{b}")
            else:
                port = re.match(r"\(\w+ (\w+)\)", rest).group(1)
                graph.ends[f"{instance}/{port}"] = delay
    return graph


# Delays of a cell, and the wire to it by the number of places the net goes to: as placed sites of this design had them.
LOGIC = {"LUT4": 0.24, "PFUMX": 0.21, "L6MUX21": 0.21, "TRELLIS_DPR16X4": 0.24, "MULT18X18D": 4.5}
CARRY = {("CIN", "COUT"): 0.07, ("CIN", "S0"): 0.44, ("CIN", "S1"): 0.44}
FROM_CLOCK = {"TRELLIS_FF": 0.52, "DP16KD": 5.7, "PDPW16KD": 5.7}
SETUP = 0.2
LOCAL = {("PFUMX", "ALUT"), ("PFUMX", "BLUT"), ("L6MUX21", "D0"), ("L6MUX21", "D1"), ("CCU2C", "CIN")}


def wire(places: int) -> float:
    return 0.55 + 0.1 * min(places, 4) + 0.02 * min(places, 60)


def from_netlist(path: Path, top: str) -> Graph:
    """The graph of a synthesised, flat netlist in Yosys' JSON, with estimated delays."""
    cells = json.loads(path.read_text())["modules"][top]["cells"]
    graph, driver, places = Graph(), {}, Counter()
    pins = [(name, cell, port, i, bit) for name, cell in cells.items() for port, bits in cell["connections"].items()
            for i, bit in enumerate(bits) if isinstance(bit, int)]  # fmt: skip
    for name, cell, port, i, bit in pins:
        if cell["port_directions"][port] == "output":
            driver[bit] = f"{name}/{port}{i}"
        else:
            places[bit] += 1
    for name, cell, port, i, bit in pins:
        kind, pin = cell["type"], f"{name}/{port}{i}"
        if cell["port_directions"][port] == "output":
            if kind in FROM_CLOCK:
                graph.begins[pin] = FROM_CLOCK[kind]
            elif kind in LOGIC or kind == "CCU2C":
                graph.logic.add(pin)
                for to, bits in cell["connections"].items():
                    if cell["port_directions"][to] == "input" and not (kind == "TRELLIS_DPR16X4" and not to.startswith("RAD")):
                        for j, b in enumerate(bits):
                            if isinstance(b, int):
                                graph.arc(f"{name}/{to}{j}", pin, LOGIC.get(kind) or CARRY.get((to, port), 0.45))
        elif bit in driver:
            graph.arc(driver[bit], pin, 0.0 if (kind, port) in LOCAL else wire(places[bit]))
            if not CLOCKS.fullmatch(port) and (kind in FROM_CLOCK or kind == "TRELLIS_DPR16X4" and not port.startswith("RAD")):
                graph.ends[pin] = SETUP
    return graph
