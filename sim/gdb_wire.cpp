#include "gdb_wire.h"
#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

std::string GdbWire::hex(uint8_t byte) {
    char text[3];
    std::snprintf(text, sizeof text, "%02x", byte);
    return text;
}

GdbWire::GdbWire(unsigned port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(port);
    socklen_t length = sizeof at;
    const int yes = 1;
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (listener_ < 0 || bind(listener_, (sockaddr *)&at, sizeof at) || listen(listener_, 1) || getsockname(listener_, (sockaddr *)&at, &length))
        throw std::runtime_error("port " + std::to_string(port) + " for gdb: " + std::strerror(errno) + "; gdb-port=0 takes one that is free");
    port_ = ntohs(at.sin_port);
}

GdbWire::~GdbWire() {
    hangUp();
    close(listener_);
}

void GdbWire::accept() {
    do
        connection_ = ::accept(listener_, nullptr, nullptr);
    while (connection_ < 0 && errno == EINTR);
    if (connection_ < 0)
        throw std::runtime_error(std::string("gdb: ") + std::strerror(errno));
}

void GdbWire::hangUp() {
    if (connection_ >= 0)
        close(connection_);
    connection_ = -1;
}

void GdbWire::leave() {
    if (connection_ < 0)
        return;
    hangUp();
    std::cerr << "gdb has left: the run goes on\n";
}

/* A character, or -1: gdb has left. */
int GdbWire::get() {
    uint8_t c;
    ssize_t n;
    do
        n = connection_ < 0 ? 0 : recv(connection_, &c, 1, 0);
    while (n < 0 && errno == EINTR);
    if (n != 1) {
        leave();
        return -1;
    }
    return c;
}

bool GdbWire::interrupts() {
    pollfd p{connection_, POLLIN, 0};
    if (connection_ < 0 || poll(&p, 1, 0) <= 0)
        return false;
    return get() == 3; // what else comes while the processors run is out of place
}

bool GdbWire::receive(std::string &packet) {
    for (;;) {
        int c;
        while ((c = get()) != '$')
            if (c < 0)
                return false;
        packet.clear();
        uint8_t sum = 0;
        while ((c = get()) != '#') {
            if (c < 0)
                return false;
            sum += c;
            if (packet.size() < MOST)
                packet += char(c);
        }
        const int high = get(), low = get();
        if (high < 0 || low < 0)
            return false;
        const std::string told{char(high), char(low)};
        const bool right = packet.size() < MOST && (told == hex(sum) || std::strtoul(told.c_str(), nullptr, 16) == sum);
        if (!acknowledged_ && right)
            return true;
        if (::send(connection_, right ? "+" : "-", 1, MSG_NOSIGNAL) != 1)
            leave();
        if (right)
            return true;
    }
}

void GdbWire::send(const std::string &answer) {
    uint8_t sum = 0;
    for (char c : answer)
        sum += c;
    const std::string packet = "$" + answer + "#" + hex(sum);
    for (size_t at = 0; connection_ >= 0 && at < packet.size();) {
        const ssize_t n = ::send(connection_, packet.data() + at, packet.size() - at, MSG_NOSIGNAL);
        if (n <= 0)
            leave();
        else
            at += n;
    }
}
