"""Two lines on their way look like one: verdicts and beats in the order of the ops, whoever was first on the bus."""

import random

import cocotb
from harness import run_unit
from kit import Bench, Monitor, Source, test
from kit.busmodel import SiteBus
from kit.pins import Pins
from kit.sitebus import CLEAN, FLUSH, KILL, READ, READ_EXCLUSIVE, WRITE_BACK, beats_of, line_of

BASE = 0x80800000
LIMIT = 3000  # cycles of one batch
BACK_OFF = 4  # BusClientParams


class Pair(Bench):
    """Gives ops and data, keeps what comes back: `done` verdicts, `lines`. bus: options of SiteBus."""

    def __init__(self, dut, **bus):
        super().__init__(dut)
        self.bus = SiteBus(self, masters={0: "io_bus_0", 1: "io_bus_1"}, bypass=True, **bus)
        self.ops, self.data = Source(self, "io_op", ("op", "address")), Source(self, "io_write")
        self.done, self.beats = Monitor(self, "io_done").got, Monitor(self, "io_read", "fragment").got

    def pace(self, chance):
        self.ops.pace = self.data.pace = chance

    @property
    def lines(self):
        return [line_of(self.beats[i : i + 4]) for i in range(0, len(self.beats), 4)]

    def line(self, address):
        return bytes(self.bus.memory[address])

    async def batch(self, op, addresses, data=()):
        """One command's ops, as the engine gives them; ends when the pair says idle, which must be when all is done."""
        for found in (self.done, self.beats, self.bus.ops):
            found.clear()
        self.ops.send(*((op, a) for a in addresses))
        self.data.send(*data)
        rest = lambda: not self.ops.queue and not self.dut.io_op_valid.value and self.dut.io_idle.value
        await self.until(rest, f"rest after {op.name} of {len(addresses)} lines", LIMIT)
        assert len(self.done) == len(addresses), "idle before the last verdict was told"
        assert not self.data.queue and len(self.beats) % 4 == 0, "idle before the last beat"

    @property
    def judged(self):
        return [op.address for op in self.bus.ops if not op.retry]


def settings(n):
    return dict(latency=random.randrange(15), retries=random.choice([0, 0.3, 0.7]), gaps=random.choice([0, 0.5]), jitter=random.choice([0, 3, 25]))


@test(timeout=100_000)
async def test_reads_come_in_the_order_of_the_ops(dut):
    """Whatever is retried or late: line after line, whole, and each op's own verdict; the order on the bus did differ."""
    swapped = 0
    for n in range(16):
        bad = {BASE + 64 * random.randrange(12)} if n % 2 else set()
        p = await Pair(dut, errors=bad.__contains__, **settings(n)).start()
        p.pace(random.choice([1.0, 0.3]))
        for _ in range(4):
            addresses = [BASE + 64 * i for i in range(random.randrange(1, 12))]
            await p.batch(random.choice([READ, READ_EXCLUSIVE]), addresses)
            assert p.done == [int(a in bad) for a in addresses]
            assert p.lines == [bytes(64) if a in bad else p.line(a) for a in addresses]
            swapped += p.judged != addresses
    assert swapped > 5, "no op overtook another: the test shows nothing"


@test(timeout=100_000)
async def test_writes_go_in_the_order_of_verdicts(dut):
    """The bus takes data in the order of its verdicts; that is the order of the ops, so every line gets its own and none waits for ever."""
    for n in range(16):
        bad = {BASE + 64 * random.randrange(12)} if n % 2 else set()
        p = await Pair(dut, errors=bad.__contains__, **settings(n)).start()
        p.pace(random.choice([1.0, 0.3]))
        for _ in range(4):
            addresses = [BASE + 64 * i for i in range(random.randrange(1, 12))]
            lines = [random.randbytes(64) for _ in addresses]
            await p.batch(WRITE_BACK, addresses, beats_of(b"".join(lines)))
            assert p.judged == addresses and p.done == [int(a in bad) for a in addresses]
            for a, line in zip(addresses, lines):
                assert a in bad or p.line(a) == line, hex(a)


@test(timeout=100_000)
async def test_ops_without_data_are_all_told(dut):
    """FLUSH, CLEAN, KILL: as many verdicts as ops before `idle`, also when the second line comes long after the first."""
    for n in range(16):
        p = await Pair(dut, **settings(n)).start()
        p.pace(random.choice([1.0, 0.3]))
        for _ in range(6):
            addresses = [BASE + 64 * i for i in range(random.choice([1, 2, 2, 3, 7]))]
            await p.batch(random.choice([FLUSH, CLEAN, KILL]), addresses)
            assert sorted(p.judged) == addresses


@test(timeout=20_000)
async def test_it_asks_again_as_soon_as_it_may(dut):
    """After a conflict at once; after another retry when the back-off has passed, or at a wake since the op was asked for."""
    p = await Pair(dut).start()
    wakes = [Pins(dut, f"io_bus_{i}") for i in (0, 1)]

    async def pause(conflict, wake):
        """Cycles from the verdict of a KILL that is retried once to its next try; `wake`: when, in cycles from the verdict."""

        def judge(op, answers):
            op.retry, op.conflict = (0, 0) if p.bus.ops else (1, conflict)

        p.bus.judge = judge
        batch = cocotb.start_soon(p.batch(KILL, [BASE]))
        await p.until(lambda: p.bus.flying, "the request", 50)
        if wake is not None:
            await p.tick(3 + wake)
            for value in (1, 0):
                for pins in wakes:
                    pins.set("wake", value)
                await p.tick()
        await batch
        first, again = p.bus.ops
        return again.fired - first.answered

    assert [await pause(1, None), await pause(0, None)] == [1, 1 + BACK_OFF]
    assert [await pause(0, wake) for wake in (-1, 0, 1, 2, 3)] == [1, 1, 2, 3, 4]


def test_bus_client():
    run_unit("bus/BusClient", {"masters": 2})
