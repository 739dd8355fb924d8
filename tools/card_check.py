"""A card's top, IP and constraints against its table, without Vivado: its flow is recorded, and each thing that is wrong is a sentence."""

import re
import tempfile
import tomllib
from collections import defaultdict
from fnmatch import fnmatchcase
from pathlib import Path

import boards
import constraints
import crossings
import vivado

KNOWN = tomllib.loads(Path(__file__).with_name("vivado_known.toml").read_text())
#: Ports of the top whose ball is a transceiver's, which takes no IO standard.
TRANSCEIVER = re.compile(r"(pcie|qsfp)_(rx|tx|clk)_[pn](\[\d\])?")
#: MHz of the oscillator inside an MMCM of UltraScale+.
OSCILLATOR = (800, 1600)
#: MB of a pseudo channel of the HBM, which is all that a port without the switch reaches.
CHANNEL = 256
#: PG213: what the block's AXI-Streams of 64 bits at 250 MHz may stand behind.
LINKS = {("8.0_GT/s", "X2"), ("5.0_GT/s", "X4"), ("2.5_GT/s", "X8")}
OBJECT = re.compile(r"@(\w+)\((.*)\)")


def objects(argument: str) -> tuple[str, list[str]]:
    """@ports({a[0]} b) as ("ports", ["a[0]", "b"]); the hardware on a cable has plain names."""
    match = OBJECT.fullmatch(argument)
    kind, names = match.groups() if match else ("hw_device", argument)
    return kind, names.replace("{", " ").replace("}", " ").split()


def properties(call: vivado.Call) -> dict[str, str]:
    if call.arguments[0] == "-dict":
        words = re.findall(r"\{([^{}]*)\}|(\S+)", call.arguments[1])
        words = [a or b for a, b in words]
        return dict(zip(words[::2], words[1::2]))
    return {call.arguments[0]: call.arguments[1]}


def settings_of(calls: list[vivado.Call]) -> tuple[list[str], dict[str, dict[str, str]], dict[str, dict[str, str]]]:
    """What is wrong with properties; those of each port; those of each IP by its module's name."""
    wrong, ports, ips, kinds = [], defaultdict(dict), {}, {}
    for call in calls:
        if call.name == "create_ip":
            kind = call.option("-name")
            kinds[call.option("-module_name")] = "pcie" if kind in ("pcie4_uscale_plus", "pcie4c_uscale_plus") else kind
            if kinds[call.option("-module_name")] not in KNOWN:
                wrong.append(f"create_ip {kind}: no IP that is known here")
        if call.name != "set_property":
            continue
        kind, names = objects(call.arguments[-1])
        given = properties(call)
        table = {"ports": "port", "design": "design", "hw_device": "hardware", "hw_cfgmem": "hardware"}.get(kind) or kinds.get(names[0] if names else "")
        for key, value in given.items():
            key = key.removeprefix("CONFIG.") if kind == "ips" else key
            form = next((form for name, form in KNOWN.get(table, {}).items() if name == key or re.fullmatch(name, key)), None)
            if form is None:
                wrong.append(f"{call.where or 'flow'}: {key} is no property of {kind} {' '.join(names)} that is known here")
            elif form and not re.fullmatch(form, value):
                wrong.append(f"{call.where or 'flow'}: {key} of {' '.join(names) or kind} is {value}; legal are {form}")
        for name in names:
            if kind == "ports":
                for key, value in given.items():
                    if key in ports[name]:
                        wrong.append(f"{call.where}: port {name} has {key} twice, {ports[name][key]} and {value}")
                    ports[name][key] = value
            elif kind == "ips":
                ips.setdefault(name, {}).update({key.removeprefix("CONFIG."): value for key, value in given.items()})
    return wrong, ports, ips


