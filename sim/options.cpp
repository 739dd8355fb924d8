#include "options.h"
#include <cstdlib>
#include <iostream>

[[noreturn]] static void refuse(const std::string &sentence) {
    std::cerr << "turnstile-sim: " << sentence << "\n";
    std::exit(2);
}

static uint64_t number(const std::string &key, const std::string &text, uint64_t least, uint64_t most) {
    char *end = nullptr;
    uint64_t v = std::strtoull(text.c_str(), &end, 0);
    if (text.empty() || text[0] == '-' || *end || v < least || v > most)
        refuse(key + "=" + text + " is not a number from " + std::to_string(least) + " to " + std::to_string(most));
    return v;
}

Options parseOptions(int argc, char **argv) {
    Options o;
    int i = 1;
    for (; i < argc && std::string(argv[i]) != "--"; i++) {
        std::string a = argv[i];
        size_t eq = a.find('=');
        if (eq == std::string::npos)
            refuse("'" + a + "' is not of the form key=value; the program's arguments come after --");
        std::string key = a.substr(0, eq), value = a.substr(eq + 1);
        if (key == "firmware") o.firmware = value;
        else if (key == "program") o.program = value;
        else if (key == "report") o.report = value;
        else if (key == "waves") o.waves = value;
        else if (key == "app") o.app = value;
        else if (key == "command") o.command = value;
        else if (key == "protocol") o.protocol = value;
        else if (key == "sites") o.sites = number(key, value, 1, 64);
        else if (key == "aps") o.aps = number(key, value, 1, 4);
        else if (key == "block") {
            o.block = number(key, value, 64, 2048);
            if (o.block & (o.block - 1))
                refuse("block=" + value + " is not legal: 64, 128, 256, 512, 1024 or 2048 bytes");
        } else if (key == "homes") {
            if (value != "round-robin" && value != "first-touch")
                refuse("homes=" + value + " is not legal: round-robin or first-touch");
            o.firstTouch = value == "first-touch";
        } else if (key == "memory-latency") o.memoryLatency = number(key, value, 1, 1000);
        else if (key == "seed") o.seed = number(key, value, 0, UINT64_MAX);
        else if (key == "timeout") o.timeout = number(key, value, 1000, UINT64_MAX);
        else if (key == "quiet") o.quiet = number(key, value, 1000, UINT64_MAX);
        else if (key == "progress") o.progress = number(key, value, 0, 1);
        else if (key == "events") o.events = number(key, value, 0, 1);
        else refuse("no option is called " + key + "; there are firmware program report waves app command protocol sites aps "
                    "block homes memory-latency seed timeout quiet progress events");
    }
    for (i++; i < argc; i++)
        o.args.push_back(argv[i]);
    if (o.firmware.empty() || o.program.empty())
        refuse("firmware= and program= must name ELF files");
    if (o.args.empty())
        o.args.push_back(o.program);
    return o;
}
