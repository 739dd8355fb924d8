"""RANKS=: one cluster as several processes under mpirun, and what is said when one of them dies."""
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

#: Debian's: which setup installs.
PACKAGES = "openmpi-bin libopenmpi-dev"


class Refused(Exception):
    """One sentence: what is wrong with the settings."""


def settle(s: dict[str, str]) -> None:
    """Checks RANKS beside the other settings of a run."""
    sites, ranks = int(s["SITES"]), s["RANKS"]
    if not ranks.isdecimal() or not 1 <= int(ranks) <= sites:
        raise Refused(f"RANKS={ranks} is not a number from 1 to {sites}, the sites")
    if ranks == "1":
        return
    if int(s["THREADS"] or 1) > 1:
        raise Refused(f"THREADS={s['THREADS']} with RANKS={ranks}: a rank is one thread, legal is 1")
    for key, why in (("WAVES", "one process writes a waveform"), ("GDB", "one process has all processors"), ("REPLAY", "one process conducts")):
        if s[key] not in ("", "0"):
            raise Refused(f"{key}={s[key]} with RANKS={ranks}: {why}")
    if not shutil.which("mpirun") or not shutil.which("mpicc"):
        raise Refused(f"RANKS={ranks} needs mpirun and mpicc: install the Debian packages {PACKAGES}, or say RANKS=1")


def command(ranks: int, simulator: Path) -> list:
    """The program that simulates, alone or as so many processes; any machine and any user may have them, and they leave a core that others use."""
    if ranks == 1:
        return [simulator]
    return ["mpirun", "-q", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-np", str(ranks),
            simulator.with_name("turnstile-ranks")]
