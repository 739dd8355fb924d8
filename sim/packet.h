/** \file Packets as they pass a link, and what a site put onto the wire. */
#pragma once
#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

/** Contract §6. */
struct Packet {
    uint64_t first = 0, last = 0; ///< cycles of the header and of the tail
    unsigned to = 0, from = 0, vc = 0, rxq = 0, source = 0, tag = 0, lines = 0;
    uint32_t word = 0;
    /** Sent by the sP's protocol queue to another. */
    bool protocol() const { return rxq == 0; }
    /** Sent by the sP: an answer to an aP, or protocol. */
    bool ofSp() const { return (source & 7) == 0; }
};

/** Puts the flits of one end of a link together; the two virtual channels interleave. */
class PacketReader {
public:
    enum Part { NONE, HEADER, TAIL };
    /** A flit passes. `packet()` is the one it belongs to; its word and `last` are there with TAIL. */
    Part flit(uint64_t cycle, unsigned vc, uint64_t data, bool last) {
        Channel &c = channels_[vc];
        seen_ = vc;
        if (!c.within) {
            c.packet = {cycle, 0, unsigned(data & 63), unsigned(data >> 6 & 63), vc, unsigned(data >> 16 & 511), unsigned(data >> 25 & 511),
                        unsigned(data >> 34 & 31), unsigned(data >> 44 & 3), 0};
            c.within = true;
            return HEADER;
        }
        if (!last)
            return NONE;
        c.within = false;
        c.packet.last = cycle;
        c.packet.word = uint32_t(data);
        return TAIL;
    }
    const Packet &packet() const { return channels_[seen_].packet; }

private:
    struct Channel {
        bool within = false;
        Packet packet;
    };
    std::array<Channel, 2> channels_;
    unsigned seen_ = 0;
};

/** What one site put onto its link. A message for the own site loops back inside it and is not seen. */
struct Sent {
    uint64_t packets = 0;
    std::array<uint64_t, 32> protocol{}; ///< packets of the protocol queue, by tag
    uint64_t lines = 0;                  ///< of 64 B among them
    uint64_t answers = 0;                ///< of the sP to aPs: locks, barriers, pages
    uint64_t user = 0;                   ///< of aPs

    void count(const Packet &p) {
        packets++;
        if (p.protocol()) {
            protocol[p.tag]++;
            lines += p.lines;
        } else {
            (p.ofSp() ? answers : user)++;
        }
    }
};

/** packets.csv: every packet at both ends of its way. */
class PacketLog {
public:
    /** Nothing is written when the path is empty. */
    explicit PacketLog(const std::string &path) {
        if (path.empty())
            return;
        out_.open(path);
        out_ << "site,end,first,last,from,to,vc,rxq,source,tag,lines,word\n";
    }
    /** `end`: `sent` or `came`, at the link of `site`. */
    void write(unsigned site, const char *end, const Packet &p) {
        if (out_.is_open())
            out_ << site << ',' << end << ',' << p.first << ',' << p.last << ',' << p.from << ',' << p.to << ',' << p.vc << ',' << p.rxq << ','
                 << p.source << ',' << p.tag << ',' << p.lines << ",0x" << std::hex << p.word << std::dec << '\n';
    }

private:
    std::ofstream out_;
};
