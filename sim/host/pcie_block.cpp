#include "pcie_block.h"
#include "pci_ids.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

enum : unsigned { MEMORY_READ = 0, MEMORY_WRITE = 1, BOUNDARY = 4096, COMMAND = 4, BAR0 = 0x10, EXPRESS_CAPABILITY = 0x40, MSIX_CAPABILITY = 0x80, MEMORY_ENABLE = 2, MASTER_ENABLE = 4 };
/* The table and the pending bits are in the second page of BAR0. */
enum : unsigned { VECTORS = 8, MSIX_TABLE = 0x1000, MSIX_PENDING = 0x1800, MSIX_ENABLE = 0x80, MSIX_MASK = 0x40 };

static std::string words(const char *format, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
    char text[160];
    std::snprintf(text, sizeof text, format, (unsigned long long)a, (unsigned long long)b, (unsigned long long)c);
    return text;
}

PcieBlock::PcieBlock(uint64_t sharedBytes) : bars_{8192, 0, 8 << 20, 0, sharedBytes, 0} {
    put16(0x00, PCI_VENDOR);
    put16(0x02, PCI_DEVICE);
    put16(COMMAND, 0, 0x0406);
    put16(0x06, 0x0010); // a list of capabilities
    put32(0x08, PCI_CLASS << 8);
    put32(0x0C, 0, 0xFF);
    put32(BAR0, 0, ~uint32_t(bars_[0] - 1));
    put32(BAR0 + 8, 0, ~uint32_t(bars_[2] - 1));
    put32(BAR0 + 16, 0xC, ~uint32_t(bars_[4] - 1)); // 64 bits, prefetchable
    put32(BAR0 + 20, 0, ~uint32_t((bars_[4] - 1) >> 32));
    put16(0x2C, PCI_VENDOR);
    put16(0x2E, PCI_DEVICE);
    put16(0x34, EXPRESS_CAPABILITY);
    put16(0x3C, 0, 0xFF);
    put16(EXPRESS_CAPABILITY, MSIX_CAPABILITY << 8 | 0x10);
    put16(EXPRESS_CAPABILITY + 2, 0x0002);
    put32(EXPRESS_CAPABILITY + 4, 0x8000);          // 128 bytes of payload
    put16(EXPRESS_CAPABILITY + 8, 0x2810, 0x70FF);  // reads of 512
    put32(EXPRESS_CAPABILITY + 12, 0x00000023);     // 8 GT/s, 2 lanes
    put16(EXPRESS_CAPABILITY + 18, 0x0023);
    put16(MSIX_CAPABILITY, 0x0011);
    put16(MSIX_CAPABILITY + 2, VECTORS - 1, (MSIX_ENABLE | MSIX_MASK) << 8);
    put32(MSIX_CAPABILITY + 4, MSIX_TABLE);
    put32(MSIX_CAPABILITY + 8, MSIX_PENDING);
}

void PcieBlock::put16(unsigned offset, uint16_t value, uint16_t writable) {
    std::memcpy(&config_[offset], &value, 2);
    std::memcpy(&writable_[offset], &writable, 2);
}

void PcieBlock::put32(unsigned offset, uint32_t value, uint32_t writable) {
    std::memcpy(&config_[offset], &value, 4);
    std::memcpy(&writable_[offset], &writable, 4);
}

uint32_t PcieBlock::configRead(unsigned offset, unsigned bytes) const {
    uint32_t value = ~0u;
    if (offset + bytes <= CONFIG_BYTES && bytes <= 4) {
        value = 0;
        std::memcpy(&value, &config_[offset], bytes);
    }
    return value;
}

void PcieBlock::configWrite(unsigned offset, unsigned bytes, uint32_t value) {
    for (unsigned i = 0; i < bytes && i < 4 && offset + i < CONFIG_BYTES; i++)
        config_[offset + i] = (config_[offset + i] & ~writable_[offset + i]) | (value >> 8 * i & writable_[offset + i]);
}

void PcieBlock::disable() {
    configWrite(COMMAND, 2, 0);
    configWrite(MSIX_CAPABILITY + 2, 2, 0);
}

void PcieBlock::say(const std::string &sentence) { told_.push_back(sentence); }

std::vector<std::string> PcieBlock::told() { return std::exchange(told_, {}); }

