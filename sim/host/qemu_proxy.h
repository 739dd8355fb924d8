/**
 * \file A card behind QEMU's `x-pci-proxy-dev` (hw/remote of QEMU 7.2): each access of config space or of a BAR is a message on a socket. A guest's process may map
 * a BAR there, which User-Mode Linux cannot. Every message is answered when the card has done the access. The proxy has no message for interrupts:
 * they are writes of memory that QEMU does for tests (qtest).
 */
#pragma once
#include "card.h"
#include "slot.h"
#include <string>

class QemuProxy : public Slot {
public:
    /** Listens at `path`, a Unix socket that it makes; QEMU does at `interrupts` (-qtest). Throws std::runtime_error that says what went wrong. */
    QemuProxy(const std::string &path, const std::string &interrupts, Card &card);
    ~QemuProxy() override;
    QemuProxy(const QemuProxy &) = delete;

    int file() const override { return guest_ < 0 ? listener_ : guest_; }
    bool serve() override;
    void interrupt() override;

private:
    struct Header {
        int32_t command;
        uint32_t padding;
        uint64_t size;
    };
    bool receive(Header &header, std::string &body);
    uint64_t answer(const Header &header, const std::string &body);

    std::string path_, interrupts_;
    Card &card_;
    int listener_ = -1, guest_ = -1, tests_ = -1;
};
