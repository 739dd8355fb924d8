#include "qemu_proxy.h"
#include "unix_socket.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

/* Messages by their numbers in QEMU's include/hw/remote/mpqemu-link.h; RETURN is the answer to each but the first and IRQFD. */
enum : int32_t { SYNC_MEMORY = 0, RETURN = 1, CONFIG_WRITE = 2, CONFIG_READ = 3, BAR_WRITE = 4, BAR_READ = 5, IRQFD = 6, RESET = 7 };
enum : uint64_t { MOST_BODY = 4096 };

struct ConfigAccess {
    uint32_t address, value;
    int32_t bytes;
};
struct BarAccess {
    uint64_t address, value;
    uint32_t bytes;
    bool memory;
};

[[noreturn]] static void fail(const std::string &what) { throw std::runtime_error("qemu: " + what); }

template <typename T> static T body_as(const std::string &body) {
    if (body.size() < sizeof(T))
        fail("a message of " + std::to_string(body.size()) + " bytes: it has at least " + std::to_string(sizeof(T)));
    T value;
    std::memcpy(&value, body.data(), sizeof value);
    return value;
}

QemuProxy::QemuProxy(const std::string &path, const std::string &interrupts, Card &card)
    : path_(path), interrupts_(interrupts), card_(card), listener_(listenAt(path)) {}

QemuProxy::~QemuProxy() {
    for (int file : {guest_, listener_, tests_})
        if (file >= 0)
            close(file);
    unlink(path_.c_str());
}

/* Files come with SYNC_MEMORY and IRQFD: the card has no DMA, and its interrupts go another way, so they are closed. */
static bool receiveBytes(int from, void *to, size_t bytes) {
    auto *next = static_cast<char *>(to);
    while (bytes) {
        alignas(cmsghdr) char control[CMSG_SPACE(16 * sizeof(int))];
        iovec part{next, bytes};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        const ssize_t n = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
        if (n == 0 || (n < 0 && errno == ECONNRESET))
            return false;
        if (n < 0)
            fail(std::string("recvmsg: ") + std::strerror(errno));
        for (cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
            for (size_t i = 0; CMSG_LEN((i + 1) * sizeof(int)) <= c->cmsg_len; i++) {
                int file;
                std::memcpy(&file, CMSG_DATA(c) + i * sizeof file, sizeof file);
                close(file);
            }
        next += n;
        bytes -= n;
    }
    return true;
}

bool QemuProxy::receive(Header &header, std::string &body) {
    if (!receiveBytes(guest_, &header, sizeof header))
        return false;
    if (header.size > MOST_BODY)
        fail("a message of " + std::to_string(header.size) + " bytes: at most " + std::to_string(MOST_BODY));
    body.resize(header.size);
    return receiveBytes(guest_, body.data(), body.size());
}

uint64_t QemuProxy::answer(const Header &header, const std::string &body) {
    if (header.command == CONFIG_READ || header.command == CONFIG_WRITE) {
        const auto access = body_as<ConfigAccess>(body);
        if (access.bytes < 1 || access.bytes > 4)
            fail("an access of config space of " + std::to_string(access.bytes) + " bytes: 1 to 4");
        if (header.command == CONFIG_READ)
            return card_.configRead(access.address, access.bytes);
        card_.configWrite(access.address, access.bytes, access.value);
    } else if (header.command == BAR_READ || header.command == BAR_WRITE) {
        const auto access = body_as<BarAccess>(body);
        if (access.bytes < 1 || access.bytes > 8)
            fail("an access of a BAR of " + std::to_string(access.bytes) + " bytes: 1 to 8");
        const auto [bar, offset] = card_.barAt(access.address);
        if (header.command == BAR_WRITE) {
            card_.write(bar, offset, reinterpret_cast<const uint8_t *>(&access.value), access.bytes);
        } else {
            const std::vector<uint8_t> read = card_.read(bar, offset, access.bytes);
            uint64_t value = 0;
            std::memcpy(&value, read.data(), read.size());
            return value;
        }
    } else if (header.command != RESET) {
        fail("message " + std::to_string(header.command) + " is not known");
    }
    return 0;
}

/* What QEMU says to each write is read and forgotten, so that it never waits for us. */
void QemuProxy::interrupt() {
    for (const Interrupt &i : card_.interrupts()) {
        if (tests_ < 0)
            tests_ = connectTo(interrupts_);
        char line[64];
        const int bytes = std::snprintf(line, sizeof line, "writel 0x%llx 0x%x\n", (unsigned long long)i.address, i.data);
        if (send(tests_, line, bytes, MSG_NOSIGNAL) != bytes)
            fail("QEMU takes no interrupt");
        for (char said[256]; recv(tests_, said, sizeof said, MSG_DONTWAIT) > 0;) {
        }
    }
}

bool QemuProxy::serve() {
    if (guest_ < 0) {
        guest_ = acceptAt(listener_);
        return true;
    }
    Header header;
    std::string body;
    if (!receive(header, body))
        return false;
    if (header.command == SYNC_MEMORY || header.command == IRQFD)
        return true;
    const struct {
        Header header;
        uint64_t value;
    } reply = {{RETURN, 0, 8}, answer(header, body)};
    return send(guest_, &reply, sizeof reply, MSG_NOSIGNAL) == sizeof reply;
}
