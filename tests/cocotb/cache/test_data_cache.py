"""The data cache against a model of its site: every (state, op) cell, the races of contract §2, random traffic."""

import os
import random

import cocotb
import pytest
from cache_site import CACHE, NIU, NONE, Op, Site, SiteOp
from harness import run_unit
from kit import Monitor, test

A = 0x8080_0040  # a heap line; B and C share its set
B, C = A + 8192, A + 2 * 8192
BYTES, WAYS = int(os.environ.get("BYTES", "8192")), int(os.environ.get("WAYS", "1"))
MORE = [A + k * 8192 for k in range(3, WAYS + 1)]  # and so do these: in all a line more than it has ways, at least three
REGISTER = 0xF000_0010


async def site(dut, **rates):
    s = Site(dut, **rates)
    s.ways = WAYS
    return await s.started()


async def bring(s, line, state):
    """The line is in `state`, known by how it was obtained."""
    await foreign(s, NIU, Op.FLUSH, line)
    s.rates["shared"] = 1.0 if state == "S" else 0.0
    if state in "SE":
        s.load(line)
    elif state == "M":
        s.put(line, random.getrandbits(32))
    await s.settle()
    s.rates["shared"] = 0.0


async def foreign(s, master, op, address, again=True, **more):
    """One op of another master; retried as that master would, unless `again` is False. Returns its last try."""
    for _ in range(50):
        tried = s.post(SiteOp(master, op, address, **more))
        await s.until(lambda: tried.done)
        if not (again and tried.retried):
            return tried
        await s.tick(6)
    raise AssertionError(f"{tried} is retried for ever")


async def check_state(s, line, state, how):
    """`how` 0: by what a store asks of the bus; 1: by whether a load misses and a CLEAN is intervened."""
    since = s.cycle
    if how == 0:
        s.put(line + 4, random.getrandbits(32))
        await s.settle()
        want = {"I": [(Op.READ_EXCLUSIVE, line + 4)], "S": [(Op.UPGRADE, line + 4)], "E": [], "M": []}[state]
    else:
        s.load(line + 4)
        await s.settle()
        cleaned = await foreign(s, NIU, Op.CLEAN, line)
        assert cleaned.answer["intervene"] == (state == "M"), f"{state} expected"
        want = [(Op.READ, line + 4)] if state == "I" else []
    assert s.requests(since) == want, f"{state} expected, but the access asked {s.requests(since)}"


CELLS = {  # (state, op): answers, next state (contract §2)
    ("S", Op.READ): ("shared", "S"), ("E", Op.READ): ("shared", "S"), ("M", Op.READ): ("shared intervene", "S"),
    ("S", Op.READ_EXCLUSIVE): ("", "I"), ("E", Op.READ_EXCLUSIVE): ("", "I"), ("M", Op.READ_EXCLUSIVE): ("intervene", "I"),
    ("S", Op.UPGRADE): ("", "I"), ("E", Op.UPGRADE): ("retry", "E"), ("M", Op.UPGRADE): ("retry", "M"),
    ("S", Op.WRITE_BACK): ("", "I"), ("E", Op.WRITE_BACK): ("", "I"), ("M", Op.WRITE_BACK): ("", "I"),
    ("S", Op.READ_PARTIAL): ("retry", "I"), ("E", Op.READ_PARTIAL): ("retry", "I"), ("M", Op.READ_PARTIAL): ("retry", "I"),
    ("S", Op.WRITE_PARTIAL): ("retry", "I"), ("E", Op.WRITE_PARTIAL): ("retry", "I"), ("M", Op.WRITE_PARTIAL): ("retry", "I"),
    ("S", Op.FLUSH): ("", "I"), ("E", Op.FLUSH): ("", "I"), ("M", Op.FLUSH): ("intervene", "I"),
    ("S", Op.CLEAN): ("", "S"), ("E", Op.CLEAN): ("", "S"), ("M", Op.CLEAN): ("intervene", "S"),
    ("S", Op.KILL): ("", "I"), ("E", Op.KILL): ("", "I"), ("M", Op.KILL): ("", "I"),
}
CELLS |= {("I", op): ("", "I") for op in Op}


