"""Packets as docs/design/network.md describes them, made and judged without the RTL."""

import random
import zlib
from dataclasses import dataclass, field

LOW, HIGH = 0, 1
MAX_BODY = 28

# name, bits; least significant first
HEADER = [
    ("dest", 6), ("src", 6), ("vc", 1), ("kind", 3), ("rxq", 9), ("source", 9),
    ("tag", 5), ("body", 5), ("lines", 2), ("aux", 16), ("spare", 2),
]  # fmt: skip


def pack_header(fields: dict[str, int]) -> int:
    value, shift = 0, 0
    for name, width in HEADER:
        assert 0 <= fields[name] < 1 << width, f"{name}={fields[name]} needs more than {width} bits"
        value |= fields[name] << shift
        shift += width
    assert shift == 64
    return value


def unpack_header(flit: int) -> dict[str, int]:
    fields = {}
    for name, width in HEADER:
        fields[name] = flit & ((1 << width) - 1)
        flit >>= width
    return fields


def crc(flits: list[int], word: int) -> int:
    """CRC-32 of all flits before the tail and of the tail's word: bytes least significant first, as zlib."""
    return zlib.crc32(b"".join(f.to_bytes(8, "little") for f in flits) + word.to_bytes(4, "little"))


@dataclass(frozen=True)
class Packet:
    """One packet; `flits` is what travels."""

    src: int
    dest: int
    vc: int
    word: int
    body: tuple[int, ...] = ()
    fields: dict[str, int] = field(default_factory=dict)

    @property
    def header(self) -> int:
        known = {"dest": self.dest, "src": self.src, "vc": self.vc, "body": len(self.body)}
        return pack_header({name: 0 for name, _ in HEADER} | self.fields | known)

    @property
    def open_flits(self) -> list[int]:
        """The flits without a CRC in the tail: what a TxU hands to CrcAppend."""
        return [self.header, *self.body, self.word]

    @property
    def flits(self) -> list[int]:
        front = [self.header, *self.body]
        return [*front, crc(front, self.word) << 32 | self.word]


def good(flits: list[int]) -> bool:
    return crc(flits[:-1], flits[-1] & 0xFFFFFFFF) == flits[-1] >> 32


def random_packet(src: int, dest: int, vc: int, body: int | None = None) -> Packet:
    """Random contents; two of three random lengths are short, as most messages are."""
    if body is None:
        body = random.choice([0, 0, 1, random.randrange(MAX_BODY + 1), 8, MAX_BODY])
    fields = {"rxq": random.randrange(512), "source": random.randrange(512), "aux": random.randrange(65536)}
    fields |= {"kind": random.randrange(2), "tag": random.randrange(32)}
    return Packet(src, dest, vc, random.getrandbits(32), tuple(random.getrandbits(64) for _ in range(body)), fields)
