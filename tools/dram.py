"""What a site's memory answers like: LATENCY= cycles always, or the DRAM of a board, in cycles of CLOCK= (docs/design/dram.md)."""

FIXED = "fixed"
#: sim/dram_kind.cpp has their times.
KINDS = ("ddr4", "hbm2", "ddr3")
SLOWEST, FASTEST = 10, 500


class Refused(Exception):
    """A sentence for the user."""


def settle(chosen: dict[str, str], defaults: dict[str, str]) -> None:
    """Refuses what is not legal, and keys of the one with the other."""
    kind, clock = chosen["DRAM"], chosen["CLOCK"]
    if kind not in (FIXED, *KINDS):
        raise Refused(f"DRAM={kind} is not legal: {FIXED}, {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    if not clock.isdecimal() or not SLOWEST <= int(clock) <= FASTEST:
        raise Refused(f"CLOCK={clock} is not a number from {SLOWEST} to {FASTEST} (MHz)")
    if kind == FIXED and clock != defaults["CLOCK"]:
        raise Refused(f"CLOCK={clock} with DRAM={FIXED}: LATENCY= is in cycles; CLOCK= goes with DRAM={' or '.join(KINDS)}")
    if kind != FIXED and chosen["LATENCY"] != defaults["LATENCY"]:
        raise Refused(f"LATENCY={chosen['LATENCY']} with DRAM={kind}: its times are its own; LATENCY= goes with DRAM={FIXED}")


def options(s: dict[str, str]) -> list[str]:
    """Of the simulator."""
    return [f"memory-latency={s['LATENCY']}"] if s["DRAM"] == FIXED else [f"dram={s['DRAM']}", f"clock={s['CLOCK']}"]
