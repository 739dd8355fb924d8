/** \file What sites tell in a cycle, as bytes: every rank hears all sites, in their order, whoever simulates them. */
#pragma once
#include "site.h"
#include <cstring>

class Telling : public SiteListener {
public:
    const std::vector<uint8_t> &bytes() const { return bytes_; }
    void clear() { bytes_.clear(); }
    /** Tells `to` what sites told in cycle `cycle`: the bytes of another Telling from `at` on. */
    static void hear(const std::vector<uint8_t> &bytes, size_t at, uint64_t cycle, SiteListener &to);

    /** Nobody waits: it is heard when all have spoken. */
    void speaks(unsigned, uint64_t) override {}
    void eventPushed(unsigned site, const Event &e) override { put(PUSHED, site, e.index, e.arg); }
    void eventTaken(unsigned site, const Event &e) override { put(TAKEN, site, e.index, e.arg); }
    void spWaits(unsigned site) override { put(WAITS, site); }
    void messageLaunched(unsigned site, unsigned to, uint32_t tag) override { put(LAUNCHED, site, to, tag); }
    void packetSent(unsigned site, const Packet &p) override { put(SENT, site, p); }
    void packetCame(unsigned site, const Packet &p) override { put(CAME, site, p); }
    void tagsWritten(unsigned site, uint32_t word, uint32_t mask, unsigned next) override { put(TAGS, site, word, mask, next); }
    void missStarted(unsigned site, unsigned ap, uint32_t address, unsigned op) override { put(MISS, site, ap, address, op); }
    void missDone(unsigned site, unsigned ap, uint32_t address) override { put(DONE, site, ap, address); }
    void committed(unsigned site, unsigned ap, bool store, uint32_t address, unsigned size, uint32_t data, bool copies) override {
        put(COMMITTED, site, ap, store, address, size, data, copies);
    }
    void console(unsigned site, unsigned source, uint8_t character) override { put(CONSOLE, site, source, character); }
    void exited(unsigned site, unsigned ap, uint32_t status) override { put(EXITED, site, ap, status); }
    void marked(unsigned site, unsigned ap, uint32_t value) override { put(MARKED, site, ap, value); }
    void trapped(unsigned site, uint32_t cause) override { put(TRAPPED, site, cause); }
    void hostAnswered(unsigned site, uint32_t data) override { put(ANSWERED, site, data); }
    void hostTook(unsigned site) override { put(TOOK, site); }
    /** Of debugged cores, which ranks do not have. */
    void completes(unsigned, unsigned, uint32_t) override {}

private:
    enum Kind : uint8_t { PUSHED, TAKEN, WAITS, LAUNCHED, SENT, CAME, TAGS, MISS, DONE, COMMITTED, CONSOLE, EXITED, MARKED, TRAPPED, ANSWERED, TOOK };
    template <typename... Words> void put(Kind kind, unsigned site, const Words &...words) {
        append(kind);
        append(uint8_t(site));
        (append(words), ...);
    }
    template <typename Word> void append(const Word &word) {
        const uint8_t *const first = reinterpret_cast<const uint8_t *>(&word);
        bytes_.insert(bytes_.end(), first, first + sizeof word);
    }

    std::vector<uint8_t> bytes_;
};
