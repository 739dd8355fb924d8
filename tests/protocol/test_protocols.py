"""Rows of the protocols beside Stache (VY-11): tests/protocol/NAME/rows.c, through the handlers that run on the sP."""

import functools

import pytest
from protocol_build import HERE, rows_of

NAMES = sorted(p.parent.name for p in HERE.glob("*/rows.c"))


@functools.cache
def run(name):
    return rows_of(f"{name}-rows", [HERE / name / "rows.c"], f"stache,{name}")


@pytest.mark.parametrize("name", NAMES)
def test_every_row(name):
    done, lines = run(name)
    assert not done.stderr, done.stderr
    declared = sum(int(line.rsplit(" ", 1)[1]) for line in lines if line.startswith("table "))
    rows = [line for line in lines if not line.startswith("table ")]
    assert len(rows) == declared > 0 and not [row for row in rows if not row.startswith("ok ")], "\n".join(rows)
