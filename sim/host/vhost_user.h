/**
 * \file A virtio device outside its guest's kernel: the device's end of the vhost-user protocol, as far as User-Mode Linux speaks it. Kicks come
 * within the socket and are answered when the device has done what they are for (INBAND_NOTIFICATIONS, REPLY_ACK), so that a guest's accesses
 * happen one after another.
 */
#pragma once
#include "slot.h"
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

class VhostUser : public Slot {
public:
    /** Does a request, and writes its answer into `answer`, of which it returns the number of bytes used. */
    using Handler = std::function<size_t(const std::vector<uint8_t> &request, uint8_t *answer, size_t room)>;

    /** Listens at `path`, a Unix socket that it makes. Throws std::runtime_error that says what went wrong. */
    VhostUser(const std::string &path, Handler handler);
    ~VhostUser() override;
    VhostUser(const VhostUser &) = delete;

    int file() const override { return guest_ < 0 ? listener_ : guest_; }
    bool serve() override;

protected:
    /** Puts a message into the guest's queue for interrupts, or keeps it until there is a buffer for it. */
    void put(std::vector<uint8_t> message);

private:
    enum : unsigned { COMMANDS = 0, INTERRUPTS = 1, QUEUES = 2, MOST_REGIONS = 8, MOST_BYTES = 512, MOST_SLOTS = 32768, MOST_WAITING = 1024 };
    struct Header {
        uint32_t request, flags, size;
    };
    struct Message {
        Header header;
        std::array<uint8_t, MOST_BYTES> bytes;
        std::vector<int> files;
        template <typename T> T get(size_t at = 0) const;
    };
    struct Region {
        uint64_t guest, size;
        uint8_t *at;
        void *map;
        size_t mapped;
    };
    /** Where a ring's parts are in the guest's memory, and, while it is looked at, here: the guest may change its memory between. */
    struct Queue {
        uint32_t slots = 0;
        uint16_t next = 0;
        uint64_t places[3] = {};
        uint8_t *descriptors = nullptr, *available = nullptr, *used = nullptr;
    };
    bool receive(Message &message);
    void readAll(void *to, size_t bytes);
    void reply(const Message &message, uint64_t value);
    void answer(const Message &message);
    void memory(const Message &message);
    void commands();
    void serveChain(uint16_t head);
    bool take(Queue &queue, uint16_t &head);
    void give(unsigned queue, uint16_t head, size_t written, bool tell);
    void interrupts();
    bool ready(Queue &queue);
    uint8_t *at(uint64_t guest, uint64_t bytes) const;
    void unmap();

    std::string path_;
    Handler handler_;
    std::deque<std::vector<uint8_t>> waiting_;
    int listener_ = -1, guest_ = -1, requests_ = -1;
    std::vector<Region> regions_;
    std::array<Queue, QUEUES> queues_;
};
