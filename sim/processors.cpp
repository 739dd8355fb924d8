#include "processors.h"
#include "niu_regs.h"
#include <algorithm>
#include <cstdio>

/* Contract §8. */
enum : uint32_t { NAME_SERVICE = 1 };

void Processors::load(Cpu &c, uint32_t address) {
    const auto end = c.loads.begin() + c.count;
    if (std::find(c.loads.begin(), end, address) != end)
        return;
    if (c.count == FEW)
        c.busy = true;
    else
        c.loads[c.count++] = address;
}

bool Processors::uncached(uint64_t cycle, unsigned site, unsigned ap, uint32_t address, bool begins) {
    State &s = cpus_[site * aps_ + ap].state;
    const bool group = address - AP_ONEPOLL_BASE < AP_ONEPOLL_BYTES;
    const bool express = group || address - AP_EXPRESS_RX_BASE < AP_EXPRESS_RX_BYTES, basic = address - AP_BASIC_BASE < AP_BASIC_BYTES;
    const uint32_t offset = address % AP_PAGE_BYTES;
    if ((express && offset == AP_EXPRESS_RX_META) || (basic && offset == AP_BASIC_RX_PRODUCER)) {
        const unsigned queue = address / AP_PAGE_BYTES % 16;
        const Kind kind = group ? ONEPOLL : express ? EXPRESS : BASIC;
        if (begins && (s.queue != queue || s.kind != kind || s.since <= std::max(s.sent, s.got)))
            s.queue = queue, s.kind = kind, s.since = cycle;
        cpus_[site * aps_ + ap].looked = true;
        return false;
    }
    if (address - AP_BASE < AP_TIME_LO) // who and where it is: constants, that the runtime reads often
        return false;
    if (begins && address - AP_EXPRESS_TX_BASE < AP_EXPRESS_TX_BYTES)
        s.sent = cycle, s.sentTo = address;
    if (!begins && ((express && offset == AP_EXPRESS_RX_DATA) || (basic && offset == AP_BASIC_RX_CONSUMER)))
        s.got = cycle;
    return true;
}

std::string Processors::describe(unsigned site, unsigned ap, uint64_t start) const {
    static const char *const queues[] = {"Express queue", "Basic queue", "OnePoll group"};
    static const char *const services[] = {"", "LOCK_ACQUIRE", "LOCK_RELEASE", "BARRIER", "PAGE_SET", "PARALLEL"};
    const State &s = state(site, ap);
    char text[300];
    auto after = [start](uint64_t cycle) { return (unsigned long long)(cycle > start ? cycle - start : 0); };
    if (s.spins) {
        std::snprintf(text, sizeof text, "reads %08x again and again, which nobody changes", s.on);
        return text;
    }
    if (!s.polls)
        return {};
    int n = std::snprintf(text, sizeof text, "polls %s %u since cycle %llu", queues[s.kind], s.queue, after(s.since));
    if (s.got)
        n += std::snprintf(text + n, sizeof text - n, "; its last message came at %llu", after(s.got));
    else
        n += std::snprintf(text + n, sizeof text - n, "; no message ever came");
    if (!s.sent)
        return text;
    const unsigned tag = s.sentTo >> EXPRESS_TX_TAG_SHIFT & EXPRESS_TX_TAG_MASK, name = s.sentTo >> EXPRESS_TX_DEST_SHIFT & EXPRESS_TX_DEST_MASK;
    n += std::snprintf(text + n, sizeof text - n, "; it last sent, at %llu, tag %u", after(s.sent), tag);
    if ((name & 7) == NAME_SERVICE && tag >= 1 && tag <= 5)
        n += std::snprintf(text + n, sizeof text - n, " (%s)", services[tag]);
    if ((name & 7) <= NAME_SERVICE)
        std::snprintf(text + n, sizeof text - n, " to the sP of site %u", name >> 3);
    else
        std::snprintf(text + n, sizeof text - n, " to site %u aP %u", name >> 3, (name & 7) - 2);
    return text;
}
