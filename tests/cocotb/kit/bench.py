"""A test with a time-out; the clock, reset and step of its design."""

import faulthandler
import functools
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, SimTimeoutError, Timer, with_timeout

PERIOD = 10  # ns
WALL = 900  # seconds of real time after which a test that no longer lets the clock run is ended


def test(*, timeout: int, **options):
    """`@test(timeout=CYCLES)` in place of `@cocotb.test`: ended after that many cycles, with the lines at which it waits.

    options: those of `cocotb.test`, as `skip`. Goes above `@cocotb.parametrize`.
    """
    assert isinstance(timeout, int) and timeout > 0, f"@test(timeout={timeout!r}): the cycles after which the test is ended, 1 or more"

    def decorate(function):
        generator = cocotb.test(**options)(function)
        inner = generator.func

        @functools.wraps(inner)
        async def bounded(dut, **parameters):
            faulthandler.dump_traceback_later(WALL, exit=True, file=sys.__stderr__)
            Bench._clock = None
            coroutine = inner(dut, **parameters)
            task = cocotb.start_soon(coroutine)
            try:
                await with_timeout(task, timeout * PERIOD, "ns")
            except SimTimeoutError:
                waits = _waits(coroutine)
                task.cancel()
                raise AssertionError(f"time-out: not over after {timeout} cycles; waits at {waits}") from None
            finally:
                faulthandler.cancel_dump_traceback_later()

        bounded.timeout = timeout
        generator.func = bounded
        return generator

    return decorate


test.__test__ = False  # pytest must not take the decorator for a test


def _waits(coroutine) -> str:
    """Where a coroutine stands: its line, and those of what it awaits; with what `Bench.until` was told."""
    places = []
    while frame := getattr(coroutine, "cr_frame", None):
        place = f"{frame.f_code.co_filename.rsplit('/', 1)[-1]}:{frame.f_lineno} ({frame.f_code.co_name})"
        if frame.f_code is Bench.until.__code__:
            place += f": {frame.f_locals['what']}"
        places.append(place)
        coroutine = coroutine.cr_await
    return " > ".join(places)


@functools.cache
def _inputs(top: str) -> list[str]:
    """The inputs of the generated Verilog but the clock. (Driving an output, too, would stop a constant one for good.)"""
    ports = re.search(rf"^module {top} \((.*?)\);", Path(os.environ["DESIGN"]).read_text(), re.DOTALL | re.MULTILINE).group(1)
    return [n for n in re.findall(r"^\s*input\s+wire\s+(?:\[.*?\]\s*)?(\w+)", ports, re.MULTILINE) if n != "clk"]


class Bench:
    """The clock, reset and step of `dut`.

    `agents`: whatever has a `step()`; all are stepped once a cycle, in order, before any test goes on. `cycle` counts the
    cycles since reset ended: the one that just ended. Several tasks may tick at once; the first that wakes steps the agents.
    """

    _clock = None  # of this test: a test may start several benches in turn

    def __init__(self, dut):
        self.dut = dut
        self.cycle = 0
        self.agents: list = []
        self._edge = RisingEdge(dut.clk)

    async def start(self, **inputs: int) -> "Bench":
        """Starts the clock with all inputs 0, but `inputs` (names without `io_`), and gives a reset of three cycles."""
        for name in _inputs(self.dut._name):
            getattr(self.dut, name).value = inputs.get(name.removeprefix("io_"), 0)
        self.dut.reset.value = 1
        await Timer(1, "ns")  # no edge before reset: until then registers hold anything
        if Bench._clock is None:
            Bench._clock = Clock(self.dut.clk, PERIOD, "ns")
            Bench._clock.start()
        for _ in range(3):
            await self._edge
        self.dut.reset.value = 0
        return self

    def add(self, agent):
        """Steps `agent` from the next cycle on; returns it."""
        self.agents.append(agent)
        return agent

    async def tick(self, cycles: int = 1) -> None:
        for _ in range(cycles):
            due = self.cycle + 1
            await self._edge
            if self.cycle < due:
                self.cycle = due
                for agent in self.agents:
                    agent.step()

    async def until(self, condition: Callable[[], object], what: str, limit: int | None = None) -> None:
        """Ticks until `condition()`; fails when `limit` cycles have gone by without `what`."""
        end = self.cycle + limit if limit is not None else None
        while not condition():
            assert end is None or self.cycle < end, f"cycle {self.cycle}: no {what} within {limit} cycles"
            await self.tick()
