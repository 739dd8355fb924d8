"""Registers are described once: what the RTL, the header and the page say agrees, and a fault is refused in a sentence."""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def shell(script):
    done = subprocess.run(["bash", "-c", f". tools/env.sh && {script}"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def refusals():
    """Fault -> the sentence that refused it, from rtl/src/test/scala."""
    shell("tools/rtlgen compile")
    shell("exec 9>rtl/target/lock && flock 9 && maven -o scala:testCompile -f rtl/pom.xml")
    text = shell("java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp rtl/target/test-classes:rtl/target/classes:$(cat rtl/target/classpath) "
                 "turnstile.registers.RefusedRegisters")  # fmt: skip
    return dict(line.split(": ", 1) for line in text.splitlines() if re.match(r"[a-z, ]+: ", line))


def test_legal_registers_pass(refusals):
    assert refusals["none"] == ""


@pytest.mark.parametrize("fault,sentence", [
    ("described, loads not served", "registers of LampUnit: HOURS is described as R at 0x10, but its reads are not implemented"),
    ("described, stores not served", "registers of LampUnit: LEVEL is described as RW at 0x4, but its writes are not implemented"),
    ("served, not described", "registers of LampUnit: OPEN is served, but none of its blocks describes it (Lamp)"),
    ("served twice", "registers of LampUnit: reads of STATE are served twice"),
    ("served against its access", "registers of LampUnit: writes of STATE are served, but it is described as R"),
    ("port too narrow", "registers of LampUnit: STATE and HOURS are one register in 4 bits of address"),
    ("routed nowhere", "registers of House: Door reach no unit"),
    ("routed twice", "registers of House: Door are routed twice"),
    ("overlap", "Map: HOURS and LATE overlap at 0x18"),
    ("one name", "Map: 2 registers are called STATE"),
    ("offset", "register ODD: offset 0x82, legal a multiple of 4"),
    ("array", "register ROWS: 4 registers 4 bytes apart at 0x104, legal an offset whose index bits 0xc are 0"),
    ("fields", "register BITS: fields LOW and HIGH overlap at bit 3"),
])  # fmt: skip
def test_fault_is_refused(refusals, fault, sentence):
    assert sentence in refusals[fault]


@pytest.fixture(scope="module")
def made():
    shell("tools/niuheader")
    spec = importlib.util.spec_from_file_location("niu_regs", ROOT / "build/include/niu_regs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_header_and_python_agree(made):
    """Every number of the Python module is in the C header under the same name with the same value, as the compiler sees it."""
    lines = []
    for name, value in sorted(vars(made).items()):
        if isinstance(value, int):
            lines.append(f'_Static_assert({name} == {value}u, "{name}");')
        elif isinstance(value, made.Array):
            lines += [f'_Static_assert({name}({i}) == {value(i)}u, "{name}({i})");' for i in (0, len(value) - 1)]
        elif isinstance(value, made.Field):
            lines.append(f'_Static_assert({name}(1) == {value(1)}u && {name}_MASK == {value.mask}u, "{name}");')
    assert len(lines) > 200
    source = ROOT / "build" / "include" / "agree.c"
    source.write_text('#include "niu_regs.h"\n' + "\n".join(lines) + "\n")
    shell(f"gcc -fsyntax-only -Wall -Werror {source}")


def test_fields_put_and_take(made):
    word = made.NIU_CMD_CTRL_TAG(21) | made.NIU_CMD_CTRL_SEND(1)
    assert word == 21 << 15 | 1 << 13
    assert made.NIU_CMD_CTRL_TAG.of(word) == 21 and made.NIU_CMD_CTRL_PRIO.of(word) == 0
    with pytest.raises(AssertionError):
        made.NIU_CMD_CTRL_TAG(32)


def test_page_has_every_register(made):
    page = (ROOT / "build/docs/registers.md").read_text()
    header = (ROOT / "build/include/niu_regs.h").read_text()
    described = [b for f in (ROOT / "rtl/src/main/scala/turnstile/registers").glob("*Block.scala")
                 for b in re.findall(r'= (?:register|array)\("(\w+)"', f.read_text())]  # fmt: skip
    assert len(described) > 70
    for name in described:
        assert f"| {name} |" in page and re.search(rf"_{name}\b", header), name
