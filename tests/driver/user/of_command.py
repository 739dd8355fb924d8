"""The command `turnstile`, installed, against the RTL of the card."""
import json
import os
import re
import signal
import subprocess
import time

import pytest
import turnstile
from kit import ADDRESS, DRIVER, INSTALLED, NOBODY, asked, card_with_queue, process

COMMAND = INSTALLED / "bin/turnstile"


def run(*arguments, **options):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=60, **options)


def good(*arguments):
    done = run(*arguments)
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    return done.stdout


def of_script(*arguments):
    return json.loads(good(*arguments, "--json"))


def test_info_tells_what_the_library_tells():
    with turnstile.Card() as card:
        assert of_script("info") == {"device": "/dev/turnstile0", "pci_address": ADDRESS, "driver": "turnstile", "build_id": card.build_id, "express_queues": [6, 7], "basic_queues": [14, 15],
                                     "shared_bytes": card.shared_bytes, "shared_address": card.shared_address, "path": "calls", "waiting": "sleeps"}
        assert re.search(rf"^build_id +0x{card.build_id:08x}$", good("info"), re.MULTILINE)


def test_selftest_passes_and_harms_no_memory_and_nobody():
    with card_with_queue() as card:
        end = card.shared_bytes - 64
        card.store(end, bytes(range(64)))
        result = of_script("selftest")
        assert result["registers"].startswith("pass") and result["express"].startswith("pass  64 messages from queue") and result["shared_memory"].startswith("pass  512 bytes")
        assert result["interrupt"] == "pass  one message, 1 interrupt"
        assert result["basic"].startswith("pass  12 messages of 0 to 88 bytes")
        assert result["result"] == "pass" and card.load(end, 64) == bytes(range(64)) and card.poll() is None
        assert asked(card, "ADD_ONE", 1) == 2


def test_selftest_fails_with_what_it_saw():
    with card_with_queue(), card_with_queue():
        done = run("selftest")
        assert done.returncode == 1 and re.search(r"^express +FAIL  .*other processes have all Express queues", done.stdout, re.MULTILINE)
        assert re.search(r"^shared_memory +pass", done.stdout, re.MULTILINE) and re.search(r"^result +FAIL$", done.stdout, re.MULTILINE)
    done = run("selftest", "--site", "5")
    assert done.returncode == 1 and "is the card site 5 (--site)" in done.stdout


def test_queue_tells_who_has_which():
    assert of_script("queue") == {"express 6": "free", "express 7": "free", "basic 14": "free", "basic 15": "free"}

    def takes(ready):
        os.write(ready, str(turnstile.Card().express_open()).encode())
    with process(takes) as (child, number):
        assert of_script("queue")[f"express {int(number)}"] == f"process {child}"
        unknown = subprocess.run([COMMAND, "queue"], capture_output=True, text=True, user=NOBODY)
        assert unknown.returncode == 0 and re.search(rf"^express {int(number)} +taken$", unknown.stdout, re.MULTILINE)
    assert of_script("queue")[f"express {int(number)}"] == "free"


def test_stats_counts_and_watches():
    counters = {"unsupported", "aborted", "refused", "malformed", "loads_failed", "stores_failed"}
    result = of_script("stats")
    assert set(result) == counters | {"first_fault", "interrupts"} and all(result[name] == 0 for name in counters) and result["first_fault"] == "none"
    begin = time.monotonic()
    lines = good("stats", "--watch", "1", "--times", "2", "--json").splitlines()
    assert len(lines) == 2 and time.monotonic() - begin > 0.9 and set(json.loads(lines[1])) == set(result)


def test_bench_counts_stores_and_loads():
    result = of_script("bench", "--messages", "20")
    assert result["messages"] == 20 and result["stores_a_message"] == 1 and 1 <= result["loads_a_message"] < 5 and result["round_trip_us"] > 0 and result["shared_load_mb_per_s"] > 0


@pytest.mark.parametrize("arguments, sentence", [
    ([], "turnstile COMMAND"), (["fly"], "there is no command 'fly'; legal are info selftest queue stats bench firmware wire"), (["info", "more"], "'more' is too much"),
    (["info", "--watch", "1"], "info does not take --watch"), (["stats", "--watch", "0"], "--watch 0 is not legal: 1 to 86400"), (["stats", "--watch", "1x"], "--watch 1x"),
    (["stats", "--times", "3"], "--times without --watch"), (["selftest", "--site", "64"], "--site 64 is not legal: 0 to 63"), (["bench", "--messages", "-1"], "1 to 1000000000"),
    (["info", "--fly"], "--fly"),
])
def test_a_wrong_line_is_status_2_and_says_what_is_legal(arguments, sentence):
    done = run(*arguments)
    assert done.returncode == 2 and sentence in done.stderr and not done.stdout, done


@pytest.mark.parametrize("command", ["info", "selftest", "queue", "stats", "bench", "firmware", "wire"])
def test_without_a_card_every_command_says_so(command):
    done = run(command, "--device", "/dev/turnstile7")
    assert done.returncode == 1 and not done.stdout and done.stderr.startswith("turnstile: /dev/turnstile7 is not there: load the driver")
    done = run(command, "--device", "/dev/null")
    assert done.returncode == 1 and not done.stdout and "/dev/null is no Turnstile card" in done.stderr


@pytest.mark.parametrize("command", ["info", "selftest", "bench"])
def test_without_permission_a_command_says_so(command):
    done = run(command, user=NOBODY)
    assert done.returncode == 1 and not done.stdout and "this user may not read and write it" in done.stderr


def test_a_card_without_a_wire_says_so():
    for arguments in ([], ["--own", "02:00:00:00:00:01", "--peer", "02:00:00:00:00:02"], ["--off"]):
        done = run("wire", *arguments)
        assert done.returncode == 1 and not done.stdout and "this card has no wire" in done.stderr


def test_watching_a_card_that_is_taken_away_ends():
    watching = subprocess.Popen([COMMAND, "stats", "--watch", "1", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert json.loads(watching.stdout.readline())
    (DRIVER / "unbind").write_text(ADDRESS)
    try:
        status = watching.wait(20)
    finally:
        (DRIVER / "bind").write_text(ADDRESS)
    assert status == 1 and "/dev/turnstile0 is not there" in watching.stderr.read()


def test_a_bench_that_is_killed_leaves_its_queue():
    benching = subprocess.Popen([COMMAND, "bench", "--messages", "1000000000"], stdout=subprocess.DEVNULL)
    while "process" not in str(of_script("queue")):
        assert benching.poll() is None
    benching.send_signal(signal.SIGKILL)
    benching.wait()
    assert "process" not in str(of_script("queue"))
    good("selftest")
