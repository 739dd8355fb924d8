"""Drives a MessageUnit: link, Site Bus, sP, window and command engine side, all at random paces."""

import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from packets import Packet, row
from registers import NIU_TRANSLATION

SITE = 5
CREDITS = 32


class Unit:
    """One MessageUnit and what surrounds it. `pace_*` are chances per cycle, 1.0 = as fast as it goes."""

    def __init__(self, dut):
        self.dut = dut
        self.cycle = 0
        self.handles = {}
        self.last = {}
        self.sp = deque()
        self.window = deque()
        self.lines = deque()
        self.line_words = deque()
        self.link_in = [deque(), deque()]
        self.events = {"High": [], "Low": [], "Local": []}
        self.sent = []
        self.stamps = []
        self.memory = {}
        self.dirty = {}
        self.bus_ops = []
        self.pace_sp = self.pace_credit = self.pace_line = self.pace_in = 1.0
        self.pace_event = {"High": 1.0, "Low": 1.0, "Local": 1.0}
        self.bus_retry = 0.0
        self.bus_error = set()
        self._regs = deque()
        self._pulses = deque()
        self._credits_in = [CREDITS, CREDITS]
        self._owed = [0, 0]
        self._partial = [[], []]
        self._bus = None
        self._bus_wait = 0
        self._sp_taken = self._head_taken = self._data_taken = False

    # --- pins
    def set(self, name, value):
        if self.last.get(name) != value:
            self.last[name] = value
            self._handle(name).value = value

    def get(self, name):
        return int(self._handle(name).value)

    def _handle(self, name):
        if name not in self.handles:
            self.handles[name] = getattr(self.dut, "io_" + name)
        return self.handles[name]

    async def start(self):
        dut = self.dut
        for handle in dut:
            name = handle._name
            if name.startswith("io_"):
                try:
                    handle.value = 0
                except (AttributeError, TypeError):
                    pass
        dut.io_siteId.value = SITE
        dut.reset.value = 1
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        for _ in range(3):
            await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        dut.reset.value = 0
        cocotb.start_soon(self._run())

    # --- what a test calls
    async def until(self, condition, limit=20000, what="condition"):
        end = self.cycle + limit
        while not condition():
            assert self.cycle < end, f"no {what} after {limit} cycles"
            await RisingEdge(self.dut.clk)

    async def cycles(self, n):
        end = self.cycle + n
        await self.until(lambda: self.cycle >= end, n + 10)

    async def write(self, address, data):
        done = []
        self._regs.append((1, address, data, done))
        await self.until(lambda: done)

    async def read(self, address):
        done = []
        self._regs.append((0, address, 0, done))
        await self.until(lambda: done)
        return done[0]

    async def name(self, queue, dest, site, rxq, source, valid=1):
        await self.write(NIU_TRANSLATION(queue * 512 + dest), row(site, rxq, source, valid))

    async def pulse(self, **pins):
        """Sets pins for one cycle; returns (answer_message, answer_meta, answer_data) of the window a cycle later."""
        done = []
        self._pulses.append((pins, done))
        await self.until(lambda: done)
        return done[0]

    async def load(self, queue):
        """The two Express loads: META (dequeues), then DATA."""
        message, meta, data = await self.pulse(
            window_query_valid=1, window_query_payload_basic=0, window_query_payload_queue=queue)
        if message:
            await self.pulse(window_pop_valid=1, window_pop_payload=queue)
        return message, meta, data

    async def pointer(self, queue, word):
        return (await self.pulse(window_query_valid=1, window_query_payload_basic=1, window_query_payload_queue=queue,
                                 window_query_payload_word=word))[1]

    async def set_pointer(self, queue, consumer, value):
        await self.pulse(window_pointer_valid=1, window_pointer_payload_queue=queue,
                         window_pointer_payload_consumer=int(consumer), window_pointer_payload_value=value)

    async def slot(self, index, words=16, port=0):
        got = []
        for i in range((words + 1) // 2):
            await self.pulse(**{f"slot_{port}_read_valid": 1, f"slot_{port}_read_payload": index << 3 | i})
            beat = self.get(f"slot_{port}_data")
            got += [beat & (1 << 64) - 1, beat >> 64]
        return got[:words]

    async def free(self, index, port=0):
        await self.pulse(**{f"slot_{port}_free_valid": 1, f"slot_{port}_free_payload": index})

    def arrive(self, packet, damage=None):
        self.link_in[packet.vc].append((packet, packet.flits(damage)))

    # --- every cycle
    async def _run(self):
        clock = self.dut.clk
        answers = []
        pulsed = ()
        while True:
            await FallingEdge(clock)
            # Registers and window answer the cycle after they were asked.
            for answer in answers:
                answer()
            answers = []
            self._drive_sp()
            self._drive_window()
            self._drive_link()
            self._drive_line()
            self._drive_bus()
            for name, pace in self.pace_event.items():
                self.set(f"event{name}_ready", int(random.random() < pace))
            self.set("regs_command_valid", int(bool(self._regs)))
            if self._regs:
                write, address, data, done = self._regs.popleft()
                self.set("regs_command_payload_write", write)
                self.set("regs_command_payload_address", address)
                self.set("regs_command_payload_data", data)
                answers.append(lambda done=done: done.append(self.get("regs_data")))
            for pin in pulsed:
                self.set(pin, 0)
            pulsed = ()
            if self._pulses:
                pins, done = self._pulses.popleft()
                pulsed = tuple(pins)
                for pin, value in pins.items():
                    self.set(pin, value)
                answers.append(lambda done=done: done.append(tuple(
                    self.get(f"window_answer_{part}") for part in ("message", "meta", "data"))))

            await RisingEdge(clock)
            self.cycle += 1
            self._sample_sp()
            self._sample_link()
            self._sample_line()
            self._sample_bus()
            for name, got in self.events.items():
                if self.get(f"event{name}_valid") and self.last[f"event{name}_ready"]:
                    got.append((self.cycle, self.get(f"event{name}_payload_index"),
                                self.get(f"event{name}_payload_arg"), self.get(f"event{name}_payload_meta")))

    def _drive_sp(self):
        if not self.last.get("sp_valid") or self._sp_taken:
            self._sp_taken = False
            self.set("sp_valid", int(bool(self.sp) and random.random() < self.pace_sp))
            if self.last["sp_valid"]:
                for key, value in self.sp[0].items():
                    self.set(f"sp_payload_{key}", value)

    def _sample_sp(self):
        if self.last["sp_valid"] and self.get("sp_ready"):
            self.stamps.append(("sp", self.cycle))
            self.sp.popleft()
            self._sp_taken = True

    def _drive_window(self):
        self.set("window_express_valid", 0)
        if self.window and random.random() < self.pace_sp:
            message = self.window[0]
            if self.get("window_room") >> (message["queue"] * 2 + message["high"]) & 1:
                self.window.popleft()
                self.set("window_express_valid", 1)
                for key, value in message.items():
                    self.set(f"window_express_payload_{key}", value)

    def _drive_link(self):
        credit = 0
        for vc in range(2):
            if self._owed[vc] and random.random() < self.pace_credit:
                self._owed[vc] -= 1
                credit |= 1 << vc
        self.set("out_credit", credit)
        ready = [vc for vc in range(2) if self.link_in[vc] and self._credits_in[vc]]
        self.set("in_flit_valid", 0)
        if ready and random.random() < self.pace_in:
            vc = random.choice(ready)
            packet, flits = self.link_in[vc][0]
            data, last = flits.pop(0)
            self._credits_in[vc] -= 1
            self.set("in_flit_valid", 1)
            self.set("in_flit_payload_data", data)
            self.set("in_flit_payload_last", int(last))
            self.set("in_flit_payload_vc", vc)
            if last:
                self.stamps.append(("tail", self.cycle + 1))
                self.link_in[vc].popleft()

    def _sample_link(self):
        credit = self.get("in_credit")
        for vc in range(2):
            self._credits_in[vc] += credit >> vc & 1
        if self.get("out_flit_valid"):
            vc = self.get("out_flit_payload_vc")
            if not self._partial[vc]:
                self.stamps.append(("header", self.cycle))
            self._partial[vc].append(self.get("out_flit_payload_data"))
            self._owed[vc] += 1
            assert self._owed[vc] <= CREDITS, "a flit sent without credit"
            if self.get("out_flit_payload_last"):
                self.sent.append(Packet.parse(self._partial[vc], vc))
                self._partial[vc] = []

    def _drive_line(self):
        if not self.last.get("line_head_valid") or self._head_taken:
            self._head_taken = False
            self.set("line_head_valid", int(bool(self.lines) and random.random() < self.pace_line))
            if self.last["line_head_valid"]:
                for key, value in self.lines[0][0].items():
                    self.set(f"line_head_payload_{key}", value)
        if not self.last.get("line_data_valid") or self._data_taken:
            self._data_taken = False
            self.set("line_data_valid", int(bool(self.line_words) and random.random() < self.pace_line))
            if self.last["line_data_valid"]:
                self.set("line_data_payload", self.line_words[0])

    def _sample_line(self):
        if self.last["line_head_valid"] and self.get("line_head_ready"):
            self.stamps.append(("line", self.cycle))
            self.line_words.extend(self.lines.popleft()[1])
            self._head_taken = True
        if self.last["line_data_valid"] and self.get("line_data_ready"):
            self.line_words.popleft()
            self._data_taken = True

    # --- Site Bus: request, verdict 3 cycles later, data after some more
    def line_of(self, address):
        return self.memory.setdefault(address >> 6, [0] * 8)

    def _drive_bus(self):
        self.set("bus_request_ready", int(random.random() < 0.8))
        self.set("bus_answer_valid", 0)
        self.set("bus_read_valid", 0)
        self.set("bus_write_ready", 0)
        op = self._bus
        if op is None:
            return
        if self._bus_wait:
            self._bus_wait -= 1
        elif op["state"] == "verdict":
            self.set("bus_answer_valid", 1)
            error = op["address"] >> 6 in self.bus_error
            retry = not error and random.random() < self.bus_retry
            self.set("bus_answer_payload_retry", int(retry))
            self.set("bus_answer_payload_error", int(error))
            self.bus_ops.append((op["op"], op["address"], "error" if error else "retry" if retry else "done"))
            if retry or error:
                self._bus = None
            else:
                op["state"] = "data"
                self._bus_wait = random.randrange(8)
                line = op["address"] >> 6
                if op["op"] == 0 and line in self.dirty:  # READ: the cache intervenes, memory takes the data
                    self.memory[line] = self.dirty.pop(line)
                if op["op"] == 3:
                    self.dirty.pop(line, None)
        elif op["op"] == 0:
            words = self.line_of(op["address"])
            beat = op["beat"]
            self.set("bus_read_valid", 1)
            self.set("bus_read_payload_last", int(beat == 3))
            self.set("bus_read_payload_fragment", words[2 * beat + 1] << 64 | words[2 * beat])
            op["beat"] += 1
            if beat == 3:
                self._bus = None
        else:
            self.set("bus_write_ready", int(random.random() < 0.7))

    def _sample_bus(self):
        if self.get("bus_request_valid") and self.last["bus_request_ready"]:
            assert self._bus is None, "a master has one op outstanding"
            op = self.get("bus_request_payload_op")
            assert op in (0, 3), f"rings are read by READ and written by WRITE_BACK, not {op}"
            assert not self.get("bus_request_payload_bypass")
            self._bus = {"op": op, "address": self.get("bus_request_payload_address"), "state": "verdict", "beat": 0}
            self._bus_wait = 2
        op = self._bus
        if op and op["state"] == "data" and op["op"] == 3 and self.get("bus_write_valid") and self.last["bus_write_ready"]:
            beat = op["beat"]
            data = self.get("bus_write_payload_fragment")
            self.line_of(op["address"])[2 * beat : 2 * beat + 2] = [data & (1 << 64) - 1, data >> 64]
            assert self.get("bus_write_payload_last") == (beat == 3)
            op["beat"] += 1
            if beat == 3:
                self._bus = None


async def start(dut):
    unit = Unit(dut)
    await unit.start()
    return unit
