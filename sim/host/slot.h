/** \file A guest at a card. */
#pragma once

/** Calls throw std::runtime_error when what the guest says is not the protocol. */
class Slot {
public:
    virtual ~Slot() = default;
    /** Readable when the guest comes, or asks something. */
    virtual int file() const = 0;
    /** Takes the guest, or does one thing that it asks; false: it is gone. */
    virtual bool serve() = 0;
    /** Gives the guest the interrupts of its card. */
    virtual void interrupt() = 0;
};
