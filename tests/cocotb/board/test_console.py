"""Consoles on a UART line, 8 cycles a bit: 8 MHz, 1 Mbaud, FIFOs of 16."""

from harness import run_unit
from kit import Bench, Source, test

BIT = 8


class Line:
    """What the line says. A frame that is none is None."""

    def __init__(self, bench: Bench):
        self.pin, self.got, self.samples = bench.dut.io_line, [], []
        bench.add(self)

    def step(self) -> None:
        level = int(self.pin.value)
        if not self.samples and level:
            return
        self.samples.append(level)
        if len(self.samples) == 10 * BIT:
            bits = self.samples[BIT // 2 :: BIT]
            self.got.append(sum(bit << i for i, bit in enumerate(bits[1:9])) if not bits[0] and bits[9] else None)
            self.samples = []


class Console(Bench):
    def __init__(self, dut):
        super().__init__(dut)
        self.ap, self.sp, self.line = Source(self, "io_ap"), Source(self, "io_sp"), Line(self)
        self.lost = 0
        self.add(self)

    def step(self) -> None:
        self.lost += int(self.dut.io_lost.value)

    async def said(self, count: int) -> bytes:
        """All that the line says: `count` characters."""
        await self.until(lambda: len(self.line.got) >= count, f"character {count}", 12 * BIT * (count + 1))
        await self.tick(15 * BIT)
        assert None not in self.line.got
        return bytes(self.line.got)


@test(timeout=10_000)
async def test_characters_come_in_order(dut):
    bench = await Console(dut).start()
    text = bytes([0, 255, 0x55, 0xAA, *b"hello\n"])
    bench.ap.send(*text)
    assert await bench.said(len(text)) == text and not bench.lost


@test(timeout=10_000)
async def test_what_is_no_text_is_left_out(dut):
    """A host call, stderr and stdout; a character after DLE is text whatever it is, DLE too."""
    bench = await Console(dut).start()
    bench.ap.send(*b"a\x05b\x0ec\x0fd\x10\x05\x10\x10e")
    assert await bench.said(7) == b"abcd\x05\x10e"


@test(timeout=10_000)
async def test_the_sp_goes_first(dut):
    """It finds the characters of the aP waiting, and one on its way."""
    bench = await Console(dut).start()
    bench.ap.send(*b"aaaaaaaa")
    await bench.tick(12)
    bench.sp.send(*b"\x05S\n")
    assert await bench.said(11) == b"a\x05S\naaaaaaa"


@test(timeout=20_000)
async def test_what_finds_no_room_is_lost_and_told(dut):
    bench = await Console(dut).start()
    bench.ap.send(*range(65, 91))
    said = await bench.said(16)
    assert bench.lost == 26 - len(said) > 0 and said == bytes(range(65, 65 + len(said)))


def test_console():
    run_unit("board/Console")
