"""What bad input gets, and what a run says that does not end well (issue 2)."""
import re

import pytest
from cluster_runs import PROGRAMS, faulty_firmware, run


@pytest.mark.parametrize("keys, sentence", [
    ({"app": "nothing"}, "APP=nothing is no program: legal are appbt, em3d, hello, is, "),
    ({"sites": 65}, "SITES=65 is out of range: 1 to 64"),
    ({"sites": 0}, "SITES=0 is out of range: 1 to 64"),
    ({"aps": 5}, "APS=5 is out of range: 1 to 4"),
    ({"block": 100}, "BLOCK=100 is not legal: 64, 128, 256, 512, 1024 or 2048 bytes"),
    ({"homes": "mine"}, "HOMES=mine is not legal: round-robin or first-touch"),
    ({"timeout": "soon"}, "TIMEOUT=soon is not a number from 1000 to 18446744073709551615"),
    ({"latency": 0}, "LATENCY=0 is not a number from 1 to 1000"),
    ({"latency": 5000}, "LATENCY=5000 is not a number from 1 to 1000"),
    ({"seed": -1}, "SEED=-1 is not a number from 0 to 18446744073709551615"),
    ({"reset": 2**31}, "RESET=2147483648 is not a number from 0 to 2147483647"),
    ({"threads": 0}, "THREADS=0 is not a number from 1 to 256"),
    ({"threads": 2, "waves": 1}, "THREADS=2 with WAVES=1: one thread writes a waveform"),
    ({"waves": "yes"}, "WAVES=yes is not a number from 0 to 1"),
    ({"arguments": "'open"}, "ARGS='open cannot be taken apart: No closing quotation"),
    ({"firmware": "nowhere.elf"}, "FIRMWARE=nowhere.elf is no file"),
    ({"name": "../out"}, "NAME=../out is not legal: the name of one folder in build/run"),
    ({"fault": "flop"}, "FAULT=flop is not legal: flip:SITE:N or lose:SITE:N, SITE from 0 to 1, N from 1"),
    ({"fault": "flip:4:1"}, "FAULT=flip:4:1 is not legal: "),
    ({"fault": "flip:0:1", "sites": 1}, "FAULT=flip:0:1 is not legal on one site: it has no link"),
    ({"site": "64"}, "SITE=64: '64' is not legal: NAME=VALUE of a parameter of Site but aps, which is APS="),
    ({"site": "highEvents=64 aps=2"}, "SITE=highEvents=64 aps=2: 'aps=2' is not legal: "),
    ({"site": "memoryBytes=33554432"}, "SITE=memoryBytes=33554432: 'memoryBytes=33554432' is not legal: it is MEMORY=, HEAP= or PRIVATE="),
    ({"memory": "20M"}, "MEMORY=20M is not legal: a power of two from 16M to 1G, as 16M"),
    ({"memory": "2G"}, "MEMORY=2G is not legal: a power of two from 16M to 1G"),
    ({"memory": "64"}, "MEMORY=64 is not legal: "),
    ({"private": "1M"}, "PRIVATE=1M is not legal: a power of two from 2M to 64M, as 2M"),
    ({"stack": "65537K"}, "STACK=65537K is not legal: a multiple of 4K from 64K to 32M, as 64K"),
    ({"memory": "16M", "heap": "16M"}, "HEAP=16M is more than half of MEMORY=16M: legal are 2M to 8M, or MEMORY=32M"),
    ({"memory": "16M", "private": "8M", "aps": 2}, "MEMORY=16M is too small: private windows of 2 aPs have 16M, the shared heap has 8M: legal are MEMORY=32M to 1G, "
     "or a smaller PRIVATE= or HEAP="),
    ({"app": PROGRAMS / "large_globals.c", "private": "2M"}, "whose stack, code, globals and message queue need 4M: legal are 4M to 64M"),
    ({"app": PROGRAMS / "large_globals.c", "memory": "16M", "aps": 4}, "MEMORY=16M is too small: private windows of 4 aPs have 16M, the shared heap has 8M: legal are "
     "MEMORY=32M to 1G, "),
    ({"dcache": "8192"}, "DCACHE=8192 is not legal: a power of two from 4K to 64K, as 8K"),
    ({"icache": "128K"}, "ICACHE=128K is not legal: a power of two from 4K to 64K, as 4K"),
    ({"dways": 3}, "DWAYS=3 is not legal: 1, 2 or 4"),
    ({"iways": 8}, "IWAYS=8 is not legal: 1, 2 or 4"),
    ({"site": "dataWays=2"}, "SITE=dataWays=2: 'dataWays=2' is not legal: it is DCACHE=, DWAYS=, ICACHE= or IWAYS="),
    ({"protocol": "mesi"}, "PROTOCOL=mesi: 'mesi' is no protocol: legal are migratory, "),
])
def test_bad_input_gets_one_sentence(keys, sentence):
    done = run(**{"app": "hello", **keys})
    assert done.status == 2 and sentence in done.err and len(done.err.splitlines()) == 1 and not done.out, done.err


