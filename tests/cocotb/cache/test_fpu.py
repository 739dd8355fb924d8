"""F and D of an aP of cache/ApSite: each instruction, in each rounding, with operands of each class, against ieee754.py; less what VexRiscv's
FpuCore does otherwise (docs/design/fpu.md): sign injection leaves the sign of a NaN, and a multiply-add that cancels has lost what its product had
beyond the precision."""

import os
import random
import subprocess
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from cocotbext.axi import AxiBus, AxiRam
from harness import run_unit
from ieee754 import D, RNE, S, Format, add, classify, compare, convert, div, fma, least_or_most, mul, negated, of_number, sqrt, to_integer, value
from kit import Bench, Monitor, Pins, test

PREFIX = "riscv64-unknown-elf-"
PROGRAM = Path(__file__).with_name("fpu_vectors.S")
ORDER = Path(__file__).with_name("fpu_order.S")
TELL = 0x1000_0000
END = 0xFF_FFFF
BOX = 0xFFFF_FFFF_0000_0000
ROWS = int(os.environ.get("ROWS", "15"))
"""At most of an instruction in one rounding."""
CHAINS = ROWS * 4


def operands(f: Format) -> list[int]:
    """Of every class, and those at which something changes."""
    one, half = f.top << f.precision - 1, f.top - 1 << f.precision - 1
    magnitudes = [0, 1, (1 << f.precision - 1) - 1, 1 << f.precision - 1, one, one + 1, half, one + (3 << f.precision - 3), f.infinity - 1, f.infinity]
    return [s | m for m in magnitudes for s in (0, f.sign)] + [f.nan, f.infinity | 1, f.sign | f.nan | 5]


def integers(f: Format) -> list[int]:
    """Around what fits in a word, and halves."""
    return [of_number(x + d, False, f, RNE)[0] for x in (0, 2, 2**31, -2**31, 2**32, -1) for d in (Fraction(q, 4) for q in (-4, -3, -2, -1, 1, 2, 3, 4))]


