"""Constraints of a board for nextpnr (LPF) against its top, its table and the PLL in it, without any vendor's tool."""

import re
from dataclasses import dataclass
from pathlib import Path

import boards

STATEMENTS = {
    "site": re.compile(r'LOCATE\s+COMP\s+"([^"]+)"\s+SITE\s+"([^"]+)"'),
    "buffer": re.compile(r'IOBUF\s+PORT\s+"([^"]+)"((?:\s+\w+=\w+)+)'),
    "clock": re.compile(r'FREQUENCY\s+PORT\s+"([^"]+)"\s+([\d.]+)\s+MHZ'),
}
#: Of IOBUF, with the values of each; IO_TYPE's are those of the board.
SETTINGS = {"PULLMODE": {"UP", "DOWN", "NONE"}, "DRIVE": {"4", "8", "12", "16"}, "SLEWRATE": {"SLOW", "FAST"}}
#: MHz of the oscillator inside an ECP5 PLL, and of what it compares.
OSCILLATOR, COMPARED = (400, 800), (10, 400)


@dataclass(frozen=True)
class Statement:
    kind: str
    port: str
    value: str
    where: str


def ports(verilog: str, module: str) -> dict[str, str]:
    """Direction of each bit of each port of `module`, by the names that constraints have for them."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", verilog, flags=re.S)
    header = re.search(rf"\bmodule\s+{module}\s*\((.*?)\);", text, re.S)
    if not header:
        raise boards.Refused(f"the top has no module {module}")
    found = {}
    for direction, high, low, name in re.findall(r"\b(input|output|inout)\s+(?:wire\s+|reg\s+)?(?:\[(\d+):(\d+)\]\s*)?(\w+)", header[1]):
        names = [f"{name}[{bit}]" for bit in range(int(low), int(high) + 1)] if high else [name]
        found |= dict.fromkeys(names, direction)
    return found


def read(files: list[Path]) -> tuple[list[Statement], list[str]]:
    """What the files say, and what of it is no statement that we know."""
    found, wrong = [], []
    for file in files:
        for text in re.sub(r"#[^\n]*", "", file.read_text()).split(";"):
            if not (text := " ".join(text.split())):
                continue
            known = [(kind, match) for kind, form in STATEMENTS.items() if (match := form.fullmatch(text))]
            found += [Statement(kind, match[1], match[2].strip(), file.name) for kind, match in known]
            if not known:
                wrong.append(f"{file.name}: '{text}' is none of LOCATE COMP, IOBUF PORT, FREQUENCY PORT in MHZ")
    return found, wrong


def once(ports_: dict[str, str], said: list[Statement], what: str) -> list[str]:
    count = {port: [s.where for s in said if s.port == port] for port in ports_}
    return [f"port {port} has no {what}" for port, where in count.items() if not where] + [
        f"port {port} has {len(where)} {what}s ({', '.join(where)}), legal is one" for port, where in count.items() if len(where) > 1]


def settings_of(said: Statement, types: list[str]) -> list[str]:
    given = dict(one.split("=") for one in said.value.split())
    found = [] if "IO_TYPE" in given else [f"{said.where}: port {said.port} has no IO_TYPE; legal are {', '.join(types)}"]
    for key, value in given.items():
        legal = types if key == "IO_TYPE" else sorted(SETTINGS.get(key, []))
        if value not in legal:
            found.append(f"{said.where}: port {said.port} has {key}={value}; " + (f"legal are {', '.join(legal)}" if legal else f"legal are IO_TYPE, {', '.join(SETTINGS)}"))
    return found


def clocks(board: boards.Board, top: str, said: list[Statement]) -> list[str]:
    """The oscillators have their frequencies, and the PLL makes the board's clock of the first."""
    told, found = {s.port: float(s.value) for s in said}, []
    for port, mhz in board.oscillators.items():
        if told.get(port, mhz) != mhz:
            found.append(f"clock {port} is constrained to {told[port]:g} MHz, its oscillator has {mhz:g}")
        if port not in told:
            found.append(f"clock {port} has no FREQUENCY; its oscillator has {mhz:g} MHz")
    found += [f"FREQUENCY of {port}, which is no oscillator of {board.name}: {', '.join(board.oscillators)}" for port in told if port not in board.oscillators]
    divide = {key: int(value) for key, value in re.findall(r"\.(CLK(?:I|FB|OP)_DIV)\((\d+)\)", top)}
    if set(divide) != {"CLKI_DIV", "CLKFB_DIV", "CLKOP_DIV"}:
        return [*found, "the top has no PLL with CLKI_DIV, CLKFB_DIV and CLKOP_DIV"]
    compared = next(iter(board.oscillators.values())) / divide["CLKI_DIV"]
    made = compared * divide["CLKFB_DIV"]
    if made != board.clock:
        found.append(f"the PLL makes {made:g} MHz, the board's clock is {board.clock}: CLKFB_DIV / CLKI_DIV, or `clock` in boards.toml")
    for what, mhz, (least, most) in (("the PLL's oscillator", made * divide["CLKOP_DIV"], OSCILLATOR), ("what the PLL compares", compared, COMPARED)):
        if not least <= mhz <= most:
            found.append(f"{what} has {mhz:g} MHz, legal are {least} to {most}")
    return found


def check(board: boards.Board) -> list[str]:
    """A sentence for each thing that is wrong."""
    top = board.top.read_text()
    known = ports(top, board.name)
    said, found = read(sorted(board.constraints.glob("*.lpf")))
    of = {kind: [s for s in said if s.kind == kind] for kind in STATEMENTS}
    found += once(known, of["site"], "LOCATE") + once(known, of["buffer"], "IOBUF")
    found += [f"{s.where}: {s.port} is no port of {board.top.name}" for s in said if s.port not in known]
    taken: dict[str, str] = {}
    for s in of["site"]:
        if not re.fullmatch(r"[A-Z]{1,2}[1-9]\d?", s.value):
            found.append(f"{s.where}: port {s.port} is at {s.value}, which is no ball of a BGA, as K23")
        if taken.setdefault(s.value, s.port) != s.port:
            found.append(f"{s.where}: ball {s.value} is given to {taken[s.value]} and to {s.port}")
    for s in of["buffer"]:
        found += settings_of(s, board.pins)
    return found + clocks(board, top, of["clock"])
