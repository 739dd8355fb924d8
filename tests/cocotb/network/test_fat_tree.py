"""FatTree: delivery, order, latency, deadlock freedom, damage at every hop (VY-41, VY-42, VY-43, VY-48; T18, T19)."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge
from harness import ROOT as ROOT_DIR, run_unit
from kit import test
from kit.packets import HIGH, LOW, MAX_BODY, Packet, random_packet
from network_links import Fabric

SITES = int(os.environ.get("SITES", 0))
BITS = max(2, (SITES - 1).bit_length())
ROOT = BITS - 2  # level of the roots
CHANNELS = (LOW, HIGH)


def turning_level(src: int, dest: int) -> int:
    """Level of the router under which both sites lie."""
    return next(level for level in range(ROOT + 1) if level == ROOT or src >> level + 1 == dest >> level + 1)


def path(src: int, dest: int) -> list[tuple[str, int, int]]:
    """The routers from src to dest: name in the design, input port, output port. Up by the bits of dest, then down."""
    top = turning_level(src, dest)
    up, down = [], []
    for level in range(top + 1):
        lane = dest & ((1 << level) - 1)

        def at(site: int, level=level, lane=lane) -> str:
            return f"router_{level}_{0 if level == ROOT else site >> level + 1}_{lane}"

        def below(site: int, level=level) -> int:
            return site >> level & (3 if level == ROOT else 1)

        above = 2 + (dest >> level & 1)
        if level == top:
            up.append((at(src), below(src), below(dest)))
        else:
            up.append((at(src), below(src), above))
            down.insert(0, (at(dest), above, below(dest)))
    return up + down


def router_numbers() -> dict[str, int]:
    """Position of each router's counters in crcErrors: by level, group, lane, those with no site below left out."""
    names = []
    for level in range(ROOT + 1):
        groups = 1 if level == ROOT else -(-SITES >> level + 1)
        names += [f"router_{level}_{group}_{lane}" for group in range(groups) for lane in range(1 << level)]
    return {name: number for number, name in enumerate(names)}


def crc_errors(dut) -> dict[tuple[str, int], int]:
    """What every router counted on every input, where it is not zero."""
    found = {}
    for name, number in router_numbers().items():
        for port in range(4):
            if count := int(getattr(dut, f"io_crcErrors_{4 * number + port}").value):
                found[name, port] = count
    return found


def pairs() -> list[tuple[int, int]]:
    return [(src, dest) for src in range(SITES) for dest in range(SITES) if src != dest]


async def start(dut) -> Fabric:
    fabric = Fabric(dut, [f"io_fromSite_{i}" for i in range(SITES)], [f"io_toSite_{i}" for i in range(SITES)])
    return await fabric.start()


@test(timeout=50_000)
async def test_two_cycles_a_router(dut):
    """Latency of a header alone, link to link: two cycles for each router on the way (all pairs, or 40 of many)."""
    fabric = await start(dut)
    chosen = pairs() if len(pairs()) <= 40 else random.sample(pairs(), 40)
    longest = 0
    for src, dest in chosen:
        cycles = await fabric.latency(random_packet(src, dest, random.choice(CHANNELS), 1))
        routers = len(path(src, dest))
        assert cycles == 2 * routers, f"{src}->{dest}, {routers} routers: {cycles} cycles"
        longest = max(longest, cycles)
    cocotb.log.info(f"{SITES} sites: at most {longest} cycles over {len(chosen)} pairs")


