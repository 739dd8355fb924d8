"""An event comes with what its page's attributes say: handler, state of the block, home, size (BZ-05, VY-45)."""

import os
import random

from harness import run_unit
from kit import test
from kit.programs import DISPATCH
from registers import (
    NIU_ASK_HOME, NIU_CMD_CTRL_PAGE_SIZE, NIU_CMD_CTRL_SIZE, NIU_CMD_CTRL_TO_HOME, NIU_PAGE_ATTRIBUTES, NIU_PAGE_ATTRIBUTES_HOME,
    NIU_PAGE_ATTRIBUTES_MODE, NIU_PAGE_ATTRIBUTES_SIZE, NIU_PAGE_ATTRIBUTES_STATE_SHIFT, NIU_PAGE_BANK, NIU_PAGE_STATE,
)  # fmt: skip
from sp_bench import DATA, HIGH, LOCAL, LOW, NIU, Sp

MODES = 32
BANK = 2048
PAGES = int(os.environ.get("PAGES", BANK))
HEAP = 0x80000000 + 4096 * PAGES

# The handler of mode m is `handler` + 8*m; each logs its mode, EV_STATE, EV_PAGE and EV_ARG, first those of the event, then those of
# the address in its meta. s1 = the log's end.
BY_MODE = (
    """
    li   t1, NIU_BASE + NIU_PAGE_HANDLER(0)
    li   t2, 32*64
    la   t0, handler
    li   t3, 63
modes:
    sw   t0, 0(t1)
    addi t1, t1, 4
    addi t2, t2, -1
    and  t4, t2, t3
    bnez t4, modes
    addi t0, t0, 8
    bnez t2, modes
    la   t0, idle
    li   t1, NIU_BASE + NIU_HANDLER(EVENT_IDLE)
    sw   t0, 0(t1)
"""
    + DISPATCH
    + "handler:\n"
    + "".join(f"    li   t3, {mode}\n    j    log\n" for mode in range(MODES))
    + """
log:
    sw   t3, 0(s1)
    lw   t0, NIU_EV_STATE(s0)
    lw   t1, NIU_EV_PAGE(s0)
    sw   t0, 4(s1)
    sw   t1, 8(s1)
    sw   a0, 12(s1)
    sw   a1, NIU_EV_ARG(s0)
    lw   t0, NIU_EV_STATE(s0)
    sw   a0, NIU_EV_META(s0)
    lw   t1, NIU_EV_PAGE(s0)
    sw   t0, 16(s1)
    sw   t1, 20(s1)
    lw   t0, NIU_EV_ARG(s0)
    lw   t1, NIU_EV_META(s0)
    sw   t0, 24(s1)
    sw   t1, 28(s1)
    addi s1, s1, 32
idle:
    ret
"""
)


