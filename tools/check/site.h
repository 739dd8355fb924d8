/** \file
 * One site as the model keeps it: the firmware's state by its number, tags, memory, data caches, what aPs wait for, local events,
 * commands. What it can do by itself, and what a message does to it, are steps; nothing here knows of other sites.
 */
#pragma once
#include "config.h"
#include "firmware.h"
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

enum Tag : uint8_t { OTHER, INVALID, SHARED, EXCLUSIVE, PEND_DOWN };
enum CacheState : uint8_t { I, S, E, M };
enum Wait : uint8_t {
    IDLE,
    AGAIN,   ///< retried, to be judged afresh
    PENDING, ///< recorded in the approval file; told, or covered by a notice before it
    APPROVED,
    CALLING   ///< a service was called, which has not answered
};

struct Access {
    uint8_t wait, store, cell;
};
struct Line {
    uint8_t state, last; ///< `last`: holds the last version stored
};
struct Fault {
    uint8_t event, cell;
};

/**
 * With release consistency a program without data races is modelled: a cell stands for one word of its block. Who stores to it *claims* it,
 * until the service that makes stores visible has answered him; meanwhile what others load of the cell is not looked at, and what they
 * store goes to another word of the block.
 */
enum : uint8_t { NOBODY = 0, FIRST_AP = 1, ELSEWHERE = 9 };

/** Compared and hashed as bytes: unused entries are zero. */
struct Site {
    enum : unsigned { FAULTS = 10, COMMANDS = 14 };
    uint32_t firmware;
    uint8_t tag[MOST_CELLS];
    uint8_t memory[MOST_CELLS]; ///< whether it holds the last version
    Line cache[MOST_APS][MOST_CELLS];
    Access ap[MOST_APS];
    uint8_t claimed[MOST_CELLS]; ///< NOBODY, FIRST_AP and the aP here, ELSEWHERE
    uint8_t timer, begun; ///< `begun`: steps of the first command that are done
    uint8_t faults, commands;
    Fault fault[FAULTS];
    uint8_t waits; ///< its aPs are not used until the parallel phase begins
    uint8_t unused;
    fw_command command[COMMANDS];

    bool operator==(const Site &other) const { return !std::memcmp(this, &other, sizeof *this); }
};
static_assert(std::has_unique_object_representations_v<Site>);

/** A message on its way; `data`: 0 none, 1 an old version, 2 the last. */
struct Message {
    uint32_t word;
    uint8_t type, data;
    int8_t cell; ///< whose data, -1 none
    bool operator==(const Message &m) const { return word == m.word && type == m.type && data == m.data && cell == m.cell; }
};

/** ANSWER: of a service to an aP; it comes at once, for the earlier it comes the more is promised. */
enum Channel : uint8_t { LOW, HIGH, ANSWER };
struct Sent {
    Channel channel;
    uint8_t to;
    Message message;
};

/** A site's own doing, a message that its sP takes, or all sites at once. */
enum class Kind : uint8_t { OWN, MESSAGE, PARALLEL };

/** What an aP begins. */
enum class Act : uint8_t { NONE, LOAD, STORE, EVICT, CALL };

struct Step {
    Site after;
    Kind kind = Kind::OWN;
    bool begins = false; ///< something new that an aP wants: no part of getting done
    Act act = Act::NONE; ///< what, by which aP, in which cell
    uint8_t ap = 0, cell = 0;
    int8_t stored = -1;  ///< cell whose other copies are old now
    std::vector<Sent> sent;
    std::string error; ///< what must not be
    std::string text;  ///< in words, when asked for
};

/** A site that has just started; pages open unless config.open. */
Site freshSite(unsigned site);
/** Everything the site can do by itself. */
void ownSteps(const Site &s, std::vector<Step> &steps);
/** The sP takes a message. */
void messageSteps(const Site &s, unsigned from, Channel channel, const Message &m, std::vector<Step> &steps);
/** The service of `home` has answered aP `ap`: what it claimed of that home's blocks is visible. Returns a bit for each such cell. */
unsigned answered(Site &s, unsigned ap, unsigned home);
/** The parallel phase begins (BZ-27): the program's first process has heard from all sites before any other process starts. */
void beginParallel(Site &s);

/** Copies of the cell, but the last store's own, become old. */
void grow_old(Site &s, unsigned cell);
void grow_old(Message &m, unsigned cell);
/** 0 none, 1 may read, 2 may write: by tag or cache. */
unsigned rights(const Site &s, unsigned cell);
/** Slots of the NIU that commands hold. */
unsigned slotsHeld(const Site &s);
/** Whether nothing is under way here; then `error` says what is left over all the same. */
bool quiet(const Site &s, std::string &error);
void rename(Site &s, const uint8_t *to);
/** What a person wants to know of a cell here. */
std::string describe(const Site &s, unsigned cell);

/** Steps get their texts. */
extern bool wordy;
/** Coverage: "home SHARED | Get RO". */
std::vector<std::string> rowsHit();
/** Different states of the firmware met so far, at all sites. */
size_t firmwareStates();
