"""The DRAM home against the AXI memory of cocotbext-axi, with every channel pausing at random."""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from cocotbext.axi import AxiBus, AxiRam
from harness import run_unit

BASE, SIZE = 0x8000_0000, 16 << 20
LIMIT = 20_000  # cycles of one test


class Home:
    """The bus's side of the DRAM home, one step a cycle at the falling edge.

    As the bus does, it keeps one read a master, and no write to a line that is being read.
    """

    def __init__(self, dut, rng: random.Random, pause: float):
        self.dut, self.rng, self.pause, self.t = dut, rng, pause, 0
        self.ram = AxiRam(AxiBus.from_prefix(dut, "axi"), dut.clk, dut.reset, size=SIZE)
        self.command: tuple | None = None  # write, line, address, mask, master, beats
        self.beats: list[tuple[int, int]] = []
        self.offering = False
        self.reading: dict[int, dict] = {}
        self.model: dict[int, bytearray] = {}
        self.finished: list[dict] = []
        self.sent = self.asked = 0  # commands; reads that went to memory
        for name in ("command_valid", "write_valid"):
            getattr(dut, f"io_bus_{name}").value = 0

    def line(self, address: int) -> bytearray:
        """What a read ordered after all commands so far returns."""
        line = address & ~63
        if line not in self.model:
            self.model[line] = bytearray(64)
        return self.model[line]

    async def reset(self) -> None:
        self.dut.reset.value = 1
        cocotb.start_soon(Clock(self.dut.clk, 10, "ns").start())
        for _ in range(4):
            await FallingEdge(self.dut.clk)
        self.dut.reset.value = 0
        await FallingEdge(self.dut.clk)
        for channel in (self.ram.write_if.aw_channel, self.ram.write_if.w_channel, self.ram.write_if.b_channel,
                        self.ram.read_if.ar_channel, self.ram.read_if.r_channel):
            if self.pause:
                channel.set_pause_generator(iter(lambda: self.rng.random() < self.pause, None))

    def accepted(self, write, line, address, mask, master, beats) -> None:
        data, at = self.line(address), 0 if line else address & 48
        if write:
            self.beats += [(b, i == len(beats) - 1) for i, b in enumerate(beats)]
            for i, beat in enumerate(beats):
                for k in range(16):
                    if line or mask >> k & 1:
                        data[at + 16 * i + k] = beat >> 8 * k & 255
            return
        want = [int.from_bytes(data[at + 16 * i : at + 16 * i + 16], "little") for i in range(4 if line else 1)]
        self.reading[master] = {"line": address & ~63, "want": want, "got": [], "at": self.t, "first": None}

    async def step(self) -> None:
        await FallingEdge(self.dut.clk)
        self.t += 1
        assert self.t < LIMIT, "the test waits for ever"
        bus = self.dut
        self.asked += int(bus.axi_arvalid.value and bus.axi_arready.value)
        if bus.io_bus_read_valid.value:
            read = self.reading[int(bus.io_bus_read_payload_fragment_master.value)]
            read["first"] = read["first"] or self.t
            read["got"].append(int(bus.io_bus_read_payload_fragment_data.value))
            assert bool(bus.io_bus_read_payload_last.value) == (len(read["got"]) == len(read["want"]))
            if len(read["got"]) == len(read["want"]):
                assert read["got"] == read["want"], f"line {read['line']:#x} read wrong at {self.t}"
                self.finished.append(self.reading.pop(int(bus.io_bus_read_payload_fragment_master.value)))
        bus.io_bus_command_valid.value = int(self.command is not None)
        if self.command:
            write, line, address, mask, master, beats = self.command
            bus.io_bus_command_payload_write.value = write
            bus.io_bus_command_payload_line.value = line
            bus.io_bus_command_payload_address.value = address
            bus.io_bus_command_payload_mask.value = mask
            bus.io_bus_command_payload_master.value = master
            if bus.io_bus_command_ready.value:
                self.accepted(*self.command)
                self.command = None
                self.sent += 1
        if not self.offering and self.beats and self.rng.random() >= self.pause:
            self.offering = True
        bus.io_bus_write_valid.value = int(self.offering)
        if self.offering:
            bus.io_bus_write_payload_fragment.value, bus.io_bus_write_payload_last.value = self.beats[0]
            if bus.io_bus_write_ready.value:
                self.beats.pop(0)
                self.offering = False

    async def issue(self, command: tuple) -> None:
        """Gives one command; returns in the cycle that accepts it."""
        self.command = command
        for _ in range(50):
            await self.step()
            if self.command is None:
                return
        raise AssertionError(f"command {command} is not accepted")

    async def drain(self) -> None:
        for _ in range(3000):
            if not (self.command or self.beats or self.reading):
                break
            await self.step()
        assert not self.reading and not self.beats and self.command is None
        for _ in range(200):
            await self.step()


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.2, 0.7])
async def test_reads_see_all_writes_before_them(dut, pause):
    """Random lines and masked beats of five masters on eight lines: every read returns all earlier writes, in order."""
    rng = random.Random(cocotb.RANDOM_SEED)
    home = Home(dut, rng, pause)
    await home.reset()
    lines = [BASE + 64 * i for i in range(4)] + [BASE + SIZE - 64 * i for i in range(1, 5)]
    for _ in range(2500):
        if home.command is None and rng.random() > 0.2:
            address = rng.choice(lines) + rng.randrange(64)
            write, line, master = rng.random() < 0.5, rng.random() < 0.5, rng.randrange(5)
            busy = any(r["line"] == address & ~63 for r in home.reading.values()) if write else master in home.reading
            if not busy:
                beats = [rng.getrandbits(128) for _ in range(4 if line else 1)]
                home.command = (int(write), int(line), address, rng.getrandbits(16), master, beats)
        await home.step()
    await home.drain()
    cocotb.log.info("pause %s: %d commands, %d reads checked", pause, home.sent, len(home.finished))
    assert len(home.finished) > 100
    assert 5 < home.asked < len(home.finished) - 5, "reads from memory as well as of kept lines"
    for line, data in home.model.items():
        assert home.ram.read(line - BASE, 64) == bytes(data)


