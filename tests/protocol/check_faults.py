"""Faults for the checker: a copy of fw/ with one of them in it, and the program that explores it."""
import shutil
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/check"))
import checker  # noqa: E402

#: Faults of tests/mutation/firmware.toml that break no promise which the checker knows.
HARMLESS = {
    "home's own load waits on after another reader's data served it": "it waits within the bound, and finds its access done",
    "stale invalidation is not answered": "no interleaving of these clusters brings an invalidation to a copy that is Invalid",
}
#: What must be explored to see them, where two and three sites are not enough.
WITH = {"a moved page does not learn its new home": "SITES=2 HOMES=first-touch"}


def faults(protocol):
    """Name -> fault, all that touch the protocol's files, and the checker's own."""
    listed = tomllib.loads((ROOT / "tests/mutation/firmware.toml").read_text())["fault"]
    own = tomllib.loads((Path(__file__).parent / "faults" / f"{protocol}.toml").read_text())["fault"]
    return {f["name"]: f for f in [*(f for f in listed if f["file"].startswith(f"fw/protocols/{protocol}")), *own]}


def faulty(fault, protocol, tmp_path):
    """The program with `fault` in its firmware."""
    firmware = tmp_path / "fw"
    shutil.copytree(ROOT / "fw", firmware)
    file = firmware.parent / fault["file"]
    text = file.read_text()
    assert text.count(fault["find"]) == 1, f"{fault['name']}: its text stands {text.count(fault['find'])} times in {fault['file']}"
    file.write_text(text.replace(fault["find"], fault["replace"]))
    return checker.build(protocol, firmware, tmp_path / "objects")


def explored(fault, protocol, tmp_path, settings):
    return checker.explore(faulty(fault, protocol, tmp_path), checker.settings([f"PROTOCOL={protocol}", *settings.split()]))
