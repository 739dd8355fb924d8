"""The DRAM of a board (issue 10): its cycles against what the sheets of its parts give by hand, what was measured of others' boards, and AXI's rules.

The numbers here are typed from the sources of docs/design/dram.md, in ns; nothing is read from the simulator's table."""
import functools
import itertools
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from cluster_runs import RANDOM, ROOT, SEED, environment, right, run


@dataclass
class Sheet:
    clock: float
    burst: float  # one command's data
    bytes: int
    cl: float
    cwl: float
    rcd: float
    rp: float
    ras: float
    rrd: float
    faw: float
    ccd_l: float
    wtr_l: float
    rfc: float
    refi: float
    banks: int
    groups: int
    row: int
    measured: tuple = ()  # hit, closed, conflict at the controller's AXI port
    port: float = 0  # its period


KINDS = {
    "ddr4": Sheet(0.833, 3.33, 64, 14.16, 10, 14.16, 14.16, 32, 3.33, 13.33, 5, 7.5, 350, 7800, 16, 4, 8192, (73.3, 89.9, 106.6), 1000 / 300),
    "hbm2": Sheet(1, 2, 32, 18, 7, 12, 14, 28, 4, 16, 3, 9, 260, 3900, 16, 4, 1024, (106.7, 122.2, 137.8), 1000 / 450),
    "ddr3": Sheet(1.5, 6, 16, 13.5, 10.5, 13.5, 13.5, 36, 7.5, 45, 6, 7.5, 260, 7800, 8, 1, 2048),
}
EACH = pytest.mark.parametrize("kind", KINDS)


@functools.cache
def program(name):
    built = ROOT / f"build/sim/{name}"
    built.parent.mkdir(parents=True, exist_ok=True)
    sources = [ROOT / f"tests/cluster/dram/{name}.cpp", *(ROOT / f"sim/{part}.cpp" for part in ("dram", "dram_kind", "axi_memory"))]
    mine = Path(f"{built}.{os.getpid()}")
    command = ["g++", "-std=gnu++17", "-O2", "-Wall", "-Wextra", "-iquote", ROOT / "sim", "-isystem", Path(environment()["VERILATOR_ROOT"]) / "include", *sources, "-o", mine]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return mine.replace(built)


def cycles(kind, accesses, mhz=1000):
    """Cycles (of 1 ns) of the answers to reads by their place in the list, of those to writes in their order, and the counts."""
    text = "".join(f"{what} {cycle} {address:x} {size}\n" for what, cycle, address, size in accesses)
    done = subprocess.run([program("dram_cases"), kind, str(mhz)], input=text, capture_output=True, text=True, check=True)
    reads = {int(n): int(c) for n, c in re.findall(r"^r (\d+) (\d+)", done.stdout, re.MULTILINE)}
    writes = [int(c) for c in re.findall(r"^w 0 (\d+)", done.stdout, re.MULTILINE)]
    counts = dict(zip(("hits", "misses", "conflicts", "refreshes", "turns"), map(int, re.search(r"^counts (.*)", done.stdout, re.MULTILINE)[1].split())))
    return reads, writes, counts


def other_row(sheet):
    """An address of the same bank as address 0."""
    return sheet.row * sheet.banks


def other_bank(sheet, n):
    return n % sheet.groups * 64 + n // sheet.groups * sheet.row * sheet.groups


def near(found, expected, sheet, edges=1):
    """Within a clock of the part and a cycle of the site for each edge that a time waits for."""
    assert abs(found - expected) <= edges * (sheet.clock + 1), (found, expected)


def latencies(kind):
    """Of one read that nothing holds up: its row open, none open, another open."""
    s = KINDS[kind]
    reads, _, counts = cycles(kind, [("r", 0, 0, 16), ("r", 1000, 64 * s.groups, 16), ("r", 2000, other_row(s), 16)])
    assert (counts["hits"], counts["misses"], counts["conflicts"]) == (1, 1, 1)
    return reads[1] - 1000, reads[0], reads[2] - 2000


@EACH
def test_a_row_costs_what_the_sheet_says(kind):
    s, (hit, closed, conflict) = KINDS[kind], latencies(kind)
    near(closed - hit, s.rcd, s)
    near(conflict - hit, s.rp + s.rcd, s)


