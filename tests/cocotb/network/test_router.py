"""Router: order, loss, duplication, channels, fairness, CRC, routing (VY-41, VY-42, VY-48; T18, T19)."""

import random

import cocotb
from harness import run_unit
from kit import test
from kit.packets import HIGH, LOW, MAX_BODY, random_packet
from network_links import Fabric

PORTS = range(4)


def set_position(dut, root, level, mask, prefix):
    dut.io_position_root.value = root
    dut.io_position_level.value = level
    dut.io_position_prefixMask.value = mask
    dut.io_position_prefix.value = prefix


async def start(dut) -> Fabric:
    """The router as the only one of four sites: port = destination."""
    return await Fabric(dut, [f"io_from_{i}" for i in PORTS], [f"io_to_{i}" for i in PORTS]).start(position_root=1)


@test(timeout=10_000)
async def test_two_cycles_from_link_to_link(dut):
    """Each input to each output on both channels, alone: 2 cycles."""
    fabric = await start(dut)
    for src in PORTS:
        for dest in PORTS:
            for vc in (LOW, HIGH):
                cycles = await fabric.latency(random_packet(src, dest, vc, body=3))
                assert cycles == 2, f"{src}->{dest} vc {vc} took {cycles} cycles"
    await fabric.finish(10)


@test(timeout=10_000)
async def test_saturated_channels_lose_duplicate_and_reorder_nothing(dut):
    """All inputs offer both channels all the time, random lengths and destinations, outputs that stall at random."""
    fabric = await start(dut)
    for receiver in fabric.receivers:
        receiver.pace(random.choice([0.3, 0.6, 1.0]), random.choice([0.3, 0.6, 1.0]))
    for src in PORTS:
        for vc in (LOW, HIGH):
            fabric.send(*(random_packet(src, random.choice(PORTS), vc) for _ in range(40)))
    await fabric.tick(600)
    busy = sum(sender.sent for sender in fabric.senders)
    assert busy > 600, f"the inputs sent only {busy} flits in 600 cycles: nothing was saturated"
    await fabric.finish(8000)


@test(timeout=10_000)
async def test_gaps_inside_packets_are_harmless(dut):
    """Inputs that pause at random inside packets: nothing lost, duplicated or reordered."""
    fabric = await start(dut)
    for sender in fabric.senders:
        sender.pace = 0.4
    for src in PORTS:
        for vc in (LOW, HIGH):
            fabric.send(*(random_packet(src, random.choice(PORTS), vc) for _ in range(12)))
    await fabric.finish(4000)


@test(timeout=10_000)
@cocotb.parametrize(blocked=[LOW, HIGH])
async def test_a_blocked_channel_stops_only_itself(dut, blocked):
    """One channel is stopped at every output and has filled every buffer; the other goes on at full rate (VY-T19)."""
    fabric = await start(dut)
    for receiver in fabric.receivers:
        receiver.pace(float(blocked != LOW), float(blocked != HIGH))
    for src in PORTS:
        fabric.send(*(random_packet(src, dest, blocked, MAX_BODY) for _ in range(3) for dest in PORTS))
    await fabric.tick(300)
    stuck = [sender.sent for sender in fabric.senders]
    await fabric.tick(20)
    assert [sender.sent for sender in fabric.senders] == stuck, "the blocked channel still moves: the test blocks nothing"
    assert all(sender.credits[blocked] == 0 for sender in fabric.senders), "a buffer of the blocked channel is not full"

    free = 1 - blocked
    for turn in range(8):  # a permutation a turn, so that every output can be busy all the time
        fabric.send(*(random_packet(src, (src + turn) % 4, free, 6) for src in PORTS))
    cycles = await fabric.drain(8 * 8 + 60, vcs=(free,))
    cocotb.log.info(f"8 turns of 8 flits on the free channel took {cycles} cycles")

    for receiver in fabric.receivers:
        receiver.pace(1.0)
    await fabric.finish(2000)


@test(timeout=10_000)
async def test_replies_drain_while_low_is_saturated(dut):
    """Low fills every buffer and moves on; replies still pass as if alone, one flit a cycle (VY-T19)."""
    fabric = await start(dut)
    for src in PORTS:  # all to the same output at a time, so that low queues up
        fabric.send(*(random_packet(src, k % 4, LOW, MAX_BODY) for k in range(12)))
    await fabric.tick(100)
    assert sum(sender.credits[LOW] for sender in fabric.senders) < 40, "low has not filled the buffers"
    for sender in fabric.senders:
        sender.high_first = True
    fabric.send(*(random_packet(src, (src + 1) % 4, HIGH, 8) for src in PORTS for _ in range(4)))
    cycles = await fabric.drain(40 + 6, vcs=(HIGH,))
    cocotb.log.info(f"40 reply flits an input took {cycles} cycles")
    await fabric.finish(4000)


