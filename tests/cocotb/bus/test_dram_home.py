"""The DRAM home against the AXI memory of cocotbext-axi, with every channel pausing at random."""

import os
import random

import cocotb
import pytest
from cocotbext.axi import AxiBus, AxiRam
from harness import run_unit
from kit import Bench, Monitor, Source, test
from kit.sitebus import BASE, LINE, Lines, beats_of, merge

SIZE = 16 << 20


class Home(Bench):
    """The bus's side of the DRAM home. As the bus does, it keeps one read a master, and no write to a line that is being read."""

    def __init__(self, dut, pause: float = 0.0):
        super().__init__(dut)
        self.ram = AxiRam(AxiBus.from_prefix(dut, "axi"), dut.clk, dut.reset, size=SIZE)
        self.command = Source(self, "io_bus_command")
        self.write = Source(self, "io_bus_write", pace=1 - pause)
        self.read = Monitor(self, "io_bus_read", ("fragment_master", "fragment_data", "last"))
        self.pause = pause
        self.reading: dict[int, dict] = {}
        self.model = Lines()
        self.finished = self.asked = 0  # reads that ended; that went to memory
        self.add(self)

    async def started(self) -> "Home":
        await self.start()
        for channel in (self.ram.write_if.aw_channel, self.ram.write_if.w_channel, self.ram.write_if.b_channel,
                        self.ram.read_if.ar_channel, self.ram.read_if.r_channel):
            if self.pause:
                channel.set_pause_generator(iter(lambda: random.random() < self.pause, None))
        return self

    def give(self, *, write: int, line: int, address: int, mask: int = 0xFFFF, master: int = 0, beats=()) -> None:
        self.command.send(write=write, line=line, address=address, mask=mask, master=master)
        self.next = dict(write=write, line=line, address=address, mask=mask, master=master, beats=beats)

    def accepted(self, write, line, address, mask, master, beats) -> None:
        place = address & -LINE
        if place not in self.model:
            self.model[place] = bytearray(LINE)  # what the AxiRam holds at first
        data, at = self.model[place], 0 if line else address & 48
        if write:
            self.write.burst(beats)
            for i, beat in enumerate(beats):
                merge(data, at + 16 * i, beat, 0xFFFF if line else mask)
        else:
            want = beats_of(data) if line else beats_of(data)[at // 16 :][:1]
            self.reading[master] = {"line": place, "want": want, "got": []}

    def step(self) -> None:
        self.asked += int(self.dut.axi_arvalid.value and self.dut.axi_arready.value)
        for master, data, last in self.read.got:
            read = self.reading[master]
            read["got"].append(data)
            assert bool(last) == (len(read["got"]) == len(read["want"]))
            if last:
                assert read["got"] == read["want"], f"line {read['line']:#x} read wrong at {self.cycle}"
                del self.reading[master]
                self.finished += 1
        self.read.got.clear()
        if self.command.at and self.command.at[-1] == self.cycle:
            self.accepted(**self.next)

    async def issue(self, **command) -> None:
        """Gives one command; returns in the cycle that accepts it."""
        self.give(**command)
        await self.until(lambda: not self.command.queue, f"acceptance of {command}", 50)

    async def put(self, address: int, beats: list[int]) -> None:
        await self.issue(write=1, line=1, address=address, beats=beats)

    async def get(self, address: int, master: int = 1) -> None:
        await self.issue(write=0, line=1, address=address, master=master)

    async def taken(self) -> None:
        await self.until(lambda: not self.write.queue, "end of the write beats", 200)

    async def drain(self) -> None:
        await self.until(lambda: not (self.command.queue or self.write.queue or self.reading), "rest", 3000)
        await self.tick(200)


@test(timeout=20_000)
@cocotb.parametrize(pause=[0.0, 0.2, 0.7])
async def test_reads_see_all_writes_before_them(dut, pause):
    """Random lines and masked beats of five masters on eight lines: every read returns all earlier writes, in order."""
    home = await Home(dut, pause).started()
    lines = [BASE + 64 * i for i in range(4)] + [BASE + SIZE - 64 * i for i in range(1, 5)]
    for _ in range(2500):
        if not home.command.queue and random.random() > 0.2:
            address = random.choice(lines) + random.randrange(64)
            write, line, master = random.randrange(2), random.randrange(2), random.randrange(5)
            busy = any(r["line"] == address & -LINE for r in home.reading.values()) if write else master in home.reading
            if not busy:
                home.give(write=write, line=line, address=address, mask=random.getrandbits(16), master=master,
                          beats=[random.getrandbits(128) for _ in range(4 if line else 1)])  # fmt: skip
        await home.tick()
    await home.drain()
    cocotb.log.info("pause %s: %d commands, %d reads checked", pause, len(home.command.at), home.finished)
    assert home.finished > 100
    assert 5 < home.asked < home.finished - 5, "reads from memory as well as of kept lines"
    for line, data in home.model.items():
        assert home.ram.read(line - BASE, 64) == bytes(data)


@test(timeout=20_000)
async def test_a_read_leaves_at_once(dut):
    """`ar` is valid the cycle after the command, also behind writes of other lines that are stuck."""
    home = await Home(dut).started()
    home.ram.write_if.aw_channel.pause = home.ram.write_if.w_channel.pause = True
    for i in range(int(os.environ["WRITES"])):
        await home.put(BASE + 64 * i, [i] * 4)
    for master in range(5):
        address = 0x1000 + 64 * master
        await home.get(BASE + address, master)
        assert not dut.axi_arvalid.value
        await home.tick()
        assert dut.axi_arvalid.value and int(dut.axi_araddr.value) == address
        assert int(dut.axi_arlen.value) == 3 and int(dut.axi_arid.value) == master
        await home.tick()
    home.ram.write_if.aw_channel.pause = home.ram.write_if.w_channel.pause = False
    await home.drain()
    assert home.finished == 5


@test(timeout=20_000)
async def test_a_read_waits_for_its_line_alone(dut):
    """A read of a line with an unfinished write is held until the response; it then sees the data."""
    home = await Home(dut).started()
    home.ram.write_if.b_channel.pause = True
    await home.issue(write=1, line=0, address=BASE + 0x2010, mask=0x00F0, beats=[0x1111_2222_3333_4444_5555_6666_7777_8888])
    home.give(write=0, line=1, address=BASE + 0x2000, master=3)
    for _ in range(40):
        await home.tick()
        assert not dut.axi_arvalid.value, "a read went ahead of the write of its line"
    home.ram.write_if.b_channel.pause = False
    await home.drain()
    assert home.finished == 1


def line_of(n: int) -> list[int]:
    return [n << 64 | i for i in range(4)]


@test(timeout=20_000)
async def test_a_line_written_whole_is_read_at_once(dut):
    """The last `writes` lines are served without memory, while their writes are stuck and later; first beat 3 cycles after."""
    home = await Home(dut).started()
    writes = int(os.environ["WRITES"])
    stuck = (home.ram.write_if.aw_channel, home.ram.write_if.w_channel, home.ram.write_if.b_channel)
    for held in (True, False):
        for channel in stuck:
            channel.pause = held
        for i in range(writes):
            await home.put(BASE + 64 * i, line_of(1000 * held + i))
        while home.write.queue:
            # Beats beyond the FIFO of 16 wait for the write channel; the lines already here are enough.
            if held and len(home.write.queue) <= 4 * writes - 16:
                break
            await home.tick()
        await home.tick()
        for i in range(min(writes, 4)):
            for line, address, beats in ((1, 0, 4), (0, 16 * (i % 4), 1)):
                await home.issue(write=0, line=line, address=BASE + 64 * i + address, master=1)
                asked, done = home.cycle, home.finished
                while home.finished == done:
                    await home.tick()
                assert home.cycle - asked == 3 + beats - 1, "the first beat three cycles after the bus's command, then one a cycle"
        assert home.asked == 0, "the line is kept: no read of memory"
        for channel in stuck:
            channel.pause = False
        await home.drain()
    assert home.finished == 2 * 2 * min(writes, 4)


@test(timeout=20_000)
async def test_a_line_is_kept_whatever_follows_it(dut):
    """The next command may come in any cycle of the line's data, also in that of its last beat."""
    home = await Home(dut).started()
    for gap in range(10):
        line = BASE + 0x1000 * gap
        await home.put(line, line_of(gap))
        for _ in range(gap):
            await home.tick()
        await home.put(line + 64, line_of(99))
        await home.taken()
        await home.get(line, 2)
        await home.drain()
        assert home.asked == 0, f"command {gap} cycles later: the line was not kept"


@test(timeout=20_000)
async def test_a_write_of_a_part_ends_the_keeping(dut):
    """A line written whole and then in part is read from memory, with both, after the second write's response."""
    home = await Home(dut).started()
    for gap in (0, 1, 2, 4, 6, 30):
        await home.put(BASE + 0x400, line_of(7 + gap))
        for _ in range(gap):
            await home.tick()
        await home.issue(write=1, line=0, address=BASE + 0x410, mask=0x0FF0, beats=[0x5555 << 48])
        before = home.asked
        await home.get(BASE + 0x400, 3)
        await home.drain()
        assert home.asked == before + 1


@test(timeout=20_000)
async def test_a_place_is_used_again(dut):
    """A line pushed out by `writes` others comes from memory, right; the others are kept; the same line twice: the newer."""
    home = await Home(dut).started()
    writes = int(os.environ["WRITES"])
    for i in range(3 * writes + 1):
        await home.put(BASE + 64 * i, line_of(i))
        await home.taken()
        if i >= writes:
            before = home.asked
            await home.get(BASE + 64 * (i - writes), 1)
            await home.drain()
            assert home.asked == before + 1, "an old line is no longer kept"
            await home.get(BASE + 64 * (i - writes + 1), 1)
            await home.drain()
            assert home.asked == before + 1, "the oldest of the last lines is kept"
    before = home.asked
    for n in range(3):
        await home.put(BASE + 64, line_of(500 + n))
        await home.taken()
        await home.get(BASE + 64, 1)
        await home.drain()
    assert home.asked == before


@pytest.mark.parametrize("writes", [2, 8])
def test_dram_home(writes):
    run_unit("bus/DramHome", {"writes": writes}, env={"WRITES": str(writes)})