def nearby(f: Format) -> int:
    """Random, mostly with exponents at which sums and products are neither lost nor out of range."""
    if random.random() < 0.2:
        return random.getrandbits(f.bits)
    exponent = f.top + random.choice((-f.top, 1 - f.top, 0, 0, f.top // 2, -(f.top // 2) - 1)) + random.randrange(0, 4)
    fraction = random.getrandbits(f.precision - 1) & random.choice((-1, 0, -1 << f.precision // 2))
    return random.getrandbits(1) << f.bits - 1 | min(exponent, 2 * f.top) << f.precision - 1 | fraction


class Vectors:
    """Routines of one instruction each, and what they are to leave."""

    def __init__(self):
        self.text: dict[str, str] = {}
        self.rows: list[tuple] = []

    def few(self, most: int) -> None:
        """At most so many rows of a routine, in random order."""
        random.shuffle(self.rows)
        left = dict.fromkeys(self.text.values(), most)
        kept, self.rows = self.rows, []
        for row in kept:
            left[row[0]] -= 1
            if left[row[0]] >= 0:
                self.rows.append(row)

    def row(self, instruction: str, inputs: tuple[int, ...], result: int, flags: int, f: Format, integer: bool = False, x: int = 0) -> None:
        """`f`: format of the result, or with `integer` of nothing."""
        label = self.text.setdefault(instruction, f"routine_{len(self.text)}")
        self.rows.append((label, x, *(inputs + (0, 0, 0))[:3], result | (BOX if f is S and not integer else 0), flags, integer, instruction))

    def table(self) -> str:
        body = "".join(f"{label}:\n  {instruction}\n  ret\n" for instruction, label in self.text.items())
        return body + ".balign 64\ntable:\n" + "".join(f".word {r[0]}, {r[1]:#x}\n.dword {r[2]:#x}, {r[3]:#x}, {r[4]:#x}, {r[5]:#x}\n.word {r[6]}, {int(r[7])}\n" for r in self.rows) + "table_end:\n"


def chain(v: Vectors, f: Format) -> None:
    """Instructions that calculate with what the one before left in its register, and round it each in its own way."""
    inputs = [nearby(f) for _ in "abc"]
    text, bits, flags = [], inputs[0], 0
    source = "fa1"
    for _ in range(8):
        mode = random.randrange(5)
        name, suffix = ("rne", "rtz", "rdn", "rup", "rmm")[mode], "s" if f is S else "d"
        operation = random.choice(("fadd", "fsub", "fmul", "fdiv", "fsqrt", "fcvt"))
        last, other = value(bits, f), random.choice((1, 2))
        operand = value(inputs[other], f)
        if operation == "fcvt":  # to a float and, exactly, back; or to a double, and back
            wide = f is D
            text.append(f"fcvt.s.d fa0, {source}, {name}\n  fcvt.d.s fa0, fa0" if wide else f"fcvt.d.s fa0, {source}\n  fcvt.s.d fa0, fa0, {name}")
            between, raised = convert(S if wide else D, mode, last)
            bits, more = convert(f, mode, value(between, S if wide else D))
            raised |= more
        elif operation == "fsqrt":
            text.append(f"fsqrt.{suffix} fa0, {source}, {name}")
            bits, raised = sqrt(f, mode, last)
        else:
            text.append(f"{operation}.{suffix} fa0, {source}, fa{1 + other}, {name}")
            if operation in ("fadd", "fsub"):
                bits, raised = add(f, mode, last, operand if operation == "fadd" else negated(operand))
            else:
                bits, raised = (mul if operation == "fmul" else div)(f, mode, last, operand)
        flags |= raised
        source = "fa0"
    v.row("\n  ".join(text), tuple(b | (BOX if f is S else 0) for b in inputs), bits, flags, f)


def vectors() -> Vectors:
    v = Vectors()
    for f, s in ((S, "s"), (D, "d")):
        box = BOX if f is S else 0
        def meaning(bits, f=f):
            return value(bits, f)
        def put(instruction, bits, result, flags, to=f, integer=False, x=0):
            v.row(instruction, tuple(b | box for b in bits), result, flags, to, integer, x)
        some = operands(f)
        pairs = [(a, b) for a in some for b in some]
        for mode, name in enumerate(("rne", "rtz", "rdn", "rup", "rmm")):
            chosen = random.sample(pairs, 40 if mode else 120) + [(nearby(f), nearby(f)) for _ in range(40)]
            for a, b in chosen:
                put(f"fadd.{s} fa0, fa1, fa2, {name}", (a, b), *add(f, mode, meaning(a), meaning(b)))
                put(f"fsub.{s} fa0, fa1, fa2, {name}", (a, b), *add(f, mode, meaning(a), negated(meaning(b))))
                put(f"fmul.{s} fa0, fa1, fa2, {name}", (a, b), *mul(f, mode, meaning(a), meaning(b)))
                put(f"fdiv.{s} fa0, fa1, fa2, {name}", (a, b), *div(f, mode, meaning(a), meaning(b)))
            for a in some + [nearby(f) for _ in range(20)]:
                put(f"fsqrt.{s} fa0, fa1, {name}", (a,), *sqrt(f, mode, meaning(a)))
            triples = [tuple(random.choice(some) for _ in "abc") for _ in range(20)] + [tuple(nearby(f) for _ in "abc") for _ in range(20)]
            for a, b, c in triples:
                x, y, z = meaning(a), meaning(b), meaning(c)
                for instruction, p, q in (("fmadd", x, z), ("fmsub", x, negated(z)), ("fnmsub", negated(x), z), ("fnmadd", negated(x), negated(z))):
                    put(f"{instruction}.{s} fa0, fa1, fa2, fa3, {name}", (a, b, c), *fma(f, mode, p, y, q))
            for a in some + integers(f) + [nearby(f) for _ in range(10)]:
                put(f"fcvt.w.{s} a0, fa1, {name}", (a,), *to_integer(False, mode, meaning(a)), integer=True)
                put(f"fcvt.wu.{s} a0, fa1, {name}", (a,), *to_integer(True, mode, meaning(a)), integer=True)
                other, o = (D, "d") if f is S else (S, "s")
                if f is D or mode == RNE:  # to the wider one nothing is rounded
                    put(f"fcvt.{o}.{s} fa0, fa1" + (f", {name}" if f is D else ""), (a,), *convert(other, mode, meaning(a)), to=other)
            for x in (0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x0100_0001, 0x8100_0001, random.getrandbits(32)):
                rounding = f", {name}" if f is S else ""
                put(f"fcvt.{s}.w fa0, a1{rounding}", (), *of_number(Fraction((x ^ 1 << 31) - (1 << 31)), False, f, mode), x=x)
                put(f"fcvt.{s}.wu fa0, a1{rounding}", (), *of_number(Fraction(x), False, f, mode), x=x)
        for a, b in random.sample(pairs, 200):
            put(f"fmin.{s} fa0, fa1, fa2", (a, b), *least_or_most(f, False, a, b))
            put(f"fmax.{s} fa0, fa1, fa2", (a, b), *least_or_most(f, True, a, b))
            for name in ("eq", "lt", "le"):
                put(f"f{name}.{s} a0, fa1, fa2", (a, b), *compare(name, meaning(a), meaning(b)), integer=True)
        for a in some:
            put(f"fclass.{s} a0, fa1", (a,), classify(a, f), 0, integer=True)
            for b in (1, f.sign | 1):
                put(f"fsgnj.{s} fa0, fa1, fa2", (a, b), a if meaning(a).nan else a & ~f.sign | b & f.sign, 0)
                put(f"fsgnjn.{s} fa0, fa1, fa2", (a, b), a if meaning(a).nan else a & ~f.sign | ~b & f.sign, 0)
                put(f"fsgnjx.{s} fa0, fa1, fa2", (a, b), a if meaning(a).nan else a ^ b & f.sign, 0)
    for a in operands(S):
        v.row("fmv.x.w a0, fa1", (a | BOX,), a, 0, S, integer=True)
        v.row("fmv.w.x fa0, a1", (), a, 0, S, x=a)
    for _ in range(CHAINS):
        chain(v, S)
        chain(v, D)
    v.few(ROWS)
    return v


def near_enough(row: tuple, got: int) -> bool:
    """A multiply-add whose parts have two signs is right to the precision of its product."""
    instruction, (a, b, c), wanted = row[8], row[2:5], row[5]
    f = D if ".d" in instruction else S
    mask = (1 << f.bits) - 1
    x, y, z, r, w = (value(bits & mask, f) for bits in (a, b, c, got, wanted))
    if not instruction.startswith(("fm", "fnm")) or None in (x.size, y.size, z.size, r.size, w.size) or got & BOX != wanted & BOX and f is S:
        return False
    subtracts = x.negative ^ y.negative ^ z.negative ^ instruction.startswith(("fmsub", "fnmsub"))
    unit = abs(w.number - value(wanted & mask ^ 1, f).number)
    return subtracts and abs(r.number - w.number) <= max(unit, x.size * y.size / 2 ** f.precision)


def image(source: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        assembly, elf, binary = (Path(folder, f"program.{kind}") for kind in ("S", "elf", "bin"))
        assembly.write_text(source)
        subprocess.run([f"{PREFIX}gcc", f"-march=rv32im{'a' * (os.environ.get('ATOMICS') == '1')}fd", "-mabi=ilp32d", "-misa-spec=2.2", "-nostdlib", "-Wl,-Ttext=0x40000000", "-Wl,--no-warn-rwx-segments",
                        assembly, "-o", elf], check=True)
        subprocess.run([f"{PREFIX}objcopy", "-O", "binary", elf, binary], check=True)
        return binary.read_bytes()


async def told(dut, program: bytes, resets: int = 0) -> list[int]:
    """What the program stores to the unanswered TELL + 4 * word, END excluded; `resets`: it is begun anew so often, by `run`."""
    bench, pins = Bench(dut), Pins(dut)
    ram = AxiRam(AxiBus.from_prefix(dut, "axi"), dut.clk, dut.reset, size=16 << 20)
    for channel in (ram.write_if, ram.read_if):
        channel.log.setLevel("WARNING")
    ram.write(0, program)
    errors = Monitor(bench, "io_storeError_0")
    await bench.start()
    pins.set("run", 1)
    for _ in range(resets):
        await bench.tick(random.randrange(300, 6000))
        pins.set("run", 0)
        await bench.tick(random.randrange(1, 40))
        pins.set("run", 1)
    await bench.until(lambda: errors.got and errors.got[-1] == TELL + 4 * END, "end of the program")
    return [(e - TELL) // 4 for e in errors.got[:-1]]


@test(timeout=20_000_000)
async def test_each_instruction(dut):
    v = vectors()
    wrong = await told(dut, image(PROGRAM.read_text() + v.table()))
    dut._log.info(f"{len(v.rows)} vectors of {len(v.text)} instructions")
    lines, cancelled = [], []
    for index, *parts, flags in (wrong[i:i + 6] for i in range(0, len(wrong), 6)):
        row, got = v.rows[index], sum(part << 16 * k for k, part in enumerate(parts))
        if near_enough(row, got):
            cancelled.append(row)
            continue
        lines.append(f"{row[8]} of {row[2]:#x}, {row[3]:#x}, {row[4]:#x}, x {row[1]:#x}: {got:#x} flags {flags:#x}, not {row[5]:#x} flags {row[6]:#x}")
    dut._log.info(f"{len(cancelled)} multiply-adds cancel and are not exact")
    assert not lines, f"{len(lines)} of {len(v.rows)} wrong:\n" + "\n".join(sorted(lines)[:40])


@test(timeout=1_000_000)
async def test_order_and_traps(dut):
    wrong = await told(dut, image(ORDER.read_text()))
    assert not wrong, f"wrong in fpu_order.S: {wrong}"


@test(timeout=1_000_000)
async def test_reset_amid_instructions(dut):
    """Of the core, while the FPU has instructions: what follows is nothing of them."""
    wrong = await told(dut, image(ORDER.read_text()), resets=16)
    assert not wrong, f"wrong in fpu_order.S after resets: {wrong}"


def test_fpu():
    run_unit("cache/ApSite", {"aps": 1, "fpu": True})


@pytest.mark.full
@pytest.mark.parametrize("seed", [2, 3])
def test_fpu_at_length(seed, monkeypatch):
    monkeypatch.setenv("SEED", str(seed))
    run_unit("cache/ApSite", {"aps": 1, "fpu": True}, env={"ROWS": "1000"}, tests="each_instruction")


@pytest.mark.full
def test_fpu_with_atomics():
    run_unit("cache/ApSite", {"aps": 1, "fpu": True, "atomics": True}, env={"ATOMICS": "1"}, tests="order")
