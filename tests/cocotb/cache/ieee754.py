"""IEEE 754 as the RISC-V manual has it ("F", "D"), in exact fractions: what an instruction leaves in its register and in fflags."""

from fractions import Fraction
from math import isqrt
from typing import NamedTuple

NX, UF, OF, DZ, NV = 1, 2, 4, 8, 16
RNE, RTZ, RDN, RUP, RMM = range(5)


class Format(NamedTuple):
    bits: int
    precision: int

    @property
    def top(self) -> int:
        """Largest exponent; the bias."""
        return (1 << self.bits - self.precision - 1) - 1

    @property
    def least(self) -> int:
        return 1 - self.top

    @property
    def sign(self) -> int:
        return 1 << self.bits - 1

    @property
    def infinity(self) -> int:
        return (2 * self.top + 1) << self.precision - 1

    @property
    def nan(self) -> int:
        return self.infinity | 1 << self.precision - 2


S, D = Format(32, 24), Format(64, 53)


class Value(NamedTuple):
    """What bits of a format mean; `size` is without the sign, None where it is no number."""
    negative: bool
    size: Fraction | None
    nan: bool = False
    signaling: bool = False

    @property
    def number(self) -> Fraction:
        return -self.size if self.negative else self.size

    @property
    def infinite(self) -> bool:
        return self.size is None and not self.nan


def value(bits: int, f: Format) -> Value:
    negative, exponent, fraction = bool(bits & f.sign), bits >> f.precision - 1 & 2 * f.top + 1, bits & (1 << f.precision - 1) - 1
    if exponent == 2 * f.top + 1:
        return Value(negative, None, fraction != 0, fraction != 0 and not fraction >> f.precision - 2)
    whole = fraction + (1 << f.precision - 1 if exponent else 0)
    return Value(negative, whole * Fraction(2) ** (max(exponent - f.top, f.least) - f.precision + 1))


def whole(size: Fraction, negative: bool, mode: int) -> int:
    n, rest = size.numerator // size.denominator, size % 1
    up = {RNE: rest > Fraction(1, 2) or rest == Fraction(1, 2) and n & 1, RTZ: False, RDN: negative and rest, RUP: not negative and rest, RMM: rest >= Fraction(1, 2)}
    return n + bool(up[mode])


def rounded(negative: bool, size: Fraction, f: Format, mode: int) -> tuple[int, int]:
    sign = f.sign * negative
    if size == 0:
        return sign, 0
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    unit = Fraction(2) ** (exponent - f.precision + 1)
    tiny = exponent + (whole(size / unit, negative, mode) == 1 << f.precision) < f.least
    exponent = max(exponent, f.least)
    unit = Fraction(2) ** (exponent - f.precision + 1)
    n = whole(size / unit, negative, mode)
    flags = NX if n * unit != size else 0
    if n >> f.precision:
        n, exponent = n >> 1, exponent + 1
    if exponent > f.top:
        largest = mode == RTZ or mode == (RUP if negative else RDN)
        return sign | f.infinity - largest, OF | NX
    if tiny and flags:
        flags |= UF
    biased = exponent + f.top if n >> f.precision - 1 else 0
    return sign | biased << f.precision - 1 | n & (1 << f.precision - 1) - 1, flags


def of_number(x: Fraction, zero_negative: bool, f: Format, mode: int) -> tuple[int, int]:
    return rounded(x < 0 if x else zero_negative, abs(x), f, mode)


def invalid(f: Format, *operands: Value) -> tuple[int, int]:
    return f.nan, NV * any(o.signaling for o in operands)


