"""The NI TLB (BZ-36; BZ-T19): pages that users name, translated, judged and marked as tables in memory say; each answer computed from the tables."""

import random

import cocotb
from harness import run_unit
from kit import test
from registers import HEAP_BASE, NIU_TLB_ENTRIES, NIU_TLB_FORGET_ALL, NIU_TLB_LOOKS, TLB_PAGE_DIRTY, TLB_PAGE_FRAME, TLB_PAGE_USED
from tlb import FRAMES, FROM, LATER, LEGAL, OPEN, REFUSED, RIGHTS_AT, TOLD, USES, TlbBench, any_word

ALL_RIGHTS, SENDING = 7 << RIGHTS_AT, 1 << RIGHTS_AT + FROM
WALK = 40  # cycles, with a memory of 20


def sound(rights: int = ALL_RIGHTS) -> int:
    return TLB_PAGE_FRAME(random.choice(FRAMES)) | rights


async def start(dut) -> TlbBench:
    return await TlbBench(dut).start()


@test(timeout=200_000)
async def test_every_answer_is_what_the_tables_say(dut):
    """Eight queues, tables of any words, pages inside and outside them, all uses, both ports at once: found, line and marks; words change and are forgotten meanwhile."""
    bench = await start(dut)
    for queue in range(7):
        await bench.give(queue, random.choice((0, 0xABC00, random.getrandbits(20))), [any_word() for _ in range(random.randrange(1, 300))])

    async def engine(port: int) -> None:
        for _ in range(700):
            queue = random.randrange(8)
            first, pages = bench.first.get(queue, 0), len(bench.tables.get(queue, [0]))
            page = first + random.randrange(-1, pages + 2) & 0xFFFFF
            await bench.check(port, queue, random.choice(USES), page << 6 | random.getrandbits(6))

    for _ in range(4):
        tasks = [cocotb.start_soon(engine(port)) for port in range(2)]
        for task in tasks:
            await task
        for queue in range(7):
            for _ in range(20):
                page = bench.first[queue] + random.randrange(len(bench.tables[queue]))
                bench.change(queue, page, any_word())
                await bench.forget(queue, page)
                await bench.until_idle(300)


