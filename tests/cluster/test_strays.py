"""An aP has no name for a protocol queue (VY-34): what it sends there is dropped and told, and however often, no sP stops for it."""
from cluster_runs import PROGRAMS, run


def test_an_ap_does_not_speak_the_protocol():
    done = run(PROGRAMS / "strays.c", 2, 1)
    assert done.status == 0 and "strays: 80" in done.out, done.out + done.err
    told = [line for line in done.out.splitlines() if "sP:" in line]
    assert 1 <= len(told) <= 64 and all(line.startswith("[1 sP] sP: a message to a name without a row: word, meta 0x80800000 ") for line in told), told
