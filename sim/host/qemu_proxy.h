/**
 * \file A card behind QEMU's `x-pci-proxy-dev` (hw/remote of QEMU 7.2): each access of config space or of a BAR is a message on a socket. A guest's process may map
 * a BAR there, which User-Mode Linux cannot. Every message is answered when the card has done the access.
 */
#pragma once
#include "card.h"
#include <string>

class QemuProxy {
public:
    /** Listens at `path`, a Unix socket that it makes. Throws std::runtime_error that says what went wrong. */
    QemuProxy(const std::string &path, Card &card);
    ~QemuProxy();
    QemuProxy(const QemuProxy &) = delete;

    /** Takes one QEMU and serves it until it is gone. Throws when what it says is not the protocol. */
    void serve();

private:
    struct Header {
        int32_t command;
        uint32_t padding;
        uint64_t size;
    };
    bool receive(Header &header, std::string &body);
    uint64_t answer(const Header &header, const std::string &body);

    std::string path_;
    Card &card_;
    int listener_ = -1, guest_ = -1;
};
