#include "vhost_user.h"
#include "unix_socket.h"
#include <cerrno>
#include <cstring>
#include <linux/virtio_config.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Requests of the protocol, and features, by their numbers in QEMU's docs/interop/vhost-user. */
enum : uint32_t {
    GET_FEATURES = 1, SET_FEATURES = 2, SET_OWNER = 3, SET_MEM_TABLE = 5, SET_VRING_NUM = 8, SET_VRING_ADDR = 9, SET_VRING_BASE = 10, SET_VRING_KICK = 12,
    SET_VRING_CALL = 13, GET_PROTOCOL_FEATURES = 15, SET_PROTOCOL_FEATURES = 16, SET_VRING_ENABLE = 18, SET_SLAVE_REQ_FD = 21, VRING_KICK = 35,
    SLAVE_VRING_CALL = 4
};
enum : uint32_t { VERSION = 1, IS_REPLY = 4, NEED_REPLY = 8 };
static constexpr uint64_t FEATURES = 1ull << 30 | 1ull << VIRTIO_F_VERSION_1;
static constexpr uint64_t PROTOCOL_FEATURES = 1ull << 3 /* REPLY_ACK */ | 1ull << 5 /* SLAVE_REQ */ | 1ull << 14 /* INBAND_NOTIFICATIONS */;

/* A ring's parts, as virtio 1.1 has them; its own header in Linux is no C++. */
struct vring_desc {
    uint64_t addr;
    uint32_t len;
    uint16_t flags, next;
};
struct vring_used_elem {
    uint32_t id, len;
};
enum : uint16_t { VRING_DESC_F_NEXT = 1, VRING_DESC_F_WRITE = 2, VRING_AVAIL_F_NO_INTERRUPT = 1 };
enum : size_t { MOST_REQUEST = 4096 + 64 };

[[noreturn]] static void fail(const std::string &what) { throw std::runtime_error("vhost-user: " + what); }
[[noreturn]] static void failCall(const std::string &what) { fail(what + ": " + std::strerror(errno)); }

template <typename T> T VhostUser::Message::get(size_t at) const {
    if (at + sizeof(T) > header.size)
        fail("request " + std::to_string(header.request) + " has " + std::to_string(header.size) + " bytes, too few");
    T value;
    std::memcpy(&value, &bytes[at], sizeof value);
    return value;
}

VhostUser::VhostUser(const std::string &path, Handler handler) : path_(path), handler_(std::move(handler)), listener_(listenAt(path)) {}

VhostUser::~VhostUser() {
    unmap();
    for (int file : {guest_, requests_, listener_})
        if (file >= 0)
            close(file);
    unlink(path_.c_str());
}

void VhostUser::unmap() {
    for (const Region &r : regions_)
        munmap(r.map, r.mapped);
    regions_.clear();
}

uint8_t *VhostUser::at(uint64_t guest, uint64_t bytes) const {
    for (const Region &r : regions_)
        if (guest >= r.guest && guest - r.guest <= r.size && r.size - (guest - r.guest) >= bytes)
            return r.at + (guest - r.guest);
    fail("address " + std::to_string(guest) + " is not in the guest's memory");
}