@test(timeout=50_000)
async def test_all_pairs_arrive_in_order(dut):
    """Every site to every other, several packets a pair, both channels, all at once."""
    fabric = await start(dut)
    if SITES > 16:
        packets = [random_packet(src, dest, (src + dest + dest // 8) % 2, 0) for src, dest in 2 * pairs()]
    else:
        packets = [random_packet(src, dest, vc) for src, dest in 3 * pairs() for vc in CHANNELS]
        for receiver in fabric.receivers:
            receiver.pace(random.choice([0.5, 1.0]), random.choice([0.5, 1.0]))
    packets.sort(key=lambda packet: (packet.dest - packet.src) % SITES)  # shifts: no site is everyone's first target
    fabric.send(*packets)
    await fabric.finish(6000)
    assert len(fabric.log) == len(packets)
    assert not crc_errors(dut) and int(dut.io_unroutable.value) == 0
    cocotb.log.info(f"{SITES} sites: {len(packets)} packets, {sum(r.flits[0] + r.flits[1] for r in fabric.receivers)} flits "
                    f"in {fabric.cycle} cycles")  # fmt: skip


@test(timeout=50_000)
@cocotb.parametrize(blocked=CHANNELS)
async def test_a_blocked_channel_stops_only_itself(dut, blocked):
    """No site takes from one channel until nothing of it moves; all pairs still reach each other on the other (VY-T19)."""
    fabric = await start(dut)
    for receiver in fabric.receivers:
        receiver.pace(float(blocked != LOW), float(blocked != HIGH))
    many = SITES > 16
    each = 3 if SITES < 4 else 1
    load = [(src, dest) for src, dest in pairs() if not many or (dest - src) % SITES < 9]
    fabric.send(*(random_packet(src, dest, blocked, MAX_BODY) for src, dest in each * load))
    moved = -1
    while moved != (moved := sum(sender.sent for sender in fabric.senders)):
        await fabric.tick(40)
    assert any(fabric.expected.values()) and fabric.outstanding[blocked], "the blocked channel delivered everything"

    free = 1 - blocked
    others = random.sample(pairs(), 300) if many else pairs()
    fabric.send(*(random_packet(src, dest, free, 4) for src, dest in others))
    cycles = await fabric.drain(8 * 6 * (1 + len(others) // SITES), vcs=(free,))
    cocotb.log.info(f"{SITES} sites: {len(others)} packets on the free channel took {cycles} cycles")
    for receiver in fabric.receivers:
        receiver.pace(1.0)
    await fabric.finish(8000)


@test(timeout=50_000, skip=SITES != 8)
async def test_every_source_of_a_hot_spot_waits_boundedly(dut):
    """Seven sites keep sending to one: in a tree of eight at most 11 packets of others pass between two of a site.

    Two take turns at the last router, three at the root above it, two at the first.
    """
    fabric = await start(dut)
    sources = range(1, SITES)
    fabric.send(*(random_packet(src, 0, LOW, random.choice([0, 6])) for src in sources for _ in range(16)))
    await fabric.tick(300)
    order = [packet.src for packet in fabric.log]
    order = order[: min(i for i in range(len(order)) if order[: i + 1].count(order[i]) == 16)]  # while all have some left
    for src in sources:
        turns = [i for i, other in enumerate(order) if other == src]
        gap = max((b - a - 1 for a, b in zip(turns, [*turns[1:], len(order)])), default=len(order))
        assert gap <= 11, f"site {src} waited for {gap} packets of others: {order}"
    await fabric.finish(2000)


def flip_on_the_way(dut, fabric: Fabric, packet: Packet, hop: int, flit: int, bit: int) -> list[int]:
    """Sends `packet`, a bit of one flit flipped on the link into router `hop` of its path; the flits as damaged."""
    damaged = packet.damaged(64 * flit + bit)
    if hop == 0:
        fabric.senders[packet.src].push(damaged, packet.vc)
        return damaged
    fabric.senders[packet.src].push(packet.flits, packet.vc)
    name, _, port = path(packet.src, packet.dest)[hop - 1]
    link = getattr(getattr(dut, name), f"outputs_{port}_sent_data")

    async def flip() -> None:
        await fabric.tick(1 + 2 * hop + flit)
        await FallingEdge(dut.clk)
        assert int(link.value) == packet.flits[flit], f"flit {flit} is not behind {name} when expected"
        link.value = damaged[flit]

    cocotb.start_soon(flip())
    return damaged


@test(timeout=50_000, skip=SITES not in (5, 8))
async def test_a_flipped_bit_is_counted_from_its_hop_on(dut):
    """A bit flipped on the link into each router of a path: no earlier counter moves, that one and all later do (VY-T18)."""
    fabric = await start(dut)
    fabric.strangers_allowed = True
    expected: dict[tuple[str, int], int] = {}
    for src, dest in random.sample(pairs(), 8) + [(0, SITES - 1), (SITES - 1, 0)]:
        way = path(src, dest)
        for hop in range(len(way)):
            packet = random_packet(src, dest, random.choice(CHANNELS), 2)
            flit = random.randrange(4)
            # Not destSite's own bits: the next test.
            bit = random.randrange(6 if flit == 0 else 0, 64)
            damaged = flip_on_the_way(dut, fabric, packet, hop, flit, bit)
            await fabric.tick(30)
            for name, port, _ in way[hop:]:
                expected[name, port] = expected.get((name, port), 0) + 1
            found = crc_errors(dut)
            assert found == expected, f"{src}->{dest}, bit {bit} of flit {flit} before router {hop}: {found}, not {expected}"
            assert fabric.strangers[-1] == (dest, damaged), "the damaged packet did not arrive as it was"


def end_of(name: str, port: int, dest: int) -> int:
    """The site where a packet for `dest` ends that enters router `name` by `port`: from above only down, whatever dest."""
    _, level, group, _ = name.split("_")
    level, group = int(level), int(group)
    if level < ROOT and port >= 2:
        below = (2 << level) - 1
        return group << level + 1 | dest & below
    return dest & ((1 << BITS) - 1)


@test(timeout=50_000, skip=SITES not in (5, 8))
async def test_a_damaged_destination_blocks_nobody(dut):
    """Each bit of destSite flipped before each router: the packet ends below, at a site or in the count, traffic goes on."""
    fabric = await start(dut)
    fabric.strangers_allowed = True
    uncounted = 0
    for src, dest in [(0, SITES - 1), (SITES - 1, 0), (1, 2), (0, 1)]:
        for hop, (name, port, _) in enumerate(path(src, dest)):
            for bit in range(6):
                packet = random_packet(src, dest, random.choice(CHANNELS), 2)
                damaged = flip_on_the_way(dut, fabric, packet, hop, 0, bit)
                await fabric.tick(30)
                where = f"{src}->{dest}, bit {bit} before {name}"
                end = end_of(name, port, dest ^ 1 << bit)
                if end < SITES:
                    assert fabric.strangers[-1] == (end, damaged), f"{where}: not at {end}, {fabric.strangers[-1]}"
                else:
                    uncounted += 1
                assert int(dut.io_unroutable.value) == uncounted, where
    fabric.strangers_allowed = False
    fabric.send(*(random_packet(src, dest, vc, 1) for src, dest in pairs() for vc in CHANNELS))
    await fabric.finish(1000)


@test(timeout=50_000, skip=SITES == 1 << BITS)
async def test_what_no_site_is_there_for_is_counted(dut):
    """Packets to sites a pruned tree does not have vanish into the count, header shown, and block nobody."""
    fabric = await start(dut)
    sent = 0
    for dest in range(SITES, 1 << BITS):
        for i in range(80):  # more packets on each channel than a buffer has credits: none may leak
            packet = random_packet(random.randrange(SITES), dest, i % 2, 0 if i % 8 else MAX_BODY)
            fabric.senders[packet.src].push(packet.flits, packet.vc)
            sent += 1
            await fabric.tick(4 if i % 8 else 40)
        fabric.send(*(random_packet(src, (src + 1) % SITES, vc, 1) for src in range(SITES) for vc in CHANNELS))
        await fabric.tick(100)
        assert int(dut.io_unroutable.value) == sent
        packet = random_packet(0, dest, random.choice(CHANNELS), 2)
        fabric.senders[0].push(packet.flits, packet.vc)
        sent += 1
        await fabric.tick(30)
        assert int(dut.io_unroutableHeader.value) == packet.header
    await fabric.finish(500)


@pytest.mark.parametrize("sites", [2, 4, 5, 8, pytest.param(64, marks=pytest.mark.full)])
def test_fat_tree(sites):
    shared = ["-fno-gate", "-fno-dfg"]  # one body for all routers: builds sooner
    run_unit(
        "network/FatTree",
        {"sites": sites},
        sources=[ROOT_DIR / "rtl" / "verilator" / "shared_routers.vlt"] if sites > 4 else [],
        verilator_args=[*(shared if sites > 4 else []), *(["-CFLAGS", "-O0"] if sites > 8 else [])],
        env={"SITES": str(sites)},
    )
