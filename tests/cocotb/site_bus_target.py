"""A Site Bus as one master sees it: verdicts with random retries, data with random gaps, memory behind it."""

import random

from cocotb.triggers import RisingEdge

READ, READ_EXCLUSIVE, UPGRADE, WRITE_BACK, READ_PARTIAL, WRITE_PARTIAL, FLUSH, CLEAN, KILL = range(9)
NAMES = "READ READ_EXCLUSIVE UPGRADE WRITE_BACK READ_PARTIAL WRITE_PARTIAL FLUSH CLEAN KILL".split()


class SiteBusTarget:
    """Answers the BusMasterPort `prefix` of `dut`.

    latency: cycles from verdict to the first beat read.   retries: chance of a retry.    gaps: chance of a cycle without beat.
    log: (cycle, kind, op, address, mask) with kind "request", "verdict" (not retried), "retry", "error" or "end".
    Memory: `memory[line address]` is a bytearray of 64; absent lines are made by `fill`.
    """

    def __init__(self, dut, prefix="io_bus", latency=12, retries=0.0, gaps=0.0, errors=lambda address: False):
        self.dut, self.prefix = dut, prefix
        self.latency, self.retries, self.gaps, self.errors = latency, retries, gaps, errors
        self.memory, self.log, self.cycle = {}, [], 0
        self.open = False
        for name in ("answer_valid", "read_valid", "write_ready", "wake", "request_ready"):
            self.pin(name).value = 0

    def pin(self, name):
        return getattr(self.dut, f"{self.prefix}_{name}")

    def line(self, address):
        base = address & ~63
        if base not in self.memory:
            self.memory[base] = bytearray(random.Random(base).randbytes(64))
        return self.memory[base]

    async def tick(self):
        await RisingEdge(self.dut.clk)
        self.cycle += 1

    def note(self, kind, op, address, mask):
        self.log.append((self.cycle, kind, op, address, mask))

    async def run(self):
        while True:
            self.pin("request_ready").value = 1
            await self.tick()
            if not self.pin("request_valid").value:
                continue
            op = int(self.pin("request_payload_op").value)
            address = int(self.pin("request_payload_address").value)
            mask = int(self.pin("request_payload_mask").value)
            assert self.pin("request_payload_bypass").value, "the NIU's own ops bypass the tags (BZ-11)"
            self.pin("request_ready").value = 0
            self.note("request", op, address, mask)
            # fire in 0, T0 in 1, verdict in 4: the master sees it at the edge that ends cycle 4.
            await self.judged()
            retry = random.random() < self.retries
            error = not retry and self.errors(address)
            self.pin("answer_valid").value = 1
            self.pin("answer_payload_retry").value = int(retry)
            self.pin("answer_payload_conflict").value = int(retry and random.random() < 0.5)
            self.pin("answer_payload_error").value = int(error)
            self.pin("answer_payload_shared").value = 0
            await self.tick()
            self.pin("answer_valid").value = 0
            self.note("retry" if retry else "error" if error else "verdict", op, address, mask)
            if retry or error:
                continue
            if op in (READ, READ_EXCLUSIVE, READ_PARTIAL):
                await self.read(op, address)
            elif op in (WRITE_BACK, WRITE_PARTIAL):
                await self.write(op, address, mask)
            self.note("end", op, address, mask)

    async def judged(self):
        for _ in range(3):
            await self.tick()

    async def beat_turn(self):
        while random.random() < self.gaps:
            await self.tick()

    async def read(self, op, address):
        for _ in range(self.latency):
            await self.tick()
        data = self.line(address)
        beats = [(address >> 4) & 3] if op == READ_PARTIAL else range(4)
        for i, beat in enumerate(beats):
            await self.beat_turn()
            self.pin("read_valid").value = 1
            self.pin("read_payload_fragment").value = int.from_bytes(data[16 * beat : 16 * beat + 16], "little")
            self.pin("read_payload_last").value = int(i == len(beats) - 1)
            await self.tick()
            self.pin("read_valid").value = 0

    async def write(self, op, address, mask):
        data = self.line(address)
        beats = [(address >> 4) & 3] if op == WRITE_PARTIAL else range(4)
        for i, beat in enumerate(beats):
            while random.random() < self.gaps:
                await self.tick()
            self.pin("write_ready").value = 1
            while True:
                await self.tick()
                if self.pin("write_valid").value:
                    break
            self.pin("write_ready").value = 0
            got = int(self.pin("write_payload_fragment").value).to_bytes(16, "little")
            assert bool(self.pin("write_payload_last").value) == (i == len(beats) - 1)
            for lane in range(16):
                if op == WRITE_BACK or mask >> lane & 1:
                    data[16 * beat + lane] = got[lane]
