"""What a program may do wrong is dropped, told as often as it helps, and counted; however often, no sP stops for it."""
import pytest
from cluster_runs import PROGRAMS, run

TOLD = 64  # MOST_ERRORS of fw/site/faults.c; one in COMPLAINT_EVERY cycles
TRANSLATION, BUS_ERROR = "103", "104"


@pytest.mark.parametrize("kind, event, words", [
    ("messages", TRANSLATION, "a message to a name without a row: word, meta 0x80800000 "),  # VY-34: the protocol's queues
    ("stores", BUS_ERROR, "a store that nobody answers: address, meta 0x9000")])
def test_a_program_that_strays_stops_nobody(kind, event, words):
    done = run(PROGRAMS / "strays.c", 2, 1, f"{kind} 160")
    assert done.status == 0 and "strays: 160" in done.out, done.out + done.err
    told = [line for line in done.out.splitlines() if "sP:" in line]
    assert 1 <= len(told) <= TOLD and all(line.startswith(f"[1 sP] sP: {words}") for line in told), told
    taken = [site["taken"].get(event, 0) for site in done.report["sites"]]
    # What comes within 1024 cycles of the last is told with it (docs/design/hostile.md).
    assert taken[0] == 0 and 100 <= taken[1] <= 160
