"""A guest at its device (sim/host/vhost_user): what is not the protocol ends that guest with a sentence, in bounded time, and touches no memory but the guest's."""
import os
import random
import socket
import struct
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("SEED") or 1)
MEM_TABLE, RING_NUM, RING_ADDR, RING_BASE, SLAVE, KICK = 5, 8, 9, 10, 21, 35
MEMORY, SLOTS = 1 << 16, 8
DESCRIPTORS, USED, AVAILABLE, DATA = 0x1000, 0x2000, 0x3000, 0x4000


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    made = tmp_path_factory.mktemp("vhost") / "vhost_test"
    subprocess.run(["g++", "-std=gnu++17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize=alignment", "-fno-sanitize-recover=undefined",
                    "-iquote", ROOT / "sim/host", "-o", made, ROOT / "tests/driver/block/vhost_test.cpp", ROOT / "sim/host/vhost_user.cpp", ROOT / "sim/host/unix_socket.cpp"], check=True)
    return made


class Guest:
    """With memory and a ring of requests that are right, until `send` and `write` make them wrong."""

    def __init__(self, program, folder):
        self.path = folder / "s"
        self.device = subprocess.Popen([program, self.path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.device.stdout.readline() == "waits\n"
        self.line = socket.socket(socket.AF_UNIX)
        self.line.connect(str(self.path))
        self.line.settimeout(5)
        self.memory = os.memfd_create("guest")
        os.ftruncate(self.memory, MEMORY)
        self.told, theirs = socket.socketpair()
        self.send(MEM_TABLE, struct.pack("<IIQQQQ", 1, 0, 0, MEMORY, 0, 0), [self.memory])
        self.send(SLAVE, b"", [theirs.fileno()])
        for queue in 0, 1:
            self.send(RING_NUM, struct.pack("<II", queue, SLOTS))
        self.send(RING_ADDR, self.ring(DESCRIPTORS, USED, AVAILABLE))
        self.write(DESCRIPTORS, struct.pack("<QIHHQIHH", DATA, 5, 1, 1, DATA + 100, 64, 2, 0))
        self.write(DATA, b"hello")
        self.write(AVAILABLE, struct.pack("<HHH", 0, 1, 0))

    @staticmethod
    def ring(descriptors, used, available, queue=0):
        return struct.pack("<IIQQQQ", queue, 0, descriptors, used, available, 0)

    def write(self, at, data):
        os.pwrite(self.memory, data, at)

    def send(self, request, payload, files=(), flags=1, size=None):
        socket.send_fds(self.line, [struct.pack("<III", request, flags, len(payload) if size is None else size) + payload], list(files))

    def kick(self):
        self.send(KICK, struct.pack("<II", 0, 0), flags=9)
        return len(self.line.recv(64)) == 20

    def end(self):
        """What the device said when this guest was over."""
        said, _ = self.device.communicate(timeout=10)
        self.line.close()
        assert self.device.returncode in (0, 2) and "Sanitizer" not in said and "runtime error" not in said, said
        return said.strip()


@pytest.fixture
def guest(program, tmp_path):
    made = Guest(program, tmp_path)
    yield made
    made.device.kill()
    made.device.wait()


def test_a_request_is_answered_in_its_ring(guest):
    assert guest.kick()
    assert os.pread(guest.memory, 12, USED) == struct.pack("<HHII", 0, 1, 0, 5) and os.pread(guest.memory, 5, DATA + 100) == b"hello"
    guest.line.close()
    assert guest.end() == "gone"


BAD = {
    "a request of too many bytes": (lambda g: g.send(1, b"", size=10**6), "has 1000000 bytes: legal are at most 512"),
    "a request that is not known": (lambda g: g.send(99, b""), "request 99 is not known"),
    "a request that is too short": (lambda g: g.send(RING_NUM, b"1"), "too few"),
    "a queue that is not there": (lambda g: g.send(RING_NUM, struct.pack("<II", 7, 8)), "queue 7: legal are 0 to 1"),
    "a ring of nothing": (lambda g: g.send(RING_NUM, struct.pack("<II", 0, 0)), "a ring of 0 descriptors: legal are 1 to 32768"),
    "a ring that grows beyond memory": (lambda g: (g.send(RING_NUM, struct.pack("<II", 0, 32768)), g.kick()), "is not in the guest's memory"),
    "a ring outside memory": (lambda g: (g.send(RING_ADDR, g.ring(MEMORY - 8, USED, AVAILABLE)), g.kick()), "is not in the guest's memory"),
    "memory that goes": (lambda g: (g.send(MEM_TABLE, struct.pack("<II", 0, 0)), g.kick()), "is not in the guest's memory"),
    "memory that its file has not": (lambda g: g.send(MEM_TABLE, struct.pack("<IIQQQQ", 1, 0, 0, MEMORY + 4096, 0, 0), [g.memory]), "which its file has not"),
    "memory whose end is beyond all": (lambda g: g.send(MEM_TABLE, struct.pack("<IIQQQQ", 1, 0, 0, 2**64 - 4096, 0, 8192), [g.memory]), "which its file has not"),
    "memory without files": (lambda g: g.send(MEM_TABLE, struct.pack("<II", 9, 0)), "9 regions of memory with 0 files"),
    "a chain in a circle": (lambda g: (g.write(DESCRIPTORS + 28, struct.pack("<HH", 3, 0)), g.kick()), "a chain of descriptors that does not end within its ring"),
    "a descriptor that is not there": (lambda g: (g.write(AVAILABLE, struct.pack("<HHH", 0, 1, 4000)), g.kick()), "a chain of descriptors"),
    "interrupts that nobody takes": (lambda g: (g.write(DATA, b"I\x08"), g.kick()), "the guest has taken none of the last 1024 interrupts"),
    "half a request": (lambda g: g.line.send(struct.pack("<II", RING_NUM, 1)), "the guest went away within a request"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_not_the_protocol_ends_its_guest_in_words_and_in_time(guest, what):
    act, sentence = BAD[what]
    begin = time.monotonic()
    try:
        act(guest)
    except (ConnectionError, TimeoutError):
        pass
    assert sentence in guest.end() and time.monotonic() - begin < 5


def test_any_bytes_in_ring_and_socket_touch_no_other_memory(program, tmp_path):
    chance = random.Random(SEED)
    print(f"SEED={SEED}")
    for turn in range(40):
        folder = tmp_path / str(turn)
        folder.mkdir()
        guest = Guest(program, folder)
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
        guest.end()
