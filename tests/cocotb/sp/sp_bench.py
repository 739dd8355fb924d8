"""The sP under test with its surroundings: events, host, and the units its stores reach."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from registers import NIU_BASE as NIU
from registers import SP_DRAM_BASE as DATA
from site_bus_target import SiteBusTarget
from sp_program import assemble

HIGH, LOCAL, LOW = "high", "local", "low"


class Sp:
    """Start with `await Sp.start(dut, name, body)`; `hold=True` leaves the core in reset."""

    def __init__(self, dut):
        self.dut = dut
        self.console, self.traps, self.takes, self.commands, self.express, self.regs = [], [], [], [], [], []
        self.cycle = 0
        self.stall = 0.0
        self.slots = random.Random(5).randbytes(64 * 128)
        self.lines = [0] * 64  # brought to each slot

    @classmethod
    async def start(cls, dut, name, body, hold=False, **bus):
        sp = cls(dut)
        words, sp.symbols = assemble(name, body)
        for port in (HIGH, LOCAL, LOW):
            getattr(dut, f"io_{port}_valid").value = 0
        for pin in ("io_host_command_valid", "io_express_ready", "io_command_ready", "io_regs_data", "io_slot_data", "io_slot_lines",
                    "io_engine_busy"):  # fmt: skip
            getattr(dut, pin).value = 0
        dut.io_engine_free.value = 8
        dut.io_txFree_low.value, dut.io_txFree_high.value = 0x123, 0x456
        dut.io_siteId.value, dut.io_sites.value = 3, 4
        dut.io_spReset.value = 1
        dut.reset.value = 1
        sp.bus = SiteBusTarget(dut, **bus)
        sp.tasks = [cocotb.start_soon(Clock(dut.clk, 10, "ns").start())]
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.reset.value = 0
        sp.tasks += [cocotb.start_soon(sp.watch()), cocotb.start_soon(sp.bus.run())]
        for i, word in enumerate(words):
            await sp.host_write(4 * i, word)
        if not hold:
            dut.io_spReset.value = 0
        return sp

    def halt(self):
        """Ends the surroundings, so that the test can start a program again."""
        for task in self.tasks:
            task.cancel()

    async def wait(self, cycles):
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)

    async def until(self, condition, limit=20000, what="condition"):
        for _ in range(limit):
            if condition():
                return
            await RisingEdge(self.dut.clk)
        raise AssertionError(f"{what}: not within {limit} cycles; traps {self.traps}, console {bytes(self.console)!r}")

    async def settled(self):
        """The program has filled its handler table and waits for events."""
        await self.until(lambda: bool(self.dut.io_probe_waiting.value), limit=3000, what="EV_NEXT")

    async def host_write(self, address, data):
        await self._host(1, address, data)

    async def host_read(self, address):
        await self._host(0, address, 0)
        while not self.dut.io_host_response_valid.value:
            await RisingEdge(self.dut.clk)
        return int(self.dut.io_host_response_payload.value)

    async def _host(self, write, address, data):
        d = self.dut
        d.io_host_command_valid.value = 1
        d.io_host_command_payload_write.value = write
        d.io_host_command_payload_address.value = address
        d.io_host_command_payload_data.value = data
        while True:
            await RisingEdge(d.clk)
            if d.io_host_command_ready.value:
                break
        d.io_host_command_valid.value = 0

    async def push(self, port, index, arg=0, meta=0):
        """Pushes an event; returns when it was taken in."""
        pin = lambda name: getattr(self.dut, f"io_{port}_{name}")
        pin("valid").value = 1
        pin("payload_index").value, pin("payload_arg").value, pin("payload_meta").value = index, arg, meta
        while True:
            await RisingEdge(self.dut.clk)
            if pin("ready").value:
                break
        pin("valid").value = 0

    async def watch(self):
        """Every output of the sP, each cycle. `stall`: chance that Express and command are not ready."""
        d = self.dut
        command = [n for n in dir(d) if n.startswith("io_command_payload_")]
        slot_address, reg_read = None, None
        while True:
            ready = random.random() >= self.stall
            d.io_express_ready.value, d.io_command_ready.value = int(ready), int(ready)
            await RisingEdge(d.clk)
            self.cycle += 1
            if d.io_console_valid.value:
                self.console.append(int(d.io_console_payload.value))
            if d.io_trap_valid.value:
                self.traps.append(int(d.io_trap_payload.value))
            if d.io_probe_eventTake_valid.value:
                self.takes.append((int(d.io_probe_eventTake_payload_index.value), int(d.io_probe_eventTake_payload_arg.value)))
            if d.io_command_valid.value and ready:
                self.commands.append({n.removeprefix("io_command_payload_"): int(getattr(d, n).value) for n in command})
            if d.io_express_valid.value and ready:
                self.express.append(tuple(int(getattr(d, f"io_express_payload_{n}").value) for n in ("queue", "tag", "dest", "high", "data")))
            if d.io_slot_read_valid.value:
                at = 16 * int(d.io_slot_read_payload.value)
                d.io_slot_data.value = int.from_bytes(self.slots[at : at + 16], "little")
            d.io_slot_lines.value = self.lines[int(d.io_slot_asked.value)]
            if d.io_regs_command_valid.value:
                write, address = int(d.io_regs_command_payload_write.value), int(d.io_regs_command_payload_address.value)
                self.regs.append((write, address, int(d.io_regs_command_payload_data.value)))
                d.io_regs_data.value = 0 if write else (address * 0x9E3779B1) & 0xFFFFFFFF
            else:
                d.io_regs_data.value = 0xDEADDEAD