uint64_t PcieBlock::base(unsigned bar) const {
    uint64_t base = 0;
    std::memcpy(&base, &config_[BAR0 + 4 * bar], bar == 4 ? 8 : 4);
    return base & ~uint64_t(15);
}

std::pair<unsigned, uint64_t> PcieBlock::barAt(uint64_t address) const {
    unsigned bar = 0;
    while (bar < bars_.size() && (address < base(bar) || address - base(bar) >= bars_[bar]))
        bar++;
    return {bar, bar < bars_.size() ? address - base(bar) : address};
}

bool PcieBlock::reaches(unsigned bar, uint64_t offset, size_t bytes) {
    const char *why = nullptr;
    if (!(config_[COMMAND] & MEMORY_ENABLE))
        why = "an access of BAR%llu, offset 0x%llx, while memory is disabled in the command register";
    else if (bar >= bars_.size() || bytes == 0 || offset >= bars_[bar] || bars_[bar] - offset < bytes)
        why = "an access of BAR%llu, offset 0x%llx, %llu bytes: that is not within the BAR";
    if (why)
        say(words(why, bar, offset, bytes));
    return !why;
}

/* Byte enables of the first and of the last dword (none with one dword), then beats of descriptor and, with zeros, payload. */
PcieBlock::Request PcieBlock::request(unsigned kind, unsigned bar, uint64_t offset, size_t bytes, unsigned tag) const {
    const unsigned before = offset & 3, dwords = (before + bytes + 3) / 4, end = (before + bytes) & 3;
    unsigned first = 0xF << before & 0xF, last = end ? (1u << end) - 1 : 0xF;
    if (dwords == 1)
        first &= last, last = 0;
    const uint64_t address = base(bar) + (offset & ~uint64_t(3));
    unsigned aperture = 0;
    while (uint64_t(1) << aperture < bars_[bar])
        aperture++;
    std::vector<uint32_t> all = {uint32_t(address), uint32_t(address >> 32), dwords | kind << 11 | REQUESTER << 16, tag | bar << 16 | aperture << 19};
    all.resize(all.size() + (kind == MEMORY_WRITE ? dwords : 0));
    Request r;
    for (size_t i = 0; i < all.size(); i += 2) {
        const bool pair = i + 1 < all.size();
        r.beats.push_back({all[i] | uint64_t(pair ? all[i + 1] : 0) << 32, uint8_t(pair ? 3 : 1), i + 2 >= all.size(), {}});
    }
    r.beats[0].user[0] = first | last << 4;
    r.beats[0].user[1] = 1u << 8; // first beat
    return r;
}

void PcieBlock::write(unsigned bar, uint64_t offset, const uint8_t *data, size_t bytes) {
    const size_t payload = 128u << (deviceControl() >> 5 & 7);
    while (bytes) {
        const size_t part = std::min({bytes, payload - (offset & 3), BOUNDARY - offset % BOUNDARY});
        Request r = request(MEMORY_WRITE, bar, offset, part, 0);
        for (size_t i = 0, at = offset & 3; i < part; i++, at++) {
            PcieBeat &beat = r.beats[2 + at / 8];
            beat.data |= uint64_t(data[i]) << 8 * (at % 8);
            beat.user[0] |= 1u << (8 + at % 8);
        }
        requests_.push_back(std::move(r));
        data += part, offset += part, bytes -= part;
    }
}

void PcieBlock::read(unsigned bar, uint64_t offset, size_t bytes) {
    const size_t most = 128u << (deviceControl() >> 12 & 7);
    answer_.assign(bytes, 0xFF);
    for (size_t at = 0; at < bytes;) {
        const size_t part = std::min({bytes - at, most - (offset & 3), BOUNDARY - offset % BOUNDARY});
        asked_.push_back({bar, 0, offset, at, part});
        at += part, offset += part;
    }
}

std::vector<uint8_t> PcieBlock::take() { return std::exchange(answer_, {}); }

const PcieBeat *PcieBlock::offered() {
    if (requests_.empty() && !asked_.empty() && places_ && waiting_.size() < TAGS) {
        while (waiting_.count(nextTag_))
            nextTag_ = (nextTag_ + 1) % TAGS;
        Asked read = asked_.front();
        asked_.pop_front();
        read.tag = nextTag_, read.since = now_;
        requests_.push_back(request(MEMORY_READ, read.bar, read.offset, read.bytes, read.tag));
        waiting_[read.tag] = read;
        nextTag_ = (nextTag_ + 1) % TAGS;
        places_--;
    }
    return requests_.empty() ? nullptr : &requests_.front().beats[requests_.front().sent];
}

