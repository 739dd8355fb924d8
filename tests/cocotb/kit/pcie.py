"""A card in a root complex: the bridge behind cocotbext-pcie's model of AMD's UltraScale+ block, which was not made with it."""

import logging
import random

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamBus
from cocotbext.pcie.core import RootComplex
from cocotbext.pcie.core.tlp import CplStatus, Tlp, TlpType
from cocotbext.pcie.core.utils import PcieId
from cocotbext.pcie.xilinx.us import UltraScalePlusPcieDevice
from cocotbext.pcie.xilinx.us.interface import UsPcieFrame
from kit.bench import Bench
from registers import HOST_CAPABILITY, HOST_CAPABILITY_KIND, HOST_CAPABILITY_NEXT, HOST_MSIX_ADDRESS, HOST_MSIX_PENDING

CONTROL, QUEUES, SHARED = 0, 2, 4  # BARs
PAGE = 4096
CONTROL_BYTES = 2 * PAGE  # registers, then interrupts


def enabled(length: int, first: int, last: int) -> list[int]:
    """The enabled bytes of a request of `length` dwords."""
    mask = first | (1 << 4 * (length - 1)) - 1 & ~0xF | (last << 4 * (length - 1) if length > 1 else 0)
    return [i for i in range(4 * length) if mask >> i & 1]


def random_enables(length: int) -> tuple[int, int]:
    """Legal byte enables: any for one or two dwords, none missing between the first and the last for more."""
    if length == 1:
        return random.randrange(16), 0
    if length == 2:
        return random.randrange(1, 16), random.randrange(1, 16)
    return random.choice([0xF, 0xE, 0xC, 0x8]), random.choice([0xF, 0x7, 0x3, 0x1])


class Watch:
    """Cycles from the first beat seen on CQ to the first last beat on CC."""

    def __init__(self, card: "Slot"):
        self.card, self.cycles, self.began = card, None, None

    def step(self) -> None:
        dut = self.card.dut
        if self.began is None and dut.io_cq_tvalid.value:
            self.began = self.card.cycle
        if self.cycles is None and dut.io_cc_tvalid.value and dut.io_cc_tlast.value:
            self.cycles = self.card.cycle - self.began


