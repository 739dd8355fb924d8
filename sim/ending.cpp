/** \file
 * When a program has ended: caches and DRAM of owners against the flat memory of the checker, every byte of the heap ever written. A
 * store that nobody reads again is checked here alone (BZ-02, BZ-26).
 */
#include "cluster.h"
#include "niu_regs.h"
#include <cstdio>
#include <cstring>

enum : uint32_t { CMD_DEPTH = 8 };
/* A flush command takes up to 32 aligned lines. */
enum : uint32_t { RANGE_LOG2 = 5, RANGE = 64 << RANGE_LOG2 };

/* Runs on until nothing is under way: no miss, no message, no event but idle for a while. False: processes go on. */
bool Cluster::rest() {
    enum { CALM = 400, PATIENCE = 50000 };
    stirred_ = cycle_;
    for (uint64_t until = cycle_ + PATIENCE; cycle_ < until; step()) {
        if (someoneWaits() | !memoriesIdle() || (wires_ && !wires_->idle()))
            stirred_ = cycle_;
        if (cycle_ - stirred_ >= CALM)
            return true;
    }
    return false;
}

/* The next one, in pages that some site opened. */
uint32_t Cluster::nextLine(uint32_t line, uint32_t bytes) const {
    line += bytes;
    return line % Tags::PAGE || line >= options_.memory.heapEnd() ? line : tags_.nextOpened(line);
}

/* What caches hold modified goes to MEMORY_BASE, by commands of the NIU through the host port: only a site whose tag is Exclusive can have it. */
void Cluster::flushOwners() {
    for (uint32_t range = tags_.nextOpened(options_.memory.heapBase()); range < options_.memory.heapEnd(); range = nextLine(range, RANGE))
        for (unsigned site = 0; site < sites_.size(); site++) {
            bool owns = false;
            for (uint32_t line = range; line < range + RANGE && !owns; line += 64)
                owns = tags_.of(site, line) == Tags::EXCLUSIVE && consistency_.writtenLine(line);
            if (!owns)
                continue;
            sites_[site]->hostWrite(NIU_BASE + NIU_CMD_CTRL, RANGE_LOG2);
            sites_[site]->hostWrite(NIU_BASE + NIU_LAUNCH_FLUSH, range);
        }
    settleHosts();
    for (unsigned site = 0; site < sites_.size(); site++)
        while ((readHost(site, NIU_BASE + NIU_CMD_STATUS) & (CMD_DEPTH | NIU_CMD_STATUS_BUSY(1))) != CMD_DEPTH) {
        }
    while (!memoriesIdle())
        step();
    step();
}

bool Cluster::memoriesIdle() const {
    std::vector<uint64_t> busy(1);
    for (unsigned site = 0; site < sites_.size(); site++)
        busy[0] += own(site) && !sites_[site]->memory.idle();
    ranks_.add(busy);
    return busy[0] == 0;
}

/* Lines of other ranks' sites that are compared, into the memories that stand for them here: tags and stores are known to all. */
void Cluster::gatherMemory() {
    const auto each = [&](unsigned rank, auto does) {
        for (uint32_t line = tags_.nextOpened(options_.memory.heapBase()); line < options_.memory.heapEnd(); line = nextLine(line, 64)) {
            if (!consistency_.writtenLine(line))
                continue;
            const bool software = names_.bySoftware(line);
            for (unsigned site = firstOf(rank); site < firstOf(rank + 1); site++)
                if (const unsigned tag = tags_.of(site, line); software || tag == Tags::EXCLUSIVE || tag == Tags::SHARED)
                    does(sites_[site]->memory.at(line - MEMORY_BASE));
        }
    };
    for (unsigned rank = 0; rank < ranks_.count(); rank++) {
        const bool own = rank == ranks_.number();
        Ranks::Bytes lines;
        if (own)
            each(rank, [&](const uint8_t *line) { lines.insert(lines.end(), line, line + 64); });
        ranks_.give(rank, lines);
        size_t at = 0;
        if (!own)
            each(rank, [&](uint8_t *line) { std::memcpy(line, &lines[at], 64), at += 64; });
    }
}

