#!/usr/bin/env python3
"""Makes trace.pftrace of a run with TRACE=1, for ui.perfetto.dev: a nanosecond there is a cycle since reset.

    tools/perfetto_trace.py build/run/lu-s4a1

A process a site. Its tracks: the sP with a slice a handler, each aP with a slice a miss, both channels of its link with a slice a packet, and
how many events wait. Arrows (flows) lead from a miss to the handler of its fault, from a handler to the packet that it had sent, and from a
packet to the handler at its receiver. Written with Perfetto's own library; columns of the input: docs/reference/formats.md.
"""
import csv
import sys
from collections import defaultdict, deque
from pathlib import Path

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import CounterDescriptor, TrackEvent
from perfetto.trace_builder.proto_builder import TraceProtoBuilder

FILE, LOG, PACKETS = "trace.pftrace", "trace.csv", "packets.csv"
SEQUENCE = 1
#: Tracks of a site, by their number within it.
SITE, SP, LINK, QUEUE, AP, EACH = 0, 1, 2, 4, 8, 16
#: Accesses of an aP to one address, at most so many cycles apart, are one slice: it polls.
POLL = 100
CHANNELS = ("low", "high")
OPS = ("READ", "READ_EXCLUSIVE", "UPGRADE", "WRITE_BACK", "READ_PARTIAL", "WRITE_PARTIAL", "FLUSH", "CLEAN", "KILL")


class Trace:
    """Slices, counters and flows, in any order of time."""

    def __init__(self) -> None:
        self.builder = TraceProtoBuilder()
        self.flows = 0

    def track(self, uuid: int, name: str, parent: int | None = None, counter: bool = False) -> None:
        descriptor = self.builder.add_packet().track_descriptor
        descriptor.uuid, descriptor.name = uuid, name
        if parent is not None:
            descriptor.parent_uuid = parent
        if counter:
            descriptor.counter.unit = CounterDescriptor.UNIT_COUNT

    def _event(self, cycle: int, track: int, kind: int) -> TrackEvent:
        packet = self.builder.add_packet()
        packet.timestamp, packet.trusted_packet_sequence_id = cycle, SEQUENCE
        packet.track_event.type, packet.track_event.track_uuid = kind, track
        return packet.track_event

    def slice(self, track: int, first: int, last: int, name: str, notes: dict, flows: list[int]) -> None:
        event = self._event(first, track, TrackEvent.TYPE_SLICE_BEGIN)
        event.name = name
        event.flow_ids.extend(flows)
        for key, value in notes.items():
            note = event.debug_annotations.add()
            note.name, note.string_value = key, str(value)
        self._event(last, track, TrackEvent.TYPE_SLICE_END)

    def count(self, track: int, cycle: int, value: int) -> None:
        self._event(cycle, track, TrackEvent.TYPE_COUNTER).counter_value = value

    def instant(self, track: int, cycle: int, name: str) -> None:
        self._event(cycle, track, TrackEvent.TYPE_INSTANT).name = name

    def flow(self) -> int:
        self.flows += 1
        return self.flows


class Slice:
    def __init__(self, track: int, first: int, name: str, notes: dict):
        self.track, self.first, self.last, self.name, self.notes, self.flows = track, first, first + 1, name, notes, []


def rows(file: Path):
    with open(file, newline="") as lines:
        for row in csv.DictReader(lines):
            yield {key: value if key in ("kind", "end", "name") else int(value, 0) for key, value in row.items()}


def page_line(address: int) -> int:
    """What relates a packet to the handler that had it sent: a block is at most half a page."""
    return address >> 11


