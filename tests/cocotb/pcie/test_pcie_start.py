"""How a driver starts a card: which site it is, the sP held, its firmware written and read back, its heartbeat (SpLoader)."""

import random
from collections import deque

from harness import run_unit
from kit import test
from kit.pcie import CONTROL, CONTROL_BYTES, PAGE, QUEUES, Card
from kit.streams import Sink
from registers import (
    CAPABILITY_KIND_START, HOST_CAPABILITIES, HOST_CAPABILITY_FIRST, HOST_CAPABILITY_SECOND, HOST_COUNT_SP_LOST, HOST_SITE, HOST_SITE_NUMBER, HOST_SITE_SITES, HOST_SP_ADDRESS,
    HOST_SP_CONTROL, HOST_SP_DATA, HOST_SP_READ, HOST_SP_STATUS, HOST_SP_STATUS_READING, HOST_SP_STATUS_ROOM, HOST_SP_TURNS, HOST_SP_WORD,
)  # fmt: skip

PLACES, BURST = 64, 32


class StartCard(Card):
    """`words`: what the sP's memory holds; an sP that is slow at random."""

    def __init__(self, dut):
        super().__init__(dut, {CONTROL: CONTROL_BYTES, QUEUES: PAGE})
        self.commands = Sink(self, "io_card_sp_command", ("write", "address", "data"), pace=0.5)
        self.words: dict[int, int] = {}
        self.done = 0
        self.owed: deque = deque()
        self.add(self)

    def step(self) -> None:
        dut = self.dut
        for write, address, data in self.commands.got[self.done :]:
            if write:
                self.words[address] = data
            else:
                self.owed.append((self.cycle + random.randrange(1, 30), self.words.get(address, 0xFFFFFFFF)))
        self.done = len(self.commands.got)
        answers = bool(self.owed) and self.owed[0][0] <= self.cycle
        dut.io_card_sp_response_valid.value = int(answers)
        if answers:
            dut.io_card_sp_response_payload.value = self.owed.popleft()[1]

    async def burst(self, words: list[int]) -> None:
        """As a driver writes: behind a look for room."""
        while HOST_SP_STATUS_ROOM.of(await self.read_dword(CONTROL, HOST_SP_STATUS)) < len(words):
            pass
        await self.write(CONTROL, HOST_SP_DATA(0), b"".join(word.to_bytes(4, "little") for word in words))

    async def word(self) -> int:
        await self.write_dword(CONTROL, HOST_SP_READ, random.getrandbits(32))
        while HOST_SP_STATUS_READING.of(await self.read_dword(CONTROL, HOST_SP_STATUS)):
            pass
        return await self.read_dword(CONTROL, HOST_SP_WORD)


@test(timeout=200_000)
async def test_firmware_is_written_whole_and_read_back(dut):
    """Bursts of any length from any address, to an sP that is slow: each word where it belongs, in order, none lost; reads see the writes before them."""
    card = await StartCard(dut).begin()
    wanted = {}
    for _ in range(12):
        at = random.randrange(0, 1 << 30) * 4
        await card.write_dword(CONTROL, HOST_SP_ADDRESS, at | random.randrange(4))
        for _ in range(random.randrange(1, 4)):
            words = [random.getrandbits(32) for _ in range(random.randrange(1, BURST + 1))]
            await card.burst(words)
            wanted |= {(at + 4 * i) & 0xFFFFFFFF: word for i, word in enumerate(words)}
            at += 4 * len(words)
        assert await card.read_dword(CONTROL, HOST_SP_ADDRESS) == at & 0xFFFFFFFF
    for at in random.sample(sorted(wanted), 6) + [0xFFFF0000]:
        await card.write_dword(CONTROL, HOST_SP_ADDRESS, at)
        assert await card.word() == wanted.get(at, 0xFFFFFFFF)
    assert card.words == wanted
    assert await card.read_dword(CONTROL, HOST_COUNT_SP_LOST) == 0


@test(timeout=50_000)
async def test_words_without_a_place_are_counted(dut):
    """An sP that takes nothing: as many words wait as there are places, one is on its way; the rest is lost and counted, and registers answer on."""
    card = await StartCard(dut).begin()
    card.commands.pace = 0.0
    for n in range(4):
        await card.write(CONTROL, HOST_SP_DATA(0), b"".join((32 * n + i).to_bytes(4, "little") for i in range(BURST)))
    assert HOST_SP_STATUS_ROOM.of(await card.read_dword(CONTROL, HOST_SP_STATUS)) == 0
    lost = await card.read_dword(CONTROL, HOST_COUNT_SP_LOST)
    assert 4 * BURST - PLACES - 2 <= lost <= 4 * BURST - PLACES
    card.commands.pace = 1.0
    await card.tick(200)
    assert sorted(card.words.values()) == list(range(4 * BURST - lost))
    assert HOST_SP_STATUS_ROOM.of(await card.read_dword(CONTROL, HOST_SP_STATUS)) == PLACES


@test(timeout=50_000)
async def test_the_sp_is_let_go_behind_its_words(dut):
    """It would run into words that are not written yet: it is held until the last is."""
    card = await StartCard(dut).begin()
    card.commands.pace = 0.1
    await card.burst(list(range(BURST)))
    await card.write_dword(CONTROL, HOST_SP_CONTROL, 0)
    await card.until(lambda: not dut.io_card_held.value, "the sP", 2000)
    assert len(card.words) == BURST


@test(timeout=20_000)
async def test_a_driver_says_which_site_it_is_and_lets_the_sp_go(dut):
    """Held after reset; the site's place goes to the pins, and what is read is what is so; the heartbeat counts."""
    card = await StartCard(dut).begin()
    number = (await card.capabilities(await card.read_dword(CONTROL, HOST_CAPABILITIES)))[CAPABILITY_KIND_START]
    assert await card.read_dword(CONTROL, HOST_CAPABILITY_FIRST(number)) == 1
    assert await card.read_dword(CONTROL, HOST_CAPABILITY_SECOND(number)) == 2 << 20
    assert dut.io_card_held.value == 1 and await card.read_dword(CONTROL, HOST_SP_CONTROL) == 1
    dut.io_card_site_number.value, dut.io_card_site_sites.value = 9, 33
    await card.write_dword(CONTROL, HOST_SITE, HOST_SITE_NUMBER(5) | HOST_SITE_SITES(64))
    said = await card.read_dword(CONTROL, HOST_SITE)
    assert (HOST_SITE_NUMBER.of(said), HOST_SITE_SITES.of(said)) == (9, 33)
    assert (int(dut.io_card_place_number.value), int(dut.io_card_place_sites.value)) == (5, 64)
    before = await card.read_dword(CONTROL, HOST_SP_TURNS)
    dut.io_card_turn.value = 1
    await card.tick(7)
    dut.io_card_turn.value = 0
    assert await card.read_dword(CONTROL, HOST_SP_TURNS) == before + 7
    await card.write_dword(CONTROL, HOST_SP_CONTROL, 0)
    assert await card.read_dword(CONTROL, HOST_SP_CONTROL) == 0 and dut.io_card_held.value == 0


def test_pcie_start():
    run_unit("pcie/PcieBridge", {"held": True})
