"""With as few places for answers as a site can have, messages wait for them, and all ends well (docs/design/reservations.md)."""
from cluster_runs import RANDOM, SEED, conserved, faulty_firmware, on_the_wire, run

SMALL = "highEvents=64 highSlots=40"


def test_messages_wait_for_places_and_all_ends_well():
    """RTL with the smallest FIFOs, of which the firmware reads: `says_who_waits` only tells when a message first waits."""
    print(f"SEED={SEED}")
    done = run(RANDOM, 4, 2, f"-n 200 -l 32 -s {SEED}", seed=SEED, block=2048, site=SMALL, firmware=faulty_firmware("says_who_waits"))
    assert done.status == 0 and "random: correct" in done.out, done.out + done.err
    told = [line for line in done.out.splitlines() if "sP:" in line]
    assert told and all("sP: the first message that waits: kind, type" in line for line in told), done.out
    on_the_wire(done, conserved(done))
