"""What the runtime promises a program, on the aP's code and on the workstation's (BZ-28, BZ-39)."""
import pytest
from app_runs import HERE, build, run_native

PROBE = HERE / "probe.c"


@pytest.fixture(params=["workstation", "aP"])
def probe(request, run_target):
    """probe(subcommand, arguments...): 4 processes."""
    if request.param == "workstation":
        program = build(PROBE, native=True)
        return lambda *arguments: run_native(program, 4, *arguments)
    program = build(PROBE, native=False)
    return lambda *arguments: run_target(program, 2, 2, *arguments)


@pytest.fixture
def probe_ap(run_target):
    return lambda *arguments, sites=2, aps=2: run_target(build(PROBE, native=False), sites, aps, *arguments)


def test_arguments_arrive(probe):
    assert probe("arguments", "-n", "64", "with space", "").out.splitlines()[1:5] == ["[-n]", "[64]", "[with space]", "[]"]


@pytest.mark.parametrize("what,status", [("status", 7), ("worker-status", 5)])
def test_exit_status_is_carried_out(probe, what, status):
    assert probe(what).status == status


def test_created_process_is_like_a_fork(probe):
    done = probe("fork")
    assert done.status == 0 and done.out.startswith("half a line, printed once\n"), done.out


@pytest.mark.parametrize("what", ["locks", "atomics", "heap", "copies"])
def test_promise_holds(probe, what):
    done = probe(what)
    assert done.status == 0 and done.out == f"probe {what}: 0 bad, good, 1.500\n", done.out + done.err


def test_more_locks_than_the_sps_have(probe_ap):
    done = probe_ap("locks", sites=1, aps=4)
    assert done.status == 0, done.out + done.err


@pytest.mark.parametrize("what,message", [
    ("shared-heap", "shared heap exhausted: asked for 419430400 bytes, the largest free piece has"),
    ("free-twice", "given back to the shared heap a second time"),
    ("free-nothing", "is no address that G_MALLOC returned"),
    ("too-many", "CREATE of 5 processes: the legal range is 1..4"),
    ("one-too-many", "CREATE: one process more than this run has: 4"),
    ("unmade-lock", "which LOCKINIT never made"),
    ("unmade-barrier", "which BARINIT never made"),
    ("barrier-count", "BARRIER of 5 processes: the legal range is 1..4"),
    ("home", "home process 4: the legal range is 0..3"),
    ("block", "blocks of 96 bytes: legal are 64, 128, 256, 512, 1024, 2048"),
])
def test_misuse_ends_with_a_message(probe, what, message):
    done = probe(what)
    assert done.status == 1 and message in done.out, done.out


def test_private_heap_exhaustion_is_never_silent(probe_ap):
    done = probe_ap("private-heap")
    assert "private heap exhausted: 4194" in done.out and done.status == 0, done.out


@pytest.mark.parametrize("what,process", [("stack", 0), ("worker-stack", 1)])
def test_stack_exhaustion_traps(probe_ap, what, process):
    done = probe_ap(what, sites=1, aps=2)
    assert done.status == 4 and f"process {process}: stack exhausted: 258048 bytes are legal" in done.out, done.out


@pytest.mark.parametrize("what,cause,address", [("trap", "load access fault (cause 0x00000005)", "0x0000000c"), ("illegal", "", "")])
def test_trap_reports_cause_pc_address(probe_ap, what, cause, address):
    done = probe_ap(what)
    assert done.status == 4 and ": trap: " in done.out and cause in done.out and f"address {address}" in done.out
    assert "at pc 0x4004" in done.out


def test_256_processes(probe_ap):
    done = probe_ap("atomics", sites=64, aps=4)
    assert done.status == 0, done.out + done.err
