# SPDX-License-Identifier: Apache-2.0
"""A Turnstile card from Python: libturnstile (turnstile_host.h) by ctypes.

    with turnstile.Card() as card:
        card.express_open()
        card.send(turnstile.name_of_ap(0, 0), 41, tag=1)
        print(card.receive(timeout=1).word)

A call that fails raises turnstile.Error, whose `code` is one of Code and whose text is the library's sentence. Threads and processes: as in C.
"""
import ctypes
import enum
import os
from dataclasses import dataclass

NOT_LOADED = 0xBAD0BAD0  #: what a word reads as that the card did not get in time


class Code(enum.IntEnum):
    ARGUMENT = -1
    NO_CARD = -2
    PERMISSION = -3
    VERSION = -4
    BUSY = -5
    NO_QUEUE = -6
    FULL = -7
    TIMEOUT = -8
    GONE = -9
    FORKED = -10
    STORE = -11
    SYSTEM = -12


class Error(Exception):
    def __init__(self, code: int, sentence: str):
        super().__init__(sentence)
        self.code = Code(code)


class _Info(ctypes.Structure):
    _fields_ = [("build_id", ctypes.c_uint32), ("express_queues", ctypes.c_uint32), ("basic_queues", ctypes.c_uint32),
                ("shared_bytes", ctypes.c_uint64), ("shared_address", ctypes.c_uint64)]


class _Express(ctypes.Structure):
    _fields_ = [("word", ctypes.c_uint32), ("from_", ctypes.c_int), ("tag", ctypes.c_uint), ("priority", ctypes.c_uint)]


class _Basic(ctypes.Structure):
    _fields_ = [("from_", ctypes.c_int), ("tag", ctypes.c_uint), ("bytes", ctypes.c_uint), ("payload", ctypes.c_ubyte * 88)]


@dataclass(frozen=True)
class Basic:
    sender: int  #: name under which to answer
    tag: int
    payload: bytes


@dataclass(frozen=True)
class Express:
    word: int
    sender: int  #: name under which to answer
    tag: int
    priority: int


def name_of_ap(site: int, ap: int) -> int:
    return site << 3 | (2 + ap)


def name_of_queue(site: int, queue: int) -> int:
    return site << 3 | queue


def _library() -> ctypes.CDLL:
    """The one of TURNSTILE_LIBRARY, a path, or the system's."""
    library = ctypes.CDLL(os.environ.get("TURNSTILE_LIBRARY") or "libturnstile.so.0")
    card, number, long, word, size = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_size_t
    prototypes = {
        "ts_open": (number, ctypes.c_char_p, ctypes.POINTER(card)), "ts_close": (None, card), "ts_info": (ctypes.POINTER(_Info), card),
        "ts_path": (ctypes.c_char_p, card), "ts_strerror": (ctypes.c_char_p, number), "ts_express_open": (number, card),
        "ts_express_send": (number, card, number, ctypes.c_uint, ctypes.c_uint, word), "ts_express_lost": (number, card),
        "ts_express_poll": (number, card, ctypes.POINTER(_Express)), "ts_express_receive": (number, card, ctypes.POINTER(_Express), number),
        "ts_basic_open": (number, card), "ts_basic_make": (number, card, number, ctypes.c_uint, ctypes.c_char_p, ctypes.c_uint), "ts_basic_launch": (number, card),
        "ts_basic_poll": (number, card, ctypes.POINTER(_Basic)), "ts_basic_receive": (number, card, ctypes.POINTER(_Basic), number),
        "ts_express_wait": (number, card, ctypes.POINTER(_Express), number), "ts_basic_wait": (number, card, ctypes.POINTER(_Basic), number),
        "ts_sleeps": (number, card), "ts_file": (number, card),
        "ts_basic_refused": (number, card, ctypes.POINTER(ctypes.c_char_p)),
        "ts_load": (number, card, long, ctypes.c_void_p, size), "ts_store": (number, card, long, ctypes.c_char_p, size), "ts_fence": (number, card),
    }
    for name, (result, *arguments) in prototypes.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_lib = _library()


def _checked(result: int) -> int:
    if result < 0:
        raise Error(result, _lib.ts_strerror(result).decode())
    return result


def _words(**values: int) -> None:
    for what, value in values.items():
        if not 0 <= value < 1 << 32:
            raise ValueError(f"a message with {what} {value}: it has 32 bits, 0 to {2**32 - 1}")


def _basic(message: _Basic) -> Basic:
    return Basic(message.from_, message.tag, bytes(message.payload[:message.bytes]))


