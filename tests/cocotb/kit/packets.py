"""Packets as docs/design/network.md describes them, made and judged without the RTL."""

import random
import zlib
from dataclasses import dataclass

LOW, HIGH = 0, 1
EXPRESS, BASIC, DMA = 0, 1, 2
MAX_BODY = 28

# name, bits; least significant first. length, reserved and prio are the header's `aux`.
HEADER = [
    ("dest", 6), ("src", 6), ("vc", 1), ("kind", 3), ("rxq", 9), ("source", 9), ("tag", 5), ("body", 5), ("lines", 2),
    ("length", 7), ("reserved", 8), ("prio", 1), ("spare", 2),
]  # fmt: skip


def pack(fields: dict[str, int], layout: list[tuple[str, int]] = HEADER) -> int:
    value, shift = 0, 0
    for name, width in layout:
        field = fields.get(name, 0)
        assert 0 <= field < 1 << width, f"{name}={field} needs more than {width} bits"
        value |= field << shift
        shift += width
    return value


def unpack(value: int, layout: list[tuple[str, int]] = HEADER) -> dict[str, int]:
    fields = {}
    for name, width in layout:
        fields[name] = value & ((1 << width) - 1)
        value >>= width
    return fields


def crc(flits: list[int], word: int) -> int:
    """CRC-32 of all flits before the tail and of the tail's word: bytes least significant first, as zlib."""
    return zlib.crc32(b"".join(f.to_bytes(8, "little") for f in flits) + word.to_bytes(4, "little"))


def good(flits: list[int]) -> bool:
    return crc(flits[:-1], flits[-1] & 0xFFFFFFFF) == flits[-1] >> 32


@dataclass(frozen=True, kw_only=True)
class Packet:
    """One packet. body: 64-bit words; word: the tail's 32 bits; length: bytes of a Basic message's payload."""

    dest: int
    src: int
    vc: int
    kind: int = EXPRESS
    rxq: int = 0
    source: int = 0
    tag: int = 0
    word: int = 0
    lines: int = 0
    length: int = 0
    reserved: int = 0
    prio: int = 0
    body: tuple[int, ...] = ()

    def __post_init__(self):
        object.__setattr__(self, "body", tuple(self.body))

    @property
    def header(self) -> int:
        return pack({**vars(self), "body": len(self.body)})

    @property
    def open_flits(self) -> list[int]:
        """The flits without a CRC in the tail: what a TxU hands to LinkTx."""
        return [self.header, *self.body, self.word]

    @property
    def flits(self) -> list[int]:
        front = [self.header, *self.body]
        return [*front, crc(front, self.word) << 32 | self.word]

    def damaged(self, bit: int) -> list[int]:
        """The flits with that bit of the packet flipped."""
        return [f ^ (1 << bit % 64 if i == bit // 64 else 0) for i, f in enumerate(self.flits)]

    @staticmethod
    def parse(flits: list[int], vc: int) -> "Packet":
        """The packet of a list of flits; fails when CRC, length, channel or a reserved field is wrong."""
        fields = unpack(flits[0])
        assert good(flits), f"wrong CRC: {[hex(f) for f in flits]}"
        assert fields["vc"] == vc, f"header says channel {fields['vc']}, the link {vc}"
        assert fields.pop("body") == len(flits) - 2, f"body count of a packet of {len(flits)} flits"
        assert fields.pop("spare") == 0 and fields["reserved"] == 0, "reserved fields of the header"
        return Packet(**fields, word=flits[-1] & 0xFFFFFFFF, body=tuple(flits[1:-1]))


def random_packet(src: int, dest: int, vc: int, body: int | None = None) -> Packet:
    """Random contents; two of three random lengths are short, as most messages are."""
    if body is None:
        body = random.choice([0, 0, 1, random.randrange(MAX_BODY + 1), 8, MAX_BODY])
    sizes = {"kind": 2, "rxq": 512, "source": 512, "tag": 32, "length": 128, "reserved": 256, "prio": 2, "word": 1 << 32}
    words = tuple(random.getrandbits(64) for _ in range(body))
    return Packet(src=src, dest=dest, vc=vc, body=words, **{name: random.randrange(size) for name, size in sizes.items()})
