#!/usr/bin/env python3
"""`make bench`: the numbers we promise, measured on this tree, as build/bench/bench.json with the command of each.

Cycle counts come from apps/latency.c on four sites; the simulator's speed from apps/lu: of one core on four sites, of two beside one on eight.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import dram  # noqa: E402
import handlers  # noqa: E402
import logp  # noqa: E402
import lone_core  # noqa: E402
import memories  # noqa: E402
import run  # noqa: E402
import victim  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
LATENCY = ["APP=latency", "SITES=4", "APS=1", "NAME=bench-latency"]
SPEED = ["APP=lu", "SITES=4", "APS=1", "THREADS=1"]
THREADS = ["APP=lu", "SITES=8", "APS=1", "ARGS=-n 8"]
#: Each of 64 processes writes in each of 6 MB.
MANY = ["APP=tests/cluster/programs/sparse_heap.c", "SITES=64", "APS=1", "ARGS=6"]
SMALL_BLOCKS = ["APP=latency", "SITES=4", "APS=1", "BLOCK=64", "NAME=bench-latency-64"]
FIRMWARE = ROOT / "build/fw/stache/firmware.elf"
#: id, at least, aim (None: reported only)
LIMITS = {"remote_read_clean": (140, 110), "remote_read_clean_64": (120, 97), "sp_occupancy_per_read": (60, 36), "remote_upgrade_1_sharer": (250, 180),
          "remote_write_dirty_owner": (260, 190), "handler_get_ro": (12, 8), "handler_data_ro": (8, 5),
          "scoma_hit_extra": (0, 0), "sp_dispatch": (15, 8), "express_one_way": (60, 35), "sim_speed_4_sites": (60000, 200000), "sim_efficiency": (0.35, 0.6), "sim_threads_2": (1.7, 1.9), "sim_ranks_2": (1.6, 1.9), "sim_memory_64": (4, 2),
          "basic_88_link_share": (0.62, 0.75), "dma_4k_link_share": (0.85, 0.93), "express_gap": (10, 4), "ni_tlb_thrash": (1.1, 1.03), "sharing_cost": (1.1, 1.0), "victim_slowdown": (1.5, 1.1),
          **{f"remote_read_{kind}": (None, None) for kind in dram.KINDS}}


UNITS = {"sim_speed_4_sites": "cycles/s", "sim_efficiency": "of a lone core", "sim_threads_2": "times", "sim_ranks_2": "times", "sim_memory_64": "GB", "victim_slowdown": "times", "ni_tlb_thrash": "of a single copy", "sharing_cost": "of one thread", "basic_88_link_share": "of 8 bytes a cycle", "dma_4k_link_share": "of 8 bytes a cycle",
         "handler_get_ro": "instructions", "handler_data_ro": "instructions"}


def measure(settings: list[str], file: str = "report.json") -> dict:
    status, folder = run.run(settings, quiet=True)
    if status:
        sys.exit(f"bench: {' '.join(settings)} ended with status {status}: see {folder / 'output.txt'}")
    return json.loads((folder / file).read_text())


def speed(settings: list[str]) -> dict:
    return measure([*settings, "PAGE=0", "NAME=bench-speed"], "speed.json")


def efficiency() -> tuple[float, float]:
    """Cycles a second of four sites, and what of the speed of a lone core the eight of them have; the best of runs in turn."""
    pairs = [(speed(SPEED)["cycles_per_processor_second"], lone_core.speed()) for _ in range(2)]
    sites, lone = map(max, zip(*pairs))
    return sites, 8 * sites / lone


def of_two(one: str, two: str) -> float:
    """Time of one thread over that of two, or of two ranks, by the clock on the wall; runs alternate, so that others on the machine meet both."""
    seconds = {one: 0.0, two: 0.0}
    for _ in range(2):
        for key in seconds:
            seconds[key] += speed([*THREADS, key])["seconds"]
    return seconds[one] / seconds[two]


def occupancy(report: dict) -> float:
    """Cycles in which the sPs of both ends, site 1 which reads and site 0, are busy, per read of mark 1; the next mark ends the reads."""
    marks = [(value, busy) for _, site, _, value, busy in report["marks"] if site == 1]
    first = [value for value, _ in marks].index(1)
    (_, before), (_, after) = marks[first:first + 2]
    return sum(after[site] - before[site] for site in (0, 1)) / report["phases"]["1"]["remote"]


def dispatch() -> int:
    """Cycles from event head to the handler's first instruction, as the sP's bench prints them: the worst of the three FIFOs."""
    done = subprocess.run(["make", "-s", "bench-unit", "U=sp", "TEST=handler_starts"], cwd=ROOT, capture_output=True, text=True)
    logs = sorted((ROOT / "build/cocotb").glob("sp-*/**/run.log"), key=lambda p: p.stat().st_mtime)
    for log in reversed(logs):
        found = re.findall(r"sp_dispatch: head valid to handler in execute \{(.*?)\}", log.read_text())
        if found:
            return max(int(pair.split(":")[1]) for pair in found[-1].split(","))
    sys.exit(f"bench: the sP's dispatch bench printed no number\n{done.stdout[-2000:]}")


def main() -> None:
    latency, small = measure(LATENCY), measure(SMALL_BLOCKS)
    phase, messages = latency["phases"], logp.measure()
    sites, share = efficiency()
    make = "make run " + " ".join(LATENCY[:3])
    values = [
        ("remote_read_clean", phase["1"]["remote_mean"], make), ("remote_upgrade_1_sharer", phase["2"]["remote_mean"], make),
        ("remote_write_dirty_owner", phase["3"]["remote_mean"], make),
        ("sp_occupancy_per_read", occupancy(latency), make),
        ("remote_read_clean_64", small["phases"]["1"]["remote_mean"], "make run " + " ".join(SMALL_BLOCKS[:4])),
        *((f"handler_{name}", handlers.instructions(FIRMWARE, f"stache_{name}"), f"tools/handlers.py build/fw/stache/firmware.elf stache_{name}") for name in ("get_ro", "data_ro")),
        ("scoma_hit_extra", max(phase["4"]["local_median"], phase["5"]["local_median"]) - phase["6"]["local_median"], make),
        ("sp_dispatch", dispatch(), "make bench-unit U=sp TEST=handler_starts"),
        ("express_one_way", latency["express"]["mean"], make),
        ("basic_88_link_share", float(logp.find(messages, "basic", 88)["link_share"]), logp.COMMAND),
        ("dma_4k_link_share", float(logp.find(logp.measure("dma"), "dma", 4096)["link_share"]), logp.DMA_COMMAND),
        ("ni_tlb_thrash", logp.thrashing(logp.measure("thrash")), logp.THRASH_COMMAND),
        ("sharing_cost", logp.sharing(logp.measure("several")), logp.SHARING_COMMAND),
        ("express_gap", float(logp.find(messages, "express", 4)["gap_send"]), logp.COMMAND),
        ("sim_speed_4_sites", sites, "make run " + " ".join(SPEED)),
        ("sim_efficiency", share, "make run " + " ".join(SPEED) + "; tools/lone_core.py"),
        *((id, of_two("THREADS=1", two), " ".join(["make run", *THREADS[:3], f'ARGS="-n 8" THREADS=1; the same with {two}']))
          for id, two in (("sim_threads_2", "THREADS=2"), ("sim_ranks_2", "RANKS=2"))),
        ("sim_memory_64", measure([*MANY, "PAGE=0", "NAME=bench-memory"], "speed.json")["peak_bytes"] / 1e9, "make run " + " ".join(MANY)),
        *((f"remote_read_{memory.split('=')[1]}", cycles, memories.command(memory)) for memory, cycles in memories.table().items() if memory.startswith("DRAM=")),
        ("victim_slowdown", max(victim.slowdowns(victim.names()).values()), "tools/victim.py")]
    if phase["4"]["remote"] or phase["5"]["remote"]:
        sys.exit(f"bench: S-COMA hits met the sP {phase['4']['remote'] + phase['5']['remote']} times, must be 0")
    out = ROOT / "build/bench/bench.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps([{"id": i, "value": round(v, 2), "unit": UNITS.get(i, "cycles"), "command": c}
                               for i, v, c in values], indent=1) + "\n")
    print(f"{'':28}{'measured':>10}{'at least':>10}{'aim':>10}")
    for i, v, _ in values:
        least, aim = LIMITS[i]
        print(f"{i:28}{v:>10.2f}{least if least is not None else '':>10}{aim if aim is not None else '':>10}")
    print(out.relative_to(ROOT))


if __name__ == "__main__":
    main()
