/** \file 32-bit little-endian RISC-V ELF: segments, symbols. */
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

class Elf {
public:
    struct Segment {
        uint32_t address, memoryBytes;
        std::vector<uint8_t> data;
    };

    /** Throws std::runtime_error naming the file and what is wrong with it. */
    explicit Elf(const std::string &path);

    const std::vector<Segment> &segments() const { return segments_; }
    bool has(const std::string &symbol) const { return symbols_.count(symbol) != 0; }
    /** Address of a symbol; throws if it is not there. */
    uint32_t address(const std::string &symbol) const;
    /** `name+0xoffset` of the function around a code address. */
    std::string where(uint32_t pc) const;

private:
    std::string path_;
    std::vector<Segment> segments_;
    std::map<std::string, uint32_t> symbols_;
    std::map<uint32_t, std::string> functions_;
};
