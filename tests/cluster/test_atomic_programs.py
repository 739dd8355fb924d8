"""LR, SC and AMOs on the cluster (BZ-02): sites of `ATOMICS=1`, for which a simulator of their own is made: full."""
import re

import pytest
from cluster_runs import LITMUS, PROGRAMS, right, run
from test_cluster_programs import ALLOWED, TESTS


def expected(processes: int, rounds: int) -> str:
    """What atomics.c prints, whoever came when."""
    counts = [processes * len(range(k, rounds, 4)) for k in range(4)]
    halves = [3 * processes * len(range(k, rounds, 2)) for k in range(2)]
    return (f"sum {rounds * processes * (processes + 1) // 2}, wide {rounds * processes * 0x1_8000_0000:x}, halves {halves[0]} {halves[1]}, "
            f"bytes {' '.join(str(-c & 255) for c in counts)}, most {1000 * (processes - 1) + rounds - 1}, locked {processes * rounds}, elements 8")


def test_c11_atomics_without_the_instructions():
    assert expected(2, 4) in right(run(PROGRAMS / "atomics.c", 2, 1, "4")).out


def test_a_site_without_the_instructions_refuses_their_programs():
    """The program is compiled for them, the site has none: it says so before main."""
    done = run(PROGRAMS / "atomics.c", 1, 1, atomics=1, site="atomics=false")
    assert done.status != 0 and "this site has none: ATOMICS=1 makes both" in done.out, done.out + done.err


@pytest.mark.full
@pytest.mark.parametrize("sites, aps, seed", [(1, 1, 0), (1, 2, 5), (4, 1, 0), (4, 2, 3)])
def test_c11_atomics_of_all_processes(sites, aps, seed):
    """Counters by AMO, elements of a stack by LR and SC, parts of words; and the simulator compares what each AMO found with one memory."""
    assert expected(sites * aps, 20) in right(run(PROGRAMS / "atomics.c", sites, aps, atomics=1, seed=seed, timeout=20_000_000)).out


@pytest.mark.full
@pytest.mark.parametrize("name", TESTS)
def test_litmus_by_amos(name):
    done = right(run(LITMUS, 4, 1, f"-t {name} -n 24 -a", atomics=1), f"litmus {name}: correct")
    outcomes = set(re.findall(r"(\d+) x \d+", done.out))
    assert len(outcomes) >= 2 and (name not in ALLOWED or outcomes <= ALLOWED[name])


@pytest.mark.full
def test_programs_of_another_compilation_run_too():
    """rv32im programs on sites with the instructions."""
    right(run("em3d", 4, 1, "-n 16 -i 2", site="atomics=true"), "correct")
