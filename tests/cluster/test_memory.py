"""Memory as boards have it, and programs as people have them (issue 9). Each division is a simulator of its own, built in about a minute."""
import subprocess
import sys

import pytest
from cluster_runs import PROGRAMS, ROOT, environment, right, run


@pytest.mark.full
@pytest.mark.parametrize("keys, words", [({}, "large_globals: 665600 words, 0 wrong"), ({"aps": 2, "stack": "1M"}, "large_globals: 665600 words, 0 wrong"),
                                         ({"globals": "shared", "memory": "32M"}, "large_globals: 665600 words, ")])
def test_a_program_has_a_window_for_its_globals(keys, words):
    done = run(PROGRAMS / "large_globals.c", 2, **keys)
    if "globals" in keys:  # they are everyone's then, and not what the program wants; but they are there
        assert done.status == 1 and words in done.out, done.out + done.err
    else:
        right(done, words)


@pytest.mark.full
@pytest.mark.parametrize("homes", ["round-robin", "first-touch"])
def test_a_heap_of_a_hundred_megabytes_holds_what_was_stored(homes):
    """Touched in every megabyte by four sites; most pages have their records in DRAM."""
    right(run(PROGRAMS / "sparse_heap.c", 4, 1, "100", memory="256M", homes=homes), "sparse_heap: 100 MB", " 0 wrong")


@pytest.mark.full
def test_a_page_with_its_record_in_dram_is_read_as_fast():
    """The event brings what the record says; only the read that opens the page looks it up."""
    done = run(PROGRAMS / "far_page.c", 4, 1, memory="256M")
    right(done, "far_page: page 1, 0 wrong")
    phases = done.report["phases"]
    assert phases["2"]["remote"] == phases["4"]["remote"] == 31
    assert phases["4"]["remote_mean"] <= phases["2"]["remote_mean"] + 5
    assert phases["3"]["remote_mean"] > phases["1"]["remote_mean"]


@pytest.mark.full
@pytest.mark.parametrize("heap", ["2M", "4M"])
def test_a_heap_smaller_than_a_bank_of_page_attributes(heap):
    """The hardware's row of a page is of its address, which does not begin with row 0 there."""
    right(run("em3d", 2, 1, "-n 8 -i 1", heap=heap), "correct")


def test_a_heap_that_is_too_small_says_what_gives_more():
    done = run(PROGRAMS / "sparse_heap.c", 2, 1, "100")
    assert done.status == 1 and "shared heap exhausted: asked for 104857600 bytes" in done.out and "MEMORY= gives the sites more memory" in done.out, done.out


@pytest.mark.parametrize("options, sentence", [
    (["memory=16", "private=16"], "private windows of 1 aPs have 16 MB: legal are at most 8, what the heap leaves of the memory"),
    (["memory=16", "heap=16"], "heap of 16 MB: legal is at most half of the memory of 16 MB"),
    (["memory=24"], "memory=24 is not legal: a power of two from 4 to 1024 (MB)"),
    (["private=2"], "of its private window; legal are 1966080, its 2 MB less the message queue"),
])
def test_the_loader_refuses_what_memory_does_not_hold(options, sentence):
    """Whatever started it: `make run` has refused the same before."""
    program = subprocess.run([sys.executable, ROOT / "tools/app.py", PROGRAMS / "large_globals.c"], cwd=ROOT, env=environment(), capture_output=True, text=True).stdout.strip()
    done = subprocess.run([ROOT / "build/sim/a1/turnstile-sim", f"firmware={ROOT / 'build/fw/stache/firmware.elf'}", f"program={program}", *options], capture_output=True, text=True)
    assert done.returncode == 2 and sentence in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
