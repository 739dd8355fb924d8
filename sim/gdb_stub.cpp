#include "gdb_stub.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

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

static std::string word(uint32_t w) { return GdbWire::hex(w) + GdbWire::hex(w >> 8) + GdbWire::hex(w >> 16) + GdbWire::hex(w >> 24); }
static std::string hexOf(const std::string &text) {
    std::string all;
    for (char c : text)
        all += GdbWire::hex(c);
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

std::string GdbStub::stopReply() const {
    char text[40];
    std::snprintf(text, sizeof text, "T%02xthread:%x;", signal_, stopped_);
    return text + accessed_;
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
    if (!number(arguments, at, ",", address) || !number(arguments, at, "", length) || length > GdbWire::MOST / 4)
        return "E16"; // EINVAL
    std::string all;
    for (uint32_t i = 0; i < length; i++) {
        uint8_t byte;
        if (!target_.read(looked_, address + i, byte))
            break;
        all += GdbWire::hex(byte);
    }
    return all.empty() && length ? "E0e" : all; // EFAULT
}

bool GdbStub::watched(bool store, uint32_t address, unsigned bytes) {
    for (const Watch &w : watches_)
        if (w.kind != (store ? '3' : '2') && address < w.address + w.length && w.address < address + bytes) {
            char text[40];
            std::snprintf(text, sizeof text, "%s:%x;", w.kind == '2' ? "watch" : w.kind == '3' ? "rwatch" : "awatch", w.address);
            accessed_ = text;
            return true;
        }
    return false;
}

std::string GdbStub::changeWatch(const std::string &packet, uint32_t address, uint32_t length) {
    const Watch w{packet[1], address, length};
    const auto at = std::find(watches_.begin(), watches_.end(), w);
    if (packet[0] == 'z') {
        if (at != watches_.end())
            watches_.erase(at);
    } else if (length == 0 || length > 4096 || watches_.size() >= 100) {
        return "E1c"; // ENOSPC
    } else if (at == watches_.end()) {
        watches_.push_back(w);
    }
    return "OK";
}

/* Z0, Z1 and their ends: a breakpoint of both kinds is a comparison; Z2 to Z4: accesses. */
std::string GdbStub::changePoint(const std::string &packet) {
    uint32_t address, kind;
    size_t at = std::min<size_t>(3, packet.size());
    if (packet.size() < 2 || packet[1] < '0' || packet[1] > (target_.tells(looked_) ? '4' : '1'))
        return ""; // gdb then steps, and looks for itself
    if (!number(packet, at, ",", address) || !number(packet, at, ";", kind))
        return "E16";
    if (packet[1] > '1')
        return changeWatch(packet, address, kind);
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
        if (!number(packet, at, ",", offset) || !number(packet, at, "", length) || offset > all.size() || length > GdbWire::MOST)
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
            wire_.acknowledgeNoMore();
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
        wire_.send("OK");
        wire_.leave();
        return false;
    case 'k': wire_.leave(); return false;
    }
    return true;
}

unsigned GdbStub::serve(unsigned thread, unsigned signal, bool first) {
    unsigned step = 0;
    std::string packet, answer;
    stopped_ = looked_ = thread;
    signal_ = signal;
    if (!first)
        wire_.send(stopReply());
    accessed_.clear();
    while (wire_.connected() && wire_.receive(packet)) {
        if (!obey(packet, answer, step))
            return wire_.connected() ? step : 0;
        wire_.send(answer);
    }
    return 0;
}

void GdbStub::ended(int status) {
    wire_.send("W" + GdbWire::hex(status));
    wire_.hangUp();
}