@cocotb.test
async def test_a_read_leaves_at_once(dut):
    """`ar` is valid the cycle after the command, also behind writes of other lines that are stuck."""
    home = Home(dut, random.Random(cocotb.RANDOM_SEED), 0.0)
    await home.reset()
    home.ram.write_if.aw_channel.pause = home.ram.write_if.w_channel.pause = True
    for i in range(int(os.environ["WRITES"])):
        await home.issue((1, 1, BASE + 64 * i, 0xFFFF, 0, [i] * 4))
    for master in range(5):
        address = 0x1000 + 64 * master
        await home.issue((0, 1, BASE + address, 0xFFFF, master, []))
        assert not dut.axi_arvalid.value
        await home.step()
        assert dut.axi_arvalid.value and int(dut.axi_araddr.value) == address
        assert int(dut.axi_arlen.value) == 3 and int(dut.axi_arid.value) == master
        await home.step()
    home.ram.write_if.aw_channel.pause = home.ram.write_if.w_channel.pause = False
    await home.drain()
    assert len(home.finished) == 5


@cocotb.test
async def test_a_read_waits_for_its_line_alone(dut):
    """A read of a line with an unfinished write is held until the response; it then sees the data."""
    home = Home(dut, random.Random(cocotb.RANDOM_SEED), 0.0)
    await home.reset()
    home.ram.write_if.b_channel.pause = True
    await home.issue((1, 0, BASE + 0x2010, 0x00F0, 0, [0x1111_2222_3333_4444_5555_6666_7777_8888]))
    home.command = (0, 1, BASE + 0x2000, 0xFFFF, 3, [])
    for _ in range(40):
        await home.step()
        assert not dut.axi_arvalid.value, "a read went ahead of the write of its line"
    home.ram.write_if.b_channel.pause = False
    await home.drain()
    assert len(home.finished) == 1


def line_of(n: int) -> list[int]:
    return [n << 64 | i for i in range(4)]