def test_what_does_not_compile_is_refused():
    done = run(PROGRAMS / "wrong.c")
    assert done.status == 2 and "undeclared" in done.err, done.err
    assert re.fullmatch(r"APP=\S+wrong.c does not compile \(messages above\); .*", done.err.splitlines()[-1])


def test_exit_status_is_carried_out():
    done = run(PROGRAMS / "status.c", 2, 1, "77")
    assert done.status == 77 and done.report["exit_status"] == 77


def test_what_never_ends_is_stopped():
    done = run(PROGRAMS / "forever.c", 2, 1, timeout=60_000)
    assert done.status == 3 and done.report["ending"] == "timed out"
    assert "stopped: the program did not end within TIMEOUT=60000 cycles" in done.out
    assert 60_000 <= done.report["cycles"] < 80_000


def test_a_protocol_that_stops_names_who_waits():
    """The home forgets a request: the access, its approval entry and nothing else are left."""
    done = run("hello", 2, 1, quiet=40_000, firmware=faulty_firmware("drops_get_ro"))
    assert done.status == 3 and done.report["ending"] == "stopped moving", done.out
    assert "stopped: an access waits and nothing moved for 40000 cycles" in done.out
    waits = re.search(r"^site (\d) aP 0 waits: READ (808\w+)$", done.out, re.MULTILINE)
    assert waits, done.out
    line = int(waits[2], 16) & ~63
    assert f"site {waits[1]} approval entry 0: READ {line:08x} of master 0, pending" in done.out


def test_a_firmware_trap_tells_cause_place_and_events():
    done = run("hello", 2, 1, firmware=faulty_firmware("traps"))
    assert done.status == 3 and done.report["ending"] == "trapped", done.out
    site = re.search(r"^site (\d): the firmware died; its last (\d+) events", done.out, re.MULTILINE)
    assert site and 1 <= int(site[2]) <= 32
    events = re.findall(r"^  cycle \d+  event (\d+)  argument \w{8}  (\S.*)$", done.out, re.MULTILINE)
    assert len(events) == int(site[2]) and events[-1] == ("1", "GetRO")  # the handler that trapped
    assert not {"idle", "timer"} & {name for _, name in events}
    assert re.search(r"cause 2 at \w{8} \(__wrap_stache_get_ro\S*\)", done.out), done.out


def test_a_load_that_nobody_answers_is_a_trap():
    done = run(PROGRAMS / "nobody.c", 2, 1)
    assert done.status == 4, done.out
    assert re.search(r"^\[1\] process 1: trap: load access fault \(cause 0x00000005\) at pc 0x400\w{5}", done.out, re.MULTILINE), done.out


@pytest.mark.parametrize("address", ["0x0", "0x7fffffc0", "0xf0000000"])  # a null pointer; below memory; a window, which has no lines
def test_a_jump_to_nowhere_is_a_trap(address):
    done = run(PROGRAMS / "nowhere.c", 1, 1, address, timeout=200_000)
    assert done.status == 4, done.out
    assert f"process 0: trap: instruction access fault (cause 0x00000001) at pc 0x{int(address, 16):08x}" in done.out, done.out


def test_a_stopped_run_ends_where_it_was_stopped():
    """The questions about a stopped run clock the cluster on, past the end of this program: nothing of that is the run's."""
    whole = run("hello", 2)
    end = whole.report["cycles"]
    assert whole.status == 0 and "[0] " in whole.out
    for timeout in (1000, end - 20):
        done = run("hello", 2, timeout=timeout)
        assert (done.status, done.report["exit_status"], done.report["ending"], done.report["cycles"]) == (3, 3, "timed out", timeout)
        assert f"stopped: the program did not end within TIMEOUT={timeout} cycles" in done.out
        assert done.total("events") if timeout > 1000 else "hello" not in done.out
        assert sum(sum(site["taken"].values()) for site in done.report["sites"]) <= sum(sum(site["taken"].values()) for site in whole.report["sites"])
    assert run("hello", 2, timeout=end + 1).report["cycles"] == end
