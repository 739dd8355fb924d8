/** \file What GDB's remote serial protocol asks, all-stop, for processors that can be looked at and not be changed. */
#pragma once
#include "gdb_wire.h"
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

class GdbStub {
public:
    /** What is debugged: threads of gdb, 1 on. */
    class Target {
    public:
        virtual ~Target() = default;
        virtual unsigned threads() const = 0;
        virtual std::string name(unsigned thread) const = 0;
        /** x0 to x31, and the pc. */
        virtual std::array<uint32_t, 33> registers(unsigned thread) const = 0;
        /** False: there is no memory, or what is there changes when it is read. */
        virtual bool read(unsigned thread, uint32_t address, uint8_t &byte) const = 0;
        /** Whether its accesses are told to watched(). */
        virtual bool tells(unsigned thread) const = 0;
    };

    /** `port` as GdbWire's. */
    GdbStub(const Target &target, unsigned port) : target_(target), wire_(port) {}
    unsigned port() const { return wire_.port(); }
    void accept() { wire_.accept(); }
    bool connected() const { return wire_.connected(); }

    bool breaksAt(uint32_t pc) const { return breakpoints_.count(pc) != 0; }
    /** Of a load or store by a thread: whether gdb waits for it. The next serve() then says so. */
    bool watched(bool store, uint32_t address, unsigned bytes);
    /** Whether gdb wants the processors to stop (Ctrl-C). */
    bool interrupts() { return wire_.interrupts(); }
    /** Tells that `thread` has stopped, unless `first`, by POSIX signal `signal`; then does what gdb asks until it lets go. Returns the thread that is to
     * make one step, 0: none. */
    unsigned serve(unsigned thread, unsigned signal, bool first = false);
    /** The program has ended. */
    void ended(int status);

private:
    /** False: `answer` is none, the processors go on. */
    bool obey(const std::string &packet, std::string &answer, unsigned &step);
    std::string readMemory(const std::string &arguments) const;
    std::string changePoint(const std::string &packet);
    std::string changeWatch(const std::string &packet, uint32_t address, uint32_t length);
    std::string query(const std::string &packet) const;
    std::string stopReply() const;
    std::string registers() const;
    bool threadOf(const std::string &text, unsigned &thread) const;

    const Target &target_;
    GdbWire wire_;
    /** `kind`: of stores '2', loads '3', both '4'. */
    struct Watch {
        char kind;
        uint32_t address, length;
        bool operator==(const Watch &o) const { return kind == o.kind && address == o.address && length == o.length; }
    };
    std::set<uint32_t> breakpoints_;
    std::vector<Watch> watches_;
    std::string accessed_; ///< why the stop that comes next is one: empty, or in the words of the protocol
    unsigned stopped_ = 1, looked_ = 1, signal_ = 5; ///< thread that stopped; that `g` and `m` are of; why
};
