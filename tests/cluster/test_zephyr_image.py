"""The sP's image on Zephyr, built and run on the RTL (docs/user/zephyr.md). Needs a kernel, which ZEPHYR_BASE names."""
import os
import re
import subprocess

import pytest
from cluster_runs import ROOT, environment, right, run

pytestmark = pytest.mark.skipif(not os.environ.get("ZEPHYR_BASE"), reason="ZEPHYR_BASE is not set: no kernel to build with")

#: Cycles that a clean remote read, three events, may take more than with the bare image: alone, and among all others of a program.
MORE, MORE_AMONG_OTHERS = 3, 6


@pytest.fixture(scope="module")
def image():
    done = subprocess.run(["make", "-s", "fw-zephyr", "PROTOCOL=stache"], cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "build/fw/stache/zephyr.elf"


@pytest.mark.parametrize("sites, aps", [(2, 1), (4, 1)])
def test_programs_have_the_answers_that_they_have_bare(image, sites, aps):
    """And every load and the memory at the end are right, and the messages add up."""
    bare, zephyr = (re.sub(r"\d+ cycles", "", "".join(re.findall(r"^\[.*\n", right(run("lu", sites, aps, "-n 16", fw=fw)).out, re.MULTILINE)))
                    for fw in ("bare", "zephyr"))  # fmt: skip
    assert bare == zephyr and "lu: correct" in bare


def test_a_read_takes_hardly_longer_than_bare(image):
    reports = [right(run("latency", 4, fw=fw)).report for fw in ("bare", "zephyr")]
    alone, among = ([r["phases"]["1"]["remote_mean"] for r in reports], [r["remote_read"]["total"] for r in reports])
    print(f"clean remote read, bare and on Zephyr: alone {alone}, among others {among}")
    assert alone[1] <= alone[0] + MORE and among[1] <= among[0] + MORE_AMONG_OTHERS


def test_both_images_are_linked_of_the_same_objects(image):
    linked = [set(re.findall(r"build/fw/(stache/\S+\.o)", text.read_text())) for text in
              (ROOT / "build/fw/stache/firmware.elf.map", ROOT / "build/zephyr/stache/zephyr/zephyr_final.map")]  # fmt: skip
    own = {o for o in linked[0] if o.startswith("stache/bare-")}
    assert own and linked[0] - own == linked[1] and "stache/stache/home.o" in linked[1]


def test_the_framework_passes_under_ztest(image):
    """On native_sim, with the recording NIU."""
    place = ROOT / "build/zephyr/tempest"
    given = [f"-DZEPHYR_MODULES={ROOT / 'fw'}", f"-DTURNSTILE_TABLE={ROOT / 'build/fw/stache/table.c'}", f"-DTURNSTILE_INCLUDE={ROOT / 'build/include'}"]
    for command in (["cmake", "-GNinja", "-S", ROOT / "fw/tests/tempest", "-B", place, "-DBOARD=native_sim/native/64", *given], ["ninja", "-C", place]):
        done = subprocess.run(command, env=environment() | {"ZEPHYR_TOOLCHAIN_VARIANT": "host"}, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run([place / "zephyr/zephyr.exe"], capture_output=True, text=True, timeout=60)
    passed = re.findall(r"PASS - (test_\w+)", done.stdout)
    assert done.returncode == 0 and "PROJECT EXECUTION SUCCESSFUL" in done.stdout and len(passed) == 5, done.stdout


def test_a_shell_answers_what_is_typed(image):
    done = right(run("lu", 2, 1, "-n 16", fw="zephyr", shell_lines="stats; queues; dir 0x80800000; tags 0x80800000; protocol; trace 1; dir 0x1"))
    said = re.findall(r"^\[0 sP\] (.*)", done.out, re.MULTILINE)
    stats = done.report["sites"][0]
    for line in (f"faults: read {stats['read_faults']}, write {stats['write_faults']}, upgrade {stats['upgrade_faults']}", f"stache.get_ro {stats['get_ro']}",
                 "events: high 0, local 0, low 0", "answers to come: blocks 0", "page 0x80800000: home is here", "message 10 of stache: DataRO, high, with data",
                 "mode 0: stache of stache", "'0x1' is no address of the shared heap: 0x80800000 to 0x80efffff"):  # fmt: skip
        assert line in said, done.out
    assert any(line.startswith("0x80800000 to ") for line in said)


def test_a_trace_of_a_running_program_has_its_handlers(image):
    done = right(run("lu", 2, 1, "-n 16", fw="zephyr", shell_lines="trace 6", shell_at=300000))
    took = [int(n) for n in re.findall(r"handler 0x[0-9a-f]{4}, operands 0x[0-9a-f]{8} 0x[0-9a-f]{8}, (\d+) cycles", done.out)]
    assert len(took) == 6 and all(5 <= n < 5000 for n in took), done.out


def test_a_trap_of_a_handler_tells_cause_and_place_as_bare(tmp_path):
    text = (ROOT / "fw/protocols/migratory.c").read_text().replace("migratory", "broken")
    broken = re.sub(r"(static void on_ask\(.*?\) \{).*", r"\1 (void)*(volatile uint32_t *)(uintptr_t)0x40000000u; }", text)  # nobody answers
    assert "volatile" in broken
    (tmp_path / "broken.c").write_text(broken)
    done = run("hello", 2, fw="zephyr", protocol=tmp_path / "broken.c")
    assert done.status == 3 and done.report["ending"] == "trapped", done.out + done.err
    assert re.search(r"^\[\d sP\] sP: trap, cause 0x00000005 at 0x0000", done.out, re.MULTILINE), done.out
    assert re.search(r"cause 5 at \w{8} \(on_ask\S*\)", done.out), done.out
