"""Registers as the sP reaches them (RegPort), and as the host does."""

from kit.bench import Bench
from kit.pins import Pins
from kit.streams import Monitor, Source


class RegPort:
    """One access a cycle at most; what is read comes `latency` cycles after."""

    def __init__(self, bench: Bench, prefix: str = "io_regs", latency: int = 1):
        self.bench, self.pins, self.latency = bench, Pins(bench.dut, prefix), latency
        self.idle()

    def present(self, address: int, data: int | None) -> None:
        """Puts an access on the port for the next cycle (`data` None: a read), to be followed by `idle`."""
        self.pins.drive(command_valid=1, command_payload_address=address, command_payload_write=int(data is not None),
                        command_payload_data=data or 0)  # fmt: skip

    def idle(self) -> None:
        self.pins.drive(command_valid=0, command_payload_write=0)

    async def write(self, address: int, data: int) -> None:
        self.present(address, data)
        await self.bench.tick()
        self.idle()

    async def read(self, address: int) -> int:
        self.present(address, None)
        await self.bench.tick()
        self.idle()
        await self.bench.tick(self.latency)
        return self.pins.get("data")


class HostPort:
    """The host's access to all that the sP reaches (HostPort of Site and ServiceProcessor)."""

    def __init__(self, bench: Bench, prefix: str = "io_host"):
        self.bench = bench
        self.commands = Source(bench, f"{prefix}_command")
        self.responses = Monitor(bench, f"{prefix}_response")

    async def write(self, address: int, data: int) -> None:
        self.commands.send(write=1, address=address, data=data)
        await self.bench.until(lambda: not self.commands.queue, f"acceptance of the host's write to {address:#x}", 5000)

    async def read(self, address: int) -> int:
        due = len(self.responses.got) + 1
        self.commands.send(write=0, address=address, data=0)
        await self.bench.until(lambda: len(self.responses.got) >= due, f"response to the host's read of {address:#x}", 5000)
        return self.responses.got[-1]
