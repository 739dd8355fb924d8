#include "options.h"
#include <algorithm>
#include "typist.h"
#include <cstdlib>
#include <iostream>
#include <sstream>

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

/* A power of two of MB, in bytes. */
static uint32_t megabytes(const std::string &key, const std::string &text, uint32_t least, uint32_t most) {
    const uint64_t v = number(key, text, least, most);
    if (v & (v - 1))
        refuse(key + "=" + text + " is not legal: a power of two from " + std::to_string(least) + " to " + std::to_string(most) + " (MB)");
    return v << 20;
}

/* flip:SITE:N, a bit of the N-th flit that SITE sends; lose:SITE:N, the N-th line that SITE's DRAM should take into the heap. */
static Options::Fault fault(const std::string &text) {
    Options::Fault f;
    const size_t first = text.find(':'), second = text.find(':', first + 1);
    const std::string kind = text.substr(0, first);
    if (second == std::string::npos || (kind != "flip" && kind != "lose"))
        refuse("fault=" + text + " is not legal: flip:SITE:N or lose:SITE:N");
    f.kind = kind == "flip" ? f.FLIP : f.LOSE;
    f.site = number("SITE of fault", text.substr(first + 1, second - first - 1), 0, 63);
    f.n = number("N of fault", text.substr(second + 1), 1, UINT64_MAX);
    return f;
}

/* CYCLES, CYCLES:FAULTS or CYCLES:FAULTS:SEED. */
static Options::Wire wire(const std::string &text) {
    std::vector<std::string> parts;
    std::istringstream in(text + ":"); // so that an empty last part is one, and refused
    for (std::string part; std::getline(in, part, ':');)
        parts.push_back(part);
    if (parts.size() > 3)
        refuse("wire=" + text + " is not legal: CYCLES, CYCLES:FAULTS or CYCLES:FAULTS:SEED");
    Options::Wire w;
    w.on = true;
    w.cycles = number("CYCLES of wire", parts[0], 0, 8000);
    if (parts.size() > 1)
        w.faults = number("FAULTS of wire", parts[1], 0, 500000);
    if (parts.size() > 2)
        w.seed = number("SEED of wire", parts[2], 0, UINT64_MAX);
    return w;
}

/* Between semicolons, without blanks around. */
static std::vector<std::string> lines(const std::string &text) {
    std::vector<std::string> found;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line, ';');) {
        const size_t first = line.find_first_not_of(' '), last = line.find_last_not_of(' ');
        if (first == std::string::npos)
            continue;
        found.push_back(line.substr(first, last - first + 1));
        if (found.back().size() >= Typist::MOST)
            refuse("shell=: '" + found.back() + "' has " + std::to_string(found.back().size()) + " characters: legal are 1 to " + std::to_string(Typist::MOST - 1));
    }
    return found;
}

/* sp0, or aps as ap1.0: site and number. */
static std::vector<Options::Processor> processors(const std::string &text) {
    std::vector<Options::Processor> found;
    std::istringstream in(text);
    for (std::string name; std::getline(in, name, ',');) {
        unsigned site = 0, ap = Options::Processor::SP;
        int used = -1;
        const bool sp = name.rfind("sp", 0) == 0;
        if (sp ? std::sscanf(name.c_str(), "sp%2u%n", &site, &used) < 1 : std::sscanf(name.c_str(), "ap%2u.%1u%n", &site, &ap, &used) < 2)
            used = -1;
        if (used != int(name.size()) || name.find_first_of("+- ") != name.npos)
            refuse("gdb=" + text + ": '" + name + "' is no processor: sp0 is site 0's service processor, ap1.0 the first aP of site 1");
        if (!found.empty() && (found[0].core == Options::Processor::SP) != sp)
            refuse("gdb=" + text + ": sPs and aPs have different programs, gdb takes one");
        for (const Options::Processor &p : found)
            if (p.site == site && p.core == ap)
                refuse("gdb=" + text + " names " + name + " twice");
        found.push_back({site, ap});
    }
    return found;
}

