"""The firmware's own fw/bare/start.S, fw/site/dispatch.S and link.ld on the sP: start-up, dispatch loop, trap entry (BZ-22)."""

import random
import subprocess

import registers as niu
from harness import ROOT, run_unit
from kit import Bench, Monitor, Source, test
from kit.registers import HostPort

OUT = ROOT / "build" / "cocotb" / "firmware-start"
HIGH, LOCAL, LOW = "high", "local", "low"
PORTS = (HIGH, LOCAL, LOW)

# What they call. The log is in .bss, which start.S clears; event 31 is a handler that runs into an illegal instruction.
PROGRAM = """
#include "niu_regs.h"
    .text
    .globl firmware_init, firmware_trap, handler
firmware_init:
    li   t0, NIU_BASE + NIU_HANDLER(0)
    li   t1, 128
    la   t2, handler
1:  sw   t2, 0(t0)
    addi t0, t0, 4
    addi t1, t1, -1
    bnez t1, 1b
    li   t0, NIU_BASE
    la   t2, idle
    sw   t2, NIU_HANDLER(EVENT_IDLE)(t0)
    la   t2, broken
    sw   t2, NIU_HANDLER(31)(t0)
    la   t0, log
    sw   sp, -8(t0)
    sw   gp, -12(t0)
    ret
handler:
    la   t0, log
    lw   t1, -4(t0)
    add  t2, t0, t1
    sw   a0, 0(t2)
    sw   a1, 4(t2)
    addi t1, t1, 8
    sw   t1, -4(t0)
idle:
    ret
broken:
    .word 0xFFFFFFFF
firmware_trap:
    la   t0, log
    sw   a0, 0(t0)
    sw   a1, 4(t0)
    sw   sp, 8(t0)
    li   t1, NIU_BASE
    sw   a0, NIU_TRAP(t1)
2:  j    2b
    .bss
    .balign 32
    .space 32
log:
    .space 4064
"""


def linked() -> tuple[list[int], dict[str, int]]:
    """Words of the instruction RAM, and symbols."""
    OUT.mkdir(parents=True, exist_ok=True)
    source, script, elf, binary = (OUT / name for name in ("program.S", "link.ld", "program.elf", "program.bin"))
    source.write_text(PROGRAM)
    prefix, include = "riscv64-unknown-elf-", f"-I{ROOT}/build/include"
    subprocess.run([prefix + "cpp", "-P", "-D__ASSEMBLER__", include, "-o", script, ROOT / "fw/bare/link.ld"], check=True)
    subprocess.run([prefix + "gcc", "-march=rv32im", "-mabi=ilp32", "-misa-spec=2.2", "-nostdlib", include, f"-Wl,-T,{script}", "-o", elf,
                    ROOT / "fw/bare/start.S", ROOT / "fw/site/dispatch.S", source], check=True)  # fmt: skip
    subprocess.run([prefix + "objcopy", "-O", "binary", "-j", ".text", elf, binary], check=True)
    names = subprocess.run([prefix + "nm", elf], check=True, capture_output=True, text=True).stdout.split()
    data = binary.read_bytes()
    data += bytes(-len(data) % 4)
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)], dict(zip(names[2::3], (int(a, 16) for a in names[::3])))


class Sp(Bench):
    """The sP with the program; data RAM holds anything before it starts."""

    def __init__(self, dut):
        super().__init__(dut)
        self.host = HostPort(self)
        self.events = {port: Source(self, f"io_{port}") for port in PORTS}
        self.takes = Monitor(self, "io_probe_eventTake", ("index", "arg")).got
        self.traps = Monitor(self, "io_trap").got

    @classmethod
    async def started(cls, dut) -> "Sp":
        sp = cls(dut)
        words, sp.symbols = linked()
        sp.log = sp.symbols["log"]
        await sp.start(engine_free=8, siteId=3, sites=4, spReset=1)
        for i, word in enumerate(words):
            await sp.host.write(4 * i, word)
        for address in range(sp.symbols["__bss_start"], sp.symbols["__bss_end"] + 64, 4):
            await sp.host.write(address, 0xDEAD0000 | address & 0xFFFF)
        dut.io_spReset.value = 0
        await sp.until(lambda: dut.io_probe_waiting.value == 1, "EV_NEXT", 5000)
        return sp

    async def push(self, port: str, index: int, arg: int, meta: int) -> None:
        self.events[port].send(index=index, arg=arg, meta=meta)
        await self.until(lambda: not self.events[port].queue, f"room for event {index}", 2000)


@test(timeout=60_000)
async def test_start_up_clears_what_is_bss_and_nothing_else(dut):
    """And gives the stack its end of data RAM, and gp the linker's value."""
    sp = await Sp.started(dut)
    start, end = sp.symbols["__bss_start"], sp.symbols["__bss_end"]
    kept = {sp.log - 8: sp.symbols["__stack_top"], sp.log - 12: sp.symbols["__global_pointer$"]}
    for address in range(start, end, 4):
        assert await sp.host.read(address) == kept.get(address, 0), hex(address)
    for address in range(end, end + 64, 4):
        assert await sp.host.read(address) == 0xDEAD0000 | address & 0xFFFF, hex(address)


@test(timeout=60_000)
async def test_handler_starts_within_8_cycles(dut):
    """From an event visible at a FIFO's head to the first instruction of its handler in execute; the same after any number of them."""
    sp = await Sp.started(dut)
    core, worst = dut.processor_core.cpu, {}
    for port in PORTS * 8:
        await sp.tick(20 + random.randrange(30))
        await sp.push(port, random.randrange(31), 1, 2)
        await sp.until(lambda: dut.unit.events.io_next_valid.value == 1, "the event at its FIFO's head", 20)
        visible = sp.cycle
        await sp.until(lambda: int(core.execute_PC.value) == sp.symbols["handler"] and core.execute_arbitration_isValid.value == 1, "its handler", 50)
        worst[port] = max(worst.get(port, 0), sp.cycle - visible)
    dut._log.info(f"dispatch: head valid to handler in execute {worst}")
    assert max(worst.values()) <= 8


@test(timeout=60_000)
async def test_each_handler_gets_its_operands_once(dut):
    sp = await Sp.started(dut)
    sent = []
    for n in range(100):
        event = random.getrandbits(32), n
        sent.append(event)
        await sp.push(random.choice(PORTS), random.randrange(31), *event)
        if random.random() < 0.3:
            await sp.tick(60)
    await sp.until(lambda: sum(index != niu.EVENT_IDLE for index, _ in sp.takes) == 100, "100 events taken", 5000)
    await sp.tick(100)
    assert await sp.host.read(sp.log - 4) == 800
    log = [(await sp.host.read(sp.log + 8 * i), await sp.host.read(sp.log + 8 * i + 4)) for i in range(100)]
    assert sorted(log, key=lambda event: event[1]) == sent


@test(timeout=60_000)
async def test_a_trap_reaches_firmware_trap_on_a_fresh_stack(dut):
    """Cause and pc of the illegal instruction in the operands."""
    sp = await Sp.started(dut)
    await sp.push(LOW, 31, 0, 0)
    await sp.until(lambda: sp.traps, "the trap pin", 500)
    await sp.tick(20)
    assert sp.traps == [2]
    assert [await sp.host.read(sp.log + 4 * i) for i in range(3)] == [2, sp.symbols["broken"], sp.symbols["__stack_top"]]


def test_firmware_start():
    run_unit("sp/ServiceProcessor")
