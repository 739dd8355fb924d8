"""Tables that tools write into the README: between their lines and nowhere else; what LogP's says is what was measured."""
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import logp  # noqa: E402
import readme  # noqa: E402


def measured(stream_of_words=50.0):
    """Rows as apps/logp.c prints them, of made-up cycles."""
    columns = ("mechanism", "bytes", "overhead_send", "overhead_receive", "one_way", "gap_send", "gap_stream", "gap_units", "link_share")
    rows = [("express", "4", "12.0", "90.0", "100.0", "8.0", str(stream_of_words), "", ""),
            *(("basic", str(size), "100.0", "100.0", "300.0", "200.0", str(200.0 + size), "16.0", "0.250") for size in (0, 8, 16, 32, 64, 88))]
    return [dict(zip(columns, row)) for row in rows]


@pytest.mark.parametrize("name", ["stages", "logp"])
def test_only_the_part_between_the_lines_changes(name):
    text = readme.README.read_text()
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    new = readme.place(text, name, "new\n")
    assert new == text.split(begin)[0] + begin + "new\n" + end + text.split(end)[1] and new != text


def test_a_readme_without_the_lines_is_refused():
    with pytest.raises(readme.Refused, match="README.md has no lines <!-- logp --> and <!-- /logp -->"):
        readme.place("# Turnstile\n", "logp", "new\n")


@pytest.mark.parametrize("stream, words", [(50.0, 8), (60.0, 4), (10.0, None)])
def test_the_crossover_is_the_first_size_at_which_one_message_is_quicker(stream, words):
    assert logp.crossover(measured(stream)) == words


def test_curves_are_of_each_mechanism_and_only_of_what_was_measured():
    page = logp.page(measured(), "make run APP=logp")
    assert page.count("<svg") == len(logp.PLOTS) and page.count("<svg") == page.count("payload, bytes")
    shares = page[page.index("<h2>share of the link"):]
    assert "basic" in shares and "express" not in shares
    assert page == logp.page(measured(), "make run APP=logp")


def test_the_readmes_rows_are_those_that_were_measured(monkeypatch):
    monkeypatch.setattr(logp, "read", lambda what: measured() + [{**measured()[1], "mechanism": m, "bytes": b} for m, b in (("basic+tagon", "216"), ("dma", "4096"))])
    lines = logp.table().splitlines()
    assert lines[2] == "| express | 4 | 12.0 | 100.0 |  |" and lines[4] == "| basic | 88 | 100.0 | 300.0 | 0.250 |"
    assert len(lines) == 2 + len(logp.SHOWN) + 2
