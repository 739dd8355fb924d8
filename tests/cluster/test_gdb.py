"""gdb at processors of a running cluster: what Debian's gdb is told, against what is known of the program; and that the run stays the same."""
import contextlib
import functools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys

import pytest
from cluster_runs import PROGRAMS, ROOT, Run, environment, run

PROGRAM = PROGRAMS / "debugged.c"
PATIENCE = 300
STEPS = 40


class Debugged:
    """A run that waits for gdb."""

    def __init__(self, processors: str, name: str):
        self.folder = ROOT / "build/run" / f"test-gdb-{name}"
        keys = [f"APP={PROGRAM}", "SITES=2", "APS=1", "PAGE=0", f"GDB={processors}", f"NAME={self.folder.name}"]
        self.process = subprocess.Popen([sys.executable, ROOT / "tools/run.py", *keys], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        told = self.process.stderr.readline()
        while told and not told.startswith("gdb: waits on port"):
            told = self.process.stderr.readline()
        assert told, "the run ended before it waited for gdb"
        self.port, self.image = int(re.search(r"port (\d+)", told)[1]), told.split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)  # the simulator, too, which may wait for gdb
        self.process.communicate()

    def gdb(self, *commands: str) -> str:
        assert shutil.which("gdb-multiarch"), "make setup installs gdb-multiarch"
        given = [word for command in (f"target remote :{self.port}", *commands) for word in ("-ex", command)]
        done = subprocess.run(["gdb-multiarch", "-nx", "-q", "-batch", "-ex", "set width 0", *given, self.image], capture_output=True, text=True, timeout=PATIENCE)
        return done.stdout + done.stderr

    def end(self) -> tuple[int, str, dict]:
        out, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, json.loads((self.folder / "report.json").read_text())


@functools.cache
def without() -> Run:
    return run(PROGRAM, 2, 1)


def ended_as_without(debugged: Debugged) -> None:
    """Answers, cycles and report are those of a run without gdb."""
    alone = without()
    status, out, report = debugged.end()
    assert status == alone.status == 0 and "debugged: sums 3 4" in out
    assert report == alone.report


def test_a_processor_stops_where_it_is_told():
    with Debugged("ap0.0,ap1.0", "aps") as debugged:
        told = debugged.gdb("info threads", "break add if a == 3", "continue", "info args", "print mine", "print shared->sum", "backtrace", "finish", "print mine", "continue")
        ended_as_without(debugged)
    assert "(ap0.0)" in told and "(ap1.0)" in told
    assert "Thread 2 hit Breakpoint 1, add (" in told and re.search(r"^a = 3$", told, re.MULTILINE) and re.search(r"^b = 4$", told, re.MULTILINE)
    assert "$1 = 5" in told and ("$2 = {0, 0}" in told or "$2 = {3, 0}" in told), told
    assert re.search(r"#0 +add \(.*\n#1 .* work \(\)", told)
    assert "Value returned is $3 = 12" in told and "$4 = 8" in told
    assert "exited normally" in told


def test_steps_are_instructions_in_their_order():
    """From the first instruction of all: what is at the pc, by the program's own ELF, is where the processor goes."""
    with Debugged("ap0.0", "steps") as debugged:
        told = debugged.gdb(*["x/xw $pc", "stepi"] * STEPS, "detach")
        ended_as_without(debugged)
    went = [(int(pc, 16), int(word, 16)) for pc, word in re.findall(r"^(0x\w+)[^:]*:\s+(0x\w+)$", told, re.MULTILINE)]
    listing = subprocess.run(["riscv64-unknown-elf-objdump", "-d", "-M", "no-aliases", debugged.image], capture_output=True, text=True, check=True).stdout
    is_at = {int(pc, 16): (int(word, 16), name, rest) for pc, word, name, rest in re.findall(r"^\s*([0-9a-f]+):\s+([0-9a-f]{8})\s+(\w+)\s*(.*)$", listing, re.MULTILINE)}
    assert len(went) == STEPS and went[0][0] == 0x40000000
    for (pc, word), (after, _) in zip(went, went[1:]):
        known, name, rest = is_at[pc]
        target = re.search(r"([0-9a-f]{8}) <", rest)
        legal = {pc + 4} if name[0] not in "bj" else {int(target[1], 16)} | ({pc + 4} if name[0] == "b" else set()) if target else set(is_at)
        assert word == known and after in legal, f"{name} {rest} at {pc:#x}, then {after:#x}"


def test_a_handler_of_the_firmware_is_seen_at_work():
    with Debugged("sp0,sp1", "sps") as debugged:
        told = debugged.gdb("break service_barrier", "continue", "print TT.sites", "print TT.aps", "print TT.site", "backtrace", "delete", "continue")
        ended_as_without(debugged)
    assert "hit Breakpoint 1, service_barrier" in told and re.search(r"in dispatch \(\)", told)
    assert "$1 = 2" in told and "$2 = 1" in told and "$3 = 0" in told


