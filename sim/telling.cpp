#include "telling.h"

void Telling::hear(const std::vector<uint8_t> &bytes, size_t at, uint64_t cycle, SiteListener &to) {
    const auto take = [&](auto value) {
        std::memcpy(&value, &bytes[at], sizeof value);
        at += sizeof value;
        return value;
    };
    const auto word = [&] { return take(0u); };
    const auto flag = [&] { return take(false); };
    while (at < bytes.size()) {
        const Kind kind = take(Kind{});
        const unsigned site = take(uint8_t(0));
        // In braces arguments are taken from left to right.
        switch (kind) {
        case PUSHED: to.eventPushed(site, Event{cycle, word(), word()}); break;
        case TAKEN: to.eventTaken(site, Event{cycle, word(), word()}); break;
        case WAITS: to.spWaits(site); break;
        case LAUNCHED: { const unsigned a[]{word(), word()}; to.messageLaunched(site, a[0], a[1]); break; }
        case SENT: to.packetSent(site, take(Packet{})); break;
        case CAME: to.packetCame(site, take(Packet{})); break;
        case TAGS: { const unsigned a[]{word(), word(), word()}; to.tagsWritten(site, a[0], a[1], a[2]); break; }
        case MISS: { const unsigned a[]{word(), word(), word()}; to.missStarted(site, a[0], a[1], a[2]); break; }
        case DONE: { const unsigned a[]{word(), word()}; to.missDone(site, a[0], a[1]); break; }
        case COMMITTED: {
            const unsigned ap = word();
            const bool store = flag();
            const unsigned a[]{word(), word(), word()};
            to.committed(site, ap, store, a[0], a[1], a[2], flag());
            break;
        }
        case CONSOLE: { const unsigned source = word(); to.console(site, source, take(uint8_t(0))); break; }
        case EXITED: { const unsigned a[]{word(), word()}; to.exited(site, a[0], a[1]); break; }
        case MARKED: { const unsigned a[]{word(), word()}; to.marked(site, a[0], a[1]); break; }
        case TRAPPED: to.trapped(site, word()); break;
        case ANSWERED: to.hostAnswered(site, word()); break;
        case TOOK: to.hostTook(site); break;
        }
    }
}
