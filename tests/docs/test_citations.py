"""What code and pages cite is in this repository: sections of the contract, pages, requirement and test IDs, sources."""
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = ROOT / "docs/design/contract.md"
TEXT = (".scala", ".c", ".h", ".cpp", ".py", ".in", ".S", ".ld", ".md", ".mk", ".sh", ".m4", ".sv", ".sby", ".C")
HERE = Path(__file__).relative_to(ROOT)


def files():
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    found = [Path(n) for n in names if Path(n).suffix in TEXT and Path(n) != HERE and (ROOT / n).exists()]
    assert len(found) > 200
    return found


def dangling(text, path="file"):
    """A sentence for each citation in `text` that leads nowhere."""
    sections = re.findall(r"^## (\d+)\.", CONTRACT.read_text(), re.MULTILINE)
    asked = set(re.findall(r"^\| ((?:VY|BZ)-T\d+) \|", (ROOT / "docs/reference/asked-tests.md").read_text(), re.MULTILINE))
    found = []
    own = path == CONTRACT.relative_to(ROOT)
    for match in re.finditer(r"(?:([\w./`()\]]+)[ ,]+)?§ ?(\d+)", text):
        before, section = match.groups()
        chain = re.search(r"(?i)contract(?:\.md)?[`)\]]*(?:\([\w./]*\))? *§\d+(?:(?:, | and | to )§\d+)*$", text[: match.end()])
        if not own and not chain and not (before or "").lower().startswith("`contract.md") and not re.search(r"§\d+ of `contract\.md`", text[match.start() :match.end() + 20]):
            found.append(f"{path}: '{match.group()}' names no page of docs/; cite a requirement ID, docs/<page>.md or contract §N")
        elif section not in sections:
            found.append(f"{path}: contract §{section} does not exist; it has {', '.join(sections)}")
    for page in re.findall(r"(?<![\w/])docs/[\w/-]+\.md", text):
        if not (ROOT / page).exists():
            found.append(f"{path}: {page} does not exist")
    for test in re.findall(r"\b(?:VY|BZ)-T\d+\b", text):
        if test not in asked:
            found.append(f"{path}: {test} is not in docs/reference/asked-tests.md")
    for outside in re.findall(r"\b(?:shared|specs|seeds)/[\w./-]*\.(?:md|txt)|\b(?:voyager|blizzard|shasta) (?:section|T\d)", text):
        found.append(f"{path}: '{outside}' is outside this repository; docs/reference/sources.md names the sources")
    return found


@pytest.mark.parametrize("text", ["(blizzard §4)", "contract §99", "see docs/reference/nowhere.md", "VY-T99", "specs/voyager.md", "VY §5", "voyager T2"])
def test_a_dangling_citation_is_found(text):
    assert dangling(text)


@pytest.mark.parametrize("text", ["(contract §2)", "contract §1, §5", "contract §1 and §8", "docs/reference/stache.md", "VY-T19, BZ-06", "docs/design/contract.md §4 to §6"])
def test_a_good_citation_is_not(text):
    assert not dangling(text)


def test_every_citation_leads_somewhere():
    found = [line for path in files() for line in dangling((ROOT / path).read_text(errors="replace"), path)]
    assert not found, "\n".join(found)
