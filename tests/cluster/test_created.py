"""Creating a process costs what it has that is not zero (issue 9)."""
import re

from cluster_runs import PROGRAMS, right, run


def test_a_created_process_has_its_creators_memory_cheaply():
    """80 KB of globals, of which 20 words are not zero. Copied whole they would be 625 remote reads for each."""
    done = right(run(PROGRAMS / "created.c", 2, 1), "[0] created: 0 wrong")
    cycles = [int(n) for n in re.findall(r"created in (\d+) cycles", done.out)]
    assert len(cycles) == 3 and max(cycles) < 250_000, cycles
    assert done.report["misses"]["remote"] < 300
