"""TRACE=1: a file that Perfetto's own library reads, in which nothing is missing (what it holds is compared with report.json and reads.csv)."""
import csv
from collections import Counter

from cluster_runs import ROOT, right, run
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

EVENT_TIMER, EVENT_IDLE = "97", "127"
FOLDER = ROOT / "build/run/test-trace"


def slices(trace: Trace) -> dict[str, list]:
    """By the names of process and track: [first, last, name, flows] of each slice."""
    names, parents = {}, {}
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            names[packet.track_descriptor.uuid] = packet.track_descriptor.name
            parents[packet.track_descriptor.uuid] = packet.track_descriptor.parent_uuid
    found: dict[str, list] = {}
    for packet in trace.packet:
        event = packet.track_event
        if event.type not in (TrackEvent.TYPE_SLICE_BEGIN, TrackEvent.TYPE_SLICE_END):
            continue
        track = f"{names[parents[event.track_uuid]]} {names[event.track_uuid]}"
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            found.setdefault(track, []).append([packet.timestamp, None, event.name, list(event.flow_ids)])
        else:
            assert found[track][-1][1] is None, f"two slices end at once on {track}"
            found[track][-1][1] = packet.timestamp
    return found


def test_a_trace_holds_every_handler_miss_and_message():
    done = right(run("em3d", sites=2, arguments="-n 64", trace=1, name=FOLDER.name))
    trace = Trace()
    trace.ParseFromString((FOLDER / "trace.pftrace").read_bytes())
    found = slices(trace)
    for track, parts in found.items():
        for (_, end, _, _), (begin, _, name, _) in zip(parts, parts[1:]):
            assert end is not None and end <= begin, f"{name} begins within another on {track}"
    for number, site in enumerate(done.report["sites"]):
        taken = sum(n for event, n in site["taken"].items() if event not in (EVENT_TIMER, EVENT_IDLE))
        handled = [name for *_, name, _ in found[f"site {number} sP"] if name not in ("timer", "idle")]
        assert len(handled) == taken
        packets = sum(len(found.get(f"site {number} link out, {channel}", ())) for channel in ("low", "high"))
        assert packets == site["wire"]["packets"]
    asked = sum(site["get_ro"] for site in done.report["sites"])
    assert asked > 10 and sum(name == "GetRO" for number in (0, 1) for *_, name, _ in found[f"site {number} sP"]) == asked
    flows = Counter(flow for parts in found.values() for *_, ids in parts for flow in ids)
    assert flows and set(flows.values()) == {2}, "an arrow has two ends"

    with open(FOLDER / "reads.csv", newline="") as lines:
        reads = list(csv.DictReader(lines))
    assert len(reads) > 10
    for read in reads:
        start = int(read["start"])
        end = start + sum(int(value) for key, value in list(read.items())[5:])
        mine = [s for s in found[f"site {read['site']} aP {read['ap']}"] if s[0] == start]
        assert [(s[1], s[2]) for s in mine] == [(end, "READ")], f"the read of {read['address']} at {start}"
        ends = [(track, name) for track, parts in found.items() for *_, name, ids in parts if set(ids) & set(mine[0][3]) and " aP" not in track]
        assert ends in [[(f"site {read['site']} sP", f"load on {tag}")] for tag in ("Invalid", "a page not open")]
