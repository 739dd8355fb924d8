/**
 * \file turnstile-host: a card in the slot of a Linux guest (docs/design/host.md). Options are those of turnstile-sim, and
 *   socket=PATH           where User-Mode Linux finds the card (vhost-user), or
 *   qemu=PATH             where QEMU does (x-pci-proxy-dev), and
 *   qtest=PATH            where it takes the card's interrupts (-qtest)
 *   held=1                the guest starts the card: it finds the sP held, and without firmware
 *   answer=OFFSET:VALUE   for tests of the driver: what a load of this word of BAR0 reads
 * Exit status: 0 when the guest is gone; 2 for bad input or a guest that does not speak the protocol.
 */
#include "card.h"
#include "qemu_proxy.h"
#include "vhost_user.h"
#include <cstring>
#include <iostream>
#include <linux/virtio_pcidev.h>
#include <map>

namespace {
/* Those that the RTL gives a host: PcieParams. */
enum : uint32_t { EXPRESS_QUEUES = 1 << 6 | 1 << 7 };

struct Slot {
    std::string socket, qemu, qtest;
    bool held = false;
    std::map<uint64_t, uint32_t> answers;
};

/* Takes its own options out of the simulator's. */
Slot slot(std::vector<char *> &arguments) {
    Slot s;
    std::vector<char *> rest;
    for (char *argument : arguments) {
        const std::string a = argument;
        if (a.rfind("socket=", 0) == 0) {
            s.socket = a.substr(7);
        } else if (a.rfind("qemu=", 0) == 0) {
            s.qemu = a.substr(5);
        } else if (a.rfind("qtest=", 0) == 0) {
            s.qtest = a.substr(6);
        } else if (a == "held=1") {
            s.held = true;
        } else if (a.rfind("answer=", 0) == 0) {
            unsigned long offset, value;
            char end;
            if (std::sscanf(argument, "answer=%li:%li%c", &offset, &value, &end) != 2 || offset >= 4096 || offset % 4)
                throw std::runtime_error(a + " is not legal: answer=OFFSET:VALUE, OFFSET a multiple of 4 below 4096");
            s.answers[offset] = value;
        } else {
            rest.push_back(argument);
        }
    }
    if (s.socket.empty() == s.qemu.empty())
        throw std::runtime_error("one of socket= and qemu= must name a Unix socket");
    if (s.qemu.empty() != s.qtest.empty())
        throw std::runtime_error("qtest= goes with qemu=: both or none");
    if (!s.qemu.empty() && !s.answers.empty())
        throw std::runtime_error("answer= is for User-Mode Linux (socket=)");
    arguments = rest;
    return s;
}

/* Config space of one device: another's is empty, so it reads as ones. */
size_t handle(Card &card, const Slot &slot, const std::vector<uint8_t> &request, uint8_t *answer, size_t room) {
    virtio_pcidev_msg m;
    if (request.size() < sizeof m)
        throw std::runtime_error("the guest asks something of " + std::to_string(request.size()) + " bytes: legal are at least " + std::to_string(sizeof m));
    std::memcpy(&m, request.data(), sizeof m);
    const uint8_t *data = request.data() + sizeof m;
    const size_t given = request.size() - sizeof m;
    uint64_t value = 0;
    const auto need = [](size_t there, size_t wanted) {
        if (there < wanted)
            throw std::runtime_error("the guest has " + std::to_string(there) + " bytes for " + std::to_string(wanted));
    };
    switch (m.op) {
    case VIRTIO_PCIDEV_OP_CFG_READ:
        need(room, m.size);
        for (unsigned i = 0; i < m.size; i++)
            answer[i] = card.configRead(m.addr + i, 1);
        return m.size;
    case VIRTIO_PCIDEV_OP_CFG_WRITE:
        need(given, m.size);
        std::memcpy(&value, data, std::min<size_t>(m.size, 4));
        card.configWrite(m.addr, m.size, value);
        return 0;
    case VIRTIO_PCIDEV_OP_MMIO_READ: {
        need(room, m.size);
        const std::vector<uint8_t> read = card.read(m.bar, m.addr, m.size);
        std::memcpy(answer, read.data(), read.size());
        if (const auto other = slot.answers.find(m.addr); m.bar == 0 && m.size == 4 && other != slot.answers.end())
            std::memcpy(answer, &other->second, 4);
        return m.size;
    }
    case VIRTIO_PCIDEV_OP_MMIO_WRITE:
        need(given, m.size);
        card.write(m.bar, m.addr, data, m.size);
        return 0;
    case VIRTIO_PCIDEV_OP_MMIO_MEMSET: {
        need(given, 1);
        const std::vector<uint8_t> bytes(m.size, data[0]);
        card.write(m.bar, m.addr, bytes.data(), bytes.size());
        return 0;
    }
    default: throw std::runtime_error("the guest asks for operation " + std::to_string(m.op) + ", which is not known");
    }
}
/* User-Mode Linux: a virtio device with a queue of accesses and one of interrupts. */
class UmlSlot {
public:
    UmlSlot(const Slot &slot, Card &card)
        : slot_(slot), card_(card),
          device_(slot.socket, [this](const std::vector<uint8_t> &request, uint8_t *answer, size_t room) { return access(request, answer, room); }, [this] { return idle(); }) {}
    void serve() { device_.serve(); }

private:
    size_t access(const std::vector<uint8_t> &request, uint8_t *answer, size_t room) {
        const size_t used = handle(card_, slot_, request, answer, room);
        interrupt();
        return used;
    }
    bool idle() {
        if (!card_.awaited())
            return false;
        card_.idle();
        interrupt();
        return true;
    }
    void interrupt() {
        for (const Interrupt &i : card_.interrupts()) {
            virtio_pcidev_msg m{};
            m.op = VIRTIO_PCIDEV_OP_MSI, m.size = sizeof i.data, m.addr = i.address;
            std::vector<uint8_t> message(sizeof m + sizeof i.data);
            std::memcpy(message.data(), &m, sizeof m);
            std::memcpy(message.data() + sizeof m, &i.data, sizeof i.data);
            device_.interrupt(std::move(message));
        }
    }

    const Slot &slot_;
    Card &card_;
    VhostUser device_;
};
} // namespace

int main(int argc, char **argv) {
    try {
        std::vector<char *> arguments(argv, argv + argc);
        const Slot mine = slot(arguments);
        Options options = parseOptions(arguments.size(), arguments.data());
        options.hosts = EXPRESS_QUEUES;
        options.held = mine.held;
        Card card(options);
        const auto serve = [&](auto &&device, const std::string &path) {
            std::cout << "turnstile-host: the card waits at " << path << " after " << card.cycles() << " cycles" << std::endl;
            device.serve();
        };
        if (mine.qemu.empty())
            serve(UmlSlot(mine, card), mine.socket);
        else
            serve(QemuProxy(mine.qemu, mine.qtest, card), mine.qemu);
        std::cout << "turnstile-host: the guest is gone after " << card.cycles() << " cycles" << std::endl;
        return 0;
    } catch (const std::exception &e) {
        std::cerr << "turnstile-host: " << e.what() << std::endl;
        return 2;
    }
}
