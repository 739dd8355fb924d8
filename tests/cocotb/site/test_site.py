"""A whole site: boot through the host port, programs of aPs, messages, events, and what once wedged it."""

import os
import random

import cocotb
import pytest
from harness import run_unit
from kit import test
from kit.packets import EXPRESS, HIGH, LOW, Packet
from kit.sitebus import BASE
from registers import (
    AP_PRIVATE_BASE, AP_PRIVATE_BYTES, NIU_AP_RUN, NIU_APS, NIU_BASE, NIU_SITE_ID, NIU_SITES, SP_DRAM_BASE, SP_EXPRESS_TX_BASE)
from site_bench import HEAP, NOBODY, OPEN, SITE, SITES, Site, express

EXIT = "    sw   a0, AP_EXIT(s0)\nend:\n    j    end\n"

# Each aP stores i * 3 at word i of its 64 words (32 KB apart from the code, so that nothing is in the cache yet), then adds them up.
SUM = (
    """
    li   s1, {array}
    li   t0, 0
    li   t1, 0
fill:
    sw   t1, 0(s1)
    addi s1, s1, 4
    addi t1, t1, 3
    addi t0, t0, 1
    li   t2, 64
    bne  t0, t2, fill
    li   s1, {array}
    li   a0, 0
add:
    lw   t2, 0(s1)
    add  a0, a0, t2
    addi s1, s1, 4
    addi t0, t0, -1
    bnez t0, add
"""
    + EXIT
)


@test(timeout=20_000)
async def test_the_host_boots_the_sp(dut):
    """Loaded and read back through the host port, then let go: it runs, and its registers say what the pins do."""
    site = await Site(dut).boot()
    assert bytes(site.sp_console.got) == b"k" and not site.traps.got
    for i in random.sample(range(len(site.words)), 10):
        assert await site.host.read(4 * i) == site.words[i]
    assert [await site.host.read(NIU_BASE + r) for r in (NIU_SITE_ID, NIU_SITES, NIU_APS, NIU_AP_RUN)] == [SITE, SITES, site.aps, 0]


@test(timeout=20_000)
async def test_each_ap_runs_by_its_own_bit(dut):
    """Released one by one, the last first: each runs then, and none before."""
    site = await Site(dut).boot(**{f"ap{i}": f"    li   a0, {i}\n{EXIT}" for i in range(int(os.environ["APS"]))})
    released = []
    for ap in reversed(range(site.aps)):
        released.append((ap, ap))
        await site.run_aps(sum(1 << i for i, _ in released))
        await site.until(lambda: len(site.exits.got) >= len(released), f"the exit of aP {ap}", 2000)
        await site.tick(500)
        assert site.exits.got == released


@test(timeout=60_000)
async def test_programs_of_aps_load_and_store(dut):
    """Loads and stores of every aP, in its private memory and in the shared heap, whose lines fault and are opened: the sums
    are right, the sP saw a fault for each line of the heap, and the host reads from DRAM or a cache what they stored."""
    for array in (AP_PRIVATE_BASE + 0x8000, HEAP + 0x1000):
        site = await Site(dut).boot(**{f"ap{i}": SUM.format(array=array + 0x1000 * i) for i in range(int(os.environ["APS"]))})
        await site.run_aps()
        assert await site.ended() == {i: 3 * 63 * 32 for i in range(site.aps)}
        faults = {arg & -64 for index, arg in site.taken.got if 32 <= index < 64}
        private = array < BASE
        assert faults == (set() if private else {array + 0x1000 * i + 64 * k for i in range(site.aps) for k in range(4)})
        for i in range(site.aps):
            where = BASE + i * (AP_PRIVATE_BYTES + 0x1000) + 0x8000 if private else array + 0x1000 * i
            for k in (0, 17, 63):
                assert await site.host.read(where + 4 * k) == 3 * k


@test(timeout=20_000)
async def test_a_message_to_the_own_site_comes_back(dut):
    """From the sP to itself: the event of its tag with its word, high and low; from aP 0 to the last aP: in its receive page."""
    send = f"    li   s1, AP_EXPRESS_TX_BASE + {express(queue=2, dest=7, tag=9)}\n    li   a0, 0x1234567\n    sw   a0, 0(s1)\n" + EXIT
    receive = """
    li   s1, AP_EXPRESS_RX_BASE + {page}
poll:
    lw   t0, 4(s1)
    andi t1, t0, 255
    beqz t1, poll
    sw   t0, AP_MARK(s0)
    lw   a0, 0(s1)
""" + EXIT
    aps = int(os.environ["APS"])
    programs = {f"ap{i}": "    li   a0, 0x1234567\n" + EXIT for i in range(aps)}
    site = await Site(dut).boot(**programs | {"ap0": send, f"ap{aps - 1}": receive.format(page=4096 * (1 + aps))})
    await site.name(0, 3, site=SITE, rxq=0, source=77)
    for high in (0, 1):
        await site.host.write(SP_EXPRESS_TX_BASE + express(queue=0, dest=3, tag=20 + high, high=high), 1000 + high)
    await site.until(lambda: {(20, 1000), (21, 1001)} <= set(site.taken.got), "both events", 500)
    await site.name(2, 7, site=SITE, rxq=1 + aps, source=99)
    await site.run_aps()
    assert await site.ended() == dict.fromkeys(range(aps), 0x1234567)
    assert site.marks.got == [(aps - 1, (1 + aps) << 23 | 9 << 17 | 99 << 8 | 1)]
    assert not site.sent, "a message to the own site on the link"


