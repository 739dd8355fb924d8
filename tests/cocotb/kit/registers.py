"""The register port of a unit (RegPort), as the sP drives it."""

from kit.bench import Bench
from kit.pins import Pins


class RegPort:
    """One access a cycle at most; what is read comes the cycle after."""

    def __init__(self, bench: Bench, prefix: str = "io_regs"):
        self.bench, self.pins = bench, Pins(bench.dut, prefix)
        self.pins.set("command_valid", 0)

    def present(self, address: int, data: int | None) -> None:
        """Puts an access on the port for the next cycle (`data` None: a read), to be followed by `idle`."""
        self.pins.drive(command_valid=1, command_payload_address=address, command_payload_write=int(data is not None),
                        command_payload_data=data or 0)  # fmt: skip

    def idle(self) -> None:
        self.pins.set("command_valid", 0)

    async def write(self, address: int, data: int) -> None:
        self.present(address, data)
        await self.bench.tick()
        self.idle()

    async def read(self, address: int) -> int:
        self.present(address, None)
        await self.bench.tick()
        self.idle()
        await self.bench.tick()
        return self.pins.get("data")
