"""The example of docs/developer/benches.md: what goes into a FIFO comes out, in order."""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from harness import run_unit


async def start(dut):
    dut.reset.value = 1
    dut.io_push_valid.value = 0
    dut.io_pop_ready.value = 0
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    for _ in range(2):
        await RisingEdge(dut.clk)
    dut.reset.value = 0


@cocotb.test
async def test_order_is_kept(dut):
    """100 random words at random paces leave in the order they came."""
    await start(dut)
    sent, got = [], []
    while len(got) < 100:
        await FallingEdge(dut.clk)
        if not (dut.io_push_valid.value and not dut.io_push_ready.value):
            dut.io_push_valid.value = random.randrange(2)
            dut.io_push_payload.value = random.randrange(256)
        dut.io_pop_ready.value = random.randrange(2)
        await RisingEdge(dut.clk)
        if dut.io_push_valid.value and dut.io_push_ready.value:
            sent.append(int(dut.io_push_payload.value))
        if dut.io_pop_valid.value and dut.io_pop_ready.value:
            got.append(int(dut.io_pop_payload.value))
    assert got == sent[: len(got)]


@cocotb.test
async def test_full_refuses(dut):
    """With nothing taken out, the FIFO accepts `depth` words and then no more."""
    await start(dut)
    depth = int(os.environ["DEPTH"])
    dut.io_push_valid.value = 1
    taken = 0
    for _ in range(3 * depth):
        await RisingEdge(dut.clk)
        taken += int(dut.io_push_ready.value)
    assert taken == depth


@pytest.mark.parametrize("depth", [4, 16])
def test_fifo_example(depth):
    run_unit("gen/FifoExample", {"depth": depth}, env={"DEPTH": str(depth)})