Options parseOptions(int argc, char **argv) {
    Options o;
    o.memory.heapBytes = 0;
    std::string latency, clock; // as given
    int i = 1;
    for (; i < argc && std::string(argv[i]) != "--"; i++) {
        std::string a = argv[i];
        size_t eq = a.find('=');
        if (eq == std::string::npos)
            refuse("'" + a + "' is not of the form key=value; the program's arguments come after --");
        std::string key = a.substr(0, eq), value = a.substr(eq + 1);
        if (key == "firmware") o.firmware = value;
        else if (key == "names") o.names = value;
        else if (key == "program") o.program = value;
        else if (key == "report") o.report = value;
        else if (key == "waves") o.waves = value;
        else if (key == "waves-from") o.wavesFrom = number(key, value, 0, UINT64_MAX);
        else if (key == "waves-to") o.wavesTo = number(key, value, 0, UINT64_MAX);
        else if (key == "watched") o.watched = number(key, value, 1, UINT64_MAX);
        else if (key == "app") o.app = value;
        else if (key == "command") o.command = value;
        else if (key == "protocol") o.protocol = value;
        else if (key == "sites") o.sites = number(key, value, 1, 64);
        else if (key == "aps") o.aps = number(key, value, 1, 4);
        else if (key == "threads") o.threads = number(key, value, 1, 256);
        else if (key == "yielding") o.yielding = number(key, value, 0, 1);
        else if (key == "block") {
            o.block = number(key, value, 64, 2048);
            if (o.block & (o.block - 1))
                refuse("block=" + value + " is not legal: 64, 128, 256, 512, 1024 or 2048 bytes");
        } else if (key == "homes") {
            if (value != "round-robin" && value != "first-touch")
                refuse("homes=" + value + " is not legal: round-robin or first-touch");
            o.firstTouch = value == "first-touch";
        } else if (key == "memory") o.memory.bytes = megabytes(key, value, 4, 1024);
        else if (key == "heap") o.memory.heapBytes = megabytes(key, value, 2, 512);
        else if (key == "private") o.memory.privateBytes = megabytes(key, value, 2, 64);
        else if (key == "memory-latency") latency = key + "=" + value, o.memoryLatency = number(key, value, 1, 1000);
        else if (key == "dram") {
            o.dram = dramKind(value);
            if (!o.dram)
                refuse("dram=" + value + " is not legal: " + dramKindNames());
        } else if (key == "clock") clock = key + "=" + value, o.megahertz = number(key, value, 10, 500);
        else if (key == "seed") o.seed = number(key, value, 0, UINT64_MAX);
        else if (key == "timeout") o.timeout = number(key, value, 1000, UINT64_MAX);
        else if (key == "quiet") o.quiet = number(key, value, 1000, UINT64_MAX);
        else if (key == "progress") o.progress = number(key, value, 0, 1);
        else if (key == "events") o.events = number(key, value, 0, 1);
        else if (key == "packets") o.packets = value;
        else if (key == "conduct") o.conduct = value;
        else if (key == "observed") o.observed = value;
        else if (key == "save-at") o.saveAt = number(key, value, 0, UINT32_MAX);
        else if (key == "save") o.save = value;
        else if (key == "from") o.from = value;
        else if (key == "trace") o.trace = value;
        else if (key == "files") o.files = value;
        else if (key == "stdin") o.input = value;
        else if (key == "streams") o.streams = value;
        else if (key == "reset") o.reset = number(key, value, 0, UINT32_MAX >> 1);
        else if (key == "fault") o.fault = fault(value);
        else if (key == "wire") o.wire = wire(value);
        else if (key == "shell") o.shell = lines(value);
        else if (key == "gdb") o.debugged = processors(value);
        else if (key == "gdb-port") o.gdbPort = number(key, value, 0, 65535);
        else if (key == "shell-at") o.shellAt = number(key, value, 0, UINT64_MAX);
        else refuse("no option is called " + key + "; there are firmware names program report waves waves-from waves-to watched app command protocol sites aps threads yielding "
                    "block homes memory heap private memory-latency dram clock seed timeout quiet progress events packets trace files stdin streams reset fault wire shell shell-at gdb gdb-port conduct observed save-at save from");
    }
    for (i++; i < argc; i++)
        o.args.push_back(argv[i]);
    if (o.firmware.empty() || o.program.empty())
        refuse("firmware= and program= must name ELF files");
    if (o.fault.kind != Options::Fault::NONE && o.fault.site >= o.sites)
        refuse("fault at site " + std::to_string(o.fault.site) + " of " + std::to_string(o.sites) + ": legal are 0 to " + std::to_string(o.sites - 1));
    if (o.fault.kind == Options::Fault::FLIP && o.sites < 2)
        refuse("fault=flip on one site: it has no link");
    if (o.wire.on && (o.sites < 2 || !o.conduct.empty()))
        refuse(o.sites < 2 ? "wire= on one site: it has no link" : "wire= with conduct=: a conducted run is of links of one clock");
    if (o.aps != TURNSTILE_APS)
        refuse("aps=" + std::to_string(o.aps) + " for a simulator of " + std::to_string(TURNSTILE_APS) + " aPs a site");
    if (o.dram && !latency.empty())
        refuse(latency + " with dram=" + o.dram->name + ": its times are its own");
    if (!o.dram && !clock.empty())
        refuse(clock + " without dram=: a latency is in cycles");
    if (o.memory.heapBytes == 0)
        o.memory.heapBytes = o.memory.bytes / 2;
    const uint32_t windows = o.aps * (o.memory.privateBytes >> 20), below = (o.memory.bytes - o.memory.heapBytes) >> 20;
    if (o.memory.heapBytes > o.memory.bytes / 2)
        refuse("heap of " + std::to_string(o.memory.heapBytes >> 20) + " MB: legal is at most half of the memory of " + std::to_string(o.memory.bytes >> 20) + " MB");
    if (windows > below)
        refuse("private windows of " + std::to_string(o.aps) + " aPs have " + std::to_string(windows) + " MB: legal are at most " + std::to_string(below) +
               ", what the heap leaves of the memory");
    if (o.wavesFrom > o.wavesTo)
        refuse("waves-from=" + std::to_string(o.wavesFrom) + " is after waves-to=" + std::to_string(o.wavesTo));
    if (o.threads > 1 && !o.waves.empty())
        refuse("threads=" + std::to_string(o.threads) + " with waves=: one thread writes a waveform");
    for (const Options::Processor &p : o.debugged)
        if (p.site >= o.sites || (p.core != p.SP && p.core >= o.aps))
            refuse("gdb=: site " + std::to_string(p.site) + (p.core == p.SP ? "" : ", aP " + std::to_string(p.core)) + " of " + std::to_string(o.sites) + " sites with " + std::to_string(o.aps) + " aPs");
    if (!o.conduct.empty() && (o.sites < 2 || o.sites > 4 || o.aps > 2))
        refuse("conduct= with " + std::to_string(o.sites) + " sites of " + std::to_string(o.aps) + " aPs: legal are 2 to 4 sites of 1 or 2");
    if (!o.conduct.empty() && o.block != 128 && o.block != 256)
        refuse("conduct= with block=" + std::to_string(o.block) + ": legal are 128 and 256");
    const char *const whole = !o.waves.empty() ? "waves=" : !o.debugged.empty() ? "gdb=" : !o.conduct.empty() ? "conduct=" : !o.shell.empty() ? "shell=" : o.fault.kind ? "fault=" : o.wire.on ? "wire=" : "";
    if ((o.saveAt || !o.from.empty()) && *whole)
        refuse(std::string(o.saveAt ? "save-at=" : "from=") + " with " + whole + ": such a run is not in a checkpoint");
    if (!o.from.empty() && (!o.trace.empty() || !o.packets.empty()))
        refuse(std::string("from= with ") + (o.trace.empty() ? "packets=" : "trace=") + ": it would begin in the middle");
    if (o.saveAt.has_value() == o.save.empty())
        refuse("save-at= and save= go together");
    if (!o.debugged.empty() || !o.conduct.empty())
        o.threads = 1;
    o.threads = std::min(o.threads, o.sites);
    if (o.args.empty())
        o.args.push_back(o.program);
    return o;
}
