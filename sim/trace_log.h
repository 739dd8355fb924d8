/** \file trace.csv: what sPs and aPs did when, for tools/trace.py. */
#pragma once
#include <cstdint>
#include <fstream>
#include <string>

/** A line an occurrence: `cycle,kind,site,unit,index,word,name`; columns in docs/reference/formats.md. */
class TraceLog {
public:
    /** Nothing is written when the path is empty. */
    explicit TraceLog(const std::string &path) {
        if (path.empty())
            return;
        out_.open(path);
        out_ << "cycle,kind,site,unit,index,word,name\n";
    }
    bool on() const { return out_.is_open(); }
    void write(uint64_t cycle, const char *kind, unsigned site, unsigned unit, uint32_t index, uint32_t word, const std::string &name = "") {
        if (on())
            out_ << cycle << ',' << kind << ',' << site << ',' << unit << ',' << index << ",0x" << std::hex << word << std::dec << ',' << name << '\n';
    }

private:
    std::ofstream out_;
};
