"""aPs run a C program from DRAM through both caches, the real Site Bus and DRAM home."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from cocotbext.axi import AxiBus, AxiRam
from harness import run_unit
from kit import Bench, Monitor, Pins, test

SOURCE = Path(__file__).with_name("ap_program.c")
PREFIX = "riscv64-unknown-elf-"


def image() -> bytes:
    """The program, linked at the private window, zeroed data included (the bench's DRAM is zero)."""
    with tempfile.TemporaryDirectory() as folder:
        elf, binary = Path(folder, "program.elf"), Path(folder, "program.bin")
        script = Path(folder, "link.ld")
        script.write_text("SECTIONS { . = 0x40000000; .text : { *(.text.start) *(.text*) } "
                          ".data : { *(.rodata*) *(.srodata*) *(.data*) *(.sdata*) *(.bss*) *(.sbss*) } }\n")
        subprocess.run([f"{PREFIX}gcc", f"-march=rv32im{'a' * (os.environ.get('ATOMICS') == '1')}", "-mabi=ilp32", "-misa-spec=2.2", "-O2", "-ffreestanding", "-nostdlib",
                        "-Wall", "-Werror", "-T", script, SOURCE, "-o", elf, "-lgcc"], check=True)
        subprocess.run([f"{PREFIX}objcopy", "-O", "binary", elf, binary], check=True)
        return binary.read_bytes()


@test(timeout=400_000)
async def test_program_runs_on_every_ap(dut):
    """Arithmetic, traps, private window, false sharing, message passing and store buffering: each aP ends with 0. An aP that
    is not released makes no access."""
    aps = int(os.environ["APS"])
    program = image()
    bench, pins = Bench(dut), Pins(dut)
    ram = AxiRam(AxiBus.from_prefix(dut, "axi"), dut.clk, dut.reset, size=16 << 20)
    for channel in (ram.write_if, ram.read_if):
        channel.log.setLevel("WARNING")
    for i in range(aps):
        ram.write(i << 21, program)
        ram.write((i << 21) + 0x10_0000, i.to_bytes(4, "little"))
    ends = [Monitor(bench, f"io_storeError_{i}") for i in range(aps)]
    await bench.start()
    for _ in range(20):
        await bench.tick()
        assert not dut.axi_arvalid.value, "an aP in reset fetches"
    pins.set("run", (1 << aps) - 1)
    await bench.until(lambda: all(end.got for end in ends), "end of every aP's program")
    ended = {i: ((end.got[0] - 0x1000_0000) // 4, end.at[0]) for i, end in enumerate(ends)}
    dut._log.info(f"aP: (code, cycles) {ended}")
    assert {i: code for i, (code, _) in ended.items()} == dict.fromkeys(range(aps), 0)


@pytest.mark.parametrize("aps,ways,fetch", [(2, 1, {}), (2, 2, {}), (2, 4, {"iBytes": 8192, "iWays": 2})])
def test_ap_core(aps, ways, fetch):
    run_unit("cache/ApSite", {"aps": aps, "ways": ways, **fetch}, env={"APS": str(aps)})


def test_ap_core_with_atomics():
    """The same program, and each instruction of the A extension: results, traps, counters of two aPs."""
    run_unit("cache/ApSite", {"aps": 2, "atomics": True}, env={"APS": "2", "ATOMICS": "1"})
