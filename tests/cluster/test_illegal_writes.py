"""What a cache writes back against its tag is told whole and then forgotten; nobody else waits for it (VY-04, VY-10)."""
import re

import pytest
from cluster_runs import PROGRAMS, faulty_firmware, run

WRITE_BACK, LINE_MASK = 3, 0xFFFF


@pytest.mark.parametrize("aps", [1, 2])
def test_ten_illegal_write_backs_are_told_whole(aps):
    done = run(PROGRAMS / "illegal_writes.c", 2, aps, quiet=40_000, firmware=faulty_firmware("forgets_to_flush"))
    assert done.status == 0 and done.report["ending"] == "exited", done.out
    base = int(re.search(r"lines at (\w{8}): correct", done.out)[1], 16)
    told = re.findall(r"^\[1 sP\] sP: illegal write: [a-z, ]+ (\w+) (\w+)\n\[1 sP\] sP: written: (.+)$", done.out, re.MULTILINE)
    master = 2 * (aps - 1)
    assert [(int(a, 16), int(info, 16), [int(w, 16) for w in words.split()]) for a, info, words in told] == [
        (base + 64 * i, LINE_MASK << 16 | WRITE_BACK << 4 | master, [0x01020304 * (i + 1) + k for k in range(16)]) for i in range(10)]
