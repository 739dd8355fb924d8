"""Waveforms of a run (`make run WAVES=1`): their window of cycles, and views of them for GTKWave and Surfer.

A nanosecond there is a cycle since reset, as in reads.csv, packets.csv and trace.pftrace. Views show, site by site, what a miss meets
on its way. In GTKWave @22 is a row in hexadecimal, @28 in binary, @200 a heading.
"""
import json
from dataclasses import dataclass
from pathlib import Path

FILE, GTKWAVE, SURFER = "waves.fst", "waves.gtkw", "waves.sucl"
#: Cycles shown before and behind a miss.
BEFORE, AFTER = 20, 20
#: What a view shows of each site, group by group: names below its top, with the number of their most significant bit unless they have one bit.
SIGNALS = {
    "aP {ap}": ("io_probe_ap_{ap}_missStart_valid", "io_probe_ap_{ap}_missStart_payload_op[3:0]", "io_probe_ap_{ap}_missStart_payload_address[31:0]",
                "io_probe_ap_{ap}_missDone_valid", "io_probe_ap_{ap}_waiting_valid"),
    "Site Bus": ("snooper_1.io_snoop_request_valid", "snooper_1.io_snoop_request_payload_master[3:0]", "snooper_1.io_snoop_request_payload_op[3:0]",
                 "snooper_1.io_snoop_request_payload_address[31:0]", "snooper_1.io_snoop_verdict_valid", "snooper_1.io_snoop_verdict_payload_retry",
                 "io_probe_tags_valid", "io_probe_tags_payload_next[2:0]"),
    "sP": ("io_probe_spWaiting", "io_probe_take_valid", "io_probe_take_payload_index[6:0]", "io_probe_take_payload_arg[31:0]"),
    "command engine": ("engine.io_command_valid", "engine.io_command_ready", "engine.io_command_payload_op[2:0]", "engine.io_command_payload_address[31:0]",
                       "engine.io_status_busy"),
    "link": ("io_link_out_flit_valid", "io_link_out_flit_payload_data[63:0]", "io_link_out_flit_payload_last", "io_link_in_flit_valid",
             "io_link_in_flit_payload_data[63:0]", "io_link_in_flit_payload_last"),
}


class Refused(Exception):
    """A window that is not legal; the message is one sentence with the legal range."""


@dataclass(frozen=True)
class Window:
    first: int
    last: int
    sentence: str  # what it shows


def settle(chosen: dict[str, str], most: int) -> None:
    """Checks WAVES and its window in the settings of a run; a window asks for waves."""
    for key, least in (("WAVES_FROM", 0), ("WAVES_TO", 0), ("WAVES_MISS", 1)):
        if chosen[key] and (not chosen[key].isdecimal() or not least <= int(chosen[key]) <= most):
            raise Refused(f"{key}={chosen[key]} is not a number from {least} to {most}")
    first, last, miss = (chosen[key] for key in ("WAVES_FROM", "WAVES_TO", "WAVES_MISS"))
    if miss and (first or last):
        raise Refused(f"WAVES_MISS={miss} finds the window of a miss itself: legal is either it, or WAVES_FROM and WAVES_TO")
    if first and last and int(first) > int(last):
        raise Refused(f"WAVES_FROM={first} is after WAVES_TO={last}")
    if first or last or miss:
        chosen["WAVES"] = "1"
    if chosen["WAVES"] == "1" and int(chosen["THREADS"] or 1) > 1:
        raise Refused(f"THREADS={chosen['THREADS']} with WAVES=1: one thread writes a waveform")


def options(s: dict[str, str]) -> list[str]:
    """The simulator's."""
    names = {"WAVES_FROM": "waves-from", "WAVES_TO": "waves-to", "WAVES_MISS": "watched"}
    return [f"{option}={s[key]}" for key, option in names.items() if s[key]]


def around(report: Path, miss: int) -> Window:
    """The window of the watched remote miss, by the report of a run that watched it."""
    told = json.loads(report.read_text()) if report.exists() else {}
    if "watched" not in told:
        count = told.get("misses", {}).get("remote", 0)
        raise Refused(f"WAVES_MISS={miss}: the run ended after {count} remote misses")
    at = told["watched"]
    return Window(max(0, at["from"] - BEFORE), at["to"] + AFTER,
                  f"remote miss {miss} is of {at['address']:#010x}, site {at['site']} aP {at['ap']}, cycles {at['from']} to {at['to']}")


def groups(sites: int, aps: int) -> list[tuple[str, list[str]]]:
    """Name and signals of every group of a view."""
    return [(f"site {site} {group.format(ap=ap)}", [f"site{site}.Site.{name.format(ap=ap)}" for name in names])
            for site in range(sites) for group, names in SIGNALS.items() for ap in (range(aps) if "{ap}" in group else (0,))]


def write_views(folder: Path, sites: int, aps: int) -> tuple[Path, Path]:
    """For `gtkwave FOLDER/waves.gtkw` and `surfer FOLDER/waves.fst --command-file FOLDER/waves.sucl`."""
    saved, commands = [f'[dumpfile] "{folder / FILE}"'], []
    for group, names in groups(sites, aps):
        saved += ["@200", f"-{group}", *(line for name in names for line in ("@22" if "[" in name else "@28", name))]
        commands += [f"divider_add {group}", *(f"variable_add {name.partition('[')[0]}" for name in names)]
    for file, lines in ((GTKWAVE, saved), (SURFER, [*commands, "zoom_fit"])):
        (folder / file).write_text("\n".join(lines) + "\n")
    return folder / GTKWAVE, folder / SURFER
