/** \file Accesses of aPs: their data caches, the responder table, the approval file, evictions. */
#include "site_parts.h"

Action judge(uint8_t tag, Op op) {
    using enum Action;
    static const Action table[][4] = {
        /* READ, READ_EXCLUSIVE, UPGRADE, WRITE_BACK */
        {RECORD, RECORD, RECORD, ERROR}, /* OTHER */
        {RECORD, RECORD, RETRY, ERROR},  /* INVALID */
        {MEMORY, RECORD, RECORD, ERROR}, /* SHARED */
        {MEMORY, MEMORY, MEMORY, MEMORY}, /* EXCLUSIVE */
        {RETRY, RETRY, RETRY, MEMORY},   /* PEND_DOWN */
    };
    return table[tag][unsigned(op)];
}

Op opOf(const Site &s, unsigned ap) {
    const Access &a = s.ap[ap];
    return !a.store ? Op::READ : s.cache[ap][a.cell].state == S ? Op::UPGRADE : Op::READ_EXCLUSIVE;
}

void approve(Site &s, unsigned first, unsigned cells, uint8_t next) {
    for (unsigned i = 0; i < config.aps; i++)
        if (s.ap[i].wait == PENDING && s.ap[i].cell - first < cells)
            s.ap[i].wait = judge(next, opOf(s, i)) == Action::MEMORY ? APPROVED : AGAIN;
}

static std::string who(unsigned ap) { return config.aps == 1 ? "the aP" : "aP " + std::to_string(ap); }
static std::string what(const Access &a) { return (a.store ? "stores to " : "loads ") + cellName(a.cell); }

bool races(const Site &s, unsigned ap, unsigned cell) { return s.claimed[cell] != NOBODY && s.claimed[cell] != FIRST_AP + ap; }

unsigned answered(Site &s, unsigned ap, unsigned home) {
    unsigned visible = 0;
    s.ap[ap] = {IDLE, 0, 0};
    for (unsigned cell = 0; cell < config.cells(); cell++)
        if (s.claimed[cell] == FIRST_AP + ap && config.pageOf(cell) == home) {
            s.claimed[cell] = NOBODY;
            visible |= 1u << cell;
        }
    return visible;
}

/* A store of `ap` to the word that the cell stands for, or, when that is another's, to another word. */
static void change(Step &step, unsigned ap, unsigned cell) {
    Site &s = step.after;
    if (!races(s, ap, cell)) {
        step.stored = int8_t(cell);
        grow_old(s, cell);
        s.claimed[cell] = config.releaseOf(cell) ? uint8_t(FIRST_AP + ap) : uint8_t(NOBODY);
    }
    s.cache[ap][cell] = {M, 1};
}

/* The line comes into the cache, or may be written there. */
static void perform(Step &step, unsigned ap) {
    Site &s = step.after;
    const Access a = s.ap[ap];
    Line &own = s.cache[ap][a.cell];
    uint8_t last = own.state != I ? own.last : s.memory[a.cell];
    bool shared = s.tag[a.cell] == SHARED;
    for (unsigned i = 0; i < config.aps; i++) {
        Line &other = s.cache[i][a.cell];
        if (i == ap || other.state == I)
            continue;
        if (other.state == M) {
            last = other.last;
            if (!a.store)
                s.memory[a.cell] = last;
        }
        shared = true;
        other = a.store ? Line{I, 0} : Line{S, other.last};
    }
    if (!last && (a.store || !races(s, ap, a.cell)))
        step.error = "the access sees an old version: " + who(ap) + " " + what(a);
    own = {uint8_t(a.store ? M : shared ? S : E), last};
    s.ap[ap] = {IDLE, 0, 0};
    if (a.store)
        change(step, ap, a.cell);
}

static unsigned faultClass(Op op) { return op == Op::READ ? 0 : op == Op::UPGRADE ? 2 : 1; }

/* Recorded, and told to the sP unless a notice before it covers its need. */
static void record(Step &step, unsigned ap, bool told) {
    Site &s = step.after;
    Access &a = s.ap[ap];
    a.wait = PENDING;
    if (!told)
        return;
    if (s.faults == Site::FAULTS) {
        step.error = "more faults wait for the sP than the model keeps";
        return;
    }
    s.fault[s.faults++] = {uint8_t(32 + s.tag[a.cell] * 4 + faultClass(opOf(s, ap))), a.cell};
}

