"""The slot of the co-simulation (sim/host/pcie_block): what becomes of a host's loads and stores, with a card that completes them in any legal way."""
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("SEED") or 1)


@pytest.fixture(scope="module")
def block_test(tmp_path_factory):
    program = tmp_path_factory.mktemp("block") / "block_test"
    subprocess.run(["g++", "-std=gnu++17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-iquote", ROOT / "sim/host",
                    "-o", program, ROOT / "tests/driver/block/block_test.cpp", ROOT / "sim/host/pcie_block.cpp"], check=True)

    def run(*arguments):
        done = subprocess.run([program, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    return run


def test_a_host_finds_three_bars_and_reaches_nothing_beyond_them(block_test):
    block_test("bars")


def test_any_store_and_load_arrives(block_test):
    """Every length and alignment: boundaries, payload, byte enables; completions in any order, in all parts."""
    block_test("random", str(SEED))


def test_an_error_and_a_wrong_completion_read_as_ones_and_are_told(block_test):
    block_test("errors")


def test_a_read_without_an_answer_ends_in_time_and_a_late_answer_is_nobodys(block_test):
    block_test("late")


def test_a_read_that_waits_for_a_place_stops_no_store(block_test):
    block_test("places")


def test_an_interrupt_is_a_write_of_a_dword_by_a_bus_master(block_test):
    """Anything else that the card puts on RQ is told, and comes to no host."""
    block_test("interrupts")
