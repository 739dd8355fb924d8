"""Small rv32 programs for the processors of a site, assembled with the header made from the RTL."""

import subprocess

import registers  # makes the header, too
from harness import ROOT

HEADERS = ROOT / "build" / "include"

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
SP_PROLOGUE = """
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

HEAD = """
#include "niu_regs.h"
    .option norvc
    .text
    .globl _start
_start:
    j    start
"""


def _assemble(name: str, source: str, base: int) -> tuple[bytes, dict[str, int]]:
    out = ROOT / "build" / "cocotb" / "programs"
    out.mkdir(parents=True, exist_ok=True)
    file, elf, binary = (out / f"{name}.{kind}" for kind in ("S", "elf", "bin"))
    file.write_text(source)
    prefix = "riscv64-unknown-elf-"
    subprocess.run(
        [prefix + "gcc", "-march=rv32im", "-mabi=ilp32", "-misa-spec=2.2", "-nostdlib", "-nostartfiles", f"-Wl,-Ttext={base:#x},-m,elf32lriscv",
         f"-I{HEADERS}", "-o", elf, file], check=True)  # fmt: skip
    subprocess.run([prefix + "objcopy", "-O", "binary", "-j", ".text", elf, binary], check=True)
    symbols = {}
    for line in subprocess.run([prefix + "nm", elf], check=True, capture_output=True, text=True).stdout.splitlines():
        address, _, symbol = line.split()
        symbols[symbol] = int(address, 16)
    return binary.read_bytes(), symbols


def sp_program(name: str, body: str) -> tuple[list[int], dict[str, int]]:
    """Words of a program of the sP and its symbols. `body` follows the prologue and must hold the label `handler`."""
    data, symbols = _assemble(name, HEAD + SP_PROLOGUE + body, 0)
    data += bytes(-len(data) % 4)
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)], symbols


def ap_program(name: str, body: str) -> bytes:
    """Image of a program of an aP, linked at its private window; `body` must not return. s0 = the aP's registers."""
    return _assemble(name, f"{HEAD}start:\n    li   s0, AP_BASE\n{body}", registers.AP_PRIVATE_BASE)[0]
