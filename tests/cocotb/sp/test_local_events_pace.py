"""LocalEvents: what users cause at will is told at a pace, so that others' requests do not wait for it (issue 6, VY-37)."""

from harness import run_unit
from kit import test
from test_local_events import APS, BUS_ERROR, SOURCES, agents, error

PACE = 64


@test(timeout=6000)
async def test_a_flood_is_told_at_its_pace_and_counted(dut):
    """Store errors of one aP in every cycle and events of the paced source all the time: of each one in PACE cycles, the first at once, every
    error counted; another source's events and another aP's first error do not wait."""
    bench, events, errors, local = agents(dut)
    await bench.start()
    errors[0].send(*range(0x70000000, 0x70000000 + 1000))
    events[3].send(*[(100, i, 0) for i in range(1000)])
    await bench.tick(200)
    events[0].send(*[(32, i, 0) for i in range(50)])
    errors[1].send(0x90000000)
    start = bench.cycle
    await bench.until(lambda: error(0x90000000, 1) in local.got and sum(e[0] == 32 for e in local.got) == 50, "others", 100)
    assert bench.cycle - start <= 60
    await bench.tick(1200)
    for kind in (BUS_ERROR, 100):
        at = [cycle for cycle, event in zip(local.at, local.got, strict=True) if event[0] == kind and not event[2] >> 8 & 3]
        assert at[0] < 12 and all(b - a >= PACE for a, b in zip(at, at[1:])) and len(at) >= 1000 // PACE, at
    told = [e for e in local.got if e[0] == BUS_ERROR and not e[2] >> 8 & 3]
    assert told[0] == error(0x70000000, 0) and sum(1 + (meta >> 16) for _, _, meta in told) == 1000
    assert [e[1] for e in local.got if e[0] == 100] == list(range(len([e for e in local.got if e[0] == 100]))), "in order, none twice"


def test_local_events_pace():
    run_unit("sp/LocalEvents", {"sources": SOURCES, "aps": APS, "pace": PACE})
