"""LocalEvents: what happens at a site at the same time is told all the same (contract §5, event 104)."""

import random

from harness import run_unit
from kit import Bench, Monitor, Sink, Source, test
from registers import META_LOST_STORE_AP, META_LOST_STORE_LATER

SOURCES, APS = 4, 3
BUS_ERROR = 104


def agents(dut, pace=1.0):
    bench = Bench(dut)
    events = [Source(bench, f"io_events_{i}", ("index", "arg", "meta")) for i in range(SOURCES)]
    errors = [Source(bench, f"io_storeError_{i}") for i in range(APS)]
    local = Sink(bench, "io_local", ("index", "arg", "meta"), pace=pace)
    return bench, events, errors, local


def error(address, ap, later=0):
    return (BUS_ERROR, address, META_LOST_STORE_LATER(later) | META_LOST_STORE_AP(ap))


@test(timeout=2000)
async def test_store_errors_of_one_cycle_are_all_told(dut):
    """Every aP's store error and an event of every source in one cycle: each is told, once, the sources' first."""
    bench, events, errors, local = agents(dut)
    await bench.start()
    for i, source in enumerate(events):
        source.send((96 + i, i, 7))
    for ap, source in enumerate(errors):
        source.send(0x90000000 + ap)
    await bench.tick(20)
    assert local.got == [(96 + i, i, 7) for i in range(SOURCES)] + [error(0x90000000 + ap, ap) for ap in range(APS)]


@test(timeout=2000)
async def test_errors_that_come_while_one_waits_are_counted(dut):
    """While the sP takes nothing: the first address of each aP stays, META counts those after it; then all begins anew."""
    bench, _, errors, local = agents(dut, pace=0)
    await bench.start()
    for n in (3, 1, 5):
        for ap, source in enumerate(errors):
            source.send(*[0xA0000000 + 64 * i + ap for i in range(n + ap)])
        await bench.tick(20)
        assert local.got == []
        local.pace = 1.0
        await bench.tick(10)
        local.pace = 0
        await bench.tick(2)
        assert local.got == [error(0xA0000000 + ap, ap, later=n + ap - 1) for ap in range(APS)]
        local.got.clear()


@test(timeout=30000)
async def test_nothing_is_lost_at_random(dut):
    """Random events, errors and pauses of the sP: each source's events in order, every error told or counted by its aP's next event."""
    bench, events, errors, local = agents(dut, pace=0.5)
    raised = [Monitor(bench, f"io_storeError_{ap}") for ap in range(APS)]
    await bench.start()
    sent = [[(i, random.getrandbits(32), n) for n in range(300)] for i in range(SOURCES)]
    for source, list_ in zip(events, sent):
        source.pace = 0.1
        source.send(*list_)
    for source in errors:
        source.pace = 0.1
        source.send(*[random.getrandbits(32) for _ in range(300)])
    await bench.until(lambda: not any(source.queue for source in events + errors), "the last event")
    local.pace = 1.0
    await bench.tick(30)
    assert [[e for e in local.got if e[0] == i] for i in range(SOURCES)] == sent
    merged = 0
    for ap in range(APS):
        at = 0
        for _, address, meta in (e for e in local.got if e[0] == BUS_ERROR and e[2] >> 8 & 3 == ap):
            assert address == raised[ap].got[at]
            at += 1 + (meta >> 16)
            merged += meta >> 16
        assert at == 300
    assert merged > 10, "the sP never paused long enough: the test shows nothing"


def test_local_events():
    run_unit("sp/LocalEvents", {"sources": SOURCES, "aps": APS})
