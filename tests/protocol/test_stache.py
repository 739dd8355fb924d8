"""Both Stache tables (docs/reference/stache.md; BZ-26, BZ-27), row by row, through the handlers that run on the sP, with a recording NIU."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "test" / "protocol"


def rows():
    BUILD.mkdir(parents=True, exist_ok=True)
    program = BUILD / f"stache_rows-{os.getpid()}"  # every pytest worker collects for itself
    sources = [ROOT / "tests/protocol/stache_rows.c", *sorted((ROOT / "fw/protocols").glob("*.c")),
               *sorted((ROOT / "fw/tempest").glob("*.c")), *sorted((ROOT / "fw/services").glob("*.c"))]
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-fsanitize=address,undefined",
                    "-DTT_WORKSTATION", f"-I{ROOT}/tests/protocol/workstation",
                    *(f"-I{ROOT}/fw/{d}" for d in ("tempest", "protocols", "services")),
                    *map(str, sources), "-o", str(program)], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line]
    assert len(lines) >= 70, f"stache_rows stopped after {len(lines)} rows:\n{done.stdout}{done.stderr}"
    return [line.partition(" ")[::2] for line in lines]


@pytest.mark.parametrize("result, row", [pytest.param(r, row, id=row.split(" | ")[0].strip()) for r, row in rows()])
def test_row(result, row):
    assert result == "ok", row
