/** \file GDB's remote serial protocol over TCP, all-stop, for processors that can be looked at and not be changed. */
#pragma once
#include <array>
#include <cstdint>
#include <set>
#include <string>

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
    };

    /** Listens on 127.0.0.1; `port` 0: any that is free. Throws std::runtime_error in words. */
    GdbStub(const Target &target, unsigned port);
    ~GdbStub();
    unsigned port() const { return port_; }
    /** Waits for gdb. */
    void accept();
    bool connected() const { return connection_ >= 0; }

    bool breaksAt(uint32_t pc) const { return breakpoints_.count(pc) != 0; }
    /** Whether gdb wants the processors to stop (Ctrl-C); or has left. */
    bool interrupts();
    /** Tells that `thread` has stopped, unless `first`, by POSIX signal `signal`; then does what gdb asks until it lets go. Returns the thread that is to
     * make one step, 0: none. */
    unsigned serve(unsigned thread, unsigned signal, bool first = false);
    /** The program has ended. */
    void ended(int status);

private:
    enum : size_t { MOST = 0x4000 }; ///< characters of a packet
    int get();
    bool receive(std::string &packet);
    void send(const std::string &answer);
    void leave();
    /** False: `answer` is none, the processors go on. */
    bool obey(const std::string &packet, std::string &answer, unsigned &step);
    std::string readMemory(const std::string &arguments) const;
    std::string changePoint(const std::string &packet);
    std::string query(const std::string &packet) const;
    std::string stopReply() const;
    std::string registers() const;
    bool threadOf(const std::string &text, unsigned &thread) const;

    const Target &target_;
    int listener_ = -1, connection_ = -1;
    unsigned port_ = 0;
    std::set<uint32_t> breakpoints_;
    unsigned stopped_ = 1, looked_ = 1, signal_ = 5; ///< thread that stopped; that `g` and `m` are of; why
    bool acknowledged_ = true;                       ///< packets are answered with + and -
};