def test_a_processor_stops_behind_an_access_that_is_watched():
    """A store to a private variable, a load of it, and a store to the heap: in the order of add()."""
    with Debugged("ap1.0", "watch") as debugged:
        told = debugged.gdb("break add", "continue", "delete", "watch mine", "continue", "print mine", "backtrace 1", "delete", "watch shared->sum[1]", "continue", "print shared->sum", "delete",
                            "rwatch mine", "continue", "backtrace", "delete", "continue")
        ended_as_without(debugged)
    assert "Hardware watchpoint" in told and "Old value = 5" in told and "New value = 8" in told and "$1 = 8" in told
    assert re.search(r"\$2 = \{[03], 4\}", told), told
    assert "Hardware read watchpoint" in told and re.search(r"Value = 8\n(.*\n)*#\d+ .* work \(\)", told), told


def test_gdb_changes_nothing():
    with Debugged("ap0.0", "changes") as debugged:
        told = debugged.gdb("break add", "continue", "set var mine = 77", "set var $a0 = 1", "print mine", "print *(int *)0xF0000000", "delete", "continue")
        ended_as_without(debugged)
    assert told.count("Cannot access memory") == 2 and "Could not write register" in told and "$1 = 5" in told


class Wire:
    """The protocol by hand."""

    def __init__(self, port: int):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)

    def raw(self, data: bytes) -> None:
        self.socket.sendall(data)

    def ask(self, packet: str) -> str:
        self.raw(b"$%s#%02x" % (packet.encode(), sum(packet.encode()) % 256))
        assert self.byte() == b"+"
        return self.answer()

    def byte(self) -> bytes:
        return self.socket.recv(1)

    def answer(self) -> str:
        got = b""
        while not re.fullmatch(rb"\$[^#]*#..", got):
            more = self.byte()
            assert more, f"the connection ended behind {got}"
            got += more
        assert sum(got[1:-3]) % 256 == int(got[-2:], 16)
        self.raw(b"+")
        return got[1:-3].decode()


@pytest.mark.parametrize("packet, answer", [
    ("", ""), ("m", "E16"), ("m0", "E16"), ("m0,4", "E0e"), ("mf0000000,4", "E0e"), ("m40000000,ffffffff", "E16"), ("m100000000,4", "E16"), ("mxyz,4", "E16"),
    ("M40000000,1:00", "E01"), ("X40000000,1:0", "E01"), ("G00", "E01"), ("P1=00000000", "E01"), ("p21", "E16"), ("p", "E16"), ("p20", "00000040"), ("Z5,40000000,4", ""), ("Z2,40000000,0", "E1c"), ("Z2,40000000,ffffffff", "E1c"), ("Z3,40000000,4", "OK"), ("z3,40000000,4", "OK"), ("z4,40000000,4", "OK"), ("Z0,zz,4", "E16"),
    ("Z0", "E16"), ("Hg9", "E16"), ("T7", "E16"), ("Tffffffffffffffff", "E16"), ("vCont;s:9", "E16"), ("vKill;1", ""), ("qThreadExtraInfo,9", "E16"), ("qXfer:features:read:target.xml:fffff,1", "E16"),
    ("qXfer:features:read:other.xml:0,1", ""), ("!", ""), ("Q", ""), ("?", "T05thread:1;")])
def test_malformed_packets_are_answered(wire, packet, answer):
    assert wire.ask(packet) == answer


@pytest.fixture(scope="module")
def wire():
    """At a run whose gdb sends what it should not, and then is gone."""
    with Debugged("ap0.0", "wire") as debugged:
        wire = Wire(debugged.port)
        yield wire
        wire.raw(b"$m40000000,4#00")
        assert wire.byte() == b"-", "a packet whose sum is wrong"
        wire.raw(b"$" + b"m" * 100_000 + b"#%02x" % (ord("m") * 100_000 % 256))
        assert wire.byte() == b"-", "a packet that is longer than any"
        wire.raw(b"noise, and half a packet $m4000")
        wire.socket.close()
        ended_as_without(debugged)


def test_the_run_is_interrupted():
    with Debugged("ap0.0", "interrupt") as debugged:
        wire = Wire(debugged.port)
        wire.raw(b"$c#63")
        assert wire.byte() == b"+"
        wire.raw(b"\x03")
        assert wire.answer() == "T02thread:1;"
        assert wire.ask("m40000000,4") != "E0e"
        assert wire.ask("D") == "OK"
        ended_as_without(debugged)


@pytest.mark.parametrize("processors, sentence", [
    ("sp2", "gdb=: site 2 of 2 sites with 1 aPs"), ("ap0.1", "gdb=: site 0, aP 1 of 2 sites with 1 aPs"), ("foo", "'foo' is no processor"), ("ap0", "'ap0' is no processor"),
    ("sp0,ap0.0", "gdb takes one"), ("sp0,sp0", "names sp0 twice"), ("sp-1", "'sp-1' is no processor")])
def test_processors_that_are_not_there_are_refused(processors, sentence):
    done = run(PROGRAM, 2, 1, gdb=processors)
    assert done.status == 2 and sentence in done.err, done.err


def test_a_port_in_use_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run(PROGRAM, 2, 1, gdb="ap0.0", gdb_port=taken.getsockname()[1])
    assert done.status == 2 and "for gdb: Address already in use; gdb-port=0 takes one that is free" in done.err