void VhostUser::readAll(void *to, size_t bytes) {
    for (uint8_t *at = static_cast<uint8_t *>(to); bytes;) {
        const ssize_t n = read(guest_, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            fail("the guest went away within a request");
        at += n, bytes -= n;
    }
}

/* False: the guest is gone. Files come with the first byte. */
bool VhostUser::receive(Message &m) {
    alignas(cmsghdr) char control[CMSG_SPACE(MOST_REGIONS * sizeof(int))];
    iovec part = {&m.header, sizeof m.header};
    msghdr header{};
    header.msg_iov = &part, header.msg_iovlen = 1, header.msg_control = control, header.msg_controllen = sizeof control;
    ssize_t n;
    while ((n = recvmsg(guest_, &header, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
    }
    if (n <= 0)
        return false;
    readAll(reinterpret_cast<uint8_t *>(&m.header) + n, sizeof m.header - n);
    m.files.clear();
    for (cmsghdr *c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
            m.files.resize((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
            std::memcpy(m.files.data(), CMSG_DATA(c), m.files.size() * sizeof(int));
        }
    if (m.header.size > MOST_BYTES)
        fail("request " + std::to_string(m.header.request) + " has " + std::to_string(m.header.size) + " bytes: legal are at most " + std::to_string(MOST_BYTES));
    readAll(m.bytes.data(), m.header.size);
    return true;
}

void VhostUser::reply(const Message &m, uint64_t value) {
    struct {
        Header header;
        uint64_t value;
    } __attribute__((packed)) answer = {{m.header.request, VERSION | IS_REPLY, sizeof value}, value};
    if (send(guest_, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer)
        fail("the guest takes no reply");
}

void VhostUser::memory(const Message &m) {
    struct Entry {
        uint64_t guest, size, user, offset;
    };
    const uint32_t n = m.get<uint32_t>();
    if (n > MOST_REGIONS || n != m.files.size())
        fail(std::to_string(n) + " regions of memory with " + std::to_string(m.files.size()) + " files: legal are as many, at most " + std::to_string(MOST_REGIONS));
    unmap();
    for (uint32_t i = 0; i < n; i++) {
        const Entry e = m.get<Entry>(8 + i * sizeof(Entry));
        struct stat file;
        if (fstat(m.files[i], &file) || e.offset > uint64_t(file.st_size) || e.size > uint64_t(file.st_size) - e.offset)
            fail("memory of " + std::to_string(e.size) + " bytes from " + std::to_string(e.offset) + " on, which its file has not");
        void *map = mmap(nullptr, e.size + e.offset, PROT_READ | PROT_WRITE, MAP_SHARED, m.files[i], 0);
        if (map == MAP_FAILED)
            failCall("the guest's memory");
        regions_.push_back({e.guest, e.size, static_cast<uint8_t *>(map) + e.offset, map, e.size + e.offset});
    }
}

void VhostUser::answer(const Message &m) {
    const auto queue = [&](uint32_t number) -> Queue & {
        if (number >= QUEUES)
            fail("queue " + std::to_string(number) + ": legal are 0 to " + std::to_string(QUEUES - 1));
        return queues_[number];
    };
    bool kept = false;
    switch (m.header.request) {
    case GET_FEATURES: return reply(m, FEATURES);
    case GET_PROTOCOL_FEATURES: return reply(m, PROTOCOL_FEATURES);
    case SET_PROTOCOL_FEATURES:
        if (m.get<uint64_t>() != PROTOCOL_FEATURES)
            fail("the guest's kernel has no in-band notifications: Linux 5.15 and later have them");
        break;
    case SET_FEATURES: case SET_OWNER: case SET_VRING_KICK: case SET_VRING_CALL: case SET_VRING_ENABLE: break;
    case SET_MEM_TABLE: memory(m); break;
    case SET_VRING_NUM: {
        const uint32_t slots = m.get<uint32_t>(4);
        if (slots < 1 || slots > MOST_SLOTS)
            fail("a ring of " + std::to_string(slots) + " descriptors: legal are 1 to " + std::to_string(MOST_SLOTS));
        queue(m.get<uint32_t>()).slots = slots;
        break;
    }
    case SET_VRING_BASE: queue(m.get<uint32_t>()).next = m.get<uint32_t>(4); break;
    case SET_VRING_ADDR: {
        Queue &q = queue(m.get<uint32_t>());
        for (unsigned i = 0; i < std::size(q.places); i++)
            q.places[i] = m.get<uint64_t>(8 + 8 * i);
        break;
    }
    case SET_SLAVE_REQ_FD:
        if (m.files.size() != 1)
            fail("no file for requests of the device");
        if (requests_ >= 0)
            close(requests_);
        requests_ = m.files[0];
        kept = true;
        break;
    case VRING_KICK:
        if (m.get<uint32_t>() == COMMANDS)
            commands();
        else
            interrupts();
        break;
    default: fail("request " + std::to_string(m.header.request) + " is not known");
    }
    if (!kept)
        for (int file : m.files)
            close(file);
    if (m.header.flags & NEED_REPLY)
        reply(m, 0);
}

void VhostUser::serveChain(uint16_t head) {
    Queue &q = queues_[COMMANDS];
    std::vector<uint8_t> request;
    uint8_t *room = nullptr;
    size_t bytes = 0;
    uint16_t index = head;
    for (uint32_t parts = 0;; parts++) {
        vring_desc d;
        if (index >= q.slots || parts >= q.slots)
            fail("a chain of descriptors that does not end within its ring");
        std::memcpy(&d, q.descriptors + index * sizeof d, sizeof d);
        uint8_t *part = at(d.addr, d.len);
        if (d.flags & VRING_DESC_F_WRITE)
            room = part, bytes = d.len;
        else
            request.insert(request.end(), part, part + d.len);
        if (request.size() > MOST_REQUEST)
            fail("a request of more than " + std::to_string(MOST_REQUEST) + " bytes");
        if (!(d.flags & VRING_DESC_F_NEXT))
            break;
        index = d.next;
    }
    const size_t written = handler_(request, room, bytes);
    give(COMMANDS, head, written, !bytes); // who waits for an answer looks for it
}

/* False: the guest has not said where the queue is. */
bool VhostUser::ready(Queue &q) {
    if (!q.slots || !q.places[0])
        return false;
    q.descriptors = at(q.places[0], sizeof(vring_desc) * q.slots);
    q.used = at(q.places[1], sizeof(vring_used_elem) * q.slots + 6);
    q.available = at(q.places[2], 2 * q.slots + 6);
    return true;
}

bool VhostUser::take(Queue &q, uint16_t &head) {
    if (q.next == __atomic_load_n(reinterpret_cast<uint16_t *>(q.available + 2), __ATOMIC_ACQUIRE))
        return false;
    std::memcpy(&head, q.available + 4 + q.next % q.slots * 2, 2);
    q.next++;
    return true;
}

void VhostUser::give(unsigned queue, uint16_t head, size_t written, bool tell) {
    Queue &q = queues_[queue];
    uint16_t count, quiet;
    std::memcpy(&count, q.used + 2, 2);
    const vring_used_elem done = {head, uint32_t(written)};
    std::memcpy(q.used + 4 + count % q.slots * sizeof done, &done, sizeof done);
    __atomic_store_n(reinterpret_cast<uint16_t *>(q.used + 2), uint16_t(count + 1), __ATOMIC_RELEASE);
    std::memcpy(&quiet, q.available, 2);
    if (!tell || quiet & VRING_AVAIL_F_NO_INTERRUPT)
        return;
    const struct {
        Header header;
        uint32_t queue, unused;
    } __attribute__((packed)) call = {{SLAVE_VRING_CALL, VERSION, 8}, queue, 0};
    if (send(requests_, &call, sizeof call, MSG_NOSIGNAL) != sizeof call)
        fail("the guest takes no notification");
}

void VhostUser::put(std::vector<uint8_t> message) {
    if (waiting_.size() == MOST_WAITING)
        fail("the guest has taken none of the last " + std::to_string(MOST_WAITING) + " interrupts");
    waiting_.push_back(std::move(message));
    interrupts();
}

void VhostUser::interrupts() {
    Queue &q = queues_[INTERRUPTS];
    uint16_t head;
    while (!waiting_.empty() && ready(q) && take(q, head)) {
        const std::vector<uint8_t> &message = waiting_.front();
        vring_desc d;
        if (head >= q.slots)
            fail("a descriptor beyond its ring");
        std::memcpy(&d, q.descriptors + head * sizeof d, sizeof d);
        if (!(d.flags & VRING_DESC_F_WRITE) || d.len < message.size())
            fail("a buffer for interrupts of " + std::to_string(d.len) + " bytes: at least " + std::to_string(message.size()) + ", to be written");
        std::memcpy(at(d.addr, d.len), message.data(), message.size());
        give(INTERRUPTS, head, message.size(), true);
        waiting_.pop_front();
    }
}

/* As many as the ring has: others have their turn. */
void VhostUser::commands() {
    Queue &q = queues_[COMMANDS];
    if (requests_ < 0 || !ready(q))
        fail("a kick before the queue is there");
    uint16_t head;
    for (uint32_t left = q.slots; left && take(q, head); left--)
        serveChain(head);
}

bool VhostUser::serve() {
    if (guest_ < 0) {
        guest_ = acceptAt(listener_);
        return true;
    }
    Message m;
    if (!receive(m))
        return false;
    answer(m);
    return true;
}
