"""Tables of the README that tools write, each between a line <!-- NAME --> and a line <!-- /NAME -->."""
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


class Refused(Exception):
    """Nothing was written; the message is the whole sentence for the user."""


def place(text: str, name: str, new: str) -> str:
    """`text` with everything between the lines of `name` replaced by `new`."""
    before, begin, rest = text.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- /{name} -->")
    if not begin or not end:
        raise Refused(f"README.md has no lines <!-- {name} --> and <!-- /{name} -->")
    return before + begin + new + end + after


def write(name: str, new: str) -> None:
    README.write_text(place(README.read_text(), name, new))
