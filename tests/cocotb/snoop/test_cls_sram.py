"""The cls SRAM (VY-09): what its snoop port reads while its other port writes."""

import random

import pytest
from harness import run_unit
from kit import Bench, Pins, test


@test(timeout=5_000)
async def test_a_word_read_in_the_cycle_of_its_write_is_the_new_one(dut):
    """All 32 tags of it, those that the command changes and their neighbours; a word read before or beside it is as it was."""
    bench, tags, snoop = Bench(dut), Pins(dut, "io_tags"), Pins(dut, "io_snoop")
    words, expected, met = [0] * 8, None, 0
    await bench.start(tags_enable=1)
    for step in range(1000):
        address, data, read, line = random.randrange(8), random.getrandbits(96), random.randrange(8), random.randrange(32)
        writes = step < 8 or random.random() < 0.5
        if step < 8:
            address = step
        tags.drive(write=int(writes), word=address, data=data)
        snoop.drive(valid=int(step >= 8), payload=32 * read + line)
        await bench.tick()
        if expected is not None:
            tag = dut.io_changed_payload if dut.io_changed_valid.value else dut.io_kept
            assert int(tag.value) == expected, f"step {step}"
        if writes:
            words[address] = data
        expected = sum((words[read] >> 32 * plane + line & 1) << plane for plane in range(3)) if step >= 8 else None
        met += step >= 8 and writes and read == address
    assert met > 20


@pytest.mark.parametrize("megabytes", [4, 8, 16])
def test_cls_sram(megabytes):
    """Banks of 16, 8 and 4 bits."""
    run_unit("snoop/ClsSram", {"memoryBytes": megabytes << 20})
