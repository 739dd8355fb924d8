"""A site that cannot work is refused when it is elaborated, with the legal range (BZ-29)."""
import subprocess

import pytest
from cluster_runs import ROOT, environment


@pytest.mark.parametrize("top, parameters, sentence", [
    ("site/Site", {"aps": 2, "memoryBytes": 4 << 20}, "memory of 4194304 bytes with 2 aPs, whose private windows of 2 MB would lie over the "
     "shared heap; legal at least 8 MB"),
    ("site/Site", {"aps": 3, "memoryBytes": 8 << 20}, "memory of 8388608 bytes with 3 aPs"),
    ("site/Site", {"aps": 4, "memoryBytes": 256 << 20, "privateBytes": 64 << 20}, "whose private windows of 64 MB would lie over the shared heap; legal at least "
     "512 MB"),
    ("site/Site", {"aps": 1, "privateBytes": 128 << 20}, "private window of 134217728 bytes, legal a power of two from 2 MB to 64 MB"),
    ("site/Site", {"aps": 1, "heapBytes": 16 << 20}, "shared heap of 16777216 bytes in a memory of 16777216, legal a power of two from 2 MB to half of the memory, 8 MB"),
    ("bus/SiteBus", {"memoryBytes": 2 << 30}, "memory of 2147483648 bytes, legal a power of two from 4 MB to 1024 MB"),
    ("site/Site", {"aps": 5}, "5 aPs, legal 1 to 4"),
    ("network/FatTree", {"sites": 65}, "NetworkParams.sites is 65; legal: 1 to 64"),
], ids=lambda v: " ".join(f"{k}={x}" for k, x in v.items()) if isinstance(v, dict) else None)
def test_refused_with_the_legal_range(top, parameters, sentence, tmp_path):
    done = subprocess.run([ROOT / "tools/rtlgen", top, tmp_path, *(f"{k}={v}" for k, v in parameters.items())], env=environment(),
                          capture_output=True, text=True)
    assert done.returncode != 0, "it was built"
    assert sentence in done.stdout + done.stderr, done.stdout + done.stderr
