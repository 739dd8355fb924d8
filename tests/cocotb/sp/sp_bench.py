"""The sP under test with its surroundings: events, host, and the units its stores reach."""

import random

from kit import Bench, Monitor, Pins, Sink, Source
from kit.busmodel import SiteBus
from kit.programs import sp_program
from kit.registers import HostPort
from registers import NIU_BASE as NIU
from registers import SP_DRAM_BASE as DATA

HIGH, LOCAL, LOW = "high", "local", "low"


class Sp(Bench):
    """Start with `await Sp.started(dut, name, body)`; `hold=True` leaves the core in reset. bus: options of SiteBus."""

    def __init__(self, dut, **bus):
        super().__init__(dut)
        self.bus = SiteBus(self, masters={0: "io_bus"}, bypass=True, **bus)
        self.host = HostPort(self)
        self.events = {port: Source(self, f"io_{port}") for port in (HIGH, LOCAL, LOW)}
        self.sinks = Sink(self, "io_express", ("queue", "tag", "dest", "high", "data")), Sink(self, "io_command")
        self.express, self.commands = (sink.got for sink in self.sinks)
        self.console, self.traps = Monitor(self, "io_console").got, Monitor(self, "io_trap").got
        self.takes = Monitor(self, "io_probe_eventTake", ("index", "arg")).got
        self.regs: list[tuple[int, int, int]] = []  # write, address, data
        self.slots = random.randbytes(64 * 128)
        self.lines = [0] * 64  # brought to each slot
        self.pins = Pins(dut)
        self.add(self)

    @classmethod
    async def started(cls, dut, name: str, body: str, hold: bool = False, **bus) -> "Sp":
        sp = cls(dut, **bus)
        words, sp.symbols = sp_program(f"sp-{name}", body)
        await sp.start(engine_free=8, txFree_low=0x123, txFree_high=0x456, siteId=3, sites=4, spReset=1)
        for i, word in enumerate(words):
            await sp.host.write(4 * i, word)
        if not hold:
            dut.io_spReset.value = 0
        return sp

    def stall(self, chance: float) -> None:
        """Chance that Express and commands are not taken."""
        for sink in self.sinks:
            sink.pace = 1 - chance

    async def until(self, condition, what: str = "what the test waits for", limit: int = 20_000) -> None:
        await super().until(lambda: condition(), f"{what}; traps {self.traps}, console {bytes(self.console)!r}", limit)

    async def settled(self) -> None:
        """The program has filled its handler table and waits for events."""
        await self.until(lambda: self.pins.get("probe_waiting"), "EV_NEXT", 3000)

    async def push(self, port: str, index: int, arg: int = 0, meta: int = 0) -> None:
        """Pushes an event; returns when it was taken in."""
        self.events[port].send(index=index, arg=arg, meta=meta)
        await self.until(lambda: not self.events[port].queue, f"room for event {index}")

    def step(self) -> None:
        """Slot SRAM and register ports answer the cycle after."""
        pins = self.pins
        if pins.get("slot_read_valid"):
            at = 16 * pins.get("slot_read_payload")
            pins.set("slot_data", int.from_bytes(self.slots[at : at + 16], "little"))
        pins.set("slot_lines", self.lines[pins.get("slot_asked")])
        data = 0xDEADDEAD
        if pins.get("regs_command_valid"):
            write, address = pins.get("regs_command_payload_write"), pins.get("regs_command_payload_address")
            self.regs.append((write, address, pins.get("regs_command_payload_data")))
            data = 0 if write else (address * 0x9E3779B1) & 0xFFFFFFFF
        pins.set("regs_data", data)
