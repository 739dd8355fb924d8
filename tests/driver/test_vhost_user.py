"""A guest at its device (sim/host/vhost_user): what is not the protocol ends that guest with a sentence, in bounded time, and touches no memory but the guest's."""
import os
import random
import socket
import struct
import subprocess
import time
from pathlib import Path

import pytest
from vhost_guest import ANSWER, AVAILABLE, DATA, DESCRIPTORS, KICK, MEM_TABLE, MEMORY, RING_ADDR, RING_BASE, RING_NUM, USED, Guest

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("SEED") or 1)
@pytest.fixture(scope="module")
def program(tmp_path_factory):
    made = tmp_path_factory.mktemp("vhost") / "vhost_test"
    subprocess.run(["g++", "-std=gnu++17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize=alignment", "-fno-sanitize-recover=undefined",
                    "-iquote", ROOT / "sim/host", "-o", made, ROOT / "tests/driver/block/vhost_test.cpp", ROOT / "sim/host/vhost_user.cpp", ROOT / "sim/host/unix_socket.cpp"], check=True)
    return made


class Device:
    """The program, and its guest with a request that is right."""

    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, folder / "s"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout.readline() == "waits\n"
        self.guest = Guest(folder / "s")
        self.guest.ask(b"hello")

    def said(self):
        """At its end."""
        said, _ = self.process.communicate(timeout=10)
        self.guest.close()
        assert self.process.returncode in (0, 2) and "Sanitizer" not in said and "runtime error" not in said, said
        return said.strip()


@pytest.fixture
def device(program, tmp_path):
    made = Device(program, tmp_path)
    yield made
    made.process.kill()
    made.process.wait()


def test_a_request_is_answered_in_its_ring(device):
    guest = device.guest
    assert guest.kick()
    assert guest.read(USED, 12) == struct.pack("<HHII", 0, 1, 0, 5) and guest.read(ANSWER, 5) == b"hello"
    guest.line.shutdown(socket.SHUT_RDWR)
    assert device.said() == "gone"


BAD = {
    "a request of too many bytes": (lambda g: g.send(1, b"", size=10**6), "has 1000000 bytes: legal are at most 512"),
    "a request that is not known": (lambda g: g.send(99, b""), "request 99 is not known"),
    "a request that is too short": (lambda g: g.send(RING_NUM, b"1"), "too few"),
    "a queue that is not there": (lambda g: g.send(RING_NUM, struct.pack("<II", 7, 8)), "queue 7: legal are 0 to 1"),
    "a ring of nothing": (lambda g: g.send(RING_NUM, struct.pack("<II", 0, 0)), "a ring of 0 descriptors: legal are 1 to 32768"),
    "a ring that grows beyond memory": (lambda g: (g.send(RING_NUM, struct.pack("<II", 0, 32768)), g.kick()), "is not in the guest's memory"),
    "a ring outside memory": (lambda g: (g.send(RING_ADDR, g.ring(MEMORY - 8, USED, AVAILABLE)), g.kick()), "is not in the guest's memory"),
    "memory that goes": (lambda g: (g.kick(), g.ask(b"more"), g.send(MEM_TABLE, struct.pack("<II", 0, 0)), g.kick()), "is not in the guest's memory"),
    "memory that its file has not": (lambda g: g.send(MEM_TABLE, struct.pack("<IIQQQQ", 1, 0, 0, MEMORY + 4096, 0, 0), [g.memory]), "which its file has not"),
    "memory whose end is beyond all": (lambda g: g.send(MEM_TABLE, struct.pack("<IIQQQQ", 1, 0, 0, 2**64 - 4096, 0, 8192), [g.memory]), "which its file has not"),
    "memory without files": (lambda g: g.send(MEM_TABLE, struct.pack("<II", 9, 0)), "9 regions of memory with 0 files"),
    "a chain in a circle": (lambda g: (g.write(DESCRIPTORS + 28, struct.pack("<HH", 3, 0)), g.kick()), "a chain of descriptors that does not end within its ring"),
    "a descriptor that is not there": (lambda g: (g.write(AVAILABLE, struct.pack("<HHH", 0, 1, 4000)), g.kick()), "a chain of descriptors"),
    "interrupts that nobody takes": (lambda g: (g.write(DATA, b"I\x08"), g.kick()), "the guest has taken none of the last 1024 interrupts"),
    "half a request": (lambda g: g.line.send(struct.pack("<II", RING_NUM, 1)), "the guest went away within a request"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_not_the_protocol_ends_its_guest_in_words_and_in_time(device, what):
    act, sentence = BAD[what]
    begin = time.monotonic()
    try:
        act(device.guest)
    except (ConnectionError, TimeoutError):
        pass
    assert sentence in device.said() and time.monotonic() - begin < 5


def test_any_bytes_in_ring_and_socket_touch_no_other_memory(program, tmp_path):
    chance = random.Random(SEED)
    print(f"SEED={SEED}")
    for turn in range(40):
        folder = tmp_path / str(turn)
        folder.mkdir()
        device = Device(program, folder)
        guest = device.guest
        try:
            for _ in range(30):
                for _ in range(chance.randrange(6)):
                    place = chance.choice((DESCRIPTORS, AVAILABLE, USED, DATA)) + chance.randrange(140)
                    guest.write(place, chance.choice((chance.randbytes(4), struct.pack("<H", chance.randrange(12)), struct.pack("<I", chance.randrange(MEMORY)))))
                if chance.randrange(3):
                    guest.kick()
                else:
                    request = chance.choice((MEM_TABLE, RING_NUM, RING_ADDR, RING_BASE, KICK, chance.randrange(40)))
                    guest.send(request, b"".join(struct.pack("<I", chance.choice((0, 1, chance.randrange(MEMORY), chance.getrandbits(32)))) for _ in range(chance.randrange(12))))
            guest.line.shutdown(socket.SHUT_WR)
        except (ConnectionError, TimeoutError):
            pass
        device.said()
