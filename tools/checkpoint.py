"""SAVE_AT= and FROM= of `make run`: a run is saved at a mark, others go on there (docs/design/checkpoint.md)."""
import re
from pathlib import Path

#: Keys of what a checkpoint does not hold, with their values when they are not asked for.
WITHOUT = {"WAVES": "0", "WAVES_MISS": "", "GDB": "", "REPLAY": "", "SHELL_LINES": "", "FAULT": ""}
FROM_THE_BEGINNING = {"TRACE": "0", "PACKETS": "0", "RESET": "0"}


class Refused(Exception):
    """A sentence for the user."""


def settle(chosen: dict[str, str]) -> None:
    mark = re.fullmatch(r"mark(\d{1,10})", chosen["SAVE_AT"])
    if chosen["SAVE_AT"] and (not mark or int(mark[1]) >= 2**32):
        raise Refused(f"SAVE_AT={chosen['SAVE_AT']} is not legal: mark0 to mark{2**32 - 1}, as mark1")
    if chosen["FROM"] and not Path(chosen["FROM"]).expanduser().is_file():
        raise Refused(f"FROM={chosen['FROM']} is no file: SAVE_AT=mark1 makes one, build/run/<name>/mark1.checkpoint")
    for key in ("SAVE_AT", "FROM"):
        keys = WITHOUT if key == "SAVE_AT" else WITHOUT | FROM_THE_BEGINNING
        if other := next((k for k, value in keys.items() if chosen[key] and chosen[k] != value), None):
            raise Refused(f"{other}={chosen[other]} with {key}=: a checkpoint holds nothing for it, leave one of them out")


def options(s: dict[str, str], folder: Path) -> list[str]:
    """Of the simulator."""
    save = [f"save-at={s['SAVE_AT'].removeprefix('mark')}", f"save={folder / s['SAVE_AT']}.checkpoint"] if s["SAVE_AT"] else []
    return save + [f"from={Path(s['FROM']).expanduser().resolve()}"] * bool(s["FROM"])