@cocotb.test
async def test_a_line_written_whole_is_read_at_once(dut):
    """The last `writes` lines are served without memory, while their writes are stuck and later; first beat 3 cycles after."""
    home = Home(dut, random.Random(cocotb.RANDOM_SEED), 0.0)
    await home.reset()
    writes = int(os.environ["WRITES"])
    stuck = (home.ram.write_if.aw_channel, home.ram.write_if.w_channel, home.ram.write_if.b_channel)
    for held in (True, False):
        for channel in stuck:
            channel.pause = held
        for i in range(writes):
            await home.issue((1, 1, BASE + 64 * i, 0xFFFF, 0, line_of(1000 * held + i)))
        while home.beats:
            # Beats beyond the FIFO of 16 wait for the write channel; the lines already here are enough.
            if held and len(home.beats) <= 4 * writes - 16:
                break
            await home.step()
        await home.step()
        for i in range(min(writes, 4)):
            for line, address, beats in ((1, 0, 4), (0, 16 * (i % 4), 1)):
                await home.issue((0, line, BASE + 64 * i + address, 0xFFFF, 1, []))
                asked, done = home.t, len(home.finished)
                while len(home.finished) == done:
                    await home.step()
                assert home.t - asked == 3 + beats - 1, "the first beat three cycles after the bus's command, then one a cycle"
        assert home.asked == 0, "the line is kept: no read of memory"
        for channel in stuck:
            channel.pause = False
        await home.drain()
    assert len(home.finished) == 2 * 2 * min(writes, 4)


@cocotb.test
async def test_a_line_is_kept_whatever_follows_it(dut):
    """The next command may come in any cycle of the line's data, also in that of its last beat."""
    home = Home(dut, random.Random(cocotb.RANDOM_SEED), 0.0)
    await home.reset()
    for gap in range(10):
        line = BASE + 0x1000 * gap
        await home.issue((1, 1, line, 0xFFFF, 0, line_of(gap)))
        for _ in range(gap):
            await home.step()
        await home.issue((1, 1, line + 64, 0xFFFF, 0, line_of(99)))
        while home.beats:
            await home.step()
        await home.issue((0, 1, line, 0xFFFF, 2, []))
        await home.drain()
        assert home.asked == 0, f"command {gap} cycles later: the line was not kept"


@cocotb.test
async def test_a_write_of_a_part_ends_the_keeping(dut):
    """A line written whole and then in part is read from memory, with both, after the second write's response."""
    home = Home(dut, random.Random(cocotb.RANDOM_SEED), 0.0)
    await home.reset()
    for gap in (0, 1, 2, 4, 6, 30):
        await home.issue((1, 1, BASE + 0x400, 0xFFFF, 0, line_of(7 + gap)))
        for _ in range(gap):
            await home.step()
        await home.issue((1, 0, BASE + 0x410, 0x0FF0, 0, [0x5555 << 48]))
        before = home.asked
        await home.issue((0, 1, BASE + 0x400, 0xFFFF, 3, []))
        await home.drain()
        assert home.asked == before + 1


@cocotb.test
async def test_a_place_is_used_again(dut):
    """A line pushed out by `writes` others comes from memory, right; the others are kept; the same line twice: the newer."""
    home = Home(dut, random.Random(cocotb.RANDOM_SEED), 0.0)
    await home.reset()
    writes = int(os.environ["WRITES"])
    for i in range(3 * writes + 1):
        await home.issue((1, 1, BASE + 64 * i, 0xFFFF, 0, line_of(i)))
        while home.beats:
            await home.step()
        if i >= writes:
            before = home.asked
            await home.issue((0, 1, BASE + 64 * (i - writes), 0xFFFF, 1, []))
            await home.drain()
            assert home.asked == before + 1, "an old line is no longer kept"
            await home.issue((0, 1, BASE + 64 * (i - writes + 1), 0xFFFF, 1, []))
            await home.drain()
            assert home.asked == before + 1, "the oldest of the last lines is kept"
    before = home.asked
    for n in range(3):
        await home.issue((1, 1, BASE + 64, 0xFFFF, 0, line_of(500 + n)))
        while home.beats:
            await home.step()
        await home.issue((0, 1, BASE + 64, 0xFFFF, 1, []))
        await home.drain()
    assert home.asked == before


@pytest.mark.parametrize("writes", [2, 8])
def test_dram_home(writes):
    run_unit("bus/DramHome", {"writes": writes}, env={"WRITES": str(writes)})
