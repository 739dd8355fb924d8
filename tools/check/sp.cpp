/** \file The sP: the firmware's handlers, run on the object code of fw/, and its states by number. */
#include "site_parts.h"
#include "store.h"
#include <functional>
#include <set>

static std::vector<uint64_t> base; /* the state of a fresh site 0, which others differ from little */
static Numbers differences;        /* words that differ: index, contents */
static std::set<std::string> rows;

struct __attribute__((packed)) Difference {
    uint16_t index;
    uint64_t word;
};

void loadFirmware(uint32_t number) {
    auto *image = static_cast<uint64_t *>(fw_image());
    std::memcpy(image, base.data(), base.size() * 8);
    const std::string &changed = differences[number];
    for (auto *d = reinterpret_cast<const Difference *>(changed.data()), *end = d + changed.size() / sizeof *d; d < end; d++)
        image[d->index] = d->word;
}

uint32_t saveFirmware() {
    auto *image = static_cast<const uint64_t *>(fw_image());
    std::string changed;
    for (size_t i = 0; i < base.size(); i++)
        if (image[i] != base[i]) {
            Difference d{uint16_t(i), image[i]};
            changed.append(reinterpret_cast<const char *>(&d), sizeof d);
        }
    return differences.of(changed);
}

size_t firmwareStates() { return differences.size(); }
std::vector<std::string> rowsHit() { return {rows.begin(), rows.end()}; }

static void start(unsigned site) {
    uint32_t blocks[MOST_BLOCKS];
    for (unsigned b = 0; b < config.blocks; b++)
        blocks[b] = config.address(b * config.parts());
    fw_follow(config.blocks, blocks);
    fw_start(site, config.sites, config.aps, config.shift, config.firstTouch, config.events, config.slots);
    for (unsigned page = 0; page < config.pages; page++)
        config.release[page] = fw_release(page);
}

Site freshSite(unsigned site) {
    if (base.empty()) {
        start(0);
        fw_canonical();
        auto *image = static_cast<const uint64_t *>(fw_image());
        base.assign(image, image + fw_image_bytes() / 8);
    }
    start(site);
    Site s{};
    if (!config.open)
        for (unsigned page = 0; page < config.pages; page++) {
            const fw_outcome *out = fw_open(page);
            for (unsigned k = 0; k < out->commands; k++)
                for (unsigned cell = 0; cell < config.cells(); cell++)
                    if (config.pageOf(cell) == page)
                        s.tag[cell] = out->command[k].next;
        }
    fw_canonical();
    s.firmware = saveFirmware();
    for (unsigned cell = 0; cell < config.cells(); cell++)
        s.memory[cell] = site == config.pageOf(cell) || config.open;
    s.waits = config.firstTouch && site != 0;
    return s;
}

/* The slot of the message's data: commands use it, one of them frees it. */
static void useSlot(Step &step, const fw_outcome *out, uint8_t data) {
    unsigned freed = 0;
    for (unsigned i = 0; i < out->commands; i++) {
        fw_command c = out->command[i];
        bool uses = c.op == FW_PUT || c.op == FW_PUT_PART || c.op == FW_FORWARD;
        if (uses) {
            if (!data)
                step.error = "the handler of a message without data uses its slot";
            if (freed)
                step.error = "the handler uses the slot of its data after it was freed";
            c.data = data;
            freed += c.last;
        }
        if (step.after.commands == Site::COMMANDS) {
            step.error = "more commands wait than the model keeps";
            return;
        }
        step.after.command[step.after.commands++] = c;
    }
    if (data && !freed)
        step.error = "the handler leaves the slot of its data taken";
}

