/** \file Lines of consoles: one merged stream, and stdout and stderr of each process in files of their own. */
#pragma once
#include "checkpoint.h"
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <string>

class Console {
public:
    enum : unsigned { SP = 7 }; ///< in place of an aP

    /** An empty `folder`: no files. */
    Console(unsigned aps, const std::string &folder) : aps_(aps), folder_(folder) {}

    /** A character that an aP of `site`, or its sP, stored. True: it is no text but asks for a host call. */
    bool put(unsigned site, unsigned source, uint8_t character);
    /** What a site's sP printed of a line that is not at its end. */
    const std::string &shown(unsigned site) { return sources_[site * 8 + SP].streams[0].line; }
    /** Half lines, as lines. */
    void finish();

    /** What was printed is not in it, but for half lines. */
    void state(Checkpoint &c) { c(sources_); }

private:
    struct Stream {
        std::string line;
        std::unique_ptr<std::ofstream> file;
        void state(Checkpoint &c) { c(line); }
    };
    struct Source {
        bool error = false, literal = false;
        Stream streams[2]; ///< stdout, stderr
        void state(Checkpoint &c) { c(error, literal, streams[0], streams[1]); }
    };
    void print(unsigned site, unsigned source, std::string &line);

    unsigned aps_;
    std::string folder_;
    std::map<unsigned, Source> sources_; ///< by site * 8 + source
};
