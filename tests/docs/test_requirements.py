"""docs/reference/requirements.md: every ID once, every path and test it names is there; and so is every path that any page names."""
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs/reference/requirements.md"
RTL = ROOT / "rtl/src/main/scala/turnstile"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
IDS = {f"{family}-{n:02}" for family, last in (("VY", 50), ("BZ", 40)) for n in range(1, last + 1)}
TOP = r"(?:rtl|hw|constraints|fw|sim|apps|host-driver|tests|docs|tools|mk)"


#: What a proof runs on, by the place of its test, in the order in which a row names them.
PLACES = {"tests/cocotb/site": "site", "tests/cocotb": "unit", "tests/protocol": "workstation", "tests/apps": "C model",
          "tests/cluster": "cluster", "tests/litmus": "cluster", "tests/driver": "host", "tests/formal": "formal", "tests/synth": "synthesis"}
ORDER = ["unit", "site", "workstation", "C model", "cluster", "host", "formal", "synthesis"]


def rows():
    """ID -> (modules, tests, what they run on): the cells of the table's third to fifth columns."""
    found = {}
    for line in TABLE.read_text().splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if match := re.match(r"(VY|BZ)-\d\d\b", cells[0]):
            assert len(cells) == 6, f"{match.group()} has {len(cells)} cells, not 6"
            assert match.group() not in found, f"{match.group()} stands twice"
            found[match.group()] = cells[2:5]
    return found


def untouched():
    text = TABLE.read_text()
    return re.findall(r"^\* ((?:VY|BZ)-\d\d)\b", text, re.MULTILINE)


def test_each_id_has_one_place():
    listed = list(rows()) + untouched()
    assert sorted(listed) == sorted(IDS)


@pytest.mark.parametrize("id", sorted(rows()))
def test_row_names_what_exists(id):
    modules, tests, _ = rows()[id]
    paths = re.findall(r"`([^`]+)`", modules)
    assert paths, f"{id}: no module"
    for path in paths:
        assert (ROOT / path).is_file() or (RTL / path).is_file(), f"{id}: {path} does not exist"
    names = re.findall(r"`([^`]+)`", tests)
    assert names or tests == "none yet", f"{id}: name a test, or say: none yet"
    for name in names:
        path, colons, function = name.partition("::")
        assert colons and (ROOT / path).is_file(), f"{id}: {path} does not exist"
        function, _, case = function.rstrip("]").partition("[")
        assert not case or (ROOT / path).parent.joinpath(case).is_dir(), f"{id}: no folder {case} beside {path}"
        assert re.search(rf"^(async )?def {re.escape(function)}\(", (ROOT / path).read_text(), re.MULTILINE), f"{id}: no {function} in {path}"


@pytest.mark.parametrize("id", sorted(rows()))
def test_row_says_on_what_it_is_proved(id):
    _, tests, on = rows()[id]
    places = {next(kind for place, kind in PLACES.items() if path.startswith(place + "/")) for path in re.findall(r"`([^`:]+)::", tests)}
    assert on == ", ".join(kind for kind in ORDER if kind in places), id


def test_ids_that_code_names_are_in_the_table():
    files = [p for top in ("rtl/src", "fw", "apps", "sim", "tests/cocotb") for p in (ROOT / top).rglob("*") if p.suffix in (".scala", ".c", ".h", ".cpp", ".py", ".in")]
    named = {}
    for path in files:
        for id in re.findall(r"\b(?:VY|BZ)-\d\d\b", path.read_text(errors="replace")):
            named.setdefault(id, path.relative_to(ROOT))
    missing = {id: str(path) for id, path in named.items() if id not in rows()}
    assert not missing, f"not touched, says the table; but these files serve them: {missing}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_page_names_only_paths_that_exist(page):
    text = page.read_text()
    # A path with <holes> or {choices} is a pattern, one under build/ is made by a command.
    for path in re.findall(rf"(?<![\w/.$~<-])({TOP}/[\w./*<>{{}},-]*)", text):
        path = path.rstrip(".,")
        if not re.search(r"[<>{}]", path):
            assert list(ROOT.glob(path.rstrip("/"))), f"{page.name} names {path}"
    for target in re.findall(r"\]\(([^)#\s]+)[^)\s]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_page_is_in_the_index():
    index = (ROOT / "docs/README.md").read_text()
    linked = {(ROOT / "docs" / t).resolve() for t in re.findall(r"\]\(([^)#]+)", index)}
    missing = [str(p.relative_to(ROOT)) for p in PAGES if p not in linked and p.parent != ROOT and p.name != "README.md"]
    assert not missing, f"docs/README.md does not list {missing}"
