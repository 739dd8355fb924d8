"""Plans of conducted runs (docs/reference/formats.md): what is run, and what happens in it, in which order or by chance."""
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "sim/conducted.c"
#: A plan's first lines, keys of `make check` in small letters; the service only where there is one.
HEAD = ("protocol", "sites", "aps", "block", "blocks")


class Refused(Exception):
    """The file is no plan; the message is the whole sentence for the user."""


def read(path: Path) -> dict[str, str]:
    """The first lines: HEAD, and perhaps `service`."""
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except (OSError, UnicodeDecodeError):
        raise Refused(f"{path} cannot be read") from None
    given = {line[0]: line[1] for line in lines if len(line) == 2}
    if missing := [name for name in HEAD if name not in given]:
        raise Refused(f"{path} is no plan of a conducted run: it has no line `{missing[0]}`; `make check` writes such files")
    return {name: given[name] for name in (*HEAD, "service") if name in given}


def settings(plan: dict[str, str]) -> dict[str, str]:
    """Keys of `make run`, the program's among them."""
    return {name.upper(): plan[name] for name in HEAD[:4]} | {"APP": str(PROGRAM), "ARGS": " ".join(plan[name] for name in ("protocol", "blocks", "block", "service") if name in plan)}


def image(protocol: str, name: str) -> str:
    """The protocols of the image: what the runtime itself uses is kept by another than the conducted one, which may have faults."""
    return protocol if "," in protocol else f"{'migratory' if name == 'stache' else 'stache'},{protocol}"


def head(s: dict[str, str], service: str) -> list[str]:
    """A plan's first lines, of the checker's settings; `service`: what makes stores visible, or empty."""
    return [*(f"{name} {s[name.upper()]}" for name in HEAD), *[f"service {service}"] * bool(service)]


def by_chance(s: dict[str, str], service: str, seed: int, steps: int) -> str:
    return "\n".join([*head(s, service), f"random {seed} {steps}", ""])


def why_not(s: dict[str, str], found: dict) -> str:
    """What of these settings a conducted run cannot have; empty: nothing."""
    fixed = {"PROTOCOL": s["PROTOCOL"].split(",")[0], "HOMES": "1", "EVICTIONS": "1", "OPEN": "0", "SMALL": "0", "FULL": "0", "TIMEOUTS": "0"}
    if any(step.get("choice") == "other" for step in found["path"]):
        return "phase of homes by first touch"
    return ", ".join(f"{key}={s[key]}" for key, value in fixed.items() if s[key] != value)


def of_path(s: dict[str, str], found: dict) -> str:
    """The way to a fault: its choices, with `rest` before those that find everything done that happens by itself."""
    lines = head(s, found["service"])
    for step in found["path"]:
        if "choice" in step:
            lines += ["rest"] * step["rests"] + [f"choice {step['choice']}"]
    return "\n".join([*lines, "rest", ""])
