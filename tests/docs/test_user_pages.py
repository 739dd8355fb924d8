"""User and reference pages say what the tools do: keys of make run with their defaults, keys of report.json, macros, targets."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import boards  # noqa: E402
import protocols  # noqa: E402
import run  # noqa: E402


def table_of(page, head):
    """First and last cells of the table that begins with `head`."""
    body = (ROOT / page).read_text().split(head, 1)[1].split("\n\n", 1)[0]
    rows = [[c.strip(" `") for c in line.strip("|").split("|")] for line in body.splitlines()[2:]]
    return {row[0]: row[-1] for row in rows}


def test_keys_of_make_run_and_their_defaults():
    documented = table_of("docs/user/running.md", "| key | takes | default |")
    assert set(documented) == set(run.KEYS)
    for key, (default, _) in run.KEYS.items():
        assert documented[key] == default or (not default and documented[key] in ("none", "")) or key == "NAME", key


def test_first_page_agrees_about_keys():
    full = table_of("docs/user/running.md", "| key | takes | default |")
    first = table_of("README.md", "| key | takes | default |")
    assert first.items() <= full.items()


def test_every_key_of_the_report_is_documented(tmp_path):
    source = (ROOT / "sim/report.cpp").read_text()
    statistics = re.search(r"statistics\[\S+\] = \{([^}]*)\}", source).group(1)
    counters = set()
    for name in protocols.names():
        chosen = protocols.resolve(name)
        protocols.describe(chosen, tmp_path)
        counters |= {counter for p in chosen for counter in p.counters.values()}
    keys = set(re.findall(r'\\"(\w+)\\":', source)) | set(re.findall(r'"(\w+)"', statistics)) | counters
    page = (ROOT / "docs/reference/formats.md").read_text()
    missing = [k for k in sorted(keys) if f"`{k}`" not in page and f"`{re.sub('_(mean|median|histogram)$', '', k)}`" not in page]
    assert "exit_status" in keys and "get_ro" in keys and not missing


def test_stages_are_documented_in_order():
    names = re.findall(r'"([^"]+)"', re.search(r"names\[COUNT\] = \{([^}]*)\}", (ROOT / "sim/stages.cpp").read_text()).group(1))
    page = (ROOT / "docs/reference/formats.md").read_text()
    assert re.findall(r"^\| \d \| `([^`]+)`", page, re.MULTILINE) == names


def test_targets_named_are_targets():
    makefiles = [ROOT / "Makefile", *(ROOT / "mk").glob("*.mk")]
    targets = {t for m in makefiles for t in re.findall(r"^([a-z][a-z-]*):", m.read_text(), re.MULTILINE)}
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        named = set(re.findall(r"(?:`|^ {4})make ([a-z][a-z-]*)", page.read_text(), re.MULTILINE))
        assert named <= targets, f"{page.name} names {named - targets}"


def test_macros_named_are_macros():
    macros = (ROOT / "apps/include/parmacs.m4").read_text()
    section = (ROOT / "docs/user/programs.md").read_text().split("## Macros")[1].split("The whole set")[0]
    named = set(re.findall(r"\b[A-Z][A-Z0-9_]{3,}\b", section)) - {"SPLASH4"}
    unknown = [m for m in sorted(named) if not re.search(rf"(ts_macro|define)\(`{m}'", macros)]
    assert named and not unknown


def test_commands_of_the_bring_up_are_commands():
    page = (ROOT / "docs/user/board.md").read_text()
    of_tool = set(re.findall(r'^    \{"(\w+)", "', (ROOT / "host-driver/tools/main.c").read_text(), re.MULTILINE))
    named = set(re.findall(r"`turnstile (\w+)", page))
    assert named and named <= of_tool, named - of_tool
    variables = set(re.findall(r"\b([A-Z]+)=", "".join(re.findall(r"make (?:bitstream|flash|release|synth) [^`#\n]*", page))))
    makefiles = "".join((ROOT / "mk" / f).read_text() for f in ("board.mk", "rtl.mk"))
    assert variables and all(f"$({v})" in makefiles for v in variables), variables


def test_boards_named_are_boards():
    first = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/user/board.md").read_text(), re.MULTILINE))
    assert first == set(boards.load())
