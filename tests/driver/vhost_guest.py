"""A guest without a kernel: the driver's end of vhost-user, and of the ring of a PCI bridge over virtio, as far as tests need it."""
import os
import socket
import struct

MEM_TABLE, RING_NUM, RING_ADDR, RING_BASE, SLAVE, KICK = 5, 8, 9, 10, 21, 35
MEMORY, SLOTS = 1 << 16, 8
DESCRIPTORS, USED, AVAILABLE, DATA, ANSWER = 0x1000, 0x2000, 0x3000, 0x4000, 0x4800
CONFIG_READ, CONFIG_WRITE, READ, WRITE = range(1, 5)  #: struct virtio_pcidev_msg


class Guest:
    """With memory and two rings that are right, until `send` and `write` make them wrong."""

    def __init__(self, path):
        self.line = socket.socket(socket.AF_UNIX)
        self.line.connect(str(path))
        self.line.settimeout(5)
        self.memory = os.memfd_create("guest")
        os.ftruncate(self.memory, MEMORY)
        self.told, theirs = socket.socketpair()
        self.send(MEM_TABLE, struct.pack("<IIQQQQ", 1, 0, 0, MEMORY, 0, 0), [self.memory])
        self.send(SLAVE, b"", [theirs.fileno()])
        for queue in 0, 1:
            self.send(RING_NUM, struct.pack("<II", queue, SLOTS))
        self.send(RING_ADDR, self.ring(DESCRIPTORS, USED, AVAILABLE))
        self.asked = 0

    @staticmethod
    def ring(descriptors, used, available, queue=0):
        return struct.pack("<IIQQQQ", queue, 0, descriptors, used, available, 0)

    def write(self, at, data):
        os.pwrite(self.memory, data, at)

    def read(self, at, size):
        return os.pread(self.memory, size, at)

    def send(self, request, payload, files=(), flags=1, size=None):
        socket.send_fds(self.line, [struct.pack("<III", request, flags, len(payload) if size is None else size) + payload], list(files))

    def kick(self):
        """Returns when the device has done what is in the ring."""
        self.send(KICK, struct.pack("<II", 0, 0), flags=9)
        return len(self.line.recv(64)) == 20

    def ask(self, request, room=64):
        """A request in the ring, not yet told."""
        self.write(DESCRIPTORS, struct.pack("<QIHHQIHH", DATA, len(request), 1, 1, ANSWER, room, 2, 0))
        self.write(DATA, request)
        self.write(AVAILABLE + 4 + self.asked % SLOTS * 2, struct.pack("<H", 0))
        self.asked += 1
        self.write(AVAILABLE + 2, struct.pack("<H", self.asked % 65536))

    def access(self, operation, bar, address, size, data=b""):
        """What a load reads."""
        self.ask(struct.pack("<BBHIQ", operation, bar, 0, size, address) + data)
        assert self.kick()
        return int.from_bytes(self.read(ANSWER, size), "little")

    def close(self):
        self.line.close()
        self.told.close()
        os.close(self.memory)
