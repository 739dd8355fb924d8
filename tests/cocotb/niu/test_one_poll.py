"""OnePoll: one load takes from the first queue of a group that has something (VY-31, VY-32; T13).

What a load must find is computed here from the queues and the groups as they were in the cycle after its broadcast.
"""

import random
from collections import defaultdict

import cocotb
from harness import run_unit
from kit import pace, test
from kit.sitebus import READ_PARTIAL, WRITE_PARTIAL
from registers import (
    AP_EXPRESS_RX_BASE, AP_ONEPOLL_BASE, AP_ONEPOLL_DATA, AP_ONEPOLL_META, AP_PAGE_BYTES, EXPRESS_META_QUEUE, NIU_ONEPOLL_FIRST, NIU_ONEPOLL_GROUP,
    NIU_ONEPOLL_GROUP_APS, NIU_ONEPOLL_GROUP_NUMBER, NIU_ONEPOLL_MORE, NIU_QUEUE_OWNERS, NIU_QUEUE_REFUSED,
)  # fmt: skip
from slave_bus import SlaveBench, op as bus_op, start

EXPRESS, BASIC = range(2, 8), range(9, 16)
GROUPS, RX_STATUS, TAKEN, STATUS = 16, 5, 1, 2


class Groups:
    """Groups as they were given: [(first cycle in which they may count, last in which those before may, members, aPs)]."""

    def __init__(self, bench: SlaveBench):
        self.bench = bench
        self.given = defaultdict(lambda: [(-1, -1, [], 0)])

    async def give(self, group: int, members: list[int], aps: int) -> None:
        write, begins = self.bench.regs.write, self.bench.cycle
        padded = members + [0] * (16 - len(members))
        for register, part in ((NIU_ONEPOLL_FIRST, padded[:8]), (NIU_ONEPOLL_MORE, padded[8:])):
            await write(register & 0xFF, sum(queue << 4 * i for i, queue in enumerate(part)))
        await write(NIU_ONEPOLL_GROUP & 0xFF, NIU_ONEPOLL_GROUP_NUMBER(group) | NIU_ONEPOLL_GROUP_APS(aps))
        self.given[group].append((begins, self.bench.cycle + 1, members, aps))

    def winners(self, group: int, t1: int, owned: set[int]) -> set[int]:
        """Queues that a load seen at t1 may take from, 0 for none: of the groups that counted around then."""
        found, occupied = set(), self.bench.occupied_seen[t1]
        for i, (begins, _, members, _) in enumerate(self.given[group]):
            later = self.given[group][i + 1 :]
            if begins <= t1 and not (later and t1 > later[0][1]):
                found.add(next((q for q in members if q in owned and occupied >> q & 1), 0))
        return found


def page(group: int, offset: int = AP_ONEPOLL_META) -> int:
    return AP_ONEPOLL_BASE + group * AP_PAGE_BYTES + offset


def message(queue: int) -> tuple[int, int]:
    return (queue << 23 | random.getrandbits(15) << 8 | TAKEN, random.getrandbits(32))


async def poll(bench: SlaveBench, ap: int, group: int):
    """The two loads: what META and DATA were."""
    word = await bench.load(2 * ap, page(group))
    return word, await bench.load(2 * ap, page(group, AP_ONEPOLL_DATA))


