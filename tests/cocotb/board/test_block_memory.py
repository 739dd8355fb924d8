"""Block RAM in place of DRAM, against the AXI master of cocotbext-axi: two regions, [0, 192) and [4096, 5120)."""

import random

import cocotb
from cocotbext.axi import AxiBus, AxiMaster, AxiResp
from harness import run_unit
from kit import Bench, test

REGIONS = [(0, 192), (4096, 1024)]
FIRST = 0x0123456789ABCDEF.to_bytes(16, "little")


async def begun(dut) -> tuple[Bench, AxiMaster]:
    bench = Bench(dut)
    await bench.start()
    return bench, AxiMaster(AxiBus.from_prefix(dut, "axi"), dut.clk, dut.reset)


@test(timeout=2000)
async def test_contents_are_there_at_first(dut):
    """Before any other test writes: a reset does not bring them back."""
    _, master = await begun(dut)
    assert (await master.read(4096, 32)).data == FIRST + bytes(16)


@test(timeout=60_000)
async def test_what_is_written_is_read(dut):
    """Random writes of any bytes, within a line, and reads of lines in both regions: what a model holds."""
    bench, master = await begun(dut)
    for channel in (master.write_if.b_channel, master.read_if.r_channel):
        channel.set_pause_generator(iter(lambda: random.random() < 0.3, None))
    model = {base: bytearray(size) for base, size in REGIONS}
    for base, size in REGIONS:  # what is there at first is anything but for the contents
        await master.write(base, bytes(size))
    for _ in range(200):
        base, size = random.choice(REGIONS)
        line = random.randrange(0, size, 64)
        if random.random() < 0.5:
            at = random.randrange(64)
            data = random.randbytes(random.randint(1, 64 - at))
            answer = await master.write(base + line + at, data)
            model[base][line + at : line + at + len(data)] = data
        else:
            answer = await master.read(base + line, 64)
            assert answer.data == model[base][line : line + 64]
        assert answer.resp == AxiResp.OKAY
    assert not bench.dut.io_stray.value


@test(timeout=5000)
@cocotb.parametrize(address=[192, 256, 2048, 4096 - 64, 5120, 1 << 31])
async def test_elsewhere_is_an_error_and_changes_nothing(dut, address):
    bench, master = await begun(dut)
    strays = []
    bench.add(type("Watch", (), {"step": lambda self: strays.append(int(dut.io_stray.value))})())
    cocotb.start_soon(bench.tick(5000))
    for base, _ in REGIONS:
        await master.write(base, bytes(range(64)))
    await bench.tick(3)
    assert not any(strays)
    assert (await master.write(address, bytes([0xFF] * 64))).resp == AxiResp.SLVERR
    await bench.tick(3)
    assert sum(strays) == 4
    answer = await master.read(address, 64)
    assert answer.resp == AxiResp.SLVERR and answer.data == bytes(64)
    for base, _ in REGIONS:
        assert (await master.read(base, 64)).data == bytes(range(64))


def test_block_memory():
    run_unit("board/BlockMemory")
