"""RANKS=: one cluster as several processes under mpirun, and what is said when one of them dies."""
import io
import re
import shutil
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
    for key, why in (("WAVES", "one process writes a waveform"), ("GDB", "one process has all processors"), ("REPLAY", "one process conducts"),
                     ("WIRE", "one process counts its frames"), ("SAVE_AT", "one process has all to save"), ("FROM", "one process has all to load")):
        if s[key] not in ("", "0"):
            raise Refused(f"{key}={s[key]} with RANKS={ranks}: {why}")
    if not shutil.which("mpirun") or not shutil.which("mpicc"):
        raise Refused(f"RANKS={ranks} needs mpirun and mpicc: install the Debian packages {PACKAGES}, or say RANKS=1")


def command(ranks: int, simulator: Path) -> list:
    """The program that simulates, alone or as so many processes; any machine and any user may have them, and they leave a core that others use."""
    if ranks == 1:
        return [simulator]
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-np", str(ranks),
            simulator.with_name("turnstile-ranks")]


class Messages:
    """Passes on what ranks say on stderr; keeps mpirun's own words, which stand between lines of dashes, to itself."""

    def __init__(self, stderr: io.TextIOWrapper):
        self.own = ""
        stderr.reconfigure(newline="")  # progress has no line ends but carriage returns
        self._thread = threading.Thread(target=self._read, args=(stderr,))
        self._thread.start()

    def _read(self, stderr: io.TextIOWrapper) -> None:
        within = False
        for line in stderr:
            if re.fullmatch(r"-{70,}\n", line):
                within = not within
            elif within:
                self.own += line
            else:
                sys.stderr.write(line)
                sys.stderr.flush()

    def death(self, status: int, ranks: int, sites: int) -> str | None:
        """Who was killed, and by what; to be asked when mpirun has ended, with `status`."""
        self._thread.join()
        if status < 0:
            return f"mpirun died of signal {-status}, and the run with it"
        found = re.search(r"process rank (\d+) .*?exited on\s+signal (\d+ \([^)]*\))", self.own, re.DOTALL)
        if not found:
            return None
        first, last = first_of(int(found[1]), ranks, sites), first_of(int(found[1]) + 1, ranks, sites) - 1
        return f"rank {found[1]} (sites {first} to {last}) died of signal {found[2]}, and the run with it"


def first_of(rank: int, ranks: int, sites: int) -> int:
    """As Ranks::firstOf of the simulator: ranks share sites in their order."""
    return (rank * sites + ranks - 1) // ranks
