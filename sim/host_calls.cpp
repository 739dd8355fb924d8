#include "host_calls.h"
#include "niu_regs.h"
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>

HostCalls::HostCalls(const Options &options, const Elf &program, const std::vector<std::unique_ptr<Site>> &sites, const uint64_t &cycle, Ranks &ranks)
    : sites_(sites), cycle_(cycle), ranks_(ranks), files_(options.sites * options.aps, options.files, options.input), there_(program.has("__tt_call")) {
    if (there_) {
        at_ = program.address("__tt_call");
        if (at_ % 64 || at_ < AP_PRIVATE_BASE || at_ - AP_PRIVATE_BASE > options.memory.privateBytes - sizeof(tt_call))
            throw std::runtime_error(options.program + ": __tt_call does not lie in the private window, at a multiple of 64 bytes");
    }
    for (unsigned process = 0; process < options.sites * options.aps; process++) {
        Call call;
        call.site = process / options.aps;
        call.process = process;
        call.base = options.memory.ofPrivate(process % options.aps, at_);
        calls_.push_back(call);
    }
}

bool HostCalls::idle() const {
    return std::none_of(calls_.begin(), calls_.end(), [](const Call &c) { return c.runs; }) && std::all_of(sites_.begin(), sites_.end(), [](const auto &s) { return s->hostIdle(); });
}

void HostCalls::ring(unsigned site, unsigned ap) {
    Call &call = calls_[site * (calls_.size() / sites_.size()) + ap];
    if (!there_ || call.runs) {
        counts_.stray++;
        return;
    }
    call.runs = true;
    call.since = cycle_;
    counts_.calls++;
    fetch(call, 0, offsetof(tt_call, apart), [this, &call] { begin(call); });
}

void HostCalls::fetch(Call &call, uint32_t at, uint32_t bytes, std::function<void()> then) {
    for (uint32_t i = 0; i < bytes; i += 4)
        sites_[call.site]->hostRead(call.base + at + i, [&call, at, i, then = i + 4 >= bytes ? then : nullptr](uint32_t word) {
            std::memcpy(reinterpret_cast<uint8_t *>(&call.words) + at + i, &word, 4);
            if (then)
                then();
        });
}

void HostCalls::begin(Call &call) {
    const tt_call &w = call.words;
    const bool path = w.number == TS_CALL_OPEN || w.number == TS_CALL_STAT || w.number == TS_CALL_UNLINK;
    const uint32_t bytes = path || w.number == TS_CALL_WRITE ? w.b : 0;
    if (bytes > TS_CALL_BYTES || (path && bytes == 0))
        answer(call, -EINVAL);
    else if (bytes == 0)
        answer(call, ask(call));
    else
        fetch(call, offsetof(tt_call, data), bytes, [this, &call] { answer(call, ask(call)); });
}

/* The first rank has the files; it tells the others the answer. */
int32_t HostCalls::ask(Call &call) {
    int32_t value = ranks_.number() == 0 ? perform(call) : 0;
    if (!ranks_.several())
        return value;
    std::vector<uint8_t> answer(reinterpret_cast<uint8_t *>(&value), reinterpret_cast<uint8_t *>(&value + 1));
    if (ranks_.number() == 0)
        answer.insert(answer.end(), call.data.begin(), call.data.end());
    ranks_.give(0, answer);
    std::memcpy(&value, answer.data(), sizeof value);
    call.data.assign(answer.begin() + sizeof value, answer.end());
    return value;
}

int32_t HostCalls::perform(Call &call) {
    const tt_call &w = call.words;
    const std::string path(reinterpret_cast<const char *>(w.data), w.b <= TS_CALL_BYTES ? strnlen(reinterpret_cast<const char *>(w.data), w.b) : 0);
    call.data.clear();
    switch (w.number) {
    case TS_CALL_OPEN: return files_.open(call.process, w.a, path);
    case TS_CALL_CLOSE: return files_.close(call.process, w.a);
    case TS_CALL_READ: return w.b > TS_CALL_BYTES ? -EINVAL : files_.read(call.process, w.a, w.b, call.data);
    case TS_CALL_WRITE: return files_.write(call.process, w.a, {w.data, w.data + w.b});
    case TS_CALL_SEEK: return files_.seek(call.process, w.a, int32_t(w.b), w.c);
    case TS_CALL_STAT: return files_.stat(path, call.data);
    case TS_CALL_FSTAT: return files_.fstat(call.process, w.a, call.data);
    case TS_CALL_UNLINK: return files_.unlink(path);
    case TS_CALL_INHERIT: return files_.inherit(call.process, w.a);
    case TS_CALL_FORGET: return files_.forget(call.process);
    default: return -88; // ENOSYS of picolibc
    }
}

void HostCalls::answer(Call &call, int32_t value) {
    Site &site = *sites_[call.site];
    counts_.refused += value < 0;
    for (size_t i = 0; i < call.data.size(); i += 4) {
        uint32_t word = 0;
        std::memcpy(&word, &call.data[i], std::min<size_t>(4, call.data.size() - i));
        site.hostWrite(call.base + offsetof(tt_call, data) + i, word);
    }
    site.hostWrite(call.base + offsetof(tt_call, answer), uint32_t(value));
    // The port is in order: the answer was written when this read is done, and the next call is fetched behind it.
    site.hostRead(call.base + offsetof(tt_call, answer), [this, since = call.since](uint32_t) { counts_.cycles += cycle_ - since; });
    call.runs = false;
}