def pins(board: boards.Card, there: dict[str, str], said: dict[str, dict[str, str]]) -> list[str]:
    found = [f"{port} is no port of {board.top.name}" for port in said if port not in there]
    taken: dict[str, str] = {}
    for port in there:
        given = said.get(port, {})
        if "PACKAGE_PIN" not in given:
            found.append(f"port {port} has no PACKAGE_PIN")
        elif taken.setdefault(given["PACKAGE_PIN"], port) != port:
            found.append(f"ball {given['PACKAGE_PIN']} is given to {taken[given['PACKAGE_PIN']]} and to {port}")
        standard = given.get("IOSTANDARD")
        if TRANSCEIVER.fullmatch(port):
            found += [f"port {port} of a transceiver has IOSTANDARD {standard}; legal is none"] if standard else []
        elif standard not in board.pins:
            found.append(f"port {port} has IOSTANDARD {standard}; legal are {', '.join(board.pins)}")
    return found


def clocks(board: boards.Card, top: str, calls: list[vivado.Call]) -> list[str]:
    """Oscillators have their periods; the MMCM makes the board's clock of the first."""
    found, told = [], {}
    for call in calls:
        if call.name == "create_clock":
            told[objects(call.arguments[-1])[1][0]] = 1000 / float(call.option("-period"))
    for port, mhz in board.oscillators.items():
        if port not in told:
            found.append(f"clock {port} has no create_clock; its oscillator has {mhz:g} MHz")
        elif abs(told[port] / mhz - 1) > 0.001:
            found.append(f"clock {port} is constrained to {told[port]:g} MHz, its oscillator has {mhz:g}")
    found += [f"create_clock of {port}, which is no oscillator of {board.name}: {', '.join(board.oscillators)}" for port in told if port not in board.oscillators]
    divide = {key: float(value) for key, value in re.findall(r"\.(DIVCLK_DIVIDE|CLKFBOUT_MULT_F|CLKOUT0_DIVIDE_F|CLKIN1_PERIOD)\(([\d.]+)\)", top)}
    if len(divide) != 4:
        return [*found, "the top has no MMCM with CLKIN1_PERIOD, DIVCLK_DIVIDE, CLKFBOUT_MULT_F and CLKOUT0_DIVIDE_F"]
    port, mhz = next(iter(board.oscillators.items()))
    inside = mhz / divide["DIVCLK_DIVIDE"] * divide["CLKFBOUT_MULT_F"]
    if abs(divide["CLKIN1_PERIOD"] * mhz / 1000 - 1) > 0.001:
        found.append(f"CLKIN1_PERIOD is {divide['CLKIN1_PERIOD']:g} ns, {port} has {1000 / mhz:g}")
    if inside / divide["CLKOUT0_DIVIDE_F"] != board.clock:
        found.append(f"the MMCM makes {inside / divide['CLKOUT0_DIVIDE_F']:g} MHz, the board's clock is {board.clock}: its factors, or `clock` in boards.toml")
    if not OSCILLATOR[0] <= inside <= OSCILLATOR[1]:
        found.append(f"the MMCM's oscillator has {inside:g} MHz, legal are {OSCILLATOR[0]} to {OSCILLATOR[1]}")
    return found


def blocks(board: boards.Card, ips: dict[str, dict[str, str]]) -> list[str]:
    """The PCI Express block and the MAC are what the RTL behind them and the driver expect."""
    pcie, mac = ips.get("pcie_block", {}), ips.get("mac_block", {})
    header = (boards.ROOT / "host-driver/kernel/turnstile.h").read_text()
    device = int(re.search(r"TURNSTILE_DEVICE\s+0x(\w+)", header)[1], 16)
    link = pcie.get("PL_LINK_CAP_MAX_LINK_SPEED"), pcie.get("PL_LINK_CAP_MAX_LINK_WIDTH")
    found = []
    if pcie.get("axisten_if_width") != "64_bit" or pcie.get("axisten_freq") != "250" or link not in LINKS:
        found.append(f"the PCI Express block has {pcie.get('axisten_if_width')} at {pcie.get('axisten_freq')} MHz behind {' '.join(map(str, link))}; legal is 64_bit at 250 behind "
                     + ", ".join(" ".join(one) for one in sorted(LINKS)))  # fmt: skip
    if int(pcie.get("PF0_DEVICE_ID", "0"), 16) != device:
        found.append(f"the PCI Express block's device is {pcie.get('PF0_DEVICE_ID')}, the driver's {device:04X}")
    if pcie.get("pf0_bar4_size") != str(board.memory) or pcie.get("pf0_bar4_scale") != "Megabytes":
        found.append(f"BAR4 has {pcie.get('pf0_bar4_size')} {pcie.get('pf0_bar4_scale')}, the board's memory {board.memory} MB")
    if "hbm_block" in ips and board.memory > CHANNEL:
        found.append(f"the board's memory is {board.memory} MB, a port of the HBM has {CHANNEL}")
    if mac.get("GT_REF_CLK_FREQ") != f"{board.oscillators['qsfp_clk_p']:.10g}":
        found.append(f"the MAC expects {mac.get('GT_REF_CLK_FREQ')} MHz, qsfp_clk_p has {board.oscillators['qsfp_clk_p']:.10g}")
    return found


