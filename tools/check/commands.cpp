/** \file The command engine (docs/design/command-engine.md): one command at a time, in order, in the steps that others can see. */
#include "site_parts.h"

static void finish(Site &s) {
    s.commands--;
    std::memmove(&s.command[0], &s.command[1], s.commands * sizeof s.command[0]);
    s.command[s.commands] = {};
    s.begun = 0;
}

/* The newest data of a cell, out of the caches; `keep`: copies may stay, and memory takes it. */
static uint8_t pull(Site &s, unsigned cell, bool keep, bool toMemory) {
    uint8_t last = s.memory[cell];
    for (unsigned ap = 0; ap < config.aps; ap++) {
        Line &line = s.cache[ap][cell];
        if (line.state == M) {
            last = line.last;
            if (toMemory)
                s.memory[cell] = last;
        }
        line = keep && line.state != I ? Line{S, line.last} : Line{I, 0};
    }
    return last;
}

static void put(Site &s, unsigned cell, uint8_t data) {
    s.memory[cell] = data == 2;
    for (unsigned ap = 0; ap < config.aps; ap++)
        s.cache[ap][cell] = {I, 0};
}

static bool matches(Step &step, unsigned first, unsigned cells, const fw_command &c) {
    for (unsigned cell = first; cell < first + cells; cell++)
        if (step.after.tag[cell] != c.old) {
            step.error = "a tag is not what the protocol thought: " + commandText(c) + " finds " + tagName(step.after.tag[cell]);
            return false;
        }
    return true;
}

/* The new tag; approved accesses that it forbids have to come again. */
static void retag(Site &s, unsigned first, unsigned cells, uint8_t next) {
    for (unsigned cell = first; cell < first + cells; cell++)
        s.tag[cell] = next;
    for (unsigned i = 0; i < config.aps; i++)
        if (s.ap[i].wait == APPROVED && s.ap[i].cell - first < cells && judge(next, opOf(s, i)) != Action::MEMORY)
            s.ap[i].wait = AGAIN;
}

static bool someApproved(const Site &s, unsigned first, unsigned cells) {
    for (unsigned i = 0; i < config.aps; i++)
        if (s.ap[i].wait == APPROVED && s.ap[i].cell - first < cells)
            return true;
    return false;
}

static void send(Step &step, const fw_command &c, uint8_t type, uint32_t word, int cell, uint8_t data) {
    step.sent.push_back({HIGH, c.site, {word, type, data, int8_t(cell)}});
    if (wordy)
        step.text += ", sends " + messageText(step.sent.back().message) + " to site " + std::to_string(c.site);
}

/* GET and FLUSH: check and PEND_DOWN, then a cell a step, the tag with the last. */
static void pullStep(Step &step, const fw_command &c, unsigned first, unsigned cells) {
    Site &s = step.after;
    if (s.begun == 0) {
        if (!matches(step, first, cells, c))
            return;
        s.begun = 1;
        if (c.next != c.old) {
            retag(s, first, cells, PEND_DOWN);
            step.text += ": begins";
            return;
        }
    }
    unsigned part = s.begun++ - 1u, cell = first + part;
    bool keep = c.next == SHARED || c.next == EXCLUSIVE, get = c.op == FW_GET_SEND, ends = part + 1 == cells;
    uint8_t last = pull(s, cell, keep, keep || !get);
    if (ends && c.next != c.old)
        retag(s, first, cells, c.next);
    if (get)
        send(step, c, c.type | (ends ? 0 : 1), config.address(cell), int(cell), last ? 2 : 1);
    else if (ends)
        send(step, c, c.type, c.a, -1, 0);
    if (ends)
        finish(s);
}

void commandSteps(const Site &s, std::vector<Step> &steps) {
    if (!s.commands)
        return;
    const fw_command c = s.command[0];
    Step step{.after = s};
    if (wordy)
        step.text = commandText(c);
    int cell = config.cellOf(c.a);
    unsigned cells = c.shift ? config.parts() : 1, first = cell < 0 ? 0 : c.shift ? unsigned(cell) / cells * cells : unsigned(cell);
    if (cell < 0 && c.op != FW_SEND && c.op != FW_PAGE_TAGS) {
        step.error = "a command for an address that nobody accessed: " + commandText(c);
        steps.push_back(std::move(step));
        return;
    }
    bool takesAway = c.next != c.old && c.next != SHARED && c.next != EXCLUSIVE;
    bool defers = s.begun == 0 && ((c.op == FW_GET_SEND || c.op == FW_FLUSH_SEND) ? c.next != c.old : c.op == FW_TAG && takesAway);
    if (defers && someApproved(s, first, cells)) {
        if (!config.timeouts)
            return;
        step.text += ", which waited long enough for an approved access";
    }
    switch (c.op) {
    case FW_GET_SEND:
    case FW_FLUSH_SEND:
        pullStep(step, c, first, cells);
        break;
    case FW_PUT:
        if (matches(step, first, cells, c)) {
            put(step.after, unsigned(cell), c.data);
            retag(step.after, first, cells, c.next);
            approve(step.after, first, cells, c.next);
        }
        finish(step.after);
        break;
    case FW_PUT_PART:
        put(step.after, unsigned(cell), c.data);
        finish(step.after);
        break;
    case FW_FORWARD:
        send(step, c, c.type, c.a, cell, c.data);
        finish(step.after);
        break;
    case FW_TAG:
        if (matches(step, first, cells, c)) {
            retag(step.after, first, cells, c.next);
            approve(step.after, first, cells, c.next);
        }
        finish(step.after);
        break;
    case FW_SEND:
        send(step, c, c.type, c.a, -1, 0);
        finish(step.after);
        break;
    case FW_PAGE_TAGS:
        for (unsigned k = 0; k < config.cells(); k++)
            if (config.address(k) >> 12 == c.a >> 12 && matches(step, k, 1, c)) {
                retag(step.after, k, 1, c.next);
                approve(step.after, k, 1, c.next);
            }
        finish(step.after);
        break;
    }
    steps.push_back(std::move(step));
}

void grow_old(Message &m, unsigned cell) {
    if (m.cell == int(cell) && m.data)
        m.data = 1;
}

void grow_old(Site &s, unsigned cell) {
    s.memory[cell] = 0;
    for (unsigned ap = 0; ap < config.aps; ap++)
        s.cache[ap][cell].last = 0;
    for (unsigned i = 0; i < s.commands; i++)
        if (s.command[i].data && config.cellOf(s.command[i].a) == int(cell))
            s.command[i].data = 1;
}

unsigned slotsHeld(const Site &s) {
    unsigned n = 0;
    for (unsigned i = 0; i < s.commands; i++)
        n += s.command[i].last;
    return n;
}
