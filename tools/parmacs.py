"""Takes PARMACS sources through m4 and apps/include/parmacs.m4.

m4 knows nothing of C: it would expand macros in strings and comments and read an apostrophe there as a quote. So strings,
characters and comments are replaced by marks before m4 and put back behind it. Line numbers in compiler messages stay
those of the original file.
"""
import re
import subprocess
from pathlib import Path

PARMACS_WORD = re.compile(r"\b(MAIN_ENV|EXTERN_ENV|(?:A?LOCK|BAR|PAUSE|GS|SEM|CONDVAR)DEC\s*\()")
TOKEN = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\[^\n][^'\n]*|[^\\'\n])' | [`'] | [A-Za-z_]\w*""",
    re.DOTALL | re.VERBOSE,
)
MARK = re.compile(r"@(\d+)@")
# A call of these ends in a semicolon of its own; inside an expression the _F form is meant.
STATEMENT_CALLS = {"G_MALLOC", "NU_MALLOC"}
EXPRESSION_FOLLOWS = re.compile(r"\s*(?:[),\]:?=!<>&|+-]|\.)")


class Failed(Exception):
    """m4 refused the source; the message is m4's."""


def needs_m4(path: Path) -> bool:
    """*.C, *.c.in, *.H, *.h.in always; plain *.c and *.h when they declare with PARMACS words."""
    if path.name.endswith((".C", ".H", ".in")):
        return True
    return bool(PARMACS_WORD.search(path.read_text(errors="replace")))


def plain_name(path: Path) -> str:
    """Name behind m4: lu.C and lu.c.in are lu.c, decs.H is decs.h."""
    name = path.name[:-3] if path.name.endswith(".in") else path.name
    return name[:-2] + name[-2:].lower()


def protect(text: str, kept: list[str]) -> str:
    """Source with every string, character and comment as @index into @p kept@, line by line so that lines still count."""
    depth = 0  # of m4 quotes: `code given to ASKFOR'

    def replace(match: re.Match) -> str:
        nonlocal depth
        token = match.group()
        if token == "`":
            depth += 1
            return token
        if token[0] == "'" and depth:
            depth -= 1
            return "'" + protect(token[1:], kept) if len(token) > 1 else token
        if token[0].isalpha() or token[0] == "_":
            if token in STATEMENT_CALLS and EXPRESSION_FOLLOWS.match(text, end_of_call(text, match.end())):
                return token + "_F"
            return token
        if token[0] == "'" and len(token) == 1:
            return token
        marks = []
        for line in token.split("\n"):
            kept.append(line)
            marks.append(f"@{len(kept) - 1}@")
        return "\n".join(marks)

    return TOKEN.sub(replace, text)


def end_of_call(text: str, start: int) -> int:
    """Index behind the parenthesis that closes the call whose arguments begin at or after @p start."""
    depth = 0
    for match in re.compile(TOKEN.pattern + r"| [()]", TOKEN.flags).finditer(text, start):
        depth += {"(": 1, ")": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    return len(text)


def own_macros(text: str, ours: set[str]) -> set[str]:
    """Words of PARMACS that the program itself defines for the C preprocessor: they are the program's."""
    return ours & set(re.findall(r"^\s*#\s*define\s+(\w+)", text, re.MULTILINE))


def expand(sources: list[Path], headers: list[Path], out: Path, include: Path) -> list[Path]:
    """Expands what needs it into @p out and returns the C files to compile. Headers land there under their plain names."""
    macros = include / "parmacs.m4"
    ours = set(re.findall(r"^(?:ts_macro|define)\(`([A-Z]\w+)'", macros.read_text(), re.MULTILINE))
    staged = [p for p in headers + sources if needs_m4(p)]
    kept: list[str] = []
    texts = {p: p.read_text(errors="surrogateescape").rstrip("\n") + "\n" for p in staged}  # m4 wants the last newline
    theirs = set().union(*(own_macros(t, ours) for t in texts.values())) if texts else set()
    raw = out / "m4"  # what m4 reads: its include() must find protected text, not what m4 made of it
    raw.mkdir(exist_ok=True)
    (raw / "theirs.m4").write_text("".join(f"undefine(`{name}')dnl\n" for name in sorted(theirs)))
    for path in staged:
        protected = protect(texts[path], kept)
        for name in {path.name, plain_name(path)}:  # both names a program may include it by
            (raw / name).write_text(protected, errors="surrogateescape")
    result = []
    for path in staged:
        done = subprocess.run(
            ["m4", "-s", str(macros), "theirs.m4", path.name],
            cwd=raw, capture_output=True, text=True, errors="surrogateescape", check=False,
        )
        if done.returncode or "ERROR" in done.stderr:
            raise Failed(done.stderr.replace(path.name, str(path)))
        text = re.sub(r'^(#line \d+) "([^"]*)"', lambda m: f'{m.group(1)} "{path.parent / m.group(2)}"', done.stdout, flags=re.MULTILINE)
        target = out / plain_name(path)
        target.write_text(MARK.sub(lambda m: kept[int(m.group(1))], text), errors="surrogateescape")
        if path in sources:
            result.append(target)
    return result + [p for p in sources if p not in staged]
