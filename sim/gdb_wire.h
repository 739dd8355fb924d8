/** \file Packets of GDB's remote serial protocol over TCP: sums, acknowledgements, Ctrl-C. Whatever else comes is passed over. */
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

class GdbWire {
public:
    enum : size_t { MOST = 0x4000 }; ///< characters of a packet

    /** Listens on 127.0.0.1; `port` 0: any that is free. Throws std::runtime_error in words. */
    explicit GdbWire(unsigned port);
    ~GdbWire();
    unsigned port() const { return port_; }
    /** Waits for gdb. */
    void accept();
    bool connected() const { return connection_ >= 0; }
    /** Ctrl-C came. Does not wait. */
    bool interrupts();
    /** The next packet whose sum is right. False: gdb has left. */
    bool receive(std::string &packet);
    void send(const std::string &answer);
    /** From the next packet on none is acknowledged. */
    void acknowledgeNoMore() { acknowledged_ = false; }
    void hangUp();
    /** The same, and says that the run goes on without gdb. */
    void leave();

    static std::string hex(uint8_t byte);

private:
    int get();

    int listener_ = -1, connection_ = -1;
    unsigned port_ = 0;
    bool acknowledged_ = true; ///< packets are answered with + and -
};
