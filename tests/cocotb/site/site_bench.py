"""A whole site with its memory, its link and the host; programs for its sP and aPs."""

import os

from kit import Bench, Monitor
from kit.busroles import AxiMemory
from kit.links import LinkReceiver, LinkSender
from kit.packets import Packet
from kit.programs import DISPATCH, ap_program, sp_program
from kit.registers import HostPort
from kit.sitebus import BASE, LINE
from registers import AP_PRIVATE_BYTES, NIU_AP_RUN, NIU_BASE, NIU_TRANSLATION

SITE, SITES = 5, 8
MEMORY = int(os.environ.get("MEMORY", 8 << 20))
HEAP = BASE + MEMORY // 2
NOBODY = 0xE000_0000


def faults_go_to(handler: str) -> str:
    """Start of a firmware: `handler` takes all 32 faults of lines; then a "k" on the console, and the dispatch loop."""
    return f"""
    la   t0, {handler}
    li   t1, NIU_BASE + NIU_HANDLER(32)
    li   t2, 32
faults:
    sw   t0, 0(t1)
    addi t1, t1, 4
    addi t2, t2, -1
    bnez t2, faults
    li   t0, 'k'
    sw   t0, NIU_CONSOLE(s0)
{DISPATCH}
"""


# Opens a line that an aP faulted on for reading and writing; every other event is only taken.
OPEN = f"""
{faults_go_to("open")}
open:
    li   t1, NIU_CMD_CTRL_SET_TAG(1) + NIU_CMD_CTRL_NEXT(3) + NIU_CMD_CTRL_APPROVE(1)
    sw   t1, NIU_CMD_CTRL(s0)
    sw   a0, NIU_LAUNCH_TAG(s0)
handler:
    ret
"""


class Site(Bench):
    """One site, number SITE. `taken`: (event, arg) as the sP takes them; `sent`: packets on the link out."""

    def __init__(self, dut, latency: int = 12):
        super().__init__(dut)
        self.aps = int(os.environ["APS"])
        self.memory = AxiMemory(self, latency=latency)
        self.host = HostPort(self)
        self.sent: list[Packet] = []
        self.link_out = LinkReceiver(self, "io_link_out", lambda flits, vc: self.sent.append(Packet.parse(flits, vc)))
        self.link_in = LinkSender(self, "io_link_in")
        self.console, self.exits, self.marks = (Monitor(self, f"io_{name}", ("ap", "value")) for name in ("apConsole", "exit", "mark"))
        self.sp_console, self.traps = Monitor(self, "io_spConsole"), Monitor(self, "io_trap")
        self.taken = Monitor(self, "io_probe_take", ("index", "arg"))

    async def boot(self, sp: str = OPEN, **aps: str) -> "Site":
        """Loads the sP's program through the host port and those of `ap0` to `ap3` into their DRAM; the sP runs, no aP does."""
        await self.start(siteId=SITE, sites=SITES, spReset=1)
        self.words, self.symbols = sp_program("site-sp", sp)
        for i, word in enumerate(self.words):
            await self.host.write(4 * i, word)
        for name, body in aps.items():
            image = ap_program(f"site-{name}", body)
            for at in range(0, len(image), LINE):
                line = self.memory.lines[BASE + int(name[2:]) * AP_PRIVATE_BYTES + at]
                line[:] = image[at : at + LINE].ljust(LINE, b"\0")
        self.dut.io_spReset.value = 0
        await self.until(lambda: self.sp_console.got, "life sign of the sP", 5000)
        return self

    async def run_aps(self, mask: int | None = None) -> None:
        await self.host.write(NIU_BASE + NIU_AP_RUN, (1 << self.aps) - 1 if mask is None else mask)

    async def ended(self, limit: int = 30_000) -> dict[int, int]:
        """Exit status by aP, when all have ended."""
        await self.until(lambda: len(self.exits.got) >= self.aps, f"{self.aps} exits", limit)
        return dict(self.exits.got)

    async def name(self, queue: int, dest: int, *, site: int, rxq: int, source: int) -> None:
        """A row of the name translation."""
        await self.host.write(NIU_BASE + NIU_TRANSLATION(queue * 512 + dest), 1 << 31 | source << 15 | rxq << 6 | site)


def express(*, queue: int, dest: int, tag: int = 0, high: int = 0) -> int:
    """Address bits of an Express transmit store."""
    return queue << 17 | tag << 12 | dest << 3 | high << 2
