#include "gdb_stub.h"
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

static const char *const DESCRIPTION =
    "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\"><architecture>riscv:rv32</architecture>"
    "<feature name=\"org.gnu.gdb.riscv.cpu\">REGISTERS</feature></target>";

static std::string description() {
    static const char *const names[] = {"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "pc"};
    std::string registers, all = DESCRIPTION;
    for (const char *name : names)
        registers += std::string("<reg name=\"") + name + "\" bitsize=\"32\" type=\"" + (name == std::string("pc") ? "code_ptr" : "int") + "\"/>";
    return all.replace(all.find("REGISTERS"), 9, registers);
}

static std::string hex(uint8_t byte) {
    char text[3];
    std::snprintf(text, sizeof text, "%02x", byte);
    return text;
}
static std::string word(uint32_t w) { return hex(w) + hex(w >> 8) + hex(w >> 16) + hex(w >> 24); }
static std::string hexOf(const std::string &text) {
    std::string all;
    for (char c : text)
        all += hex(c);
    return all;
}

/* A hexadecimal number at `at`, of 32 bits at most, which ends at one of `ends` or at the end; `at` is behind it. */
static bool number(const std::string &text, size_t &at, const char *ends, uint32_t &value) {
    const size_t first = at;
    uint64_t v = 0;
    for (; at < text.size() && std::isxdigit((unsigned char)text[at]) && v <= UINT32_MAX; at++)
        v = v << 4 | (std::isdigit((unsigned char)text[at]) ? text[at] - '0' : (text[at] | 32) - 'a' + 10);
    if (at == first || v > UINT32_MAX || (at < text.size() && !std::strchr(ends, text[at])))
        return false;
    at += at < text.size();
    value = v;
    return true;
}

GdbStub::GdbStub(const Target &target, unsigned port) : target_(target) {
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

GdbStub::~GdbStub() {
    if (connection_ >= 0)
        close(connection_);
    close(listener_);
}

void GdbStub::accept() {
    do
        connection_ = ::accept(listener_, nullptr, nullptr);
    while (connection_ < 0 && errno == EINTR);
    if (connection_ < 0)
        throw std::runtime_error(std::string("gdb: ") + std::strerror(errno));
}

void GdbStub::leave() {
    if (connection_ < 0)
        return;
    close(connection_);
    connection_ = -1;
    breakpoints_.clear();
    std::cerr << "gdb has left: the run goes on\n";
}

/* A character, or -1: gdb has left. */
int GdbStub::get() {
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

bool GdbStub::interrupts() {
    pollfd p{connection_, POLLIN, 0};
    if (connection_ < 0 || poll(&p, 1, 0) <= 0)
        return false;
    return get() == 3; // what else comes while the processors run is out of place
}

/* The next packet whose sum is right. False: gdb has left. */
bool GdbStub::receive(std::string &packet) {
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

void GdbStub::send(const std::string &answer) {
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

std::string GdbStub::stopReply() const {
    char text[40];
    std::snprintf(text, sizeof text, "T%02xthread:%x;", signal_, stopped_);
    return text;
}

std::string GdbStub::registers() const {
    std::string all;
    for (uint32_t r : target_.registers(looked_))
        all += word(r);
    return all;
}

/* A thread, or with 0 and -1 the one that stopped. */
bool GdbStub::threadOf(const std::string &text, unsigned &thread) const {
    uint32_t n = 0;
    size_t at = 0;
    if (text != "-1" && (!number(text, at, "", n) || n > target_.threads()))
        return false;
    thread = n ? n : stopped_;
    return true;
}

std::string GdbStub::readMemory(const std::string &arguments) const {
    uint32_t address, length;
    size_t at = 0;
    if (!number(arguments, at, ",", address) || !number(arguments, at, "", length) || length > MOST / 4)
        return "E16"; // EINVAL
    std::string all;
    for (uint32_t i = 0; i < length; i++) {
        uint8_t byte;
        if (!target_.read(looked_, address + i, byte))
            break;
        all += hex(byte);
    }
    return all.empty() && length ? "E0e" : all; // EFAULT
}

/* Z0, Z1 and their ends: a breakpoint of both kinds is a comparison. */
std::string GdbStub::changePoint(const std::string &packet) {
    uint32_t address, kind;
    size_t at = std::min<size_t>(3, packet.size());
    if (packet.size() < 2 || (packet[1] != '0' && packet[1] != '1'))
        return "";
    if (!number(packet, at, ",", address) || !number(packet, at, ";", kind))
        return "E16";
    if (packet[0] == 'z')
        breakpoints_.erase(address);
    else if (breakpoints_.size() < 1000)
        breakpoints_.insert(address);
    else
        return "E1c"; // ENOSPC
    return "OK";
}

std::string GdbStub::query(const std::string &packet) const {
    const auto begins = [&](const char *with) { return packet.rfind(with, 0) == 0; };
    if (begins("qSupported"))
        return "PacketSize=1000;qXfer:features:read+;QStartNoAckMode+;vContSupported+;hwbreak+;swbreak+";
    if (begins("qXfer:features:read:target.xml:")) {
        uint32_t offset, length;
        size_t at = 31;
        const std::string all = description();
        if (!number(packet, at, ",", offset) || !number(packet, at, "", length) || offset > all.size() || length > MOST)
            return "E16";
        return (offset + length >= all.size() ? "l" : "m") + all.substr(offset, length);
    }
    if (packet == "qfThreadInfo") {
        std::string all = "m";
        for (unsigned thread = 1; thread <= target_.threads(); thread++) {
            char text[16];
            std::snprintf(text, sizeof text, "%s%x", thread > 1 ? "," : "", thread);
            all += text;
        }
        return all;
    }
    if (packet == "qsThreadInfo")
        return "l";
    unsigned thread;
    if (begins("qThreadExtraInfo,"))
        return threadOf(packet.substr(17), thread) ? hexOf(target_.name(thread)) : "E16";
    if (packet == "qC") {
        char text[16];
        std::snprintf(text, sizeof text, "QC%x", stopped_);
        return text;
    }
    return packet == "qAttached" ? "1" : "";
}

bool GdbStub::obey(const std::string &packet, std::string &answer, unsigned &step) {
    answer.clear();
    switch (packet.empty() ? 0 : packet[0]) {
    case '?': answer = stopReply(); break;
    case 'g': answer = registers(); break;
    case 'p': {
        uint32_t n;
        size_t at = 1;
        answer = number(packet, at, "", n) && n <= 32 ? registers().substr(8 * n, 8) : "E16";
        break;
    }
    case 'm': answer = readMemory(packet.substr(1)); break;
    case 'G': case 'P': case 'M': case 'X':
        answer = "E01"; // EPERM: what gdb changed would be no run of this program
        break;
    case 'Z': case 'z': answer = changePoint(packet); break;
    case 'H': case 'T': {
        unsigned thread;
        const bool legal = threadOf(packet.substr(packet[0] == 'H' && packet.size() > 1 ? 2 : 1), thread);
        if (legal && packet[0] == 'H' && packet[1] == 'g')
            looked_ = thread;
        answer = legal ? "OK" : "E16";
        break;
    }
    case 'q': answer = query(packet); break;
    case 'Q':
        if (packet == "QStartNoAckMode") {
            acknowledged_ = false;
            answer = "OK";
        }
        break;
    case 'v':
        if (packet == "vCont?") {
            answer = "vCont;c;C;s;S";
        } else if (packet.rfind("vCont;", 0) == 0) {
            unsigned thread = stopped_;
            const char what = packet.size() > 6 ? packet[6] : 0;
            const size_t colon = packet.find(':'), end = packet.find(';', 6);
            if (colon != std::string::npos && colon < end && !threadOf(packet.substr(colon + 1, end == std::string::npos ? end : end - colon - 1), thread)) {
                answer = "E16";
                break;
            }
            step = what == 's' || what == 'S' ? thread : 0;
            return false;
        }
        break;
    case 'c': case 'C': return false;
    case 's': case 'S': step = looked_; return false;
    case 'D':
        send("OK");
        leave();
        return false;
    case 'k': leave(); return false;
    }
    return true;
}

unsigned GdbStub::serve(unsigned thread, unsigned signal, bool first) {
    unsigned step = 0;
    std::string packet, answer;
    stopped_ = looked_ = thread;
    signal_ = signal;
    if (!first)
        send(stopReply());
    while (connection_ >= 0 && receive(packet)) {
        if (!obey(packet, answer, step))
            return step;
        send(answer);
        if (packet == "QStartNoAckMode")
            acknowledged_ = false;
    }
    return 0;
}

void GdbStub::ended(int status) {
    send("W" + hex(status));
    if (connection_ >= 0)
        close(connection_);
    connection_ = -1;
}
