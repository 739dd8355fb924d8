"""WirePort: a link over a wire that may lose, damage, repeat, reorder, delay and stop frames."""

import random

import cocotb
from harness import run_unit
from kit import test
from kit.packets import HIGH, LOW
from wires import CONTROL, DATA, HELLO, Frame, Pair, kind, untouched

FAULTS = ("lose", "damage", "repeat", "reorder", "delay", "flip")


class Switch:
    """Each frame suffers one of `faults` with probability `rate`."""

    def __init__(self, rate: float, faults: tuple[str, ...] = FAULTS, kinds: tuple[int, ...] = (HELLO, CONTROL, DATA)):
        self.rate, self.faults, self.kinds = rate, faults, kinds
        self.count = dict.fromkeys(faults, 0)

    def __call__(self, frame: Frame):
        if kind(frame) not in self.kinds or random.random() >= self.rate:
            return [(0, frame, False)]
        fault = random.choice(self.faults)
        self.count[fault] += 1
        match fault:
            case "lose":
                return []
            case "damage":
                return [(0, [beat ^ random.getrandbits(64) for beat in frame], True)]
            case "repeat":
                return [(0, frame, False), (random.randrange(300), frame, False)]
            case "reorder":
                return [(random.randrange(20, 60), frame, False)]
            case "delay":
                return [(random.randrange(100, 1500), frame, False)]
            case "flip":  # which the MAC's check sequence finds
                at = random.randrange(len(frame))
                return [(0, [beat ^ (1 << random.randrange(64) if i == at else 0) for i, beat in enumerate(frame)], True)]


@test(timeout=20_000)
async def test_latency_of_two_flits(dut):
    """`link_latency`: from a link into a port to the link out of the other 10 cycles, and the one that the bench's wire takes."""
    pair = await Pair(dut).begin()
    await pair.trained()
    for vc in (LOW, HIGH):
        await pair.tick(100)
        pair.send(0, body=0, vc=vc)
        await pair.settled(100)
        cycles = pair.receivers[1].headers[vc][-1] - (pair.senders[0].tails[-1] - 1)
        cocotb.log.info(f"vc {vc}: {cycles} cycles from link to link")
        assert cycles == 10 + 1


@test(timeout=60_000)
async def test_everything_arrives_in_order(dut):
    """Random packets both ways at random paces, a wire of 50 cycles."""
    pair = await Pair(dut, 50).begin()
    await pair.trained()
    for end in pair.senders:
        end.pace = 0.7
    for end in pair.receivers:
        end.pace(0.5, 0.8)
    for _ in range(400):
        pair.send(random.randrange(2))
        await pair.tick(random.randrange(30))
    await pair.settled(20_000)
    assert not (wrong := [(n, name, pair.count(n, name)) for n in (0, 1) for name in ("damaged", "foreign", "stale", "noRoom", "again", "repeated", "downs") if pair.count(n, name)]), wrong


@test(timeout=400_000)
@cocotb.parametrize(fault=[*FAULTS, "all"])
async def test_a_faulty_wire_loses_nothing(dut, fault):
    """One frame of five suffers: of more frames than have numbers in the map: nothing is lost, nothing comes twice, order is kept;
    damage is counted."""
    pair = await Pair(dut, 40).begin()
    switches = [Switch(0.2, FAULTS if fault == "all" else (fault,)) for _ in range(2)]
    for wire, switch in zip(pair.wires, switches):
        wire.switch = switch
    await pair.trained(20_000)
    for end in pair.receivers:
        end.pace(0.9, 0.9)
    for _ in range(150):
        for site in (0, 1):
            pair.send(site, random.randrange(8))
        await pair.tick(random.randrange(200))
    await pair.settled(150_000)
    await pair.tick(3000)
    assert sum(sum(s.count.values()) for s in switches) > 50
    damaged = sum(s.count.get("damage", 0) + s.count.get("flip", 0) for s in switches)
    assert abs(sum(pair.count(n, "damaged") for n in (0, 1)) - damaged) <= 2  # those under way
    assert not (wrong := [(n, name, pair.count(n, name)) for n in (0, 1) for name in ("downs", "noRoom", "dropped", "cut") if pair.count(n, name)]), wrong


@test(timeout=60_000)
async def test_a_receiver_that_stops_holds_only_its_channel(dut):
    """VY-42: low is not taken at the far end; high goes on, low waits without loss."""
    pair = await Pair(dut, 30).begin()
    await pair.trained()
    pair.receivers[1].pace(0.0, 1.0)
    pair.send(0, 300, vc=LOW)
    await pair.tick(2000)
    held = pair.got[1]
    pair.send(0, 50, vc=HIGH)
    await pair.until(lambda: not pair.expected[1][HIGH], "packets of high", limit=5000)
    assert pair.got[1] == held + 50 and pair.expected[1][LOW]
    pair.receivers[1].pace(1.0, 1.0)
    await pair.settled(20_000)


async def goodput(dut, share_lost: float, cycles: int, packets: int) -> float:
    """Flits of 128 B blocks (19 each) that arrive a cycle of the wire, both directions loaded; the first round trips are not counted."""
    pair = await Pair(dut, cycles).begin(roundTrip=2 * cycles + 500)
    await pair.trained()
    for wire in pair.wires:
        wire.switch = Switch(share_lost, ("lose",), (DATA, CONTROL))
    for site in (0, 1):
        pair.send(site, packets, body=17, vc=LOW)
    await pair.tick(3 * cycles + 1000)
    before, at = sum(pair.receivers[1].flits), pair.cycle
    await pair.until(lambda: pair.got[1] >= packets * 0.9, "nine of ten packets", limit=400_000)
    share = (sum(pair.receivers[1].flits) - before) / (pair.cycle - at)
    await pair.settled(400_000)
    lost = sum(wire.switch.count["lose"] for wire in pair.wires)
    again = pair.count(0, "again") + pair.count(1, "again")
    assert again <= 2 * lost, f"{lost} frames were lost and {again} sent again"
    return share


