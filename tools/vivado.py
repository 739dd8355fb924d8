"""Vivado for cards: the flow of hw/flow run by it, or, where it is not, recorded call by call (tools/vivado_record.tcl)."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import boards

RECORDER = Path(__file__).with_name("vivado_record.tcl")


@dataclass(frozen=True)
class Call:
    """A command of Vivado: `where` is the file of constraints it stands in, or "" in a flow; an object is @KIND(what was asked for)."""

    where: str
    name: str
    arguments: tuple[str, ...]

    def option(self, name: str) -> str:
        return self.arguments[self.arguments.index(name) + 1] if name in self.arguments else ""


def settings(values: dict[str, object]) -> str:
    return "".join(f"set {key} {{{value}}}\n" for key, value in values.items())


def of_build(board: boards.Card, name: str, build_id: int) -> str:
    """What hw/flow/bitstream.tcl asks for."""
    return settings({"hw": boards.ROOT / "hw", "constraints": boards.ROOT / "constraints", "top": board.name, "part": board.device, "clock": board.clock,
                     "memory": board.memory, "name": name, "build_id": f"0x{build_id:08x}", "flash_bytes": board.flash, "image_at": f"0x{board.image:08x}"})  # fmt: skip


def command(script: str, log: str) -> list[str]:
    """Runs hw/flow/`script` with settings.tcl of the folder that it runs in."""
    return ["vivado", "-mode", "batch", "-nojournal", "-log", log, "-source", str(boards.ROOT / "hw/flow" / script), "-tclargs", "settings.tcl"]


def record(script: str, folder: Path, answers: dict[str, object]) -> tuple[list[Call], str]:
    """The calls of hw/flow/`script` with folder/settings.tcl, and why it ended early, if it did."""
    said = " ".join(f"{{{key}}} {{{value}}}" for key, value in answers.items())
    done = subprocess.run(["tclsh", RECORDER, said, boards.ROOT / "hw/flow" / script, "settings.tcl"], cwd=folder, capture_output=True, text=True)
    calls = [line.split("\x1f") for line in done.stdout.split("\x1e") if line]
    return [Call(Path(where).relative_to(boards.ROOT).as_posix() if where else "", name, tuple(rest)) for where, name, *rest in calls], done.stderr.strip()


def build(board: boards.Card, name: str, build_id: int) -> Path:
    """The bitstream, from CardSite.sv in the board's folder."""
    out = board.out
    (out / "settings.tcl").write_text(of_build(board, name, build_id))
    slack = out / "slack.txt"
    slack.unlink(missing_ok=True)
    if not shutil.which("vivado"):
        raise boards.Refused(f"Vivado is not installed, and {board.name} needs it: AMD has it; source its settings64.sh and start again, or CHECK=1 for what can be checked without")
    status = subprocess.run(command("bitstream.tcl", "vivado.log"), cwd=out).returncode
    if slack.exists():
        setup, hold = map(float, slack.read_text().split())
        if min(setup, hold) < 0:
            raise boards.Refused(f"{board.name} misses its clock of {board.clock} MHz: worst slack {setup:g} ns, of hold {hold:g} ns ({out}/timing.rpt has the paths); "
                                 f"a lower `clock` in hw/boards.toml with the MMCM of {board.top.name}, or fewer aPs")  # fmt: skip
    if status or not slack.exists():
        raise boards.Refused(f"Vivado failed on {board.name} (its words above, and in {out}/vivado.log)")
    return out / f"{name}.bit"
