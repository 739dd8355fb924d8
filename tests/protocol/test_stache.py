"""Both Stache tables (docs/reference/stache.md, BZ-26, BZ-27), pages, services and places of answers, row by row, through the handlers
that run on the sP, with a recording NIU."""

import collections
import functools

import pytest
from protocol_build import HERE, rows_of


@functools.cache
def run():
    return rows_of("rows", sorted(HERE.glob("*_rows.c")))


def rows():
    return [line.partition(" ")[::2] for line in run()[1] if not line.startswith("table ")]


@pytest.mark.parametrize("result, row", [pytest.param(r, row, id=row.split(" | ")[0].strip()) for r, row in rows()])
def test_row(result, row):
    assert result == "ok", row


def test_every_row_of_every_table_ran():
    done, lines = run()
    assert not done.stderr, done.stderr
    table, ran, declared = None, collections.Counter(), {}
    for line in lines:
        if line.startswith("table "):
            table, count = line.split(" ", 1)[1].rsplit(" ", 1)
            declared[table] = int(count)
        else:
            ran[table] += 1
    assert dict(ran) == declared and sum(declared.values()) == 152
    assert done.returncode == int(any(result != "ok" for result, _ in rows()))
