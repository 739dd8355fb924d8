"""With as few places for answers as the firmware takes, messages wait for them, and all ends well (docs/design/reservations.md)."""
from cluster_runs import RANDOM, SEED, conserved, faulty_firmware, run


def test_messages_wait_for_places_and_all_ends_well():
    print(f"SEED={SEED}")
    done = run(RANDOM, 4, 2, f"-n 200 -l 32 -s {SEED}", seed=SEED, block=2048, firmware=faulty_firmware("small_fifos"))
    assert done.status == 0 and "random: correct" in done.out, done.out + done.err
    told = [line for line in done.out.splitlines() if "sP:" in line]
    assert told and all("sP: the first message that waits: kind, type" in line for line in told), done.out
    conserved(done)