void PcieBlock::accepted() {
    if (++requests_.front().sent == requests_.front().beats.size())
        requests_.pop_front();
}

static void append(std::vector<uint32_t> &packet, const PcieBeat &beat) {
    if (beat.keep & 1)
        packet.push_back(uint32_t(beat.data));
    if (beat.keep & 2)
        packet.push_back(uint32_t(beat.data >> 32));
}

void PcieBlock::completion(const PcieBeat &beat) {
    append(packet_, beat);
    if (beat.last)
        finish(std::exchange(packet_, {}));
}

bool PcieBlock::msixEnabled() const { return config_[MSIX_CAPABILITY + 3] & MSIX_ENABLE; }
bool PcieBlock::msixMasked() const { return config_[MSIX_CAPABILITY + 3] & MSIX_MASK; }

std::vector<Interrupt> PcieBlock::interrupts() { return std::exchange(interrupts_, {}); }

void PcieBlock::requested(const PcieBeat &beat) {
    append(request_, beat);
    if (beat.last)
        written(std::exchange(request_, {}), beat.user[0] & 0xFF);
}

/* The card writes interrupts and nothing else: one dword, all of it. */
void PcieBlock::written(const std::vector<uint32_t> &all, unsigned enables) {
    if (all.size() != 5 || (all[2] & 0xFFFF) != (MEMORY_WRITE << 11 | 1) || enables != 0xF || all[0] & 3)
        return say(words("the card asks for something that is no write of a dword: %llu dwords, the third 0x%llx, enables 0x%llx", all.size(), all.size() > 2 ? all[2] : 0, enables));
    const uint64_t address = all[0] | uint64_t(all[1]) << 32;
    if (!(config_[COMMAND] & MASTER_ENABLE))
        return say(words("the card writes to 0x%llx while it may not (bus master in the command register)", address));
    interrupts_.push_back({address, all[4]});
}

void PcieBlock::give(Asked &read, size_t bytes, const uint8_t *data) {
    if (data)
        std::memcpy(&answer_[read.at], data, bytes);
    read.at += bytes, read.offset += bytes, read.bytes -= bytes;
    if (read.bytes == 0)
        waiting_.erase(read.tag);
}

/* A completion is whole: three dwords of descriptor, then data; with an error the request. */
void PcieBlock::finish(const std::vector<uint32_t> &all) {
    if (all.size() < 3)
        return say(words("a completion of %llu dwords: its descriptor alone has 3", all.size()));
    const unsigned tag = all[2] & 0xFF, count = all[0] >> 16 & 0x1FFF, lower = all[0] & 0x7F, dwords = all[1] & 0x7FF, status = all[1] >> 11 & 7;
    const auto found = waiting_.find(tag);
    if (found == waiting_.end())
        return say(words("a completion with tag %llu, of which no read waits", tag));
    Asked &read = found->second;
    if (status) {
        say(words(status == 1 ? "a read of BAR%llu, offset 0x%llx, is not supported by the card: it reads as ones"
                              : "a read of BAR%llu, offset 0x%llx, was aborted by the card: it reads as ones", read.bar, read.offset));
        return give(read, read.bytes, nullptr);
    }
    const size_t skipped = read.offset & 3, bytes = std::min<size_t>(4 * dwords - skipped, read.bytes);
    const bool splits = bytes == read.bytes || (read.offset + bytes) % 128 == 0;
    if (dwords == 0 || all.size() != 3 + dwords || count != read.bytes || lower != (read.offset & 0x7F) || !splits) {
        say(words("a completion of BAR%llu, offset 0x%llx, that is not as PCI Express wants it: %llu bytes are missing", read.bar, read.offset, read.bytes));
        return give(read, read.bytes, nullptr);
    }
    give(read, bytes, reinterpret_cast<const uint8_t *>(&all[3]) + skipped);
}

void PcieBlock::tick() {
    now_++;
    for (auto at = waiting_.begin(); at != waiting_.end();) {
        Asked &read = (at++)->second;
        if (now_ - read.since > TIMEOUT) {
            say(words("a read of BAR%llu, offset 0x%llx, had no answer within %llu cycles: it reads as ones", read.bar, read.offset, TIMEOUT));
            give(read, read.bytes, nullptr);
        }
    }
}
