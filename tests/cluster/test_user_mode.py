"""User mode on the cluster (issue 6; USERMODE=1): a program reaches what is its own, and a trap names process, address and rule.

tests/cluster/programs/user_mode.c tries one thing a run. Its simulator is one of its own.
"""
import re

import pytest
from cluster_runs import PROGRAMS, right, run

PROGRAM = PROGRAMS / "user_mode.c"
MACHINE = "no instruction of machine mode, and none that this aP does not have"
MONITOR, CODE = "in the monitor's page, closed to programs", "in code and constants, which is read and executed"
PRIVATE, HEAP = "in private memory, which is read and written", "in the shared heap, which is read and written"
FIRMWARE, NOTHING = "in the firmware's memory, closed to programs", "in nothing that a program has"
LOAD, STORE = "load access fault (cause 0x00000005)", "store access fault (cause 0x00000007)"
FETCH, ILLEGAL = "instruction access fault (cause 0x00000001)", "illegal instruction (cause 0x00000002)"
ATTEMPTS = {
    "mtvec": (ILLEGAL, MACHINE), "pmp": (ILLEGAL, MACHINE), "pmp_read": (ILLEGAL, MACHINE), "mstatus": (ILLEGAL, MACHINE), "mret": (ILLEGAL, MACHINE),
    "ecall": ("environment call (cause 0x00000008)", "there are no environment calls"),
    "monitor_load": (LOAD, MONITOR), "monitor_store": (STORE, MONITOR), "monitor_code": (FETCH, MONITOR), "code_store": (STORE, CODE), "constant_store": (STORE, CODE),
    "data_code": (FETCH, PRIVATE), "heap_code": (FETCH, HEAP), "window_code": (FETCH, "in windows of the NIU, which is read and written"),
    "dram": (LOAD, NOTHING), "dram_store": (STORE, NOTHING), "firmware": (LOAD, FIRMWARE), "firmware_store": (STORE, FIRMWARE), "nothing": (LOAD, NOTHING),
    "nothing_store": (STORE, NOTHING), "sp_registers": (STORE, NOTHING),
}


def refused(attempt: str, cause: str, rule: str | None, process: int = 0, **keys) -> str:
    """What the run printed, whose `process` trapped by this cause, at the address that the program told, and nothing else was done."""
    done = run(PROGRAM, 2, 1, attempt + (" elsewhere" if process else ""), usermode=1, timeout=1_000_000, **keys)
    assert done.status == 4 and "went on" not in done.out, done.out + done.err
    told = re.search(rf"^\[{process}\] process {process}: trap: {re.escape(cause)} at pc (\w+), address (\w+), sp ", done.out, re.MULTILINE)
    assert told, done.out
    if at := re.search(r"at (0x\w+)$", done.out, re.MULTILINE):
        assert int(at[1], 16) == int(told[1 if cause == FETCH else 2], 16), done.out
    assert rule is None or f"rule: {'the address is ' * rule.startswith('in ')}{rule}" in done.out, done.out
    return done.out


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_program_reaches_what_is_its_own(attempt):
    refused(attempt, *ATTEMPTS[attempt])


def test_a_created_process_is_no_freer():
    refused("code_store", STORE, CODE, process=1)


def test_a_stack_ends_at_the_monitors_page():
    assert "stack exhausted" in refused("stack", STORE, MONITOR)


def test_a_trap_is_told_rightly_whatever_the_program_wrote_over():
    refused("scribble", STORE, MONITOR, process=1)


def test_what_the_niu_refuses_traps_as_ever():
    refused("foreign_queue", LOAD, "in windows of the NIU, which is read and written: nothing answers there, or what was not granted")


def test_what_is_a_programs_own_is_open():
    assert "legal: correct" in right(run(PROGRAM, 2, 1, "legal", usermode=1)).out


def test_a_program_is_right_in_user_mode():
    """Created processes, locks, barriers, doubles."""
    right(run("em3d", 2, 1, "-n 8 -i 1", usermode=1), "correct")


def test_user_mode_costs_no_cycle():
    """Of code that the instruction cache holds."""
    without, within = (re.search(r"cycles: (\d+)", run(PROGRAMS / "costs.c", 1, 1, usermode=mode).out)[1] for mode in (0, 1))
    assert without == within


def test_a_site_without_it_refuses_its_programs():
    done = run("hello", 1, 1, usermode=1, site="user=false")
    assert done.status != 0 and "this site has none: USERMODE=1 makes both" in done.out, done.out + done.err


@pytest.mark.full
@pytest.mark.parametrize("attempt, cause, rule", [
    ("amo", STORE, CODE), ("fsd", STORE, CODE), ("fld", LOAD, MONITOR), ("fld_across", "load address misaligned (cause 0x00000004)", None)])
def test_other_extensions_are_judged_too(attempt, cause, rule):
    refused(attempt, cause, rule, fpu=1, atomics=1)


@pytest.mark.full
@pytest.mark.parametrize("keys", [{"globals": "shared"}, {"stack": "1M"}, {"heap": "2M"}, {"memory": "64M", "heap": "32M"}, {"private": "4M"}])
def test_memory_of_other_sizes_is_protected(keys):
    right(run(PROGRAM, 2, 1, "legal", usermode=1, **keys), "legal: correct")
    for attempt in ("firmware", "code_store", "dram_store"):
        refused(attempt, *ATTEMPTS[attempt], **keys)
