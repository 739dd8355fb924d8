"""Clearing an aP's bit of AP_RUN in traffic: it owes the bus nothing, and starts again with its first instruction."""

import random
import subprocess
import tempfile
from pathlib import Path

from cocotbext.axi import AxiBus, AxiRam
from harness import run_unit
from kit import Bench, Pins, test

# Stored once, by the last word of the program's first line. A beat of the fetch before the stop would turn that line round: the store
# would come before its first word, with the s1 that the program had when it was stopped.
MARKER = 0x80A0_0000
PROGRAM = f"""
  li s0, 0x80800000
  li s1, {MARKER:#x}
  .rept 13
  nop
  .endr
  sw s0, 0(s1)
  mv s1, s0
loop:
  .set i, 0
  .rept 40
  .balign 64
  lw t0, 64 * (i % 9)(s0)
  addi t0, t0, 1
  sw t0, 64 * (i % 9) + 1024(s0)
  sw t0, 64 * (i % 7)(s0)
  .set i, i + 1
  .endr
  j loop
"""


def image() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source, elf, binary = (Path(folder, f"program.{e}") for e in ("s", "elf", "bin"))
        source.write_text(PROGRAM)
        tool = "riscv64-unknown-elf-"
        subprocess.run([f"{tool}gcc", "-march=rv32i", "-mabi=ilp32", "-nostdlib", "-Wl,-Ttext=0x40000000", source, "-o", elf], check=True)
        subprocess.run([f"{tool}objcopy", "-O", "binary", elf, binary], check=True)
        return binary.read_bytes()


@test(timeout=200_000)
async def test_a_core_reset_leaves_nothing_behind(dut):
    """aP 1 is stopped and released at any moment: its first access is its program's first, and aP 0 never stops."""
    bench, pins = Bench(dut), Pins(dut)
    ram = AxiRam(AxiBus.from_prefix(dut, "axi"), dut.clk, dut.reset, size=16 << 20)
    for channel in (ram.write_if, ram.read_if):
        channel.log.setLevel("WARNING")
    for i in range(2):
        ram.write(i << 21, image())
    await bench.start()
    quiet, first, running = [0, 0], False, False
    stops = 0

    class Watch:
        def step(self) -> None:
            nonlocal first
            for i in range(2):
                commit = pins.get(f"probe_{i}_commit_valid")
                quiet[i] = 0 if commit or i == 1 and not running else quiet[i] + 1
                assert quiet[i] < 2500, f"aP {i} makes no access for 2500 cycles, after {stops} stops"
            if pins.get("probe_1_commit_valid") and running and first:
                address = pins.get("probe_1_commit_payload_address")
                assert address == MARKER, f"stop {stops}: the first access is to {address:#x}, right is {MARKER:#x}"
                first = False

    async def into_a_fetch() -> None:
        """To some cycle between the read of a line of aP 1's code and its last beat."""
        await bench.until(lambda: dut.axi_arvalid.value and int(dut.axi_araddr.value) >> 21 == 1, "fetch of aP 1")
        await bench.tick(random.randrange(16))

    pins.set("run", 1)
    await bench.tick()
    bench.add(Watch())
    await bench.tick(1000)
    for stops in range(200):
        running, first = True, True
        pins.set("run", 3)
        await bench.tick(random.choice((random.randrange(1, 60), random.randrange(150, 700), random.randrange(700, 1200))))
        if stops % 2:
            await into_a_fetch()
        running = False
        pins.set("run", 1)
        await bench.tick(random.choice((1, 2, 3, 5, 8, 30)))
    running, first = True, True
    pins.set("run", 3)
    await bench.tick(1000)
    assert not first, "aP 1 never came to its first access"


def test_core_reset():
    run_unit("cache/ApSite", {"aps": 2})
