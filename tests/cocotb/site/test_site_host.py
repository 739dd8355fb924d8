"""A site with a host behind PCI Express: shared memory and messages, together with firmware and aPs."""


import cocotb
from harness import run_unit
from kit import test
from kit.packets import BASIC, EXPRESS, LOW, Packet
from kit.pcie import CONTROL, CONTROL_BYTES, PAGE, QUEUES, SHARED, Slot
from kit.sitebus import BASE, LINE
from registers import (
    AP_BASE, AP_BASIC_BASE, AP_BASIC_RX_CONSUMER, AP_EXPRESS_RX_BASE, AP_EXPRESS_TX_BASE, AP_PAGE_BYTES, EXPRESS_META_SOURCE, EXPRESS_META_TAG, EXPRESS_META_TYPE, HOST_CAUSE_LOAD_GIVEN_UP,
    HOST_COUNT_LOADS_FAILED, HOST_FAULT, HOST_INTERRUPT_ARM, HOST_VECTOR_QUEUES, HOST_WAITING, NIU_BASE, NIU_BASIC_RX_BASE, NIU_BASIC_RX_SIZE,
)  # fmt: skip
from site_bench import HEAP, MEMORY, SITE, Site, express, faults_go_to

QUEUE = 6
SEND, RECEIVE = AP_EXPRESS_TX_BASE - AP_BASE, AP_EXPRESS_RX_BASE - AP_BASE + QUEUE * AP_PAGE_BYTES
OFFSET = HEAP - BASE  # in BAR4

# Writes 0x51 into a line of the heap, says so, waits until somebody wrote 0x52 there, adds one, ends.
SHARES = f"""
    li   s1, {HEAP + 0x400}
    li   t0, 0x51
    sw   t0, 4(s1)
    sw   t0, AP_MARK(s0)
    li   t1, 0x52
wait:
    lw   t0, 4(s1)
    bne  t0, t1, wait
    addi t0, t0, 1
    sw   t0, 8(s1)
    mv   a0, t0
    sw   a0, AP_EXIT(s0)
end:
    j    end
"""


class HostedSite(Slot, Site):
    def __init__(self, dut):
        super().__init__(dut)
        self.plug({CONTROL: CONTROL_BYTES, QUEUES: 8 << 20, SHARED: MEMORY})

    async def boot(self, *args, **programs) -> "HostedSite":
        await super().boot(*args, **programs)
        await self.enumerate()
        return self

    def faults(self, address: int) -> list[int]:
        return [index for index, arg in self.taken.got if arg & -LINE == address & -LINE and 32 <= index < 64]


@test(timeout=60_000)
async def test_a_host_shares_memory_as_an_ap_does(dut):
    """A load of a line that nobody opened is recorded once, told once, woken when firmware has opened it; then loads and stores go without it."""
    site = await HostedSite(dut).boot()
    line = bytes(site.memory.lines[HEAP + 0x80])
    assert bytes((await site.read(SHARED, OFFSET + 0x80, 16)).values()) == line
    assert len(site.faults(HEAP + 0x80)) == 1
    await site.write(SHARED, OFFSET + 0x80, b"turnstile is open here..")
    assert bytes((await site.read(SHARED, OFFSET + 0x80, 6)).values()) == b"turnstile is open here.."
    await site.write(SHARED, OFFSET + 0x100, b"nobody yet..")
    assert bytes((await site.read(SHARED, OFFSET + 0x100, 3)).values()) == b"nobody yet.."
    assert len(site.faults(HEAP + 0x80)) == 1 and len(site.faults(HEAP + 0x100)) == 1
    assert await site.read_dword(CONTROL, HOST_COUNT_LOADS_FAILED) == 0


@test(timeout=60_000)
async def test_a_host_and_an_ap_see_each_other(dut):
    """What an aP's cache alone has the host gets; what the host stores takes the line from the cache."""
    site = await HostedSite(dut).boot(ap0=SHARES)
    await site.run_aps()
    await site.until(lambda: site.marks.got, "the aP's store", 20_000)
    assert await site.read_dword(SHARED, OFFSET + 0x404) == 0x51
    await site.tick(50)
    assert int.from_bytes(site.memory.lines[HEAP + 0x400][4:8], "little") == 0x51, "the cache gave it to memory, too"
    await site.write_dword(SHARED, OFFSET + 0x404, 0x52)
    assert await site.ended() == {0: 0x53}
    assert await site.read_dword(SHARED, OFFSET + 0x408) == 0x53


