"""A whole card in its slot, as a driver meets it: nothing but PCI Express starts it, and the slot's reset starts it over."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import run_unit
from kit import test
from kit.bench import Bench
from kit.busroles import AxiMemory
from kit.pcie import CONTROL, CONTROL_BYTES, QUEUES, SHARED, Slot
from kit.programs import DISPATCH, sp_program
from registers import (
    AP_BASE, AP_EXPRESS_RX_BASE, AP_EXPRESS_TX_BASE, AP_PAGE_BYTES, CAPABILITY_KIND_WIRE, EXPRESS_META_SOURCE, EXPRESS_META_TAG, EXPRESS_META_TYPE, HOST_CAPABILITIES,
    HOST_COUNT_WIRE_DOWNS, HOST_COUNT_WIRE_DROPPED, HOST_COUNT_WIRE_GOOD, HOST_FIRMWARE, HOST_INTERRUPT_ARM, HOST_SITE, HOST_SITE_NUMBER, HOST_SITE_SITES, HOST_SP_ADDRESS,
    HOST_SP_CONTROL, HOST_SP_DATA, HOST_SP_READ, HOST_SP_STATUS, HOST_SP_STATUS_READING, HOST_SP_TURNS, HOST_SP_WORD, HOST_VECTOR_WIRE, HOST_WIRE_CONTROL, HOST_WIRE_OWN, HOST_WIRE_OWN_HIGH, HOST_WIRE_PEER,
    HOST_WIRE_PEER_HIGH, HOST_WIRE_ROUND_TRIP, HOST_WIRE_SILENCE, HOST_WIRE_STATUS, NIU_BASE, NIU_SITE_ID, NIU_TRANSLATION,
)  # fmt: skip

MEMORY = 8 << 20
QUEUE = 6
SEND, RECEIVE = AP_EXPRESS_TX_BASE - AP_BASE, AP_EXPRESS_RX_BASE - AP_BASE + QUEUE * AP_PAGE_BYTES
FIRMWARE = f"{DISPATCH}\nhandler:\n    ret\n"


class Loop:
    """The wire of a card that is its own peer: what the MAC is given comes back, while the cable is plugged in."""

    def __init__(self, dut):
        self.dut, self.plugged = dut, True
        for pin in ("txClk", "rxClk"):
            Clock(getattr(dut, f"io_{pin}"), 8, "ns").start()
        cocotb.start_soon(self._carry())

    async def _carry(self) -> None:
        dut = self.dut
        dut.io_tx_tready.value = 1
        while True:
            await RisingEdge(dut.io_txClk)
            dut.io_rx_tvalid.value = int(bool(dut.io_tx_tvalid.value) and self.plugged)
            for name in ("tdata", "tkeep", "tlast", "tuser"):
                getattr(dut, f"io_rx_{name}").value = getattr(dut, f"io_tx_{name}").value


class CardInSlot(Slot, Bench):
    def __init__(self, dut):
        super().__init__(dut)
        self.plug({CONTROL: CONTROL_BYTES, QUEUES: 8 << 20, SHARED: MEMORY})
        self.memory = AxiMemory(self)

    async def begin(self) -> "CardInSlot":
        await self.start(txReset=1, rxReset=1)
        self.loop = Loop(self.dut)
        await self.tick(20)
        self.dut.io_txReset.value = self.dut.io_rxReset.value = 0
        await self.enumerate()
        await self.function.set_master()
        return self

    async def store(self, register: int, value: int) -> None:
        await self.write_dword(CONTROL, register, value)

    async def load(self, register: int) -> int:
        return await self.read_dword(CONTROL, register)

    async def sp_write(self, address: int, *words: int) -> None:
        for i in range(0, len(words), 32):
            await self.store(HOST_SP_ADDRESS, address + 4 * i)
            await self.write(CONTROL, HOST_SP_DATA(0), b"".join(word.to_bytes(4, "little") for word in words[i : i + 32]))

    async def sp_read(self, address: int) -> int:
        await self.store(HOST_SP_ADDRESS, address)
        await self.store(HOST_SP_READ, 0)
        while HOST_SP_STATUS_READING.of(await self.load(HOST_SP_STATUS)):
            pass
        return await self.load(HOST_SP_WORD)

    async def firmware(self, number: int, sites: int) -> None:
        """What a driver does to a card that has just come out of reset."""
        assert await self.load(HOST_SP_CONTROL) == 1
        await self.store(HOST_SITE, HOST_SITE_NUMBER(number) | HOST_SITE_SITES(sites))
        await self.sp_write(0, *sp_program("card-sp", FIRMWARE)[0])
        await self.store(HOST_SP_CONTROL, 0)

    async def alive(self) -> bool:
        await self.tick(1200)  # it has filled its tables
        before = await self.load(HOST_SP_TURNS)
        await self.tick(600)
        return await self.load(HOST_SP_TURNS) >= before + 2


@test(timeout=60_000)
async def test_a_driver_starts_the_card(dut):
    """Held until its firmware is there; then it knows its site and asks for events, and the heartbeat says so."""
    card = await CardInSlot(dut).begin()
    assert not await card.alive()
    await card.firmware(number=5, sites=8)
    assert await card.alive()
    assert await card.sp_read(NIU_BASE + NIU_SITE_ID) == 5
    assert await card.load(HOST_SITE) == HOST_SITE_NUMBER(5) | HOST_SITE_SITES(8)
    assert await card.load(HOST_FIRMWARE) == 0


@test(timeout=60_000)
async def test_firmware_that_stops_or_hangs_is_told(dut):
    """A trap is in FIRMWARE; a handler that never returns keeps the heartbeat still."""
    card = await CardInSlot(dut).begin()
    await card.sp_write(0, *sp_program("card-hangs", "forever:\n    j    forever\nhandler:\n    ret\n")[0])
    await card.store(HOST_SP_CONTROL, 0)
    assert not await card.alive() and await card.load(HOST_FIRMWARE) == 0
    await card.store(HOST_SP_CONTROL, 1)
    await card.sp_write(0, *sp_program("card-traps", "    .word 0\nhandler:\n    ret\n")[0])
    await card.store(HOST_SP_CONTROL, 0)
    await card.tick(2000)
    assert await card.load(HOST_FIRMWARE) == 1


@test(timeout=120_000)
async def test_the_slots_reset_starts_the_card_over(dut):
    """While it runs, and while it hangs: all is as after power on, and the driver starts it again."""
    card = await CardInSlot(dut).begin()
    for number in (3, 4):
        await card.firmware(number, sites=8)
        assert await card.alive()
        await card.store(HOST_WIRE_CONTROL, 1)
        dut.io_userReset.value = 1
        for _ in range(16):
            await RisingEdge(card.clk)
        dut.io_userReset.value = 0
        await card.tick(20)
        assert not await card.alive()
        assert [await card.load(register) for register in (HOST_SP_CONTROL, HOST_WIRE_CONTROL, HOST_SITE)] == [1, 0, HOST_SITE_NUMBER(0) | HOST_SITE_SITES(1)]


@test(timeout=200_000)
async def test_the_wire_carries_what_is_for_another_site(dut):
    """VY-43: down until the driver enables it: a packet is dropped and counted; then a message goes out by the MAC and comes from it, whole. A cable that is
    pulled is told by an interrupt. The card is both ends of its wire: it sends as site 0, and is site 1 when the message comes."""
    card = await CardInSlot(dut).begin()
    told = []
    assert await card.function.alloc_irq_vectors(8, 8) == 8

    async def down():
        told.append(await card.load(HOST_WIRE_STATUS))

    card.function.request_irq(HOST_VECTOR_WIRE, down)
    await card.firmware(number=0, sites=2)
    assert CAPABILITY_KIND_WIRE in await card.capabilities(await card.load(HOST_CAPABILITIES))
    await card.sp_write(NIU_BASE + NIU_TRANSLATION(QUEUE * 512 + 9), 1 << 31 | 44 << 15 | QUEUE << 6 | 1)

    async def send(*words: int) -> None:
        card.loop.plugged = False
        await card.store(HOST_SITE, HOST_SITE_NUMBER(0) | HOST_SITE_SITES(2))
        for word in words:
            await card.write_dword(QUEUES, SEND + (QUEUE << 17 | 5 << 12 | 9 << 3), word)
        await card.tick(100)
        await card.store(HOST_SITE, HOST_SITE_NUMBER(1) | HOST_SITE_SITES(2))
        assert HOST_SITE_NUMBER.of(await card.load(HOST_SITE)) == 1
        card.loop.plugged = True
        await card.tick(2000)

    async def take() -> tuple[int, int, int, int]:
        word = int.from_bytes(bytes((await card.read(QUEUES, RECEIVE, 2)).values()), "little")
        return word & 0xFFFFFFFF, *(field.of(word >> 32) for field in (EXPRESS_META_TYPE, EXPRESS_META_SOURCE, EXPRESS_META_TAG))

    await send(0xDEAD)
    assert (await card.load(HOST_COUNT_WIRE_DROPPED), await card.load(HOST_COUNT_WIRE_GOOD)) == (1, 0)
    for register, value in ((HOST_WIRE_OWN, 0x04030202), (HOST_WIRE_OWN_HIGH, 0x0605), (HOST_WIRE_PEER, 0x04030202), (HOST_WIRE_PEER_HIGH, 0x0605), (HOST_WIRE_ROUND_TRIP, 100), (HOST_WIRE_SILENCE, 40)):
        await card.store(register, value)
    await card.store(HOST_WIRE_SILENCE, 7)  # too short: changes nothing
    assert await card.load(HOST_WIRE_SILENCE) == 40
    await card.store(HOST_WIRE_CONTROL, 1)
    await card.until(lambda: dut.io_status_up.value, "the wire", 5000)
    assert await card.load(HOST_WIRE_STATUS) & 3 == 3
    await send(*(0xCAFE + n for n in range(3)))
    assert [await take() for _ in range(3)] == [(0xCAFE + n, 1, 44, 5) for n in range(3)]
    await card.store(HOST_WIRE_STATUS, 0)
    assert await card.load(HOST_WIRE_STATUS) & 3 == 1
    await card.store(HOST_INTERRUPT_ARM, 1 << HOST_VECTOR_WIRE)
    assert not told
    await card.store(HOST_WIRE_SILENCE, 8)
    card.loop.plugged = False
    await card.until(lambda: told, "the interrupt", 5000)
    assert told[0] & 3 == 2 and await card.load(HOST_COUNT_WIRE_DOWNS) == 1
    card.loop.plugged = True
    await card.until(lambda: dut.io_status_up.value, "the wire again", 5000)
    await send(0xBEEF)
    assert await take() == (0xBEEF, 1, 44, 5)


def test_card_site():
    run_unit("board/CardSite", {"memoryBytes": MEMORY})
