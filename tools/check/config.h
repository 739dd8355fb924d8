/** \file What is explored: numbers of things, and what may happen. tools/check.py has the user's names and ranges. */
#pragma once
#include <cstdint>
#include <string>

enum : unsigned { MOST_SITES = 4, MOST_APS = 2, MOST_BLOCKS = 2, MOST_CELLS = 4 };

struct Config {
    unsigned sites = 2, aps = 1, blocks = 1;
    unsigned shift = 7;      ///< log2 of a block's bytes: 7, or 8 for blocks that travel in two parts
    unsigned pages = 1;      ///< 2: block 1 has its home at site 1
    unsigned commands = 8;   ///< commands of an engine that may wait; the sP waits for room
    unsigned events = 64, slots = 24; ///< what the firmware is told of the hardware's depths
    bool stores = true, evictions = true;
    bool open = false;       ///< pages are opened by their first access; else they are open
    bool firstTouch = false; ///< homes by first touch; the parallel phase begins when site 0 has nothing under way in its aPs
    bool full = false;       ///< the transmit queue may be full whenever the firmware looks
    bool timeouts = false;   ///< a command that waits for an approved access may go on without it
    bool progress = true;    ///< from every state rest can be reached without a new access
    uint64_t states = 0;     ///< stop after so many; 0: all
    unsigned release[MOST_BLOCKS] = {}; ///< of a page: the service that makes stores visible; 0: they are at once

    unsigned parts() const { return shift <= 7 ? 1 : 1u << (shift - 7); }
    unsigned cells() const { return blocks * parts(); } ///< a cell: what travels in one message, the unit of data
    uint32_t address(unsigned cell) const {
        unsigned block = cell / parts();
        return 0x80800000u + (pages == 2 ? block << 12 : block << shift) + ((cell % parts()) << 7);
    }
    unsigned pageOf(unsigned cell) const { return pages == 2 ? cell / parts() : 0; }
    unsigned releaseOf(unsigned cell) const { return release[pageOf(cell)]; }
    int cellOf(uint32_t a) const {
        for (unsigned c = 0; c < cells(); c++)
            if (address(c) == (a & ~127u))
                return int(c);
        return -1;
    }
};
extern Config config;
