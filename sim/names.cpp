#include "names.h"
#include "niu_regs.h"
#include <fstream>
#include <sstream>
#include <stdexcept>

Names::Names(const std::string &path, uint32_t heapBytes) : heapBytes_(heapBytes) {
    if (path.empty())
        return;
    std::ifstream in(path);
    if (!in)
        throw std::runtime_error(path + ": cannot be read");
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string kind, name, rest, stage;
        unsigned number = 0, data = 0;
        words >> kind;
        if (kind == "protocol") {
            words >> name;
            protocols_.push_back({name, {}, {}});
        } else if (protocols_.empty()) {
            throw std::runtime_error(path + ": '" + line + "' stands before a protocol");
        } else if (kind == "mode") {
            words >> number >> name >> rest;
            modes_.push_back({unsigned(protocols_.size() - 1), rest == "sequential", rest == "software"});
        } else if (kind == "message") {
            words >> number >> name >> rest >> data >> stage;
            protocols_.back().messages.at(number) = {name, data != 0, stage == "asked" ? ASKED : stage == "data" ? DATA : stage == "unclean" ? UNCLEAN : NO_STAGE};
        } else if (kind == "counter") {
            words >> number >> name;
            protocols_.back().counters.resize(number + 1);
            protocols_.back().counters[number] = name;
        } else if (kind != "service") {
            throw std::runtime_error(path + ": '" + line + "' is unknown");
        }
    }
}

unsigned Names::modeOf(uint32_t address) const {
    auto found = mode_.find(pageOf(address));
    return found == mode_.end() || found->second >= modes_.size() ? 0 : found->second;
}

unsigned Names::protocolOf(uint32_t address) const { return modes_.empty() ? 0 : modes_[modeOf(address)].protocol; }

bool Names::sequential(uint32_t address) const { return modes_.empty() || modes_[modeOf(address)].sequential; }

bool Names::bySoftware(uint32_t address) const { return !modes_.empty() && modes_[modeOf(address)].bySoftware; }

const Names::Message *Names::message(uint32_t event, uint32_t arg) const {
    if (event >= MESSAGES || protocols_.empty())
        return nullptr;
    auto &of = protocols_[protocolOf(arg)].messages;
    return !of[event].name.empty() ? &of[event] : event && of[event - 1].data ? &of[event - 1] : nullptr;
}

/* Of the last part of data alone: the numbers of early ones are odd. */
Names::Stage Names::stage(uint32_t event, uint32_t arg) const {
    const Message *m = message(event, arg);
    return !m || (m->data && event % 2) ? NO_STAGE : m->stage;
}

std::string Names::event(uint32_t event, uint32_t arg) const {
    static const char *const classes[] = {"load", "store", "upgrade", "other access"};
    static const char *const tags[] = {"a page not open", "Invalid", "Shared", "Exclusive", "PendRead", "PendExcl", "PendDown", "Fill"};
    static const std::map<uint32_t, const char *> others = {
        {PAGE_ASK, "PageAsk"}, {PAGE_INFO, "PageInfo"}, {EVENT_SERVICE + 1, "lock"}, {EVENT_SERVICE + 2, "unlock"}, {EVENT_SERVICE + 3, "barrier"},
        {EVENT_SERVICE + 4, "page set"}, {EVENT_SERVICE + 5, "parallel"}, {EVENT_SERVICE + 6, "hold"}, {EVENT_SERVICE + 7, "resume"}, {EVENT_SERVICE + 8, "find mode"},
        {EVENT_SERVICE + 9, "find service"},
        {EVENT_ILLEGAL, "illegal op"}, {EVENT_TIMER, "timer"}, {EVENT_COMMAND_DONE, "command done"}, {EVENT_COMMAND_MISMATCH, "tag mismatch"},
        {EVENT_CRC_ERROR, "CRC error"}, {EVENT_NON_RESIDENT, "message to a queue that is not there"}, {EVENT_APPROVAL_AGED, "approval aged"},
        {EVENT_TRANSLATION_FAULT, "message to a name without a row"}, {EVENT_BUS_ERROR, "bus error"}, {EVENT_HIGH_STOPPED, "a high message stopped"},
        {EVENT_COMMANDS_UNTOLD, "command events lost"}, {EVENT_IDLE, "idle"}};
    if (const Message *m = message(event, arg))
        return m->name + (m->data && event % 2 ? " (part)" : "");
    if (event >= EVENT_FAULT && event < EVENT_SERVICE)
        return std::string(classes[event % 4]) + " on " + tags[(event - EVENT_FAULT) / 4];
    auto found = others.find(event);
    return found != others.end() ? found->second : event >= EVENT_SERVICE + 16 && event < EVENT_ILLEGAL ? "call" : "?";
}