@test(timeout=200_000)
async def test_it_keeps_1024_pages_four_of_a_set(dut):
    """1024 pages of one queue fit: the second round walks to none. Five pages of one set do not, at any time; all are right, again and again (T19: thrash)."""
    bench = await start(dut)
    entries = await bench.regs.read(NIU_TLB_ENTRIES & 0xFF)
    await bench.give(3, 0x40000, [sound() for _ in range(4 * entries)])
    for _ in range(2):
        walks = await bench.counted_walks()
        for page in range(entries):
            await bench.check(page & 1, 3, FROM, (0x40000 + page) << 6)
        missed = await bench.counted_walks() - walks
    assert missed == 0, f"{missed} of {entries} pages were not kept"
    for page in random.sample(range(4 * entries), 4 * entries // 8):
        await bench.check(0, 3, random.choice(USES), (0x40000 + page) << 6)
    few = [0x40000 + i * entries // 4 for i in range(5)]
    walks = await bench.counted_walks()
    for i in range(100):
        await bench.check(0, 3, FROM, few[i % 4] << 6)
    assert await bench.counted_walks() - walks <= 8, "four pages of a set stay"
    walks = await bench.counted_walks()
    for i in range(100):
        await bench.check(0, 3, FROM, few[i % 5] << 6)
    assert await bench.counted_walks() - walks >= 20, "five pages of a set do not stay: is it larger than it says?"


@test(timeout=10_000)
async def test_a_page_entered_for_sending_is_looked_up_again_for_receiving(dut):
    """Direction bits: a read marks USED; the first write after it is LATER once, and marks DIRTY; then both are at hand. Nothing is marked for what is refused."""
    bench = await start(dut)
    await bench.give(1, 0x100, [sound(), sound(), sound(SENDING)])
    for write in (TOLD, OPEN):
        page = 0x100 + write - TOLD
        assert await bench.check(0, 1, FROM, page << 6) == 1 and bench.marks(1, page) == TLB_PAGE_USED(1)
        assert await bench.check(0, 1, FROM, page << 6) == 0
        assert await bench.check(0, 1, write, page << 6) == 1 and bench.marks(1, page) == TLB_PAGE_USED(1) | TLB_PAGE_DIRTY(1)
        for use in USES:
            assert await bench.check(1, 1, use, page << 6 | 63) == 0
    assert await bench.check(0, 1, OPEN, 0x102 << 6) == 1 and bench.marks(1, 0x102) == 0
    bench.memory[bench.table_of(1)] &= ~TLB_PAGE_USED(1)  # as who looks for pages that nobody uses does
    await bench.forget(1, 0x100)
    await bench.until_idle(300)
    assert await bench.check(0, 1, FROM, 0x100 << 6) == 1 and bench.marks(1, 0x100) == TLB_PAGE_USED(1) | TLB_PAGE_DIRTY(1)
    assert await bench.check(0, 1, FROM, 0x102 << 6) == 1 and bench.marks(1, 0x102) == TLB_PAGE_USED(1)


@test(timeout=10_000)
async def test_what_is_forgotten_is_not_given_any_more(dut):
    """A page that was open is closed: as long as it is not forgotten it may be given; after that never. BUSY lasts until `drained`, and only then falls; a second
    store meanwhile forgets everything, and is not lost."""
    bench = await start(dut)
    await bench.give(2, 0x50, [sound(), sound(), sound()])
    for page in range(0x50, 0x53):
        await bench.check(0, 2, OPEN, page << 6)
    bench.drains.set("drained", 0)
    for page in range(0x50, 0x53):
        bench.change(2, page, sound(SENDING))
    await bench.forget(2, 0x50)
    await bench.tick(6)
    await bench.check(0, 2, OPEN, 0x50 << 6)
    assert (await bench.ask(0, 2, OPEN, 0x51 << 6))[0] == LEGAL, "another page stays until it is forgotten itself"
    await bench.tick(100)
    assert bench.drains.get("drains") and await bench.busy(), "lines of before are in use"
    await bench.forget(2, 0x51)
    await bench.tick(300)
    for page in range(0x50, 0x53):
        await bench.check(0, 2, OPEN, page << 6)
    assert bench.drains.get("drains") and await bench.busy()
    bench.drains.set("drained", 1)
    await bench.tick(4)
    assert not await bench.busy() and not bench.drains.get("drains")


@test(timeout=20_000)
async def test_all_is_forgotten_at_once(dut):
    bench = await start(dut)
    await bench.give(0, 0x7000, [sound() for _ in range(64)])
    for page in range(64):
        await bench.check(0, 0, TOLD, (0x7000 + page) << 6)
    for page in range(64):
        bench.change(0, 0x7000 + page, 0)
    await bench.forget(0, 0, NIU_TLB_FORGET_ALL(1))
    cycles = await bench.until_idle(300)
    for page in range(64):
        await bench.check(0, 0, TOLD, (0x7000 + page) << 6)
    assert cycles <= 270, f"{cycles} cycles"


@test(timeout=10_000)
async def test_a_miss_holds_nobody_else(dut):
    """While port 1 waits for a walk, port 0 has its answers two cycles after each request; the walk is over after as many cycles as are written down."""
    bench = await start(dut)
    await bench.give(4, 0, [sound() for _ in range(320)])
    await bench.check(0, 4, FROM, 0)
    for page in range(1, 320, 8):
        found, _, _ = await bench.ask(1, 4, FROM, page << 6)
        assert found == LATER
        since = bench.cycle
        hits = 0
        await bench.tick()
        while bench.looks[1].get("pending"):
            assert (await bench.ask(0, 4, FROM, random.getrandbits(6)))[0] == LEGAL
            hits += 1
        assert bench.cycle - since <= WALK and hits >= 5, f"{bench.cycle - since} cycles, {hits} hits"
        assert (await bench.ask(1, 4, FROM, page << 6))[0] == LEGAL
    assert await bench.regs.read(NIU_TLB_LOOKS & 0xFF) > 39 * 7


@test(timeout=10_000)
async def test_a_second_miss_of_a_port_waits_for_the_first(dut):
    """Requests one behind the other for pages that are not here: the first is walked, and the second when it is asked again; both are right."""
    bench = await start(dut)
    await bench.give(6, 0, [sound() for _ in range(100)])
    for page in range(0, 100, 2):
        assert [(await bench.ask(0, 6, FROM, at << 6))[0] for at in (page, page + 1)] == [LATER, LATER]
        await bench.tick()
        await bench.until(lambda: not bench.looks[0].get("pending"), "end of a walk", WALK + 5)
        assert await bench.check(0, 6, FROM, page << 6) == 0
        assert await bench.check(0, 6, FROM, page + 1 << 6) == 1


@test(timeout=10_000)
async def test_frames_that_are_no_place_for_transfers_are_refused(dut):
    """Whatever the sP writes: in the heap a line may wait for an sP, and outside memory nobody answers. A closed row has no pages."""
    bench = await start(dut)
    frames = (0, 0xFFFFF, HEAP_BASE >> 12, (HEAP_BASE >> 12) + 5, FRAMES[-1], FRAMES[0], FRAMES[0] - 1)
    await bench.give(5, 0x300, [TLB_PAGE_FRAME(frame) | ALL_RIGHTS for frame in frames])
    for i, frame in enumerate(frames):
        for use in USES:
            found, _, _ = await bench.look(0, 5, use, (0x300 + i) << 6)
            assert found == (LEGAL if frame in FRAMES else REFUSED), f"frame {frame:#x} use {use}"
    await bench.forget(5, 0, NIU_TLB_FORGET_ALL(1))
    await bench.give(5, 0x300, [])
    await bench.until_idle(300)
    assert (await bench.look(0, 5, FROM, 0x304 << 6))[0] == REFUSED


def test_ni_tlb():
    run_unit("translation/NiTlb")


def test_a_small_ni_tlb():
    run_unit("translation/NiTlb", {"sets": 8})