@test(timeout=20_000)
async def test_messages_of_the_link(dut):
    """An Express message of the sP leaves as its packet, a packet for its queue is the event of its tag, on both channels."""
    site = await Site(dut).boot()
    await site.name(0, 4, site=2, rxq=300, source=55)
    for vc in (LOW, HIGH):
        word, tag = random.getrandbits(32), random.randrange(32)
        await site.host.write(SP_EXPRESS_TX_BASE + express(queue=0, dest=4, tag=tag, high=vc), word)
        want = Packet(dest=2, src=SITE, vc=vc, kind=EXPRESS, rxq=300, source=55, tag=tag, word=word, prio=vc)
        await site.until(lambda: site.sent, "packet", 200)
        assert site.sent.pop() == want
        site.link_in.push(Packet(dest=SITE, src=2, vc=vc, tag=tag, word=word ^ 1).flits, vc)
        await site.until(lambda: (tag, word ^ 1) in site.taken.got, "event of the packet", 200)


# Adds up, for each aP, its store errors: one for an event 104 and those that came while it waited to be told (its meta's upper half).
COUNT = """
    la   t0, count
    sw   t0, NIU_HANDLER(EVENT_BUS_ERROR)(s0)
    sw   x0, 0(s1)
    sw   x0, 4(s1)
    j    counted
count:
    srli t0, a1, 16
    addi t0, t0, 1
    srli t1, a1, 6
    andi t1, t1, 12
    add  t1, t1, s1
    lw   t2, 0(t1)
    add  t2, t2, t0
    sw   t2, 0(t1)
    ret
counted:
"""


@test(timeout=60_000)
async def test_no_store_error_is_lost(dut):
    """Stores of an aP to nobody while local events of another come at every distance (stores to a queue of the sP, refused) and
    that other stores to nobody, too: each error is told, by an event 104 or in the count of one."""
    count, other = 200, int(os.environ["APS"]) - 1
    lost = f"""
    li   s1, {NOBODY}
    li   t0, {count}
again:
    sw   t0, 0(s1)
    addi s1, s1, 4
    addi t0, t0, -1
    bnez t0, again
    li   a0, 0
"""
    mixed = lost.replace("    addi s1", "    sw   s2, 0(s2)\n    nop\n    sw   s2, 0(s2)\n    addi s1")
    site = await Site(dut).boot(sp=COUNT + OPEN, ap0=lost + EXIT, **{f"ap{other}": "    li   s2, AP_EXPRESS_TX_BASE\n" + mixed + EXIT})
    await site.run_aps()
    await site.ended()
    await site.tick(2000)
    assert sum(index == 103 for index, _ in site.taken.got) > count, "no other events came"
    assert [await site.host.read(SP_DRAM_BASE + 4 * ap) for ap in (0, other)] == [count, count]


@test(timeout=400_000)
async def test_an_ap_stopped_in_traffic_wedges_nothing(dut):
    """AP_RUN of one aP is cleared at any moment of its loads, stores, write-backs and fetches, and set again: the others and the
    host go on, and it starts anew."""
    # Marks its start, then stores along 16 KB (twice its cache) of the heap and of its private memory, for ever.
    body = f"""
    sw   x0, AP_MARK(s0)
    li   s1, {HEAP}
    li   s2, 0x40010000
    li   s3, 0
loop:
    add  t0, s1, s3
    lw   t1, 0(t0)
    sw   s3, 0(t0)
    add  t0, s2, s3
    sw   s3, 4(t0)
    lw   t1, 0(t0)
    addi s3, s3, 68
    li   t2, 16384
    blt  s3, t2, loop
    li   s3, 0
    sw   s1, AP_MARK(s0)
    j    loop
"""
    aps = int(os.environ["APS"])
    site = await Site(dut).boot(**{f"ap{i}": body for i in range(aps)})
    await site.run_aps()
    everyone = (1 << aps) - 1
    await site.tick(15_000)  # the heap is open
    for _ in range(60):
        victim = random.randrange(aps)
        await site.tick(random.randrange(60, 400))
        await site.run_aps(everyone & ~(1 << victim))
        await site.tick(random.randrange(1, 60))
        assert await site.host.read(NIU_BASE + NIU_AP_RUN) == everyone & ~(1 << victim)
        await site.host.read(HEAP + 68 * random.randrange(240) // 4 * 4)
        site.marks.got.clear()
        await site.run_aps()
        await site.until(lambda: (victim, 0) in site.marks.got, f"new start of aP {victim}", 3000)
    site.marks.got.clear()
    await site.until(lambda: {ap for ap, value in site.marks.got if value} == set(range(aps)), "a round of every aP", 60_000)


@test(timeout=20_000)
async def test_broken_memory(dut):
    """Not a promise: a burst that ends a beat early, for test_the_bus_is_watched."""
    site = await Site(dut).boot()
    cocotb.start_soon(site.host.read(BASE))
    await site.run_aps(1)
    await site.until(lambda: [r for r in site.memory.reads if r[3] == 4], "a read of a line", 500)
    next(r for r in site.memory.reads if r[3] == 4)[3] = 3
    await site.tick(500)


def run_site(aps, tests):
    memory = (8 if aps <= 2 else 16) << 20
    run_unit("site/Site", {"aps": aps, "memoryBytes": memory}, env={"APS": str(aps), "MEMORY": str(memory)}, tests=tests)


@pytest.mark.parametrize("aps", [2, pytest.param(3, marks=pytest.mark.full), pytest.param(4, marks=pytest.mark.full)])
def test_site(aps):
    run_site(aps, "host_boots|own_bit|load_and_store|own_site|of_the_link")


def test_site_store_errors():
    run_site(2, "store_error")


def test_site_stop_in_traffic():
    run_site(2, "stopped_in_traffic")


def test_the_bus_is_watched():
    """The rules of the Site Bus stop the run of a whole site, too."""
    with pytest.raises(AssertionError, match="Site Bus: .*beat"):
        run_site(2, "broken_memory")