class Card:
    """An open card, of this process alone."""

    def __init__(self, device: str | None = None):
        self._card = ctypes.c_void_p()
        _checked(_lib.ts_open(device.encode() if device else None, ctypes.byref(self._card)))
        info = _lib.ts_info(self._card).contents
        self.build_id: int = info.build_id
        self.shared_bytes: int = info.shared_bytes
        self.shared_address: int = info.shared_address
        self.express_queues: int = info.express_queues
        self.path: str = _lib.ts_path(self._card).decode()  #: "mmap" or "calls"
        self.sleeps: bool = bool(_lib.ts_sleeps(self._card))  #: who waits sleeps until the card interrupts

    def __enter__(self) -> "Card":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        _lib.ts_close(self._card)
        self._card = ctypes.c_void_p()

    def _opened(self) -> ctypes.c_void_p:
        if not self._card:
            raise ValueError("this card is closed")
        return self._card

    def express_open(self) -> int:
        """The number of the queue."""
        return _checked(_lib.ts_express_open(self._opened()))

    def send(self, to: int, word: int, tag: int = 0, priority: int = 0) -> None:
        """Code.FULL when there is no room. Words are 32 bits."""
        _words(name=to, word=word, tag=tag, priority=priority)
        _checked(_lib.ts_express_send(self._opened(), to, tag, priority, word))

    def lost(self) -> int:
        return _checked(_lib.ts_express_lost(self._opened()))

    def poll(self) -> Express | None:
        message = _Express()
        return self._message(message) if _checked(_lib.ts_express_poll(self._opened(), ctypes.byref(message))) else None

    def receive(self, timeout: float | None = None) -> Express:
        """Waits `timeout` seconds, None: for ever; then Code.TIMEOUT."""
        message = _Express()
        _checked(_lib.ts_express_receive(self._opened(), ctypes.byref(message), -1 if timeout is None else int(timeout * 1000)))
        return self._message(message)

    def wait(self, timeout: float | None = None) -> Express:
        """As receive, asleep until the card interrupts, if it can."""
        message = _Express()
        _checked(_lib.ts_express_wait(self._opened(), ctypes.byref(message), -1 if timeout is None else int(timeout * 1000)))
        return self._message(message)

    def fileno(self) -> int:
        """For select, selectors or asyncio: readable when a queue of this card may have a message."""
        return _lib.ts_file(self._opened())

    @staticmethod
    def _message(message: _Express) -> Express:
        return Express(message.word, message.from_, message.tag, message.priority)

    def basic_open(self) -> int:
        """The number of the queue."""
        return _checked(_lib.ts_basic_open(self._opened()))

    def basic_make(self, to: int, payload: bytes, tag: int = 0) -> None:
        """A message of 0 to 88 bytes, which leaves with basic_launch. Code.FULL when no slot is free."""
        _words(name=to, tag=tag)
        _checked(_lib.ts_basic_make(self._opened(), to, tag, bytes(payload), len(payload)))

    def basic_launch(self) -> None:
        _checked(_lib.ts_basic_launch(self._opened()))

    def basic_send(self, to: int, payload: bytes, tag: int = 0) -> None:
        self.basic_make(to, payload, tag)
        self.basic_launch()

    def basic_poll(self) -> Basic | None:
        message = _Basic()
        return _basic(message) if _checked(_lib.ts_basic_poll(self._opened(), ctypes.byref(message))) else None

    def basic_receive(self, timeout: float | None = None) -> Basic:
        message = _Basic()
        _checked(_lib.ts_basic_receive(self._opened(), ctypes.byref(message), -1 if timeout is None else int(timeout * 1000)))
        return _basic(message)

    def basic_wait(self, timeout: float | None = None) -> Basic:
        """As basic_receive, asleep until the card interrupts, if it can."""
        message = _Basic()
        _checked(_lib.ts_basic_wait(self._opened(), ctypes.byref(message), -1 if timeout is None else int(timeout * 1000)))
        return _basic(message)

    def basic_refused(self) -> tuple[int, str | None]:
        """How many things were refused or lost since this was asked last, and the last in words."""
        why = ctypes.c_char_p()
        count = _checked(_lib.ts_basic_refused(self._opened(), ctypes.byref(why)))
        return count, why.value.decode() if why.value else None

    def load(self, offset: int, size: int) -> bytes:
        self._range(offset, size)
        to = ctypes.create_string_buffer(size)
        _checked(_lib.ts_load(self._opened(), offset, to, size))
        return to.raw

    def store(self, offset: int, data: bytes) -> None:
        self._range(offset, len(data))
        _checked(_lib.ts_store(self._opened(), offset, bytes(data), len(data)))

    def fence(self) -> None:
        """Stores to shared memory are done: before a message that speaks of them."""
        _checked(_lib.ts_fence(self._opened()))

    def _range(self, offset: int, size: int) -> None:
        # Before ctypes takes 64 bits of it, and before a buffer of such a size is made.
        if not (0 <= offset and 0 <= size and offset + size <= self.shared_bytes):
            raise Error(Code.ARGUMENT, f"{size} bytes of shared memory from {offset:#x} on: the heap has {self.shared_bytes:#x}")