class Slot:
    """What a bench gains that has a card in a slot: the root complex and its host. The clock is that of the PCIe model, or, where the design
    has `userClk`, the bench's own beside it.

    `read` and `write` are TLPs of a host, `read_dword` and `write_dword` what a driver does.    errors: the frames (CC) of completions that
    tell one."""

    def plug(self, bars: dict[int, int]) -> None:
        dut = self.dut
        self.own_clock = hasattr(dut, "io_userClk")
        self.clk = dut.io_userClk if self.own_clock else dut.clk
        if not self.own_clock:
            Bench._clock = self  # none but the model's
        self.rc = RootComplex()
        # A BAR lies at any multiple of its size: addresses have bits above the offset that are not 0.
        self.rc.prefetchable_mem_base = self.rc.prefetchable_mem_limit = 0x8000_0000_3100_0000
        interrupts = dict(
            rq_bus=AxiStreamBus.from_prefix(dut, "io_rq"), cfg_interrupt_msix_enable=dut.io_msixEnable, cfg_interrupt_msix_mask=dut.io_msixMask,
            pf0_msix_enable=True, pf0_msix_table_size=len(HOST_MSIX_ADDRESS) - 1, pf0_msix_table_offset=HOST_MSIX_ADDRESS(0), pf0_msix_pba_offset=HOST_MSIX_PENDING,
        ) if hasattr(dut, "io_rq_tvalid") else {}  # fmt: skip
        self.device = UltraScalePlusPcieDevice(
            pcie_generation=3, pcie_link_width=2, user_clk_frequency=250e6, alignment="dword",
            user_clk=self.clk, cq_bus=AxiStreamBus.from_prefix(dut, "io_cq"), cc_bus=AxiStreamBus.from_prefix(dut, "io_cc"),
            pcie_cq_np_req=dut.io_npRequest, **interrupts,
        )  # fmt: skip
        self.rc.make_port().connect(self.device)
        for log in (logging.getLogger("cocotb.pcie"), self.device.cq_source.log, self.device.cc_sink.log):
            log.setLevel(logging.ERROR)
        for bar, size in bars.items():
            self.device.functions[0].configure_bar(bar, size, ext=bar == SHARED, prefetch=bar == SHARED)
        self.errors: list[list[int]] = []
        sink, keep = self.device.cc_sink, self.device.cc_sink._sink_frame

        def seen(frame):
            if frame.data[1] >> 11 & 7:
                self.errors.append(list(frame.data))
            keep(frame)

        sink._sink_frame = seen

    async def start(self, **inputs):
        await super().start(**inputs, **({"userReset": 1} if self.own_clock else {}))
        if self.own_clock:
            for _ in range(5):
                await RisingEdge(self.clk)
            self.dut.io_userReset.value = 0
            cocotb.start_soon(self._whole())
        return self

    async def _whole(self) -> None:
        """The block takes a packet's beats on CC and RQ one after another; the model of it would not mind a gap."""
        within = {"cc": False, "rq": False}
        while True:
            await RisingEdge(self.clk)
            for stream in within:
                valid, ready, last = (int(getattr(self.dut, f"io_{stream}_t{name}").value) for name in ("valid", "ready", "last"))
                assert valid or not within[stream], f"a gap within a packet on {stream}"
                within[stream] = bool(valid and not (ready and last))

    async def enumerate(self) -> None:
        """After reset: the host finds the card, and agents of the bench go on whatever the test awaits."""
        for _ in range(20):
            await RisingEdge(self.clk)
        await self.rc.enumerate()
        self.function = self.rc.find_device(self.device.functions[0].pcie_id)
        await self.function.enable_device()
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        while True:
            await self.tick()

    def watch(self) -> Watch:
        return self.add(Watch(self))

    def address(self, bar: int, offset: int) -> int:
        return self.function.bar_addr[bar] + offset

    def tlp(self, bar: int, offset: int, length: int, first: int, last: int, data: bytes | None = None) -> Tlp:
        tlp, address = Tlp(), self.address(bar, offset)
        far = address >= 1 << 32
        kinds = ((TlpType.MEM_READ, TlpType.MEM_READ_64), (TlpType.MEM_WRITE, TlpType.MEM_WRITE_64))
        tlp.fmt_type = kinds[data is not None][far]
        tlp.requester_id = PcieId(0, 0, 0)
        tlp.address, tlp.length, tlp.first_be, tlp.last_be = address, length, first, last
        if data is not None:
            tlp.set_data(data)
            tlp.length, tlp.first_be, tlp.last_be = length, first, last
        return tlp

    async def completions(self, tlp: Tlp, limit_us: int = 100) -> list[Tlp]:
        found = await self.rc.perform_nonposted_operation(tlp, limit_us, "us")
        assert found, f"no answer within {limit_us} us to {tlp!r}"
        return found

    async def read(self, bar: int, offset: int, length: int, first: int = 15, last: int | None = None) -> dict[int, int]:
        """Offset -> byte of each that is enabled; every completion is checked against what PCI Express wants of an endpoint."""
        last = (15 if length > 1 else 0) if last is None else last
        asked = enabled(length, first, last)
        left = asked[-1] + 1 - asked[0] if asked else 1
        at = offset + (asked[0] if asked else 0)
        data = b""
        for part in await self.completions(self.tlp(bar, offset, length, first, last)):
            assert part.status == CplStatus.SC, f"read of {length} dwords at {offset:#x}: {part!r}"
            assert (part.byte_count, part.lower_address) == (left, at & 127), f"{part!r}: {left} bytes are left, from {at & 127}"
            end = (at & ~3) + 4 * part.length
            assert end - 1 >> 7 == at >> 7, f"{part!r} goes over a multiple of 128 bytes"
            data += part.get_data()
            left, at = left - (end - at), end
        assert left <= 0 and len(data) == 4 * length, f"{len(data)} bytes came of {length} dwords"
        return {offset + i: data[i] for i in asked}

    async def write(self, bar: int, offset: int, data: bytes, first: int = 15, last: int | None = None) -> None:
        length = len(data) // 4
        await self.rc.send(self.tlp(bar, offset, length, first, (15 if length > 1 else 0) if last is None else last, data))

    async def read_dword(self, bar: int, offset: int) -> int:
        return int.from_bytes(bytes((await self.read(bar, offset, 1)).values()), "little")

    async def write_dword(self, bar: int, offset: int, value: int) -> None:
        await self.write(bar, offset, value.to_bytes(4, "little"))

    async def capabilities(self, first: int) -> dict[int, int]:
        """Kind -> number of each capability in the list that begins at `first`."""
        found, at = {}, first
        while at:
            number = (at - HOST_CAPABILITY(0)) // (HOST_CAPABILITY(1) - HOST_CAPABILITY(0))
            kind = HOST_CAPABILITY_KIND.of(await self.read_dword(CONTROL, HOST_CAPABILITY(number)))
            assert kind not in found, f"capability {kind} is in the list twice"
            found[kind] = number
            at = await self.read_dword(CONTROL, HOST_CAPABILITY_NEXT(number))
        return found

    async def raw(self, words: list[int], enables: int = 0xF, damaged: bool = False) -> None:
        """A packet on CQ that no root complex would send: descriptor and payload as they are."""
        frame = UsPcieFrame()
        frame.data, frame.first_be, frame.last_be, frame.discontinue = words, enables & 15, enables >> 4, damaged
        frame.byte_en, frame.parity = [0] * len(words), [0] * len(words)
        await self.device.cq_source.send(frame)


class Card(Slot, Bench):
    """The bridge alone, in a slot."""

    def __init__(self, dut, bars: dict[int, int]):
        super().__init__(dut)
        self.plug(bars)

    async def begin(self) -> "Card":
        await self.start()
        await self.enumerate()
        return self


def descriptor(kind: int, address: int = 0, length: int = 1, bar: int = CONTROL, function: int = 0, tag: int = 255) -> list[int]:
    """The four dwords that begin a request of function 0.0 of bus 0; the root complex itself has no tag 255."""
    return [address & 0xFFFFFFFC, address >> 32, length | kind << 11, tag | function << 8 | bar << 16 | 12 << 19]
