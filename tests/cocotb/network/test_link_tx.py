"""LinkTx: two streams of packets on one link, high first, within credits (VY-42, VY-48)."""

import random

from harness import run_unit
from kit import Bench, Source, test
from kit.links import LinkReceiver
from kit.packets import HIGH, LOW, Packet, random_packet


def start(dut):
    bench = Bench(dut)
    bench.sent = []
    bench.packets = [Source(bench, f"io_packets_{vc}", ("fragment", "last")) for vc in (LOW, HIGH)]
    bench.link = LinkReceiver(bench, "io_link", lambda flits, vc: bench.sent.append((vc, flits)))
    return bench.start()


def give(bench, vc: int) -> Packet:
    packet = random_packet(src=1, dest=2, vc=vc)
    bench.packets[vc].burst(packet.flits)
    return packet


@test(timeout=5000)
async def test_packets_leave_whole_and_in_order(dut):
    """Both channels at random paces, credits that come back at random: every packet of a channel, in order, whole."""
    bench = await start(dut)
    bench.packets[LOW].pace, bench.packets[HIGH].pace = 0.8, 0.3
    bench.link.pace(0.3, 0.7)
    given = [give(bench, random.randrange(2)) for _ in range(40)]
    await bench.until(lambda: len(bench.sent) == 40, "the last packet")
    for vc in (LOW, HIGH):
        assert [flits for v, flits in bench.sent if v == vc] == [p.flits for p in given if p.vc == vc]


@test(timeout=2000)
async def test_a_channel_without_credits_stops_only_itself(dut):
    """One channel's credits do not come back: it stops after 32 flits, and the other goes on."""
    for stuck in (LOW, HIGH):
        bench = await start(dut)
        bench.link.pace(*(float(vc != stuck) for vc in (LOW, HIGH)))
        for _ in range(40):
            give(bench, LOW)
            give(bench, HIGH)
        await bench.until(lambda: sum(vc != stuck for vc, _ in bench.sent) == 40, "40 packets of the free channel")
        await bench.until(lambda: bench.link.flits[stuck] == 32, "32 flits of the stopped channel", 100)
        await bench.tick(20)
        assert bench.link.flits[stuck] == 32 and sum(vc == stuck for vc, _ in bench.sent) < 40


def test_link_tx():
    run_unit("network/LinkTx")