@pytest.mark.parametrize("kind", ["ddr4", "hbm2"])
def test_a_read_takes_what_was_measured_on_boards(kind):
    """By others, at the port of the controller: a crossing each way is ours, two periods of who takes over."""
    for found, measured in zip(latencies(kind), KINDS[kind].measured):
        assert found - 1 - 2 * KINDS[kind].port - 2 == pytest.approx(measured, rel=0.05)


@EACH
def test_a_load_takes_100_to_200_ns(kind):
    """A whole line, at 100 MHz: hit, closed, conflict."""
    s = KINDS[kind]
    reads, _, _ = cycles(kind, [("r", 0, 0, 64), ("r", 100, 64 * s.groups, 64), ("r", 200, other_row(s), 64)], 100)
    for n, cycle in reads.items():
        assert 100 <= 10 * (cycle - 100 * n + 1) <= 200


@EACH
def test_rows_of_one_bank_follow_each_other_by_the_row_cycle(kind):
    s = KINDS[kind]
    reads, _, _ = cycles(kind, [("r", 0, 0, 16), ("r", 1, other_row(s), 16)])
    near(reads[1] - reads[0], s.ras + s.rp, s)


@EACH
def test_a_refresh_holds_up_who_meets_it(kind):
    """One row is open: it is closed first."""
    s, free = KINDS[kind], latencies(kind)[1]
    begin = int(s.refi - (free - s.rcd - s.cl - s.burst) / 2)
    for after in (2, 20):
        reads, _, counts = cycles(kind, [("r", 1000, 0, 16), ("r", begin + after, 0, 16)])
        # It is known to the controller about `after` later than the refresh begins.
        found = reads[1] - (begin + after) - free
        assert counts["refreshes"] >= 1 and counts["misses"] == 2
        assert s.rp + s.rfc - after - 15 <= found <= s.rp + s.rfc - after + 15, (found, after)


@EACH
def test_refreshes_come_as_often_as_they_must(kind):
    _, _, counts = cycles(kind, [("r", 0, 0, 16), ("r", 1_000_000, 0, 16)])
    assert abs(counts["refreshes"] - 1_000_000 / KINDS[kind].refi) <= 256 + 1