@test(timeout=200_000)
async def test_every_state_and_op(dut):
    """Each of the 36 cells: answers, data pushed (checked by the model), next state seen by two different probes."""
    s = await site(dut)
    for (state, op), (answers, after) in CELLS.items():
        for how in (0, 1):
            line = A + 64 * random.randrange(100)
            await bring(s, line, state)
            tried = await foreign(s, NIU, op, line, again=False, mask=0x00F0, data=bytes(random.randbytes(64)))
            got = " ".join(k for k in ("shared", "retry", "intervene") if tried.answer[k])
            assert got == answers, f"{op.name} in {state}: answered '{got}', right is '{answers}'"
            await s.tick(8)
            await s.settle()
            if state == "M" and op in (Op.READ_PARTIAL, Op.WRITE_PARTIAL):
                assert s.requests()[-1] == (Op.WRITE_BACK, line), f"{op.name} in M did not push"
            await check_state(s, line, after, how)


@test(timeout=200_000)
async def test_a_retried_verdict_changes_nothing(dut):
    """An op that another snooper retries leaves each state as it was, and pushes nothing."""
    s = await site(dut)
    for state in "SEM":
        for op in (Op.READ, Op.READ_EXCLUSIVE, Op.FLUSH, Op.CLEAN, Op.KILL, Op.WRITE_BACK):
            for how in (0, 1):
                await bring(s, A, state)
                tried = await foreign(s, NIU, op, A, again=False, niu_retry=True, data=bytes(64))
                assert tried.retried
                await check_state(s, A, state, how)


@test(timeout=200_000)
async def test_a_store_beside_a_verdict_keeps_both_lines(dut):
    """Stores to a modified line in every cycle in which another master takes a line of another set: the one stays modified, with what was
    stored, the other goes where its verdict says."""
    s = await site(dut)
    for op, state, after in ((Op.READ_EXCLUSIVE, "S", "I"), (Op.FLUSH, "M", "I"), (Op.READ, "M", "S"), (Op.READ_PARTIAL, "E", "I")):
        await bring(s, B + 64, state)
        await bring(s, A, "M")
        for word in range(40):
            s.put(A + word % 16 * 4, word)
        await foreign(s, NIU, op, B + 64, again=False)
        await s.settle()
        await check_state(s, B + 64, after, how=0)
        cleaned = await foreign(s, NIU, Op.CLEAN, A)
        assert cleaned.answer["intervene"], f"{op.name} of another line left this one unmodified"


@test(timeout=200_000)
async def test_hits_take_one_cycle(dut):
    """Back to back, loads and stores of all sizes that hit: one fires each cycle, each load is answered in the next."""
    s = await site(dut)
    for line in (A, A + 64):
        await bring(s, line, "M")
    random_accesses(s, 300, [A, A + 64])
    start = s.cycle
    await s.settle()
    fires = [t[0] for t in s.trace if t[1] == "fire" and t[0] > start]
    assert len(fires) == 300 and fires[-1] - fires[0] == 299, f"300 hits took {fires[-1] - fires[0] + 1} cycles"
    answered = [(f, c) for f, c, _ in s.responses if f > start]
    assert answered and all(c == f + 1 for f, c in answered)
    assert not s.requests(start)


