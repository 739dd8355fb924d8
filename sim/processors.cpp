#include "processors.h"
#include <algorithm>
#include <cstdio>

/* Contract §1, §4, §8. */
enum : uint32_t { EXPRESS_TX = 0xF0200000, EXPRESS_RX = 0xF0400000, BASIC = 0xF0500000, BASIC_END = 0xF0510000, PAGE = 4096 };
enum : uint32_t { META = 4, RX_PRODUCER = 0x18, RX_CONSUMER = 0x1C, NAME_SERVICE = 1 };

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
    const bool express = address >= EXPRESS_RX && address < BASIC, basic = address >= BASIC && address < BASIC_END;
    const uint32_t offset = address % PAGE;
    if ((express && offset == META) || (basic && offset == RX_PRODUCER)) {
        const unsigned queue = address / PAGE % 16;
        if (begins && (s.queue != queue || s.express != express || s.since <= std::max(s.sent, s.got)))
            s.queue = queue, s.express = express, s.since = cycle;
        cpus_[site * aps_ + ap].looked = true;
        return false;
    }
    if (begins && address >= EXPRESS_TX && address < EXPRESS_RX)
        s.sent = cycle, s.sentTo = address;
    if (!begins && ((express && offset == 0) || (basic && offset == RX_CONSUMER)))
        s.got = cycle;
    return true;
}

std::string Processors::describe(unsigned site, unsigned ap, uint64_t start) const {
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
    int n = std::snprintf(text, sizeof text, "polls %s queue %u since cycle %llu", s.express ? "Express" : "Basic", s.queue, after(s.since));
    if (s.got)
        n += std::snprintf(text + n, sizeof text - n, "; its last message came at %llu", after(s.got));
    else
        n += std::snprintf(text + n, sizeof text - n, "; no message ever came");
    if (!s.sent)
        return text;
    const unsigned tag = s.sentTo >> 12 & 31, name = s.sentTo >> 3 & 511;
    n += std::snprintf(text + n, sizeof text - n, "; it last sent, at %llu, tag %u", after(s.sent), tag);
    if ((name & 7) == NAME_SERVICE && tag >= 1 && tag <= 5)
        n += std::snprintf(text + n, sizeof text - n, " (%s)", services[tag]);
    if ((name & 7) <= NAME_SERVICE)
        std::snprintf(text + n, sizeof text - n, " to the sP of site %u", name >> 3);
    else
        std::snprintf(text + n, sizeof text - n, " to site %u aP %u", name >> 3, (name & 7) - 2);
    return text;
}