/* Of a line kept by software the aPs know who holds it; one frame at least must be what was stored last. */
void Cluster::compareFrames(uint32_t line) {
    uint32_t bytes = 0, right = 0;
    for (size_t site = 0; site < sites_.size() && right == 0; site++) {
        const uint8_t *memory = sites_[site]->memory.at(line - MEMORY_BASE);
        bytes = right = 0;
        for (uint32_t i = 0; i < 64; i++)
            if (consistency_.written(line + i)) {
                bytes++;
                right += memory[i] == consistency_.last(line + i);
            }
        right = right == bytes ? right : 0;
    }
    compared_ += bytes;
    if (right)
        return;
    char text[100];
    std::snprintf(text, sizeof text, "a store was lost: no site's frame of %08x is what was stored last", line);
    lost_ = text;
}

void Cluster::compareMemory() {
    if (ranks_.several())
        gatherMemory();
    for (uint32_t line = tags_.nextOpened(options_.memory.heapBase()); line < options_.memory.heapEnd() && lost_.empty(); line = nextLine(line, 64)) {
        if (!consistency_.writtenLine(line))
            continue;
        if (names_.bySoftware(line)) {
            compareFrames(line);
            continue;
        }
        unsigned holders = 0;
        for (unsigned site = 0; site < sites_.size(); site++) {
            const unsigned tag = tags_.of(site, line);
            if (tag != Tags::EXCLUSIVE && tag != Tags::SHARED)
                continue;
            holders++;
            if (tag == Tags::SHARED && !names_.sequential(line)) // an old copy is one that nobody had to bring up to date
                continue;
            const uint8_t *memory = sites_[site]->memory.at(line - MEMORY_BASE);
            for (uint32_t i = 0; i < 64 && lost_.empty(); i++) {
                if (!consistency_.written(line + i))
                    continue;
                compared_++;
                if (memory[i] == consistency_.last(line + i))
                    continue;
                char text[200];
                const unsigned writer = consistency_.writer(line + i);
                std::snprintf(text, sizeof text, "a store was lost: site %u, whose tag of %08x is %s, holds %02x there at the end; the last store was %02x, by site %u aP %u",
                              site, line + i, Tags::name(tag), memory[i], consistency_.last(line + i), writer / 4, writer % 4);
                lost_ = text;
            }
        }
        if (holders == 0 && lost_.empty()) {
            char text[100];
            std::snprintf(text, sizeof text, "a store was lost: no site holds %08x at the end", line);
            lost_ = text;
        }
    }
    if (lost_.empty())
        return;
    ending_ = LOST;
    status_ = 3;
    std::printf("%s\n", lost_.c_str());
}

/* A damaged packet is lost, and nothing sends it again. */
void Cluster::explainDamage() {
    std::string places;
    // Routers and sinks of other parts count nothing.
    std::vector<uint64_t> counted{network_ ? network_->unroutable() : 0};
    for (size_t r = 0; network_ && r < network_->routers(); r++)
        for (unsigned port = 0; port < Network::PORTS; port++)
            counted.push_back(network_->crcErrors(r, port));
    ranks_.add(counted);
    damage_.unroutable = counted[0];
    for (size_t r = 0; network_ && r < network_->routers(); r++)
        for (unsigned port = 0; port < Network::PORTS; port++)
            if (const unsigned n = counted[1 + r * Network::PORTS + port]) {
                damage_.seen += n;
                const int site = network_->siteAt(r, port);
                places += "; router " + std::to_string(r) + " counts " + std::to_string(n) + " on input " + std::to_string(port) +
                          (site < 0 ? "" : " (from site " + std::to_string(site) + ")");
            }
    for (unsigned site = 0; site < sites_.size(); site++)
        if (uint32_t n = readHost(site, NIU_BASE + NIU_COUNT_CRC)) {
            damage_.dropped += n;
            places += "; site " + std::to_string(site) + " dropped " + std::to_string(n);
        }
    if (damage_.unroutable)
        places += "; " + std::to_string(damage_.unroutable) + " went where no site is";
    if (!places.empty())
        std::printf("packets were damaged on a link, their messages are lost%s\n", places.c_str());
}