class Page:
    """A page of random attributes; its state lies anywhere that is a multiple of its size."""

    def __init__(self, number: int, mode: int):
        self.number, self.mode = number, mode
        self.home, self.size, self.shift = random.randrange(64), random.randrange(6), random.randrange(5)
        states = 64 >> self.size << self.shift
        self.state = random.randrange(1 << 32) & -states

    @property
    def attributes(self) -> int:
        return (NIU_PAGE_ATTRIBUTES_MODE(self.mode) | NIU_PAGE_ATTRIBUTES_HOME(self.home) | NIU_PAGE_ATTRIBUTES_SIZE(self.size)
                | NIU_PAGE_ATTRIBUTES_STATE_SHIFT(self.shift))  # fmt: skip

    def state_of(self, address: int) -> int:
        return self.state + ((address & 0xFFF) >> 6 + self.size << self.shift)

    def address(self) -> int:
        return HEAP + (self.number << 12) + random.randrange(0, 4096, 4)

    async def written(self, sp: Sp) -> "Page":
        if PAGES > BANK:
            await sp.host.write(NIU + NIU_PAGE_BANK, self.number // BANK)
        await sp.host.write(NIU + NIU_PAGE_STATE(self.number % BANK), self.state)
        await sp.host.write(NIU + NIU_PAGE_ATTRIBUTES(self.number % BANK), self.attributes)
        return self


@test(timeout=60_000)
async def test_an_event_has_the_handler_and_the_state_of_its_page(dut):
    """Messages 0 to 23 and faults of random pages: the handler of the page's mode, the block's state. All other events: mode 0. An
    address stored to EV_ARG: the state of its block, the attributes of its page."""
    sp = await Sp.started(dut, "modes", BY_MODE)
    await sp.until(lambda: sp.takes, "the first EV_NEXT")
    numbers = {0, PAGES - 1, *random.sample(range(1, PAGES - 1), 5)}
    numbers |= {(number + BANK) % PAGES for number in numbers}  # at the same place of the next bank, if there is one
    pages = [await Page(number, random.randrange(MODES)).written(sp) for number in sorted(numbers)]
    want = []
    for n in range(120):
        page = random.choice(pages)
        index, address = random.choice([random.randrange(24), 32 + random.randrange(32), random.randrange(127)]), page.address()
        mode = page.mode if index < 24 or 32 <= index < 64 else 0
        other = random.choice(pages)
        again = other.address()
        want.append((mode, page.state_of(address), page.attributes, address, other.state_of(again), other.attributes, again, address))
        await sp.push(random.choice([HIGH, LOCAL, LOW]), index, address, again)
        await sp.tick(random.choice([0, 0, 40]))
        if n % 4 == 3:  # so that none overtakes another
            await sp.tick(120)
    await sp.until(lambda: sum(i != 127 for i, _ in sp.takes) == len(want))
    await sp.tick(60)
    got = []
    for i in range(len(want)):
        got.append(tuple([await sp.host.read(DATA + 32 * i + 4 * k) for k in range(8)]))
    assert sorted(got) == sorted(want)
    assert len({mode for mode, *_ in got}) > 4


@test(timeout=60_000)
async def test_a_question_goes_to_the_home_of_the_page(dut):
    """ASK_HOME sends one low message of queue 0 with its tag; while the transmit queue is full the sP waits and nothing is lost."""
    body = f"    la t0, none\n    li t6, NIU_BASE + NIU_HANDLER(EVENT_IDLE)\n    sw t0, 0(t6)\n{DISPATCH}handler:\n    sw a1, NIU_ASK_HOME(11)(s0)\nnone:\n    ret\n"
    assert NIU_ASK_HOME(31) < 2048, "a handler reaches it with one store"
    sp = await Sp.started(dut, "askhome", body)
    await sp.settled()
    pages = [await Page(number, 0).written(sp) for number in random.sample(range(2048), 8)]
    want = []
    for _ in range(40):
        sp.stall(random.choice([0, 0.9]))
        page, word = random.choice(pages), random.getrandbits(32)
        want.append((0, 11, page.home << 3, 0, word))
        await sp.push(LOCAL, 36, page.address(), word)
    sp.stall(0)
    await sp.until(lambda: len(sp.express) == len(want))
    assert sp.express == want


@test(timeout=60_000)
async def test_a_launch_takes_size_and_home_of_the_page(dut):
    """CMD_CTRL PAGE_SIZE and TO_HOME, each alone and both: the page's; without them CMD_CTRL's and CMD_DEST's."""
    body = f"""
    la   t0, none
    li   t6, NIU_BASE + NIU_HANDLER(EVENT_IDLE)
    sw   t0, 0(t6)
    li   t1, 0x155
    sw   t1, NIU_CMD_DEST(s0)
{DISPATCH}
handler:
    sw   a1, NIU_CMD_CTRL(s0)
    sw   a0, NIU_LAUNCH_TAG(s0)
none:
    ret
"""
    sp = await Sp.started(dut, "topage", body)
    await sp.tick(2100)  # until all pages are cleared a write to one waits
    for number in random.sample(range(2048), 20):
        page = await Page(number, 0).written(sp)
        address, size = page.address(), random.randrange(6)
        for sized in (0, 1):
            for homed in (0, 1):
                await sp.push(LOCAL, 36, address, NIU_CMD_CTRL_SIZE(size) | NIU_CMD_CTRL_PAGE_SIZE(sized) | NIU_CMD_CTRL_TO_HOME(homed))
                await sp.tick(40)
                got = sp.commands[-1]
                assert (got["address"], got["size"]) == (address, page.size if sized else size)
                assert got["dest"] == (page.home << 3 if homed else 0x155)
    assert len(sp.commands) == 80


@test(timeout=60_000)
async def test_no_page_is_open_after_a_reset(dut):
    """Whatever the RAMs held, and whichever pages were open when the sP was reset: all events go to mode 0; an event that waited
    through it, too. A page opened meanwhile is open."""
    sp = await Sp.started(dut, "closed", BY_MODE)
    await sp.until(lambda: sp.takes, "the first EV_NEXT")
    early = await Page(2046, 5).written(sp)
    numbers = (0, 1, 2045, 2047, *random.sample(range(2, 2045), 6))
    for number in numbers:
        await Page(number, 1 + random.randrange(MODES - 1)).written(sp)
    dut.io_spReset.value = 1
    await sp.tick(10)
    last = HEAP + (2047 << 12)  # page that is cleared last
    for port in (HIGH, LOCAL, LOW):
        await sp.push(port, 7, last)
    dut.io_spReset.value = 0
    late = await Page(3, 6).written(sp)  # waits until all are cleared
    sp.takes.clear()
    await sp.until(lambda: len(sp.takes) == 3, "the events that waited")
    for number in (*numbers, early.number, late.number):
        await sp.push(LOCAL, 32, HEAP + (number << 12))
        await sp.tick(60)
    total = 3 + len(numbers) + 2
    got = [(await sp.host.read(DATA + 32 * i), await sp.host.read(DATA + 32 * i + 12)) for i in range(total)]
    assert got[:3] == [(0, last)] * 3
    assert got[3:] == [(0, HEAP + (number << 12)) for number in (*numbers, early.number)] + [(6, HEAP + (late.number << 12))]


def test_page_context():
    run_unit("sp/ServiceProcessor")


def test_pages_of_a_larger_heap():
    run_unit("sp/ServiceProcessor", {"pages": 8192}, env={"PAGES": "8192"}, tests="handler_and_the_state")
