"""Every command of docs/user/new-protocol.md, in its order, in this tree; what it wrote is removed again."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/user/new-protocol.md"
MADE = [ROOT / "fw/protocols/mine.c", ROOT / "tests/protocol/mine", ROOT / "tools/check/protocols/mine.c"]


@pytest.fixture
def tree():
    assert not any(p.exists() for p in MADE), f"{MADE[0]} is there already"
    yield
    for path in MADE:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def cycles(output):
    assert "records: correct" in output, output
    return int(re.search(r"rounds of 4 processes: (\d+) cycles", output)[1])


def test_every_command_does_what_the_page_says(tree):
    commands = re.findall(r"^ {4}((?:make|pytest) .*)$", PAGE.read_text(), re.MULTILINE)
    assert [c.split()[0:2] for c in commands] == [["make", "new-protocol"], ["pytest", "-q"], ["make", "check"], ["make", "check"], ["make", "conform"], ["make", "run"], ["make", "run"]]
    said = []
    for command in commands:
        done = subprocess.run(["bash", "-c", f". tools/env.sh; {command}"], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, command + done.stdout + done.stderr
        said.append(done.stdout)
    assert all(p.exists() for p in MADE) and "1 passed" in said[1]
    assert ": holds" in said[2] and ": holds" in said[3]
    assert "the model allows all that the RTL did" in said[4]
    assert cycles(said[5]) > 1.2 * cycles(said[6])