@test(timeout=200_000)
async def test_miss_cycles(dut):
    """On an idle bus whose beats start the cycle after the verdict: request 2 cycles after the command, word the cycle
    after its beat, next command the cycle after the last beat."""
    s = await site(dut)
    for word, op in ((0, "load"), (3, "load"), (2, "store")):
        await bring(s, A, "I")
        mark = s.cycle
        s.load(A + 16 * word) if op == "load" else s.put(A + 16 * word, 5)
        s.load(A)
        await s.settle()
        trace = [t for t in s.trace if t[0] > mark]
        fire, request, verdict, last, following = (
            next(t[0] for t in trace if t[1] == "fire"), *(next(t[0] for t in trace if t[1] == k) for k in ("request", "answer", "last beat")),
            [t[0] for t in trace if t[1] == "fire"][1])
        assert request - fire == 2 and last - verdict == 4 and following == last + 1, trace
        if op == "load":
            assert [c for f, c, _ in s.responses if f == fire] == [verdict + 2 + word]
        dut._log.info(f"{op} miss, word {word}: request +{request - fire}, verdict +{verdict - fire}, next command +{following - fire}")


@test(timeout=200_000)
async def test_dirty_victim_cycles(dut):
    """A load that evicts a modified line: the whole exchange, on an idle bus."""
    s = await site(dut)
    await bring(s, A, "M")
    mark = s.cycle
    s.load(B)
    s.load(B)
    await s.settle()
    if s.ways == 1:
        assert [op for op, _ in s.requests(mark)] == [Op.WRITE_BACK, Op.READ]
    fires = [t[0] for t in s.trace if t[1] == "fire" and t[0] > mark]
    dut._log.info(f"load miss with dirty victim: next command +{fires[1] - fires[0]}")
    assert fires[1] - fires[0] <= 24


@test(timeout=200_000)
async def test_shared_then_store_raises_upgrade(dut):
    """BZ-08: a line answered `shared` is Shared even if nobody has it; a store to it asks for UPGRADE. Not shared: no op."""
    s = await site(dut)
    for shared, want in ((1.0, [Op.READ, Op.UPGRADE]), (0.0, [Op.READ])):
        await bring(s, A, "I")
        mark = s.cycle
        s.rates["shared"] = shared
        s.load(A)
        s.put(A, 1)
        await s.settle()
        assert [op for op, _ in s.requests(mark)] == want


@test(timeout=200_000)
async def test_kill_during_upgrade_turns_read_exclusive(dut):
    """A copy killed while its UPGRADE is retried: the next try is READ_EXCLUSIVE. At every distance of the killing op."""
    s = await site(dut)
    for distance in range(0, 16):
        await bring(s, A, "S")
        s.rates["retry"] = 1.0
        mark = s.cycle
        s.put(A + 8, random.getrandbits(32))
        await s.tick(1 + distance)
        killer = s.post(SiteOp(CACHE, Op.READ_EXCLUSIVE, A, niu_retry=False))
        await s.until(lambda: killer.done)
        while killer.retried:
            killer = s.post(SiteOp(CACHE, Op.READ_EXCLUSIVE, A, niu_retry=False))
            await s.until(lambda: killer.done)
        await s.tick(20)
        s.rates["retry"] = 0.0
        await s.settle()
        asked = [op for op, _ in s.requests(mark)]
        assert asked[-1] == Op.READ_EXCLUSIVE and Op.UPGRADE not in asked[asked.index(Op.READ_EXCLUSIVE):], asked


@test(timeout=200_000)
async def test_stale_upgrade_is_retried_by_its_owner(dut):
    """An UPGRADE that waited in the arbiter while its copy was killed must not win: it would kill the newer copy."""
    s = await site(dut)
    await bring(s, A, "S")
    s.rates["hold"] = 1.0
    s.put(A, 7)
    await s.until(lambda: s.waiting)
    upgrade, s.waiting = s.waiting[0], []
    s.rates["hold"] = 0.0
    killer = await foreign(s, CACHE, Op.READ_EXCLUSIVE, A)
    assert not killer.retried
    s.waiting.append(upgrade)
    await s.until(lambda: upgrade.answer)
    assert upgrade.answer["retry"]
    await s.settle()
    assert [op for op, _ in s.requests()][-1] == Op.READ_EXCLUSIVE


