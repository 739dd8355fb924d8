"""Programs on the simulated cluster, run as `make run` runs them, and what holds for every run that ends well."""
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).resolve().parent / "programs"
RANDOM = PROGRAMS / "random.c.in"
LITMUS = ROOT / "tests/litmus/litmus.c.in"
#: `make test SEED=7` or `SEED=7 pytest ...` repeats a run of the random tester.
SEED = int(os.environ.get("SEED") or 1)
STAGES = ("aP op capture", "local sP receives", "sP sends to home", "network, 2 hops", "home sP receives",
          "home gathers data, responds", "network", "local sP receives reply", "local sP satisfies bus op")


@dataclass
class Run:
    status: int
    out: str
    err: str
    report: dict = field(default_factory=dict)

    def total(self, counter: str) -> int:
        return sum(site[counter] for site in self.report["sites"])


def environment() -> dict[str, str]:
    """TOOLS and PATH for a plain `pytest` too, as tools/env.sh sets them."""
    path = [str(ROOT / "tools"), str(Path(sys.prefix) / "bin"), os.environ["PATH"]]
    tools = str(Path(sys.prefix).parent)
    return {**os.environ, "TOOLS": tools, "VERILATOR_ROOT": f"{tools}/verilator", "PATH": os.pathsep.join(path)}


def run(app, sites=2, aps=1, arguments="", **keys) -> Run:
    """One run; `keys` are those of `make run`, in lower case. The folder in build/run is named by what is run."""
    chosen = {"APP": app, "SITES": sites, "APS": aps, "ARGS": arguments, "PAGE": 0, **{k.upper(): v for k, v in keys.items()}}
    given = [f"{k}={v}" for k, v in chosen.items()]
    name = chosen.get("NAME") or "test-" + hashlib.sha256(repr(given).encode()).hexdigest()[:12]
    done = subprocess.run([sys.executable, ROOT / "tools/run.py", *given, f"NAME={name}"], cwd=ROOT, env=environment(),
                          capture_output=True, text=True)
    page = ROOT / "build/run" / name / "report.json"
    report = json.loads(page.read_text()) if done.returncode not in (1, 2) and page.exists() else {}
    return Run(done.returncode, done.stdout, done.stderr, report)


def left(name: str) -> dict[str, bytes]:
    """Files that the run left, but what says how fast it was and what is made of the others."""
    folder = ROOT / "build/run" / name
    found = {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}
    return {path: text for path, text in found.items() if path not in ("speed.json", "trace.pftrace")}


def faulty_firmware(name: str) -> Path:
    """The protocol with the fault that tests/cluster/firmware/NAME.c puts into it."""
    image = ROOT / f"build/fw/faulty/{name}.elf"
    image.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["flock", "build/fw.lock", "make", "-s", image.relative_to(ROOT)], cwd=ROOT, env=environment(),
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return image


def right(done: Run, *words: str) -> Run:
    """The run ended well: status 0, what it had to print, consistent accesses, and messages that add up."""
    assert done.status == 0, done.out + done.err
    for word in words:
        assert word in done.out, done.out
    assert "sP:" not in done.out, done.out
    assert done.report["ending"] == "exited" and done.report["exit_status"] == 0
    assert all(done.report["checked"][k] > 0 for k in ("loads", "stores", "bytes_at_end"))
    assert not any(done.report["network"].values())
    on_the_wire(done, conserved(done))
    return done


def conserved(done: Run) -> dict[str, int]:
    """The conservation laws of docs/reference/stache.md, exact, of the firmware's counters, which it returns. All processes have ended, so
    nothing is under way.

    Each Get is answered by data. An Upgrade is answered by a grant, or by data when another's write came first; each Inval RO by
    an ack after the copy is gone; each Inval RW by the owner's data, which is one more message than the requester's own.
    Requests that the home makes of itself send no data to it, so Gets are those of other sites alone, as counted.
    """
    n = {c: done.total(c) for c in ("get_ro", "get_rw", "upgrade", "inval_ro", "inval_rw", "ack", "grant", "data", "bytes",
                                    "write_faults", "read_faults", "upgrade_faults", "page_messages", "sync_messages")}
    p, m = done.report["protocol"], done.report["messages"]
    assert {k: p[k] for k in ("get_ro", "get_rw", "upgrade", "inval_ro", "inval_rw")} == {k: n[k] for k in list(n)[:5]}
    assert n["data"] == n["get_ro"] + n["get_rw"] + (n["upgrade"] - n["grant"]) + n["inval_rw"], n
    assert n["ack"] == n["inval_ro"], n
    assert 0 <= n["grant"] <= n["upgrade"] == n["upgrade_faults"], n
    assert n["get_ro"] <= n["read_faults"] and n["get_rw"] <= n["write_faults"], n
    assert n["page_messages"] % 2 == 0, n  # an answer for each question
    assert m["data"] == n["data"] and m["bytes"] == n["bytes"]
    if len(done.report["sites"]) == 1:
        assert n["data"] == 0
    return n


#: Types of Stache's messages and of pages' (fw/tempest/events.h), and events of the services that an sP answers (contract §8).
TYPES = {"get_ro": 1, "get_rw": 3, "upgrade": 5, "inval_ro": 7, "inval_rw": 9, "data_ro": 10, "data_rw": 12, "recall": 14, "ack": 16, "grant": 17,
         "none": 18, "page_ask": 24, "page_info": 25}
PARTS, ANSWERED = (11, 13, 15), (65, 67, 68, 69)


def on_the_wire(done: Run, n: dict[str, int]) -> None:
    """What the firmware counts is what the simulator saw in packet headers on the links, and each was taken once as an event."""
    def sent(*types):
        return sum(site["wire"]["protocol"].get(str(t), 0) for site in done.report["sites"] for t in types)

    def taken(*events):
        return sum(site["taken"].get(str(e), 0) for site in done.report["sites"] for e in events)

    wire = {name: sent(t) for name, t in TYPES.items()}
    for name in ("get_ro", "get_rw", "upgrade", "inval_ro", "inval_rw", "grant"):
        assert wire[name] == n[name], f"{wire[name]} {name} were on the wire, {n[name]} are counted"
    assert wire["ack"] + wire["none"] == n["ack"]
    assert done.report["messages"]["control"] == (n["get_ro"] + n["get_rw"] + n["upgrade"] + n["grant"] + 2 * n["inval_ro"] + n["inval_rw"]
                                                  + n["page_messages"] + n["sync_messages"])
    assert wire["data_ro"] + wire["data_rw"] + wire["recall"] == n["data"]
    assert 64 * sum(site["wire"]["lines"] for site in done.report["sites"]) == n["bytes"]
    assert wire["page_ask"] + wire["page_info"] == n["page_messages"]
    for t in (*TYPES.values(), *PARTS):
        assert sent(t) == taken(t), f"type {t}"
    assert n["sync_messages"] == taken(*ANSWERED) >= sum(site["wire"]["answers"] for site in done.report["sites"])