@test(timeout=20_000)
async def test_the_first_that_has_something_is_taken_from(dut):
    """T13: any order of 1 to 14 queues of both kinds, any of which have something, several in the same cycle."""
    bench = await start(dut)
    groups = Groups(bench)
    for turn in range(120):
        ap, group = random.randrange(4), random.randrange(GROUPS)
        members = random.sample([*EXPRESS, *BASIC], random.randrange(1, 14))
        await groups.give(group, members, 1 << ap)
        bench.unread = {q for q in BASIC if random.random() < 0.3}
        for queue in EXPRESS:
            bench.fifos[queue].clear()
            bench.fifos[queue].extend(message(queue) for _ in range(random.choice((0, 0, 1, 2))))
        await bench.tick(2)
        for queue in BASIC:
            bench.pointers[queue, RX_STATUS] = random.getrandbits(32)
        while True:  # till the Express queues before the first Basic one are read
            found = next((q for q in members if bench.fifos.get(q) or q in bench.unread), 0)
            expected = bench.fifos[found][0] if 0 < found < 8 else (EXPRESS_META_QUEUE(found) | STATUS, bench.pointers[found, RX_STATUS]) if found else (bench.empty, 0)
            assert await poll(bench, ap, group) == expected, f"turn {turn}, group of {members}"
            if not 0 < found < 8:
                break
    assert {q for q, _ in bench.out["pop"]} == set(EXPRESS)


@test(timeout=60_000)
async def test_each_message_is_taken_once_by_groups_and_pages(dut):
    """T13, VY-27: four aPs share six queues, by groups with queues in several and by the queues' own pages, ops in every cycle, verdicts retried at
    random, groups given anew meanwhile: each message comes to one aP, from the first queue of the group that has something; what is retried takes nothing."""
    bench = await start(dut)
    bench.bus.conflicts, bench.bus.claim_read.pace = pace(0.1), 0.8
    groups = Groups(bench)
    for group in range(4):
        await groups.give(group, random.sample(EXPRESS, 4), 0xF)
    sent, got, held, empties, ends = [], [], 0, 0, False

    async def arrive():
        for _ in range(500):
            for queue in random.sample(EXPRESS, random.choice((0, 0, 1, 2, 3))):
                sent.append(message(queue))
                bench.fifos[queue].append(sent[-1])
            await bench.tick(random.randrange(1, 8))

    async def give_anew():
        while not ends:
            await groups.give(random.randrange(4), random.sample([*EXPRESS, *BASIC], random.randrange(14)), 0xF)
            await bench.tick(random.randrange(20, 60))

    async def receiver(ap: int):
        nonlocal held, empties
        while not ends:
            group, direct = random.randrange(4), random.random() < 0.4
            queue = random.choice(EXPRESS)
            op = bus_op(2 * ap, READ_PARTIAL, AP_EXPRESS_RX_BASE + queue * AP_PAGE_BYTES + AP_ONEPOLL_META if direct else page(group))
            op.veto = random.random() < 0.2
            bench.bus.post(op)
            await bench.ended(op)
            if op.retry:
                held += not op.veto
                continue
            data = await bench.load(2 * ap, page(group, AP_ONEPOLL_DATA))
            winners = {queue} if direct else groups.winners(group, op.t0 + 1, {*EXPRESS, *BASIC})
            if op.word == bench.empty:
                empties += 1
                assert data == 0
                assert (not bench.occupied_seen[op.t0 + 1] >> queue & 1) if direct else 0 in winners, f"nothing, but {winners}"
            else:
                assert op.word >> 23 in winners, f"from {op.word >> 23}, not {winners}"
                got.append((op.word, data))

    tasks = [cocotb.start_soon(receiver(ap)) for ap in range(4)] + [cocotb.start_soon(give_anew())]
    await arrive()
    for group in range(4):
        await groups.give(group, [*EXPRESS], 0xF)
    await bench.until(lambda: not any(bench.fifos.values()), "all taken", 4000)
    await bench.tick(60)
    ends = True
    for task in tasks:
        await task
    assert sorted(got) == sorted(sent) and len(set(sent)) == len(sent) > 300
    assert held > 20 and empties > 20, f"{held} loads were held, {empties} found nothing: the test shows nothing"