@test(timeout=400_000)
async def test_goodput(dut):
    """`link_goodput`: at least 0.80 of the raw rate (preamble, check sequence and gap counted) with a round trip of 1500 cycles."""
    share = await goodput(dut, 0.0, 700, 900)
    cocotb.log.info(f"link_goodput {share:.3f}")
    assert share >= 0.88


@test(timeout=800_000)
async def test_goodput_with_one_frame_of_a_hundred_lost(dut):
    """`link_goodput_1pct`: at least 0.60."""
    share = await goodput(dut, 0.01, 700, 2000)
    cocotb.log.info(f"link_goodput_1pct {share:.3f}")
    assert share >= 0.75


@test(timeout=200_000)
async def test_a_peer_that_is_reset_comes_back(dut):
    """Either port is reset in traffic, again and again: what is under way may be lost, whole or cut (which its check sum tells), nothing comes
    twice or late; then all goes on as before."""
    pair = await Pair(dut, 30).begin()
    await pair.trained()
    for wire in pair.wires:
        wire.resets = True
    for _ in range(6):
        pair.strict = False
        for site in (0, 1):
            pair.send(site, 100)
        await pair.tick(random.randrange(100, 600))
        who = random.randrange(2)
        pair.senders[1 - who].pace = 0.0  # a packet that is cut goes on when the wire is up again
        pair.pins.drive(**{"restart": 1 << who, f"seed_{who}": random.getrandbits(16)})
        for queue in pair.senders[who].queues:
            queue.clear()
        await pair.tick(random.randrange(2, 30))
        pair.forget(who)
        pair.pins.set("restart", 0)
        await pair.until(lambda: pair.pins.get("up") == 3, "both ports up again", limit=5000)
        pair.senders[1 - who].pace = 1.0
        await pair.until(lambda: not any(any(sender.queues) for sender in pair.senders), "taking what is left", limit=20_000)
        await pair.tick(3000)
        assert pair.count(1 - who, "downs") >= 1
        pair.forget_expected()
        pair.strict = True
        for site in (0, 1):
            pair.send(site, 20)
        await pair.settled(5000)
    assert pair.lost and pair.cut


@test(timeout=100_000)
async def test_a_cable_that_is_pulled_takes_no_more(dut):
    """Nothing comes for `silence`: the port is down, what the site sends is dropped and counted, nothing behind it waits; then back."""
    pair = await Pair(dut, 30).begin(silence=8)
    await pair.trained()
    pair.strict = False
    for wire in pair.wires:
        wire.switch = lambda frame: []
    pair.send(0, 300)
    await pair.until(lambda: pair.pins.get("up") == 0, "both ports down", limit=4000)
    await pair.until(lambda: not any(pair.senders[0].queues), "taking what is sent", limit=8000)
    assert pair.count(0, "dropped") > 100
    for wire in pair.wires:
        wire.switch = untouched
    await pair.trained()
    pair.forget_expected()
    pair.strict = True
    pair.send(0, 20)
    pair.send(1, 20)
    await pair.settled(5000)


@test(timeout=100_000)
async def test_strangers_are_refused_and_counted(dut):
    """Frames of others, of another version, of another session, of no legal form: counted, and nothing else happens."""
    pair = await Pair(dut, 10).begin()
    seen: list[Frame] = []
    pair.wires[0].switch = lambda frame: seen.append(frame) or [(0, frame, False)]
    await pair.trained()
    pair.send(0, 3)
    await pair.settled(2000)
    await pair.tick(200)
    data = [frame for frame in seen if kind(frame) == DATA][-1]
    data[2] += 1 | (data[-1] >> 48) << 16  # the next number, the next flit: it would be taken
    changed = {
        "foreign": [(0, 1 << 3), (0, 1 << 50), (1, 1 << 2), (1, 1 << 40)],
        "otherVersion": [(1, 1 << 48)],
        "stale": [(2, 1 << 32), (2, 1 << 63)],
        "damaged": [(1, 1 << 58), (-1, 0x80 << 48), (-1, (data[-1] >> 48 & 0xFF) << 48)],
    }
    for name, changes in changed.items():
        for at, mask in changes:
            before, got = pair.count(1, name), pair.got[1]
            frame = list(data)
            frame[at] ^= mask
            pair.wires[0].inject(frame)
            await pair.tick(100)
            assert pair.count(1, name) == before + 1, f"{name}: beat {at} ^ {mask:x}"
            assert pair.got[1] == got and pair.pins.get("up") == 3
    for frame in (data[:-2] + [0] + data[-2:], data[:-3] + data[-2:]):
        before, got = pair.count(1, "damaged"), pair.got[1]
        pair.wires[0].inject(frame)
        await pair.tick(100)
        assert pair.count(1, "damaged") == before + 1 and pair.got[1] == got, f"a frame of {len(frame)} beats that says {data[-1] >> 48 & 255} flits"
    pair.wires[0].inject(data[:4])
    await pair.tick(100)
    pair.send(0, 20)
    pair.send(1, 20)
    await pair.settled(5000)


def test_wire():
    run_unit("link/WirePair", {})
