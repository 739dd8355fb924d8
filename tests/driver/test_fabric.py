"""The protocol of the libfabric provider, over a stand-in for libturnstile that loses, floods and goes away (tests/driver/fabric), with the compiler's
sanitizers and its search for leaks. Over the card: tests/driver/user/of_fabric.py, by test_library.py."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import host_build  # noqa: E402

HERE = ROOT / "tests/driver/fabric"
SEED = os.environ.get("SEED") or "1"
TESTS = [name for file in sorted(HERE.glob("*.c")) for name in re.findall(r'^    \{"(\w+)", \1\}', file.read_text(), re.MULTILINE)]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    made = tmp_path_factory.mktemp("fabric") / "world"
    host_build.call("gcc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-Wl,--wrap=access", "-pthread",
                    f"-I{ROOT}/host-driver/lib", f"-I{ROOT}/host-driver/fabric", f"-I{HERE}", "-o", made, *sorted((ROOT / "host-driver/fabric").glob("*.c")), *sorted(HERE.glob("*.c")), "-lfabric")
    return made


def passes(program, test, seed):
    done = subprocess.run([program, test, seed], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("test", TESTS)
def test_the_provider_keeps_its_promise(program, test):
    """VY-16: over Basic messages, which a full receive ring loses."""
    passes(program, test, SEED)


@pytest.mark.full
@pytest.mark.parametrize("test", ["what_the_network_loses_is_sent_again", "credits_keep_a_ring_that_nobody_reads_from_losing_anything", "a_hostile_sender_breaks_nothing_and_nobody", "a_flood_loses_no_message"])
def test_with_other_seeds(program, test):
    for seed in range(2, 12):
        passes(program, test, str(seed))
