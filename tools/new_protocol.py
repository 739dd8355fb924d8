#!/usr/bin/env python3
"""Writes a protocol to begin with: the smallest that is right, which moves a block to whoever touches it (fw/protocols/migratory.c), under
another name, its rows for tests/protocol, and the table by which the checker knows its states.

    make new-protocol NAME=mine        fw/protocols/mine.c, tests/protocol/mine/rows.c, tools/check/protocols/mine.c
"""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import protocols  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = "migratory"


def refuse(sentence: str) -> None:
    sys.exit(print(f"new-protocol: {sentence}", file=sys.stderr) or 2)


def renamed(text: str, name: str) -> str:
    """The example's text with another name; its first comment says where it comes from."""
    body = re.sub(rf"\b(fresh_|check_|){EXAMPLE}\b", rf"\g<1>{name}", text)
    return re.sub(r"\A/\*\*.*?\*/\n", f"/** \\\\file {name}: begun as a copy of {EXAMPLE}, where a block goes to whoever touches it. */\n", body, flags=re.DOTALL)


def write(name: str, root: Path = ROOT) -> list[Path]:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        refuse(f"NAME={name} is not legal: small letters, digits and _, a letter first")
    if name in protocols.names():
        refuse(f"NAME={name} is taken: there are {', '.join(protocols.names())}")
    made = []
    for source, target in (("fw/protocols/{}.c", "fw/protocols/{}.c"), ("tests/protocol/{}/rows.c", "tests/protocol/{}/rows.c"),
                           ("tools/check/protocols/{}.c", "tools/check/protocols/{}.c")):
        path = root / target.format(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(renamed((ROOT / source.format(EXAMPLE)).read_text(), name))
        made.append(path)
    return made


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1]:
        refuse("NAME= is missing: the name of the protocol")
    for path in write(sys.argv[1]):
        print(path.relative_to(ROOT))