@test(timeout=200_000)
async def test_stale_write_back_is_retried_by_its_owner(dut):
    """A WRITE_BACK that waited while another took the line is void: memory must not get the old data (VY-10)."""
    s = await site(dut)
    for line in (C, *MORE)[: WAYS - 1]:
        await bring(s, line, "M")
    await bring(s, A, "M")
    s.rates["hold"] = 1.0
    s.load(B)
    await s.until(lambda: s.waiting)
    write_back, s.waiting = s.waiting[0], []
    s.rates["hold"] = 0.0
    assert write_back.op == Op.WRITE_BACK
    await foreign(s, CACHE, Op.READ_EXCLUSIVE, write_back.address)
    s.waiting.append(write_back)
    await s.until(lambda: write_back.answer)
    assert write_back.answer["retry"]
    await s.settle()


@test(timeout=200_000)
async def test_snoop_on_victim_sees_its_data(dut):
    """A snoop on a modified victim at every cycle of its eviction gets the data, from the cache or from memory."""
    s = await site(dut)
    for op in (Op.READ, Op.READ_EXCLUSIVE):
        for distance in range(0, 24):
            await bring(s, A, "M")
            s.other.clear()
            s.rates["retry"] = 0.5
            s.load(B)
            s.load(C)
            await s.tick(distance)
            await foreign(s, CACHE, op, A, niu_retry=False)
            s.rates["retry"] = 0.0
            await s.settle()
            assert s.other[A // 64][1] == s.truth[A // 64]
            if op == Op.READ_EXCLUSIVE:
                await foreign(s, CACHE, Op.WRITE_BACK, A)
            s.other.clear()


@test(timeout=200_000)
async def test_store_waits_between_answer_and_verdict(dut):
    """A store that hits, at every cycle around a snoop of its line: it is in the data sent, or performed afterwards."""
    s = await site(dut)
    for state in "EM":
        for op in (Op.READ, Op.READ_EXCLUSIVE, Op.CLEAN):
            for distance in range(0, 10):
                await bring(s, A, state)
                master = NIU if op == Op.CLEAN else CACHE
                snoop = s.post(SiteOp(master, op, A))
                await s.tick(distance)
                s.put(A + 12, random.getrandbits(32))
                await s.until(lambda: snoop.done)
                await s.settle()
                read = await foreign(s, NIU, Op.READ, A)
                assert not read.retried
                if A // 64 in s.other and s.other[A // 64][0] == "M":
                    await foreign(s, CACHE, Op.WRITE_BACK, A)
                s.other.clear()


@test(timeout=200_000)
async def test_access_completes_with_its_fill(dut):
    """Forward progress: others who want the line at once never undo an access before it is complete (the model counts
    fills per access), and 60 contended stores are done in bounded time."""
    s = await site(dut)
    for i in range(60):
        (s.put if i % 2 else s.load)(A + 4 * (i % 16), *([i] if i % 2 else []))
    start = s.cycle
    pending = None
    while s.commands or s.driven["cmd"] or s.loads:
        if pending is None or pending.done:
            state = s.other.get(A // 64, "I")[0]
            pending = s.post(SiteOp(CACHE, Op.UPGRADE if state == "S" else Op.READ_EXCLUSIVE if state == "I" else Op.WRITE_BACK, A)) \
                if state != "E" else None
        await s.tick()
        assert s.cycle - start < 60 * 80, f"{len(s.commands)} of 60 accesses wait after {s.cycle - start} cycles"


@test(timeout=200_000)
async def test_back_off_and_wake(dut):
    """Retried: the next try comes after the back-off, 6 cycles + the aP's index; a wake brings it at once."""
    s = Site(dut, index=3)
    await s.started()
    s.rates["retry"] = 1.0
    s.load(A)
    await s.until(lambda: len(s.requests()) == 6)
    times = [(t[0], t[1]) for t in s.trace if t[1] in ("request", "answer")]
    gaps = [b[0] - a[0] for a, b in zip(times, times[1:]) if a[1] == "answer"]
    assert gaps and all(g == 6 + 3 + 2 for g in gaps), gaps
    await s.until(lambda: s.own is None)
    s.rates["wake"] = 1.0
    mark = s.cycle
    await s.until(lambda: len(s.requests(mark)) == 3)
    times = [(t[0], t[1]) for t in s.trace if t[0] > mark + 4 and t[1] in ("request", "answer")]
    gaps = [b[0] - a[0] for a, b in zip(times, times[1:]) if a[1] == "answer"]
    assert gaps and all(g == 2 for g in gaps), gaps
    s.rates["wake"] = 0.0
    await s.tick(40)
    for _ in range(4):
        answers = len([t for t in s.trace if t[1] == "answer"])
        await s.until(lambda: len([t for t in s.trace if t[1] == "answer"]) > answers)
        await s.tick(random.randrange(2, 5))
        s.rates["wake"], pulse = 1.0, s.cycle
        await s.tick()
        s.rates["wake"] = 0.0
        await s.until(lambda: len(s.requests(pulse)) == 1)
        gap = [t[0] for t in s.trace if t[1] == "request"][-1] - (pulse + 2)
        assert gap <= 2, f"request {gap} cycles after the wake"
    s.rates.update(retry=0.0)
    await s.settle()


@test(timeout=200_000)
async def test_fill_waits_for_promised_data(dut):
    """Two interventions wait for the transfer bus while the CPU misses in the set of the second: its data is not overwritten."""
    s = await site(dut)
    for line, other in ((A, A + 64), (A + 64, A)):
        for op in (Op.READ, Op.READ_EXCLUSIVE):
            for distance in range(6):
                for l in (C, *MORE)[: WAYS - 1]:
                    await bring(s, l + (other - A), "E")
                for l in (line, other):
                    await bring(s, l, "M")
                s.rates["jam"] = 1.0
                await s.tick()
                for master, l in ((NIU, line), (CACHE, other)):
                    s.post(SiteOp(master, op, l))
                await s.tick(distance)
                s.load(B + (other - A))
                s.load(C + (other - A))
                await s.tick(40)
                s.rates["jam"] = 0.0
                await s.settle()
                if op == Op.READ_EXCLUSIVE:
                    await foreign(s, CACHE, Op.WRITE_BACK, other)
                s.other.clear()


@test(timeout=200_000)
async def test_uncached_lanes_and_order(dut):
    """Uncached accesses of all sizes: one partial op each, in order, right mask and lanes (the model checks both); a store's
    beat is taken before the next access goes on."""
    s = await site(dut, stall=0.3)
    for _ in range(100):
        size = random.randrange(3)
        address = 0xF000_0000 + (random.randrange(64) << size)
        s.put(address, random.getrandbits(32), size) if random.random() < 0.5 else s.load(address, size)
    wanted = [(Op.WRITE_PARTIAL if c["wr"] else Op.READ_PARTIAL, c["address"]) for c in s.commands]
    await s.settle(6000)
    assert s.requests() == wanted


@test(timeout=200_000)
async def test_errors_reach_the_cpu(dut):
    """Nobody answers: a load gets an error and the next one is fine; a store raises storeError with its address."""
    s = await site(dut)
    for address in (0x8800_0040, 0x1000_0000, 0x4020_0000):
        s.load(address)
        s.load(A)
        s.put(address, 1)
        s.load(A)
        await s.settle()
        assert [t[2] for t in s.trace if t[1] == "store error"][-1] == address


@test(timeout=200_000)
async def test_private_window_moves_by_index(dut):
    """0x4000_0000 + x of aP i is DRAM at i windows + x; the same line under both names is one line."""
    window = int(os.environ.get("PRIVATE", 2 << 20))
    for index in (0, 1, (16 << 20) // window - 1):
        s = Site(dut, index=index)
        s.ways = WAYS
        await s.started()
        mark = s.cycle
        s.load(0x4000_0000 + window - 64)
        await s.until(lambda: s.requests(mark))
        assert s.requests(mark)[-1] == (Op.READ, 0x8000_0000 + (index + 1) * window - 64)
        s.loads[0]["error"] = False
        s.loads[0]["may"] = {s.word(s.requests(mark)[-1][1])}
        await s.settle()


@test(timeout=200_000)
async def test_probe_tells_each_miss(dut):
    """missStart and missDone come in pairs, with the op and address of the access; `waiting` is up in between."""
    s = await site(dut, retry=0.5, delay=5)
    started, finished = (Monitor(s, f"io_probe_{name}", "address").got for name in ("missStart", "missDone"))

    async def watch():
        while True:
            await s.tick()
            assert len(started) <= len(finished) or dut.io_probe_waiting_valid.value

    task = cocotb.start_soon(watch())
    addresses = [A, A + 64, REGISTER, B, A]
    for a in addresses:
        s.load(a)
    await s.settle()
    await s.tick(3)
    task.cancel()
    want = addresses if s.ways == 1 else addresses[:4]
    assert started == want and finished == want


def random_accesses(s, count, lines, uncached=0.0):
    for _ in range(count):
        size = random.choice((0, 1, 2, 2))
        base = random.choice(lines) if random.random() >= uncached else 0xF000_0000
        address = base + (random.randrange(64 >> size) << size)
        s.put(address, random.getrandbits(32), size) if random.random() < 0.45 else s.load(address, size)


class Others:
    """Random traffic of the other cache and the NIU on `lines`, each with at most one op outstanding."""

    def __init__(self, s, lines, rate):
        self.s, self.lines, self.rate = s, lines, rate
        self.cache = self.niu = None
        self.count = 0

    def step(self):
        s = self.s
        if (self.cache is None or self.cache.done) and random.random() < self.rate:
            line = random.choice(self.lines)
            state = s.other.get(line // 64, "I")[0]
            if state in "EM" and line // 64 not in s.flight and random.random() < 0.5:
                entry = s.other[line // 64]
                data = s.patched(entry[1], random.randrange(64), 0, random.getrandbits(32))
                s.other[line // 64] = ["M", data]
                s.set_truth(line // 64, data)
            elif state == "E":
                if line // 64 not in s.flight:
                    del s.other[line // 64]
            else:
                op = {"I": random.choice((Op.READ, Op.READ_EXCLUSIVE)), "S": Op.UPGRADE, "M": Op.WRITE_BACK}[state]
                self.cache = s.post(SiteOp(CACHE, op, line))
                self.count += 1
        if (self.niu is None or self.niu.done) and random.random() < self.rate:
            line = random.choice(self.lines)
            op = random.choice((Op.READ, Op.READ_EXCLUSIVE, Op.FLUSH, Op.CLEAN, Op.READ_PARTIAL, Op.WRITE_PARTIAL, Op.KILL, Op.WRITE_BACK))
            command = s.driven["cmd"]
            stores = command and (command["wr"] or command["atomic"] != NONE)
            risky = any(l["atomic"] != NONE for l in s.loads) or s.store and s.store["address"] // 64 == line // 64 or stores and command["address"] // 64 == line // 64
            if op in (Op.KILL, Op.WRITE_BACK) and risky:
                return
            self.niu = s.post(SiteOp(NIU, op, line + 16 * random.randrange(4) if op in (Op.READ_PARTIAL, Op.WRITE_PARTIAL) else line,
                                    mask=random.getrandbits(16), data=random.randbytes(64)))
            self.count += 1


@test(timeout=200_000)
async def test_every_store_commits_once(dut):
    """The trace has each store, also when the answer to another master is an error in the cycle in which it is performed."""
    s = await site(dut)
    commits = Monitor(s, "io_probe_commit", ("wr", "address")).got
    for when in range(16):
        await bring(s, A, "I")
        commits.clear()
        s.put(A + 4, when)
        await s.tick(when)
        await foreign(s, NIU, Op.READ_PARTIAL, 0x1000_0000)
        await s.settle()
        await s.tick(2)
        assert [address for wr, address in commits if wr] == [A + 4], f"an error answer to another master {when} cycles after the store"


@test(timeout=200_000)
async def test_random_traffic_agrees_with_memory(dut):
    """Loads and stores of all sizes on six lines of two sets against another cache and an NIU, at several paces: every load,
    every intervention and every write-back is what one memory would give, and every access ends."""
    for rates, rate, idle in (
        (dict(), 0.3, 0.0),
        (dict(retry=0.3, shared=0.3, wake=0.02, stall=0.3, gap=0.3, delay=10, hold=0.3), 0.1, 0.3),
        (dict(retry=0.1, shared=0.5, stall=0.6, delay=3), 0.05, 0.0),
    ):
        s = await site(dut, **rates)
        s.idle_rate = idle
        lines = [A, B, C, *MORE, A + 64, B + 64, A + 128]
        others = Others(s, lines, rate)
        accesses = int(os.environ.get("ACCESSES", "1500"))
        random_accesses(s, accesses, lines, uncached=0.05)
        quiet, left = 0, len(s.commands)
        while s.commands or s.loads:
            others.step()
            await s.tick()
            quiet = quiet + 1 if len(s.commands) == left else 0
            left = len(s.commands)
            assert quiet < 2000, f"an access waits for 2000 cycles: {s.current}"
        await s.settle()
        dut._log.info(f"{rates}: {accesses} accesses in {s.cycle} cycles against {others.count} ops of others")


@test(timeout=200_000)
async def test_as_many_lines_of_a_set_as_ways(dut):
    """As many lines as there are ways stay, whatever else comes into other sets; one more drives out one of them, and only one; as many more, all of them (issue 9: caches
    chosen by a run). The sets are counted from sizes alone: the lines of a set are `bytes / ways` apart."""
    s = await site(dut)
    span = BYTES // WAYS
    lines = [A + k * span for k in range(WAYS)]
    for line in (*lines, A + 64, A + span // 2):
        await bring(s, line, "E")
    mark = s.cycle
    for line in lines:
        s.load(line)
    await s.settle()
    assert s.requests(mark) == []
    s.load(A + WAYS * span)
    await s.settle()
    mark = s.cycle
    for line in (A + 64, A + span // 2, A + WAYS * span):
        s.load(line)
    await s.settle()
    assert s.requests(mark) == []
    gone = []
    for line in lines:
        read = await foreign(s, CACHE, Op.READ, line)
        gone += [line] * (not read.answer["shared"])
    assert len(gone) == 1, [f"{line:x}" for line in gone]
    others = [A + k * span for k in range(WAYS, 2 * WAYS)]
    for line in others:
        s.load(line)
    await s.settle()
    mark = s.cycle
    for line in others:
        s.load(line)
    await s.settle()
    assert s.requests(mark) == []
    await foreign(s, NIU, Op.FLUSH, others[-1])
    s.load(A + 2 * WAYS * span)
    await s.settle()
    mark = s.cycle
    for line in others[:-1]:
        s.load(line)
    await s.settle()
    assert s.requests(mark) == [], "a line was driven out while a way was free"


@pytest.mark.parametrize("ways", [1, 2, 4])
def test_data_cache(ways):
    run_unit("cache/DataCache", {"ways": ways}, env={"WAYS": str(ways)})


@pytest.mark.parametrize("size,ways", [(4096, 4), (65536, 1), pytest.param(65536, 4, marks=pytest.mark.full)])
def test_sizes(size, ways):
    run_unit("cache/DataCache", {"bytes": size, "ways": ways}, env={"BYTES": str(size), "WAYS": str(ways)}, tests="as_many_lines")


def test_loads_and_stores_of_a_cache_with_atomics():
    run_unit("cache/DataCache", {"atomics": True}, env={"ATOMICS": "1"})


def test_a_larger_private_window():
    run_unit("cache/DataCache", {"privateBytes": 8 << 20}, env={"PRIVATE": str(8 << 20)}, tests="private_window")
