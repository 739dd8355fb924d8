"""A Site with a small event FIFO: the firmware can read its depth, it holds as many high messages, and the first that has to wait is told
(docs/design/reservations.md)."""

from harness import run_unit
from kit import test
from kit.packets import HIGH, Packet
from registers import NIU_BASE, NIU_EV_COUNT, NIU_EV_COUNT_HIGH, NIU_EV_DEPTH, NIU_EV_DEPTH_HIGH, NIU_HIGH_STOPPED, NIU_SLOTS_HIGH
from site_bench import SITE, SITES, Site

DEPTH = 64


@test(timeout=60_000)
async def test_high_messages_fill_what_the_site_says_it_has(dut):
    site = Site(dut)
    await site.start(siteId=SITE, sites=SITES, spReset=1)  # nobody takes an event

    async def read(register):
        return await site.host.read(NIU_BASE + register)

    async def arrive(count):
        for word in range(count):
            site.link_in.push(Packet(dest=SITE, src=2, vc=HIGH, tag=1, word=word).flits, HIGH)
        await site.tick(60 + 10 * count)

    assert NIU_EV_DEPTH_HIGH.of(await read(NIU_EV_DEPTH)) == DEPTH and await read(NIU_SLOTS_HIGH) == 56
    await arrive(DEPTH)
    assert NIU_EV_COUNT_HIGH.of(await read(NIU_EV_COUNT)) == DEPTH and await read(NIU_HIGH_STOPPED) == 0
    await arrive(8)
    assert NIU_EV_COUNT_HIGH.of(await read(NIU_EV_COUNT)) == DEPTH + 1 and await read(NIU_HIGH_STOPPED) > 0


def test_site_depths():
    run_unit("site/Site", {"aps": 1, "memoryBytes": 8 << 20, "highEvents": DEPTH}, env={"APS": "1"})