static void run(const Site &before, Step step, uint8_t data, uint32_t a, const std::string &event,
                const std::function<const fw_outcome *(unsigned)> &handler, std::vector<Step> &steps) {
    for (unsigned room = config.full ? 0u : unsigned(FW_ROOM);; room++) {
        Step result = step;
        loadFirmware(before.firmware);
        char state[64];
        fw_state_name(a, state, sizeof state);
        rows.insert(std::string(state) + " | " + event);
        const fw_outcome *out = handler(room);
        result.error = out->error;
        if (result.error.empty())
            useSlot(result, out, data);
        for (unsigned i = 0; i < out->messages; i++) {
            const fw_message &m = out->message[i];
            result.sent.push_back({LOW, m.site, {m.word, m.type, 0, -1}});
            if (wordy)
                result.text += ", sends " + messageText(result.sent.back().message) + " to site " + std::to_string(m.site);
        }
        for (unsigned i = 0; i < out->answers; i++) {
            const fw_answer &answer = out->answer[i];
            result.sent.push_back({ANSWER, answer.site, {answer.ap, FW_SERVICE, 0, -1}});
            if (answer.word)
                result.error = "a service refuses its caller";
            if (wordy)
                result.text += ", answers the call of aP " + std::to_string(answer.ap) + " of site " + std::to_string(answer.site);
        }
        if (const char *lost = result.error.empty() ? fw_canonical() : nullptr)
            result.error = lost;
        result.after.timer |= out->timer;
        result.after.firmware = saveFirmware();
        if (wordy) {
            char now[64];
            fw_state_name(a, now, sizeof now);
            if (config.full && out->looked > room)
                result.text += ", finds the transmit queue full";
            result.text += std::string(": ") + state + (std::strcmp(state, now) ? std::string(" becomes ") + now : " stays");
        }
        bool more = config.full && out->looked > room;
        steps.push_back(std::move(result));
        if (!more)
            return;
    }
}

void firmwareSteps(const Site &s, std::vector<Step> &steps) {
    if (s.commands > config.commands)
        return; /* its last launch still waits for room */
    if (s.faults) {
        const Fault f = s.fault[0];
        Step step{.after = s};
        step.after.faults--;
        std::memmove(&step.after.fault[0], &step.after.fault[1], step.after.faults * sizeof f);
        step.after.fault[step.after.faults] = {};
        static const char *const classes[] = {"a load", "a store", "an upgrade", "another op"};
        std::string event = std::string("fault of ") + classes[f.event & 3];
        step.text = "the sP takes the " + event + ", at " + cellName(f.cell);
        uint32_t a = config.address(f.cell);
        run(s, step, 0, a, event, [&](unsigned room) { return fw_run_fault(f.event, a, room); }, steps);
    }
    if (s.timer) {
        Step step{.after = s};
        step.after.timer = 0;
        step.text = "the sP's timer";
        run(s, step, 0, config.address(0), "timer", [&](unsigned room) { return fw_run_timer(room); }, steps);
    }
}

/* EV_NEXT takes high messages first, then local events, then low messages. */
void messageSteps(const Site &s, unsigned from, Channel channel, const Message &m, std::vector<Step> &steps) {
    if (s.commands > config.commands || (channel == LOW && (s.faults || s.timer)))
        return;
    Step step{.after = s, .kind = Kind::MESSAGE};
    if (wordy)
        step.text = "the sP takes " + messageText(m) + " from site " + std::to_string(from);
    if (m.type >= FW_SERVICE)
        run(s, step, 0, config.address(0), "call", [&](unsigned room) { return fw_run_service(m.type, from, m.word, room); }, steps);
    else
        run(s, step, m.data, m.word, fw_message_name(m.type, m.word), [&](unsigned room) { return fw_run_message(m.type, m.word, from, room); }, steps);
}

void beginParallel(Site &s) {
    loadFirmware(s.firmware);
    fw_parallel();
    fw_canonical();
    s.firmware = saveFirmware();
    s.waits = 0;
}

bool quiet(const Site &s, std::string &error) {
    if (s.commands || s.faults || s.timer)
        return false;
    for (unsigned ap = 0; ap < config.aps; ap++)
        if (s.ap[ap].wait != IDLE)
            return false;
    loadFirmware(s.firmware);
    uint8_t tags[MOST_BLOCKS];
    for (unsigned b = 0; b < config.blocks; b++)
        tags[b] = s.tag[b * config.parts()];
    if (const char *left = fw_not_at_rest(tags))
        error = left;
    return true;
}

void rename(Site &s, const uint8_t *to) {
    loadFirmware(s.firmware);
    fw_rename(to);
    fw_canonical();
    s.firmware = saveFirmware();
    for (unsigned i = 0; i < s.commands; i++) {
        fw_command &c = s.command[i];
        if (c.op == FW_GET_SEND || c.op == FW_FORWARD || c.op == FW_FLUSH_SEND || c.op == FW_SEND)
            c.site = to[c.site];
        if (c.op == FW_SEND)
            c.a = fw_rename_word(c.type, c.a, to);
    }
}