def exceptions(calls: list[vivado.Call], there: set[crossings.Crossing]) -> list[str]:
    """Each crossing has an exception from its own clock, each exception a crossing."""
    found, last, given = [], max((i for i, c in enumerate(calls) if c.name == "create_clock"), default=0), []
    for i, call in enumerate(calls):
        if call.name not in ("set_max_delay", "set_false_path") or "@ports" in " ".join(call.arguments):
            continue
        if i < last:
            found.append(f"{call.where}: {call.name} stands before the clocks it speaks of")
        kind, names = objects(call.option("-to"))
        source = re.fullmatch(r"@clocks\(@nets\((\S+)\)\)", call.option("-from"))
        given.append((call, source[1] if source else None, kind, names[0]))

    def covers(source: str | None, kind: str, pattern: str, crossing: crossings.Crossing) -> bool:
        if kind == "pins":
            return fnmatchcase(f"{crossing.cell}_reg[0]/{crossing.pin}", pattern)
        return crossing.source == source and fnmatchcase(f"{crossing.cell}_reg[0]", pattern) and crossing.pin not in ("CLR", "PRE")

    used = set()
    for crossing in sorted(there, key=lambda c: (c.cell, c.pin, c.source)):
        by = [n for n, (_, source, kind, pattern) in enumerate(given) if covers(source, kind, pattern, crossing)]
        used |= set(by)
        if not by:
            found.append(f"crossing from {crossing.source} to {crossing.cell} ({crossing.pin}, of {crossing.sink}) has no exception")
    return found + [f"{call.where}: {call.name} to {pattern} is of no crossing from {source or 'any clock'}" for n, (call, source, _, pattern) in enumerate(given) if n not in used]


def width(board: boards.Card, site: Path) -> list[str]:
    """The site's streams are as wide as the MAC's: Verilog would cut them."""
    bits = int(re.search(r"\[(\d+):0\]\s+io_tx_tdata", site.read_text())[1]) + 1
    return [] if bits == board.mac else [f"CardSite has {bits} bits to the MAC, {board.name} has {board.mac}: `mac` in boards.toml, or board/CardSite does not know macBits"]


def sources(board: boards.Card) -> list[Path]:
    hw = boards.ROOT / "hw"
    return [board.top, board.top.with_name("stubs.v"), *sorted((hw / "common").glob("*.v"))]


def recorded(board: boards.Card) -> tuple[list[vivado.Call], str]:
    """What its flow says to Vivado, and why it ended early, if it did."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "settings.tcl").write_text(vivado.of_build(board, board.name, 1))
        (Path(folder) / "CardSite.sv").touch()
        return vivado.record("bitstream.tcl", Path(folder), {"SLACK": 0})


def check(board: boards.Card, site: Path | None = None) -> list[str]:
    """A sentence for each thing that is wrong. `site`: the generated CardSite.sv, whose crossings are looked at then."""
    calls, ended = recorded(board)
    top = board.top.read_text()
    wrong, ports, ips = settings_of(calls)
    there = constraints.ports(top, board.name)
    wrong += [ended] if ended else []
    wrong += pins(board, there, ports) + clocks(board, top, calls) + blocks(board, ips)
    for call in calls:
        if call.name == "set_false_path" and "@ports" in " ".join(call.arguments):
            wrong += [f"{call.where}: {name} is no port of {board.top.name}" for name in objects(call.option("-from") or call.option("-to"))[1] if name not in there]
    if site:
        wrong += width(board, site) + exceptions(calls, crossings.find(board.out / "crossings", board.name, site, sources(board)))
    return wrong