@EACH
def test_banks_work_side_by_side(kind):
    """Rows of all banks: four activates in each window, the others a row distance apart."""
    s = KINDS[kind]
    reads, _, counts = cycles(kind, [("r", n, other_bank(s, n), 16) for n in range(s.banks)])
    assert counts["misses"] == s.banks
    last = max(s.banks // 4 * s.faw - s.faw + 3 * s.rrd, (s.banks - 1) * s.rrd)
    near(reads[s.banks - 1] - reads[0], last, s, 2)


@EACH
def test_open_rows_give_the_bandwidth_of_the_bus(kind):
    """Lines side by side, in all groups; then in one group."""
    s, n = KINDS[kind], 40
    warm = [("r", 0, 64 * g, 16) for g in range(s.groups)]
    for apart, gap in ((1, s.burst), (s.groups, s.ccd_l)):
        reads, _, counts = cycles(kind, [*warm, *(("r", 1000 + i // 4, 64 * apart * (i % 16), 16) for i in range(n))])
        assert counts["hits"] == n
        near(max(reads.values()) - reads[len(warm)], (n - 1) * gap, s, 6)


@EACH
def test_a_read_after_a_write_waits_for_the_bus_to_turn(kind):
    s = KINDS[kind]
    hit = latencies(kind)[0]
    reads, writes, counts = cycles(kind, [("r", 0, 0, 16), ("w", 1000, 64 * s.groups, 16), ("r", 1001, 0, 16)])
    near(reads[2] - 1000 - hit, s.cwl + s.burst + s.wtr_l, s, 2)
    assert counts["turns"] == 2
    assert writes[0] < reads[2] and writes[0] - 1000 < hit  # posted: its response waits for no bank


@EACH
def test_row_hits_go_first_but_pass_nobody_for_ever(kind):
    s = KINDS[kind]
    held = [("r", 0, 0, 16), ("r", 1000, other_row(s), 16)]
    many = [("r", 1000, 64 * s.groups * (1 + i % 8), 16) for i in range(60)]
    reads, _, _ = cycles(kind, [held[0], many[0], held[1], *many[1:]])
    order = sorted(reads, key=reads.get)
    assert 2 <= order.index(2) <= 24, order.index(2)


@EACH
def test_a_read_does_not_pass_a_write_of_its_line(kind):
    """Reads are waiting, so the write would be for later; the read of its line brings it forward."""
    s = KINDS[kind]
    others = [("r", 1000, 64 * s.groups * (i % 8), 16) for i in range(24)]
    line = 64 * s.groups * 20
    for wanted, turns in ((line, 2), (64 * s.groups * 21, 1)):
        reads, _, counts = cycles(kind, [("r", 0, 0, 16), *others[:4], ("w", 1000, line, 64), *others[4:], ("r", 1001, wanted, 16)])
        assert len(reads) == 26 and counts["turns"] == turns, counts


@EACH
def test_a_full_queue_of_writes_holds_up_their_responses(kind):
    s = KINDS[kind]
    _, writes, _ = cycles(kind, [("w", n, other_row(s) * (n % 2), 64) for n in range(40)])
    gaps = [b - a for a, b in itertools.pairwise(writes)]
    assert len(writes) == 40 and writes == sorted(writes)
    assert max(gaps[:14]) <= 3 and sum(gaps[-10:]) > 3 * 10


@pytest.mark.parametrize("kind", ["fixed", *KINDS])
def test_random_traffic_keeps_the_rules_of_axi(kind):
    done = subprocess.run([program("axi_traffic"), kind, str(SEED), "200000"], capture_output=True, text=True)
    assert done.returncode == 0, f"SEED={SEED}: {done.stdout}{done.stderr}"
    reads, writes, overtaken = map(int, re.findall(r"\d+", done.stdout))
    assert reads > 5000 and writes > 5000 and (overtaken > 0) == (kind != "fixed"), done.stdout


@EACH
def test_random_sharing_is_sequentially_consistent(kind):
    print(f"SEED={SEED}")
    done = right(run(RANDOM, 2, 2, f"-n 200 -l 6 -s {SEED}", seed=SEED, dram=kind), "random: correct")
    (line,) = re.findall(r"^DRAM +(\S+) at 100 MHz: (\d+) row hits, (\d+) misses, (\d+) conflicts, (\d+) refreshes; (\d+) reads, mean (\S+) cycles, worst (\d+)$", done.out, re.MULTILINE)
    sums = [sum(site["dram"][key] for site in done.report["sites"]) for key in ("row_hits", "row_misses", "row_conflicts", "refreshes")]
    assert line[0] == kind and [int(n) for n in line[1:5]] == sums and all(sums)
    assert int(line[7]) == max(site["memory_read_worst"] for site in done.report["sites"])
    assert 10 < float(line[6]) < 25


@pytest.mark.full
@EACH
@pytest.mark.parametrize("sites, aps, clock", [(4, 2, 250), (8, 1, 50)])
def test_sharing_at_other_clocks(kind, sites, aps, clock):
    print(f"SEED={SEED}")
    right(run(RANDOM, sites, aps, f"-n 1000 -l 8 -s {SEED}", seed=SEED, dram=kind, clock=clock), "random: correct")


@pytest.mark.parametrize("keys, sentence", [
    ({"dram": "ddr5"}, "DRAM=ddr5 is not legal: fixed, ddr4, hbm2 or ddr3"),
    ({"dram": "ddr4", "latency": 20}, "LATENCY=20 with DRAM=ddr4: its times are its own; LATENCY= goes with DRAM=fixed"),
    ({"clock": 200}, "CLOCK=200 with DRAM=fixed: LATENCY= is in cycles; CLOCK= goes with DRAM=ddr4 or hbm2 or ddr3"),
    ({"dram": "hbm2", "clock": 5}, "CLOCK=5 is not a number from 10 to 500 (MHz)"),
    ({"dram": "hbm2", "clock": "fast"}, "CLOCK=fast is not a number from 10 to 500 (MHz)"),
])  # fmt: skip
def test_bad_input_gets_one_sentence(keys, sentence):
    done = run("hello", **keys)
    assert done.status == 2 and sentence in done.err and len(done.err.splitlines()) == 1 and not done.out, done.err
