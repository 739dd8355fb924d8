#include "console.h"
#include "turnstile_call.h"
#include <iostream>
#include <stdexcept>

bool Console::put(unsigned site, unsigned source, uint8_t c) {
    Source &s = sources_[site * 8 + source];
    if (source != SP && !s.literal) {
        if (c == TS_CONSOLE_CALL)
            return true;
        if (c == TS_CONSOLE_STDERR || c == TS_CONSOLE_STDOUT || c == TS_CONSOLE_LITERAL) {
            s.literal = c == TS_CONSOLE_LITERAL;
            if (!s.literal)
                s.error = c == TS_CONSOLE_STDERR;
            return false;
        }
    }
    s.literal = false;
    Stream &stream = s.streams[s.error];
    if (source != SP && !folder_.empty()) {
        if (!stream.file) {
            const std::string path = folder_ + "/process-" + std::to_string(site * aps_ + source) + (s.error ? ".err" : ".out");
            stream.file = std::make_unique<std::ofstream>(path, std::ios::binary);
            if (!*stream.file)
                throw std::runtime_error(path + " cannot be written");
        }
        stream.file->put(char(c));
    }
    if (c == '\n')
        print(site, source, stream.line);
    else if (c != '\r')
        stream.line += char(c);
    return false;
}

void Console::print(unsigned site, unsigned source, std::string &line) {
    if (source == SP)
        std::cout << "[" << site << " sP] ";
    else if (aps_ > 1)
        std::cout << "[" << site << "." << source << "] ";
    else
        std::cout << "[" << site << "] ";
    std::cout << line << "\n";
    line.clear();
}

void Console::finish() {
    for (auto &[at, source] : sources_)
        for (Stream &stream : source.streams)
            if (!stream.line.empty())
                print(at / 8, at % 8, stream.line);
}
