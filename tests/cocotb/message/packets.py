"""Packets, name rows and slots of the message unit as Python values (docs/design/contract.md §4 to §6)."""

import zlib
from dataclasses import dataclass, field

EXPRESS, BASIC = 0, 1


@dataclass
class Packet:
    """A packet; `payload` and `tagon` are lists of 64-bit words."""

    dest_site: int
    src_site: int
    vc: int
    kind: int
    rxq: int
    source: int
    tag: int
    word: int
    lines: int = 0
    length: int = 0
    prio: int = 0
    body: list = field(default_factory=list)

    def flits(self, damage=None):
        """The flits as (data, last); `damage` flips that bit of the packet, counted over flits."""
        fields = (
            (self.dest_site, 6), (self.src_site, 6), (self.vc, 1), (self.kind, 3), (self.rxq, 9), (self.source, 9),
            (self.tag, 5), (len(self.body), 5), (self.lines, 2), (self.length, 7), (0, 8), (self.prio, 1), (0, 2),
        )
        header, at = 0, 0
        for value, width in fields:
            assert 0 <= value < 1 << width, (value, width)
            header |= value << at
            at += width
        assert at == 64
        words = [header, *self.body]
        checked = b"".join(w.to_bytes(8, "little") for w in words) + self.word.to_bytes(4, "little")
        words.append(zlib.crc32(checked) << 32 | self.word)
        if damage is not None:
            words[damage // 64] ^= 1 << damage % 64
        return [(w, i == len(words) - 1) for i, w in enumerate(words)]

    @staticmethod
    def parse(words, vc):
        """The packet of a list of flits; fails when CRC, length or virtual channel is wrong."""
        header, at = words[0], 0

        def take(width):
            nonlocal at
            at += width
            return header >> (at - width) & ((1 << width) - 1)

        dest, src, hvc, kind, rxq, source, tag, body, lines, length = map(take, (6, 6, 1, 3, 9, 9, 5, 5, 2, 7))
        assert take(8) == 0
        prio = take(1)
        assert take(2) == 0
        data = b"".join(w.to_bytes(8, "little") for w in words)
        assert zlib.crc32(data[:-4]) == words[-1] >> 32, "CRC of a sent packet"
        assert hvc == vc, "virtual channel in the header"
        assert body == len(words) - 2, "body count in the header"
        return Packet(dest, src, vc, kind, rxq, source, tag, words[-1] & 0xFFFFFFFF, lines, length, prio, words[1:-1])


def row(site, rxq, source, valid=1):
    """A name translation row as the sP writes it."""
    return valid << 31 | source << 15 | rxq << 6 | site


def slot_header(name, length, prio, lines, tag, offset):
    """First 8 bytes of a Basic slot: `name` is the destination when sent, the source when received."""
    return offset << 32 | tag << 26 | lines << 24 | prio << 23 | length << 16 | name


def event_meta(site, slot, lines, vc, source, kept, tag):
    return tag << 25 | kept << 24 | source << 15 | vc << 14 | lines << 12 | slot << 6 | site