def fma(f: Format, mode: int, a: Value, b: Value, c: Value) -> tuple[int, int]:
    """a * b + c, rounded once."""
    sign = a.negative != b.negative
    if a.infinite and b.size == 0 or b.infinite and a.size == 0:
        return f.nan, NV
    if a.nan or b.nan or c.nan:
        return invalid(f, a, b, c)
    if a.infinite or b.infinite:
        return (f.nan, NV) if c.infinite and c.negative != sign else (f.infinity | f.sign * sign, 0)
    if c.infinite:
        return f.infinity | f.sign * c.negative, 0
    product = a.number * b.number
    both = sign and c.negative if product == 0 == c.size and sign == c.negative else mode == RDN
    return of_number(product + c.number, both, f, mode)


def negated(v: Value) -> Value:
    return v._replace(negative=not v.negative)


def add(f: Format, mode: int, a: Value, b: Value) -> tuple[int, int]:
    return fma(f, mode, a, Value(False, Fraction(1)), b)


def mul(f: Format, mode: int, a: Value, b: Value) -> tuple[int, int]:
    sign = a.negative != b.negative
    return fma(f, mode, a, b, Value(sign, Fraction(0)))


def div(f: Format, mode: int, a: Value, b: Value) -> tuple[int, int]:
    sign = a.negative != b.negative
    if a.nan or b.nan:
        return invalid(f, a, b)
    if a.infinite and b.infinite or a.size == 0 == b.size:
        return f.nan, NV
    if a.infinite or b.size == 0:
        return f.infinity | f.sign * sign, 0 if a.infinite else DZ
    return (f.sign * sign, 0) if b.infinite else rounded(sign, a.size / b.size, f, mode)


def sqrt(f: Format, mode: int, a: Value) -> tuple[int, int]:
    if a.nan:
        return invalid(f, a)
    if a.size == 0:
        return f.sign * a.negative, 0
    if a.negative:
        return f.nan, NV
    if a.infinite:
        return f.infinity, 0
    scaled = a.size * 4**1200  # a whole number, and more digits than any rounding looks at
    root = isqrt(scaled.numerator)
    return rounded(False, Fraction(2 * root + (root * root != scaled), 2 ** 1201), f, mode)


def order(v: Value) -> tuple[Fraction, bool]:
    """As numbers, infinities too, and -0 below 0."""
    far = Fraction(2) ** 2000
    return ((-far if v.negative else far) if v.infinite else v.number), not v.negative


def least_or_most(f: Format, most: bool, x: int, y: int) -> tuple[int, int]:
    a, b = value(x, f), value(y, f)
    flags = NV * (a.signaling or b.signaling)
    if a.nan or b.nan:
        return f.nan if a.nan and b.nan else y if a.nan else x, flags
    return (x if (order(a) > order(b)) == most else y), flags


def compare(name: str, a: Value, b: Value) -> tuple[int, int]:
    if a.nan or b.nan:
        return 0, NV * (name != "eq" or a.signaling or b.signaling)
    x, y = order(a)[0], order(b)[0]
    return int({"eq": x == y, "lt": x < y, "le": x <= y}[name]), 0


def to_integer(unsigned: bool, mode: int, a: Value) -> tuple[int, int]:
    low, high = (0, 2**32 - 1) if unsigned else (-2**31, 2**31 - 1)
    if a.size is None:
        return (low if a.negative and not a.nan else high) & 2**32 - 1, NV
    n = whole(a.size, a.negative, mode)
    result = -n if a.negative else n
    if not low <= result <= high:
        return (low if a.negative else high) & 2**32 - 1, NV
    return result & 2**32 - 1, NX * (n != a.size)


def convert(to: Format, mode: int, a: Value) -> tuple[int, int]:
    if a.nan:
        return invalid(to, a)
    return (to.infinity | to.sign * a.negative, 0) if a.infinite else rounded(a.negative, a.size, to, mode)


def classify(bits: int, f: Format) -> int:
    v = value(bits, f)
    if v.nan:
        return 1 << (8 if v.signaling else 9)
    subnormal = bits & f.infinity == 0
    kind = 3 if v.infinite else 0 if v.size == 0 else 1 if subnormal else 2
    return 1 << (3 - kind if v.negative else 4 + kind)