@test(timeout=10_000)
@cocotb.parametrize(vc=[LOW, HIGH])
async def test_inputs_take_turns(dut, vc):
    """Four inputs keep asking for one output: each waits for at most three packets, and the output never pauses."""
    fabric = await start(dut)
    for src in PORTS:
        fabric.send(*(random_packet(src, 2, vc, random.choice([0, 5, MAX_BODY])) for _ in range(20)))
    await fabric.tick(10)
    seen = fabric.receivers[2].flits[vc]
    await fabric.tick(400)
    assert fabric.receivers[2].flits[vc] - seen == 400, "the output paused although flits were waiting"
    order = [packet.src for packet in fabric.log]
    for i in range(len(order) - 3):
        assert len(set(order[i : i + 4])) == 4, f"not one packet of each input in {order[i : i + 4]}, from packet {i}"
    await fabric.finish(4000)


@test(timeout=10_000)
async def test_a_flipped_bit_is_seen_at_its_input(dut):
    """Any bit of any flit flipped on a link: one pulse and one count at that input, and the packet goes on (VY-41)."""
    fabric = await start(dut)
    fabric.strangers_allowed = True
    counts = [0] * 4
    pulses = [0] * 4

    async def watch():
        while True:
            await fabric.tick()
            bits = int(dut.io_crcError.value)
            for port in PORTS:
                pulses[port] += bits >> port & 1

    watcher = cocotb.start_soon(watch())
    for trial in range(48):
        src, dest, vc = trial % 4, random.choice(PORTS), random.choice([LOW, HIGH])
        packet = random_packet(src, dest, vc, random.randrange(6))
        flit = trial // 4 % len(packet.flits)
        # Not the destination's two bits: they would change the port, which test_fat_tree looks at.
        bit = random.randrange(6 if flit == 0 else 0, 64)
        damaged = packet.damaged(64 * flit + bit)
        fabric.senders[src].push(damaged, vc)
        fabric.send(random_packet((src + 1) % 4, dest, vc, 2))  # sound traffic beside it
        counts[src] += 1
        await fabric.tick(16)
        assert fabric.strangers[-1:] == [(dest, damaged)], f"the damaged packet did not go on as it was (trial {trial})"
        found = [int(getattr(dut, f"io_crcErrors_{port}").value) for port in PORTS]
        assert found == counts, f"bit {bit} of flit {flit} flipped at input {src}: counters {found}, expected {counts}"
        assert pulses == counts, f"bit {bit} of flit {flit} flipped at input {src}: pulses {pulses}, expected {counts}"
    watcher.cancel()
    await fabric.finish(100)


@test(timeout=10_000)
async def test_an_error_is_told_two_cycles_after_the_tail(dut):
    """`crcError` two cycles after a damaged tail was on the link in, and for one cycle."""
    fabric = await start(dut)
    fabric.strangers_allowed = True
    flits = random_packet(1, 3, LOW, 2).flits
    fabric.senders[1].push([*flits[:-1], flits[-1] ^ 1], LOW)
    told = []
    await fabric.tick()
    for cycle in range(1, 12):  # the header is on the link in cycle 1
        await fabric.tick()
        if int(dut.io_crcError.value):
            told.append((cycle, int(dut.io_crcError.value)))
    assert told == [(len(flits) + 2, 1 << 1)]


@test(timeout=10_000)
async def test_position_decides_the_port(dut):
    """Every kind of place in a tree: down by the digits, up by the destination's bit, never up again from above."""
    fabric = await start(dut)
    fabric.strangers_allowed = True
    for _ in range(60):
        level, root = random.randrange(5), random.random() < 0.3
        mask = 63 & ~((2 << level) - 1)
        prefix = random.randrange(64) & mask
        set_position(dut, int(root), level, mask, prefix)
        src, dest = random.choice(PORTS), random.randrange(64)
        if random.random() < 0.5:
            dest = prefix | (dest & ~mask)
        digits = dest >> level & 3
        up = src < 2 and dest & mask != prefix
        port = digits if root else (2 if up else 0) + (digits & 1)
        packet = random_packet(src, dest, random.choice([LOW, HIGH]), 1)
        fabric.senders[src].push(packet.flits, packet.vc)
        await fabric.tick(10)
        where = f"root {root} level {level} prefix {prefix:06b}/{mask:06b}, input {src}, destination {dest:06b}"
        assert fabric.strangers[-1] == (port, packet.flits), f"{where}: left by port {fabric.strangers[-1][0]}, not {port}"


def test_router():
    run_unit("network/Router")
