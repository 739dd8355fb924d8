"""The kit keeps its promises: time-outs speak, seeds repeat, the bench on the page runs, TEST= chooses."""

import os
import random
import re
import subprocess
import sys
import types

import cocotb
import pytest
from harness import BUILD, ROOT, run_unit
from kit import Bench, Source, pace, test
from kit.packets import HEADER, Packet, pack, random_packet, unpack

PAGE = ROOT / "docs" / "developer" / "benches.md"


@test(timeout=50)
async def test_hang_in_until(dut):
    bench = await Bench(dut).start()
    await bench.until(lambda: False, "a flit that nobody sends")


@test(timeout=50)
async def test_hang_outside_the_kit(dut):
    await cocotb.triggers.Event().wait()


@test(timeout=50)
async def test_hang_with_limit(dut):
    bench = await Bench(dut).start()
    await bench.until(lambda: False, "thing", limit=10)


@test(timeout=50)
async def test_draw(dut):
    with open(os.environ["DRAWN"], "a") as drawn:
        print(random.getrandbits(64), file=drawn)


@test(timeout=50)
async def test_wrong_pin(dut):
    Source(Bench(dut), "io_nothing")


@pytest.mark.parametrize(
    "name, says",
    [
        ("hang_in_until", r"not over after 50 cycles; waits at test_kit.py:\d+ \(test_hang_in_until\) > .*: a flit that nobody sends"),
        ("hang_outside", r"not over after 50 cycles; waits at test_kit.py:\d+ \(test_hang_outside_the_kit\)"),
        ("hang_with_limit", r"cycle 10: no thing within 10 cycles"),
        ("wrong_pin", r"LinkRx has no pins io_nothing_payload"),
    ],
)
def test_a_bench_that_hangs_says_what_it_waits_for(name, says):
    with pytest.raises(AssertionError, match=says):
        run_unit("network/LinkRx", tests=name)


def test_a_test_without_time_out_is_refused():
    with pytest.raises(TypeError, match="timeout"):
        test()(lambda dut: None)
    with pytest.raises(AssertionError, match="cycles after which the test is ended"):
        test(timeout=0)


def test_a_bench_that_may_run_for_ever_is_refused(monkeypatch):
    bench = types.ModuleType("endless")
    bench.test_endless = cocotb.test(lambda dut: None)
    monkeypatch.setitem(sys.modules, "endless", bench)
    with pytest.raises(AssertionError, match="may run for ever; write @test"):
        run_unit("network/LinkRx", test_module="endless")


def test_a_seed_repeats_its_numbers(monkeypatch, tmp_path):
    drawn = []
    for seed in ("5", "6", "5"):
        monkeypatch.setenv("SEED", seed)
        run_unit("network/LinkRx", tests="draw", env={"DRAWN": str(tmp_path / seed)})
        drawn.append((tmp_path / seed).read_text().split()[-1])
    assert drawn[0] == drawn[2] != drawn[1]


def test_paces():
    assert [go() for go in [pace("110")] for _ in range(6)] == [True, True, False] * 2
    assert all(pace(1.0)() for _ in range(20)) and not any(pace(0)() for _ in range(20))
    assert 20 < sum(go() for go in [pace(0.5)] for _ in range(100)) < 80
    with pytest.raises(AssertionError, match="a chance is from 0 to 1"):
        pace(1.5)


def test_a_packet_is_what_was_packed():
    assert sum(bits for _, bits in HEADER) == 64
    for _ in range(100):
        packet = random_packet(random.randrange(64), random.randrange(64), random.randrange(2))
        fields = unpack(packet.header)
        assert all(fields[name] == (len(packet.body) if name == "body" else getattr(packet, name, 0)) for name, _ in HEADER)
        clean = Packet(**{**vars(packet), "reserved": 0})
        assert Packet.parse(clean.flits, clean.vc) == clean
        with pytest.raises(AssertionError, match="CRC"):
            Packet.parse(clean.damaged(random.randrange(64 * len(clean.flits))), clean.vc)
    with pytest.raises(AssertionError, match="dest=64 needs more than 6 bits"):
        pack({"dest": 64})


def pytest_on(*arguments, **environment):
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-c", ROOT / "pyproject.toml", *arguments]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True)


def test_the_bench_on_the_page_runs():
    code = re.search(r"<!-- template -->\n```python\n(.*?)```", PAGE.read_text(), re.DOTALL).group(1)
    assert len(code.splitlines()) <= 35, "the template grows"
    bench = BUILD / "template" / "test_from_the_page.py"
    bench.parent.mkdir(parents=True, exist_ok=True)
    bench.write_text(code)
    done = pytest_on(bench)
    assert done.returncode == 0, done.stdout


def test_only_what_matches_is_run():
    """Benches without a match are left out; only if no bench is left, pytest says so by status 5."""
    none = pytest_on("--collect-only", "tests/cocotb/bus", TEST="nobody_is_called_so")
    assert none.returncode == 5, none.stdout
    some = pytest_on("--collect-only", "tests/cocotb/bus", TEST="hammered_line")
    assert some.returncode == 0 and "test_site_bus" in some.stdout and "test_dram_home" not in some.stdout
