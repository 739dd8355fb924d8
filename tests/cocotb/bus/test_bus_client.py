"""Two lines on their way look like one: verdicts and beats in the order of the ops, whoever was first on the bus."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import run_unit
from pair_bus import PairBus
from site_bus_target import CLEAN, FLUSH, KILL, READ, READ_EXCLUSIVE, WRITE_BACK

BASE = 0x80800000
LIMIT = 3000  # cycles of one batch


class Pair:
    """Gives ops and data, keeps what comes back."""

    @classmethod
    async def start(cls, dut, **bus):
        p = cls()
        p.dut, p.bus = dut, PairBus(dut, **bus)
        p.ops, p.data, p.done, p.lines, p.beats, p.pace = [], [], [], [], [], 1.0
        for pin in ("op_valid", "abandon", "write_valid"):
            getattr(dut, f"io_{pin}").value = 0
        dut.reset.value = 1
        p.tasks = [cocotb.start_soon(Clock(dut.clk, 10, "ns").start())]
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.reset.value = 0
        p.tasks += [cocotb.start_soon(t) for t in (*p.bus.runs(), p.give(p.ops, "op", ("op", "address")), p.give(p.data, "write", None), p.take())]
        return p

    def halt(self):
        for task in self.tasks:
            task.cancel()

    async def give(self, queue, name, fields):
        pin = lambda n: getattr(self.dut, f"io_{name}_{n}")
        while True:
            while not queue or random.random() >= self.pace:
                await RisingEdge(self.dut.clk)
            for n, value in zip(fields, queue[0]) if fields else (("", queue[0]),):
                pin(f"payload_{n}" if n else "payload").value = value
            pin("valid").value = 1
            await RisingEdge(self.dut.clk)
            while not pin("ready").value:
                await RisingEdge(self.dut.clk)
            pin("valid").value = 0
            queue.pop(0)

    async def take(self):
        d = self.dut
        while True:
            await RisingEdge(d.clk)
            if d.io_done_valid.value:
                self.done.append(bool(d.io_done_payload.value))
            if d.io_read_valid.value:
                self.beats.append(int(d.io_read_payload_fragment.value).to_bytes(16, "little"))
                if d.io_read_payload_last.value:
                    self.lines.append(b"".join(self.beats))
                    self.beats = []

    async def batch(self, op, addresses, data=()):
        """One command's ops, as the engine gives them; ends when the pair says idle, which must be when all is done."""
        for found in (self.done, self.lines):
            found.clear()
        self.bus.log.clear()
        self.ops += [(op, a) for a in addresses]
        self.data += data
        for _ in range(LIMIT):
            await RisingEdge(self.dut.clk)
            if not self.ops and not self.dut.io_op_valid.value and self.dut.io_idle.value:
                break
        else:
            raise AssertionError(f"stuck: {len(self.done)} of {len(addresses)} ops judged, {len(self.data)} beats left")
        assert len(self.done) == len(addresses), "idle before the last verdict was told"
        assert not self.data and not self.beats, "idle before the last beat"

    @property
    def judged(self):
        return [entry[3] for entry in self.bus.log if entry[1] in ("verdict", "error")]


def settings(n):
    return dict(latency=random.randrange(15), retries=random.choice([0, 0.3, 0.7]), gaps=random.choice([0, 0.5]), jitter=random.choice([0, 3, 25]))


@cocotb.test
async def test_reads_come_in_the_order_of_the_ops(dut):
    """Whatever is retried or late: line after line, whole, and each op's own verdict; the order on the bus did differ."""
    swapped = 0
    for n in range(16):
        bad = {BASE + 64 * random.randrange(12)} if n % 2 else set()
        p = await Pair.start(dut, errors=bad.__contains__, **settings(n))
        p.pace = random.choice([1.0, 0.3])
        for _ in range(4):
            addresses = [BASE + 64 * i for i in range(random.randrange(1, 12))]
            await p.batch(random.choice([READ, READ_EXCLUSIVE]), addresses)
            assert p.done == [a in bad for a in addresses]
            assert p.lines == [bytes(64) if a in bad else bytes(p.bus.line(a)) for a in addresses]
            swapped += p.judged != addresses
        p.halt()
    assert swapped > 5, "no op overtook another: the test shows nothing"


@cocotb.test
async def test_writes_go_in_the_order_of_verdicts(dut):
    """The bus takes data in the order of its verdicts; that is the order of the ops, so every line gets its own and none waits for ever."""
    for n in range(16):
        bad = {BASE + 64 * random.randrange(12)} if n % 2 else set()
        p = await Pair.start(dut, errors=bad.__contains__, **settings(n))
        p.pace = random.choice([1.0, 0.3])
        for _ in range(4):
            addresses = [BASE + 64 * i for i in range(random.randrange(1, 12))]
            lines = [random.randbytes(64) for _ in addresses]
            await p.batch(WRITE_BACK, addresses, [int.from_bytes(line[i : i + 16], "little") for line in lines for i in range(0, 64, 16)])
            assert p.judged == addresses and p.done == [a in bad for a in addresses]
            for a, line in zip(addresses, lines):
                assert a in bad or p.bus.line(a) == line, hex(a)
        p.halt()


@cocotb.test
async def test_ops_without_data_are_all_told(dut):
    """FLUSH, CLEAN, KILL: as many verdicts as ops before `idle`, also when the second line comes long after the first."""
    for n in range(16):
        p = await Pair.start(dut, **settings(n))
        p.pace = random.choice([1.0, 0.3])
        for _ in range(6):
            addresses = [BASE + 64 * i for i in range(random.choice([1, 2, 2, 3, 7]))]
            await p.batch(random.choice([FLUSH, CLEAN, KILL]), addresses)
            assert sorted(p.judged) == addresses
        p.halt()


def test_bus_client():
    run_unit("bus/BusClient", {"masters": 2})