@test(timeout=20_000)
async def test_members_change_at_once(dut):
    """T13: a group given anew under loads of every cycle is the old one or the new one: with something in a queue of both, no load finds nothing."""
    bench = await start(dut)
    groups = Groups(bench)
    bench.unread = {9, 15}
    await groups.give(3, [9], 0xF)
    ends = False

    async def giver():
        nonlocal ends
        for turn in range(60):
            await groups.give(3, [2, 3, 4, 5, 6, 7, 10, 11, 12, 15] if turn % 2 == 0 else [9], 0xF)
        ends = True

    task, seen = cocotb.start_soon(giver()), set()
    while not ends:
        ops = [bench.bus.post(bus_op(2 * ap, READ_PARTIAL, page(3))) for ap in range(4)]
        await bench.ended(*ops)
        seen |= {op.word >> 23 for op in ops if not op.retry}
    await task
    assert seen == {9, 15}


@test(timeout=20_000)
async def test_a_group_gives_only_what_the_ap_owns(dut):
    """T14, VY-34: nobody answers in a group of others, after reset in any, nor behind the last; each is counted. Of the members an aP gets those it owns. A group without
    members is empty; queues 0, 1 and 8, the sP's, are in none."""
    bench = await start(dut, shared=False)
    groups = Groups(bench)
    refused = 0
    for group in (0, 7, GROUPS - 1):
        for offset in (AP_ONEPOLL_META, AP_ONEPOLL_DATA):
            assert await bench.load(0, page(group, offset)) is None
            refused += 1
    for queue in EXPRESS:
        bench.fifos[queue].append(message(queue))
    bench.unread = set(range(8, 16))
    for ap in range(4):
        await groups.give(ap, [1, 8, *random.sample([*EXPRESS, *BASIC], 13)], 1 << ap)
        await groups.give(8 + ap, [], 1 << ap)
    for ap in range(4):
        for group in range(4):
            if group != ap:
                assert await bench.load(2 * ap, page(group)) is None
                refused += 1
        word = (await poll(bench, ap, ap))[0]
        assert word is not None and word >> 23 in (2 + ap, 10 + ap)
        assert await poll(bench, ap, 8 + ap) == (bench.empty, 0)
    refused += await bench.load(0, page(GROUPS)) is None
    assert await bench.regs.read(NIU_QUEUE_REFUSED & 0xFF) == refused
    await bench.regs.write(NIU_QUEUE_OWNERS(2) & 0xFF, 0)
    await bench.regs.write(NIU_QUEUE_OWNERS(10) & 0xFF, 0)
    assert await poll(bench, 0, 0) == (bench.empty, 0), "a queue that was taken away is passed over at once"
    for address in (page(1), page(1, AP_ONEPOLL_DATA)):
        assert not (await bench.do(2, WRITE_PARTIAL, address)).claim
    assert await bench.load(2, page(1, 8)) is None


@test(timeout=20_000)
async def test_one_poll_costs_what_an_express_load_costs(dut):
    """Its word is on the transfer bus 4 cycles after its broadcast, whatever the group, and what another shares is put off for three cycles at most."""
    bench = await start(dut)
    groups = Groups(bench)
    await groups.give(1, [9, 10, 11, 12, 13, 14, 15, 3, 4, 5, 6, 7, 2], 0xF)
    bench.fifos[2].extend(message(2) for _ in range(40))
    op = await bench.do(0, READ_PARTIAL, page(1))
    assert op.done - op.t0 == 4 and not op.retry
    dut._log.info(f"OnePoll of 13 queues, broadcast to data: {op.done - op.t0} cycles")
    for apart in range(1, 8):
        await bench.tick(10)
        first = bench.bus.post(bus_op(0, READ_PARTIAL, page(1)))
        await bench.tick(apart)
        second = bench.bus.post(bus_op(2, READ_PARTIAL, AP_EXPRESS_RX_BASE + 2 * AP_PAGE_BYTES + AP_ONEPOLL_META))
        await bench.ended(first, second)
        assert second.retry == (second.t0 - first.t0 <= 3), f"{second.t0 - first.t0} cycles behind"


def test_one_poll():
    run_unit("niu/NiuSlave", {"aps": 4})