@test(timeout=60_000)
async def test_a_host_that_waits_stops_no_ap(dut):
    """VY-T23: firmware never opens what the host asks for: the aP runs, messages go, and the host gets the pattern in time."""
    site = await HostedSite(dut).boot(faults_go_to("handler") + "handler:\n    ret\n", ap0="    li   a0, 7\n    sw   a0, AP_EXIT(s0)\nend:\n    j    end\n")
    loads = [cocotb.start_soon(site.read_dword(SHARED, OFFSET + LINE * n)) for n in range(8)]
    await site.tick(200)
    await site.run_aps()
    assert await site.ended(10_000) == {0: 7}
    assert not any(load.done() for load in loads)
    assert [await load for load in loads] == [0xBAD0BAD0] * 8
    assert await site.read_dword(CONTROL, HOST_FAULT) == HOST_CAUSE_LOAD_GIVEN_UP


@test(timeout=60_000)
async def test_a_host_sends_and_receives(dut):
    """One store is a packet on the link, named by the sP's table; a packet for its queue is taken by one load."""
    site = await HostedSite(dut).boot()
    await site.name(QUEUE, 9, site=2, rxq=33, source=44)
    watch = site.watch()
    await site.write_dword(QUEUES, SEND + express(queue=QUEUE, dest=9, tag=5), 0xCAFE)
    await site.until(lambda: site.sent, "the packet", 300)
    cocotb.log.info(f"host_doorbell_to_flit: {site.link_out.headers[LOW][0] - watch.began}")
    assert site.link_out.headers[LOW][0] - watch.began <= 20
    assert site.sent[0] == Packet(dest=2, src=SITE, vc=LOW, kind=EXPRESS, rxq=33, source=44, tag=5, word=0xCAFE)
    for n in range(3):
        site.link_in.push(Packet(dest=SITE, src=2, vc=LOW, kind=EXPRESS, rxq=QUEUE, source=300, tag=n, word=n ^ 0xBEEF).flits, LOW)
    await site.tick(100)
    for n in range(3):
        word = int.from_bytes(bytes((await site.read(QUEUES, RECEIVE, 2)).values()), "little")
        meta, data = word >> 32, word & 0xFFFFFFFF
        assert data == n ^ 0xBEEF
        assert [field.of(meta) for field in (EXPRESS_META_TYPE, EXPRESS_META_SOURCE, EXPRESS_META_TAG)] == [1, 300, n]
    empty = int.from_bytes(bytes((await site.read(QUEUES, RECEIVE, 2)).values()), "little")
    assert EXPRESS_META_TYPE.of(empty >> 32) == 0


@test(timeout=60_000)
async def test_a_message_interrupts_a_host_that_waits(dut):
    """From the tail flit on the link to the interrupt on RQ; an Express message, and one in a ring; once, until the host arms again."""
    site = await HostedSite(dut).boot()
    await site.function.set_master()
    told = []
    assert await site.function.alloc_irq_vectors(8, 8) == 8

    def count(vector):
        async def called():
            told.append(vector)

        return called

    for vector in range(8):
        site.function.request_irq(vector, count(vector))
    ring = 14
    for register, value in ((NIU_BASIC_RX_BASE, BASE + MEMORY - PAGE), (NIU_BASIC_RX_SIZE, 4)):
        await site.host.write(NIU_BASE + register(ring - 8), value)
    await site.write_dword(CONTROL, HOST_INTERRUPT_ARM, 0xFF)
    assert await site.read_dword(CONTROL, HOST_WAITING) == 0
    for queue, kind, vector in ((QUEUE, EXPRESS, HOST_VECTOR_QUEUES), (ring, BASIC, HOST_VECTOR_QUEUES + 2)):
        packet = Packet(dest=SITE, src=2, vc=LOW, kind=kind, rxq=queue, source=300, tag=1, word=0xBEEF, length=8 * (kind == BASIC), body=[7] * (kind == BASIC)).flits
        before = len(site.link_in.tails)
        for _ in range(3):
            site.link_in.push(packet, LOW)
        await site.until(lambda: dut.io_rq_tvalid.value, "the interrupt", 300)
        began = site.link_in.tails[before]
        cocotb.log.info(f"host_message_to_interrupt, {'Express' if kind == EXPRESS else 'Basic'}: {site.cycle - began}")
        await site.tick(200)
        assert told.pop() == vector and not told
        assert await site.read_dword(CONTROL, HOST_WAITING) >> queue & 1
    for _ in range(3):
        await site.read(QUEUES, RECEIVE, 2)
    await site.write_dword(QUEUES, AP_BASIC_BASE - AP_BASE + ring * AP_PAGE_BYTES + AP_BASIC_RX_CONSUMER, 2)
    await site.tick(20)
    assert await site.read_dword(CONTROL, HOST_WAITING) == 1 << ring
    await site.write_dword(QUEUES, AP_BASIC_BASE - AP_BASE + ring * AP_PAGE_BYTES + AP_BASIC_RX_CONSUMER, 3)
    await site.tick(20)
    assert await site.read_dword(CONTROL, HOST_WAITING) == 0


def test_site_host():
    memory = 8 << 20
    run_unit("site/Site", {"aps": 1, "memoryBytes": memory, "host": True}, env={"APS": "1", "MEMORY": str(memory)})