/* The access of `ap` in step.after goes to the bus. Returns whether anything came of it. */
static bool toTheBus(Step &step, unsigned ap) {
    Site &s = step.after;
    const Access a = s.ap[ap];
    Op op = opOf(s, ap);
    Action action = judge(s.tag[a.cell], op);
    bool behind = false, covered = false;
    for (unsigned i = 0; i < config.aps; i++)
        if (i != ap && s.ap[i].wait == PENDING && s.ap[i].cell == a.cell) {
            behind = true;
            covered |= s.ap[i].store || !a.store;
        }
    if (behind && a.wait != APPROVED) {
        record(step, ap, action == Action::RECORD && !covered);
        step.text += ", which waits behind another aP's";
        return true;
    }
    if (action == Action::RETRY)
        return false;
    if (action == Action::MEMORY) {
        perform(step, ap);
        step.text += ": done";
    } else {
        record(step, ap, true);
        step.text += ", which tag " + tagName(s.tag[a.cell]) + " forbids: the sP is told";
    }
    return true;
}

static void store(Step &step, unsigned ap, unsigned cell) {
    Site &s = step.after;
    if (!s.cache[ap][cell].last)
        step.error = "a store changes a line that holds an old version: " + who(ap) + " in " + cellName(cell);
    change(step, ap, cell);
}

static void beginAccess(const Site &s, unsigned ap, unsigned cell, bool stores, std::vector<Step> &steps) {
    const Line &line = s.cache[ap][cell];
    Step step{.after = s, .begins = true, .act = stores ? Act::STORE : Act::LOAD, .ap = uint8_t(ap), .cell = uint8_t(cell)};
    step.text = who(ap) + " " + what({IDLE, stores, uint8_t(cell)});
    if (stores ? line.state >= E : line.state != I) {
        step.text += " in its cache";
        if (stores)
            store(step, ap, cell);
        else if (!line.last && !races(s, ap, cell))
            step.error = "the access sees an old version: " + step.text;
        else
            return; /* a load that hits changes nothing */
    } else {
        step.after.ap[ap] = {AGAIN, uint8_t(stores), uint8_t(cell)};
        if (!toTheBus(step, ap))
            return;
    }
    steps.push_back(std::move(step));
}

static void evict(const Site &s, unsigned ap, unsigned cell, std::vector<Step> &steps) {
    Step step{.after = s, .begins = true, .act = Act::EVICT, .ap = uint8_t(ap), .cell = uint8_t(cell)};
    step.text = "the cache of " + who(ap) + " gives up " + cellName(cell);
    const Line line = s.cache[ap][cell];
    step.after.cache[ap][cell] = {I, 0};
    if (line.state == M) {
        step.text += ", which is written back";
        step.after.memory[cell] = line.last;
        if (judge(s.tag[cell], Op::WRITE_BACK) != Action::MEMORY)
            step.error = "a write-back under tag " + tagName(s.tag[cell]) + ", which nobody accepts: " + cellName(cell);
    }
    steps.push_back(std::move(step));
}

static void call(const Site &s, unsigned ap, unsigned page, std::vector<Step> &steps) {
    Step step{.after = s, .begins = true, .act = Act::CALL, .ap = uint8_t(ap)};
    step.text = who(ap) + " calls the service that makes stores visible, at site " + std::to_string(page);
    step.after.ap[ap] = {CALLING, 0, 0};
    step.sent.push_back({LOW, uint8_t(page), {ap, uint8_t(config.release[page]), 0, -1}});
    steps.push_back(std::move(step));
}

void accessSteps(const Site &s, unsigned ap, std::vector<Step> &steps) {
    const Access &a = s.ap[ap];
    if (a.wait == IDLE) {
        if (s.waits)
            return;
        for (unsigned page = 0; page < config.pages; page++)
            if (config.release[page])
                call(s, ap, page, steps);
        for (unsigned cell = 0; cell < config.cells(); cell++) {
            beginAccess(s, ap, cell, false, steps);
            if (config.stores)
                beginAccess(s, ap, cell, true, steps);
            if (config.evictions && s.cache[ap][cell].state != I)
                evict(s, ap, cell, steps);
        }
    } else if (a.wait != PENDING && a.wait != CALLING) {
        Step step{.after = s};
        step.text = who(ap) + " comes again: " + what(a);
        if (toTheBus(step, ap))
            steps.push_back(std::move(step));
    }
}

unsigned rights(const Site &s, unsigned cell) {
    unsigned most = s.tag[cell] == EXCLUSIVE ? 2 : s.tag[cell] == SHARED ? 1 : 0;
    for (unsigned ap = 0; ap < config.aps; ap++) {
        uint8_t state = s.cache[ap][cell].state;
        most = std::max(most, state >= E ? 2u : state == S ? 1u : 0u);
    }
    return most;
}
