/** \file Words for people. */
#include "site_parts.h"

bool wordy = false;

void ownSteps(const Site &s, std::vector<Step> &steps) {
    firmwareSteps(s, steps);
    commandSteps(s, steps);
    for (unsigned ap = 0; ap < config.aps; ap++)
        accessSteps(s, ap, steps);
}

std::string cellName(unsigned cell) {
    std::string name = config.blocks == 1 ? "the block" : "block " + std::to_string(cell / config.parts());
    return config.parts() == 1 ? name : "part " + std::to_string(cell % config.parts()) + " of " + name;
}

std::string tagName(uint8_t tag) {
    static const char *const names[] = {"Other", "Invalid", "ReadOnly", "ReadWrite", "PEND_DOWN"};
    return names[tag];
}

static const char *dataName(uint8_t data) { return data == 2 ? " with the last version" : data == 1 ? " with an old version" : ""; }

static std::string about(uint32_t word) {
    int cell = config.cellOf(word);
    return cell < 0 || config.cells() == 1 ? "" : " of " + cellName(unsigned(cell));
}

std::string messageText(const Message &m) { return fw_message_name(m.type, m.word) + about(m.word) + dataName(m.data); }

std::string commandText(const fw_command &c) {
    static const char *const names[] = {"", "GET", "PUT", "PUT of a part", "forwarding", "TAG", "FLUSH", "message", "opening of the page"};
    std::string text = std::string("the engine's ") + names[c.op];
    if (c.op == FW_SEND)
        return text + " " + fw_message_name(c.type, c.a);
    if (c.op == FW_PAGE_TAGS)
        return text + ", tag Other to " + tagName(c.next);
    text += about(c.a) + dataName(c.data);
    if (c.shift)
        text += c.old == c.next ? ", tag stays " + tagName(c.old) : ", tag " + tagName(c.old) + " to " + tagName(c.next);
    return text;
}

std::string describe(const Site &s, unsigned cell) {
    static const char *const caches[] = {"", "S", "E", "M"};
    char state[128];
    loadFirmware(s.firmware);
    fw_describe(config.address(cell), state, sizeof state);
    std::string text = std::string(state) + "; tag " + tagName(s.tag[cell]) + "; memory " + (s.memory[cell] ? "last" : "old");
    for (unsigned ap = 0; ap < config.aps; ap++) {
        const Line &line = s.cache[ap][cell];
        std::string name = config.aps == 1 ? "cache" : "cache " + std::to_string(ap);
        if (line.state != I)
            text += "; " + name + " " + caches[line.state] + (line.last ? "" : " old");
        const Access &a = s.ap[ap];
        if (a.wait == CALLING && cell == 0)
            text += std::string("; ") + (config.aps == 1 ? "aP" : "aP " + std::to_string(ap)) + " waits for a service";
        else if (a.wait != IDLE && a.cell == cell)
            text += std::string("; ") + (config.aps == 1 ? "aP" : "aP " + std::to_string(ap)) + (a.store ? " store" : " load") +
                    (a.wait == PENDING ? " waits" : a.wait == APPROVED ? " approved" : " retried");
    }
    return text;
}