def write(folder: Path) -> Path:
    """Reads LOG and PACKETS of a run's folder, writes FILE there."""
    trace, slices = Trace(), []
    names: dict[tuple[int, int], str] = {}  # of events, by number and word: a message's depends on its page
    tracks: set[tuple[int, int]] = set()

    def begin(site: int, unit: int, cycle: int, name: str, notes: dict) -> Slice:
        tracks.add((site, unit))
        slices.append(Slice(site * EACH + unit, cycle, name, notes))
        return slices[-1]

    handler: dict[int, Slice] = {}  # that runs
    missing: dict[tuple[int, int], Slice] = {}
    ended: dict[tuple[int, int], Slice] = {}
    faults: dict[int, list[Slice]] = defaultdict(list)  # misses without handler, by site
    handlers: dict[tuple[int, int], list[Slice]] = defaultdict(list)  # by site and page_line
    arrived: dict[tuple[int, int, int], deque] = defaultdict(deque)  # handlers of messages, by site, event and word
    waiting: dict[int, int] = defaultdict(int)
    marks = []
    last = 0
    for row in rows(folder / LOG):
        cycle, site, index, word = row["cycle"], row["site"], row["index"], row["word"]
        last = max(last, cycle)
        if row["kind"] in ("take", "idle") and site in handler:
            handler.pop(site).last = cycle
        if row["kind"] in ("push", "take"):
            waiting[site] += 1 if row["kind"] == "push" else -1
            tracks.add((site, QUEUE))
            trace.count(site * EACH + QUEUE, cycle, waiting[site])
        if row["kind"] == "take":
            names[index, word] = row["name"]
            h = handler[site] = begin(site, SP, cycle, row["name"], {"event": index, "word": f"{word:#010x}"})
            handlers[site, page_line(word)].append(h)
            if index < 32 or 64 <= index < 96:
                arrived[site, index, word].append(h)
            elif index < 64:
                for miss in [m for m in faults[site] if m.notes["address"] >> 2 == word >> 2]:
                    faults[site].remove(miss)
                    flow = trace.flow()
                    miss.flows.append(flow)
                    h.flows.append(flow)
        elif row["kind"] == "miss":
            op, ap = OPS[index] if index < len(OPS) else f"op {index}", (site, row["unit"])
            before = ended.get(ap)
            if before and (before.name, before.notes["address"]) == (op, word) and cycle - before.last < POLL:
                before.notes["times"] = before.notes.get("times", 1) + 1
                missing[ap] = before
                continue
            miss = missing[ap] = begin(site, AP + row["unit"], cycle, op, {"address": word})
            faults[site].append(miss)
        elif row["kind"] == "done" and (site, row["unit"]) in missing:
            miss = ended[site, row["unit"]] = missing.pop((site, row["unit"]))
            miss.last = cycle
            if miss in faults[site]:  # the NIU had nothing to say
                faults[site].remove(miss)
        elif row["kind"] == "mark":
            tracks.add((site, AP + row["unit"]))
            marks.append((site * EACH + AP + row["unit"], cycle, f"mark {word}"))
    for s in [*handler.values(), *missing.values()]:
        s.last = last

    for row in rows(folder / PACKETS):
        if row["end"] != "sent":
            continue
        of_sp = row["rxq"] < 2
        tagged = f"tag {row['tag']} to queue {row['rxq']}"
        name = names.get(((row["rxq"] << 6) + row["tag"], row["word"]), tagged) if of_sp else tagged
        notes = {"to": row["to"], "lines": row["lines"], "word": f"{row['word']:#010x}"}
        packet = begin(row["from"], LINK + row["vc"], row["first"], name, notes)
        packet.last = row["last"] + 1
        causes = [h for h in handlers[row["from"], page_line(row["word"])] if h.first <= row["first"]]
        if causes and of_sp:
            flow = trace.flow()
            causes[-1].flows.append(flow)
            packet.flows.append(flow)
        there = arrived[row["to"], (row["rxq"] << 6) + row["tag"], row["word"]]
        while of_sp and there and there[0].first < row["first"]:
            there.popleft()  # a message within the site, which passes no link
        if of_sp and there:
            flow = trace.flow()
            packet.flows.append(flow)
            there.popleft().flows.append(flow)

    titles = {SP: "sP", QUEUE: "events waiting", **{LINK + vc: f"link out, {CHANNELS[vc]}" for vc in (0, 1)}, **{AP + ap: f"aP {ap}" for ap in range(4)}}
    for site in sorted({site for site, _ in tracks}):
        trace.track(site * EACH + EACH, f"site {site}")
    for site, unit in sorted(tracks):
        trace.track(site * EACH + unit, titles[unit], site * EACH + EACH, counter=unit == QUEUE)
    for s in sorted(slices, key=lambda s: s.first):
        notes = {k: f"{v:#010x}" if k == "address" else v for k, v in s.notes.items()}
        trace.slice(s.track, s.first, max(s.last, s.first + 1), s.name, notes, s.flows)
    for mark in marks:
        trace.instant(*mark)
    (folder / FILE).write_bytes(trace.builder.serialize())
    return folder / FILE


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / LOG).is_file():
        sys.exit(f"perfetto_trace: the folder of a run with TRACE=1, which has {LOG}: " + " ".join(sys.argv[1:]))
    print(write(Path(sys.argv[1])))
