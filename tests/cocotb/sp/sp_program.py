"""Small rv32 programs for the sP: assembled with the header made from the RTL, loaded through the host port."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HEADER = ROOT / "build" / "include" / "niu_regs.h"

# The dispatch loop of docs/design/service-processor.md. s0 = NIU_BASE and ra = loop survive a handler.
DISPATCH = """
dispatch:
    li   s0, NIU_BASE
    la   ra, loop
loop:
    lw   t0, NIU_EV_NEXT(s0)
    lw   a0, NIU_EV_ARG(s0)
    lw   a1, NIU_EV_META(s0)
    jr   t0
"""

# Every event goes to `handler` until a program says otherwise. Traps report mcause and stop.
PROLOGUE = """
#include "niu_regs.h"
    .option norvc
    .text
    .globl _start
_start:
    j    start
    .org 0x20
    csrr t0, mcause
    li   t1, NIU_BASE
    sw   t0, NIU_TRAP(t1)
stop:
    j    stop
start:
    li   s0, NIU_BASE
    li   s1, SP_DRAM_BASE
    li   t1, NIU_BASE + NIU_HANDLER(0)
    li   t2, 128
    la   t0, handler
fill:
    sw   t0, 0(t1)
    addi t1, t1, 4
    addi t2, t2, -1
    bnez t2, fill
"""


def make_header():
    subprocess.run([ROOT / "tools" / "niuheader"], check=True)


def assemble(name, body):
    """Words of a program and its symbols. `body` follows the prologue and must hold the label `handler`."""
    out = ROOT / "build" / "cocotb" / "sp-programs"
    out.mkdir(parents=True, exist_ok=True)
    source, elf, binary = out / f"{name}.S", out / f"{name}.elf", out / f"{name}.bin"
    source.write_text(PROLOGUE + body)
    prefix = "riscv64-unknown-elf-"
    subprocess.run(
        [prefix + "gcc", "-march=rv32im", "-mabi=ilp32", "-misa-spec=2.2", "-nostdlib", "-nostartfiles", "-Wl,-Ttext=0,-m,elf32lriscv",
         f"-I{HEADER.parent}", "-o", elf, source], check=True)  # fmt: skip
    subprocess.run([prefix + "objcopy", "-O", "binary", "-j", ".text", elf, binary], check=True)
    symbols = {}
    for line in subprocess.run([prefix + "nm", elf], check=True, capture_output=True, text=True).stdout.splitlines():
        address, _, symbol = line.split()
        symbols[symbol] = int(address, 16)
    data = binary.read_bytes()
    data += bytes(-len(data) % 4)
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)], symbols
