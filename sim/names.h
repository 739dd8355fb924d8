/** \file
 * What the protocols of the firmware's image are called, and their messages and counters: names.txt, which tools/firmware.py leaves beside
 * the image. A message's number means something only with the protocol of its page, which PAGE_INFO tells.
 */
#pragma once
#include "checkpoint.h"
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

class Names {
public:
    /** Numbers of events up to which a message belongs to the protocol of its page; then the framework's own (fw/tempest/events.h). */
    enum : uint32_t { MESSAGES = 24, PAGE_ASK = 24, PAGE_INFO = 25, FRAMEWORK_END = 32 };
    /** Room for counters of a protocol (fw/tempest/protocol.h). */
    enum : uint32_t { COUNTERS = 16 };

    /** What a message is to a read that is measured stage by stage. */
    enum Stage { NO_STAGE, ASKED, DATA, UNCLEAN };
    struct Message {
        std::string name;
        bool data = false;
        Stage stage = NO_STAGE;
    };
    struct Protocol {
        std::string name;
        std::array<Message, MESSAGES> messages;
        std::vector<std::string> counters; ///< by index
    };

    /** Throws std::runtime_error naming the file and what is wrong with it. An empty path: no names. `heapBytes`: a power of two, and the heap's base a multiple of it. */
    Names(const std::string &path, uint32_t heapBytes);

    const std::vector<Protocol> &protocols() const { return protocols_; }
    /** A page's mode, as PAGE_INFO says it. */
    void pageInfo(uint32_t word) { mode_[pageOf((word & 0x0FFFF000) | (word >> 11 & 1) << 28)] = word >> 28; }
    /** Index of the protocol of the page of an address; a page that only its registry touched has the first. */
    unsigned protocolOf(uint32_t address) const;
    /** Whether the mode of the page promises that every load returns the last store of all. */
    bool sequential(uint32_t address) const;
    /** Whether each site has a frame of its own there, which its aP keeps coherent in software: tags say nothing about it (docs/design/soft.md). */
    bool bySoftware(uint32_t address) const;
    /** The message of an event; null for other events. */
    const Message *message(uint32_t event, uint32_t arg) const;
    Stage stage(uint32_t event, uint32_t arg) const;
    /** The event in words. */
    std::string event(uint32_t event, uint32_t arg) const;

    void state(Checkpoint &c) { c(mode_); }

private:
    struct Mode {
        unsigned protocol;
        bool sequential, bySoftware;
    };
    uint32_t pageOf(uint32_t address) const { return (address & (heapBytes_ - 1)) >> 12; }
    unsigned modeOf(uint32_t address) const;

    uint32_t heapBytes_;
    std::vector<Protocol> protocols_;
    std::vector<Mode> modes_;
    std::map<uint32_t, unsigned> mode_; ///< of pages
};
