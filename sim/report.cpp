#include "report.h"
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <sstream>

/* struct tt_stats (fw/tempest/tempest.h), in its order. */
static const char *const statistics[Cluster::STATISTICS] = {"read_faults", "write_faults", "upgrade_faults", "data", "bytes", "page_messages", "sync_messages"};
enum { DATA = 3, BYTES, PAGE, SYNC };

static uint64_t total(const Cluster &c, unsigned statistic) {
    uint64_t sum = 0;
    for (size_t i = 0; i < c.sites().size(); i++)
        sum += c.statistics(i)[statistic];
    return sum;
}

/** Counters of all protocols by name, at one site or (site < 0) at all; those of one name are added. */
static std::vector<std::pair<std::string, uint64_t>> counters(const Cluster &c, int site) {
    std::vector<std::pair<std::string, uint64_t>> found;
    for (size_t p = 0; p < c.names().protocols().size(); p++) {
        const auto &names = c.names().protocols()[p].counters;
        for (size_t i = 0; i < names.size(); i++) {
            if (names[i].empty())
                continue;
            auto at = std::find_if(found.begin(), found.end(), [&](auto &f) { return f.first == names[i]; });
            if (at == found.end())
                at = found.insert(at, {names[i], 0});
            for (size_t s = 0; s < c.sites().size(); s++)
                if (site < 0 || size_t(site) == s)
                    at->second += c.counters(s)[p * Names::COUNTERS + i];
        }
    }
    return found;
}

/* Messages without block data. */
static uint64_t control(const Cluster &c) {
    uint64_t sum = c.pageMessages() + total(c, SYNC);
    for (size_t p = 0; p < c.names().protocols().size(); p++)
        for (unsigned i = 0; i < Names::MESSAGES; i++) {
            auto &of = c.names().protocols()[p].messages;
            if (!of[i].data && !(i && of[i - 1].data))
                sum += c.messages(p)[i];
        }
    return sum;
}

static std::string text(const std::string &s) {
    std::ostringstream out;
    out << '"';
    for (char ch : s)
        if (ch == '"' || ch == '\\')
            out << '\\' << ch;
        else if ((unsigned char)ch < 32)
            out << ' ';
        else
            out << ch;
    out << '"';
    return out.str();
}

static std::string histogram(const std::map<unsigned, uint64_t> &h) {
    std::ostringstream out;
    out << "{";
    const char *comma = "";
    for (auto &[log2, count] : h) {
        out << comma << '"' << (1ull << log2) << "\": " << count;
        comma = ", ";
    }
    out << "}";
    return out.str();
}

/** An object of the counts that are not 0. */
template <typename Counts> static void writeCounts(std::ostream &out, const Counts &counts) {
    const char *before = "{";
    for (size_t i = 0; i < counts.size(); i++)
        if (counts[i]) {
            out << before << '"' << i << "\": " << counts[i];
            before = ", ";
        }
    out << (*before == '{' ? "{}" : "}");
}

static void writeTime(std::ostream &out, const ApTime::Cycles &cycles) {
    for (unsigned i = 0; i < ApTime::CLASSES; i++)
        out << (i ? ", \"" : "{\"") << ApTime::names[i] << "\": " << cycles[i];
    out << "}";
}

/** Of each aP, by phase. Each cycle of the run is in one class of one phase. */
static void writeTimes(std::ostream &out, const Cluster &c) {
    std::vector<uint64_t> sums(c.times().begin()->second.size());
    const char *before = "{";
    for (const auto &[mark, aps] : c.times()) {
        out << before << '"' << mark << "\": [";
        for (size_t i = 0; i < aps.size(); i++) {
            writeTime(out << (i ? ", " : ""), aps[i]);
            sums[i] = std::accumulate(aps[i].begin(), aps[i].end(), sums[i]);
        }
        out << "]";
        before = ",\n    ";
    }
    out << "}";
    for (uint64_t sum : sums)
        if (sum != c.cycles())
            throw std::runtime_error("the classes of an aP's time are " + std::to_string(sum) + " cycles, the run " + std::to_string(c.cycles()));
}

/** Of each site the wire from it and that to it: frames, what happened to them, and what the port that they came to has counted. */
static void writeWires(std::ostream &out, const Wires &wires, size_t sites) {
    for (size_t site = 0; site < sites; site++) {
        out << (site ? ",\n    {" : "[\n    {");
        for (unsigned end = 0; end < 2; end++) {
            const LossyWire &wire = wires.direction(site, end);
            out << (end ? ", \"to_site\": {" : "\"from_site\": {") << "\"frames\": " << wire.frames() << ", \"faults\": {";
            for (unsigned fault = 0; fault < LossyWire::FAULTS; fault++)
                out << (fault ? ", \"" : "\"") << LossyWire::names[fault] << "\": " << wire.counts()[fault];
            out << "}, \"dropped\": " << wire.dropped() << ", \"port\": {";
            const auto counters = wires.counters(site, 1 - end);
            for (unsigned i = 0; i < Wires::COUNTERS; i++)
                out << (i ? ", \"" : "\"") << Wires::names[i] << "\": " << counters[i];
            out << "}}";
        }
        out << "}";
    }
    out << "\n  ]";
}

static double mean(uint64_t sum, uint64_t count) { return count ? double(sum) / count : 0; }

static void writeMemory(std::ostream &out, const AxiMemory &memory) {
    const AxiMemory::Counts &m = memory.counts();
    out << ", \"memory_reads\": " << m.reads << ", \"memory_read_mean\": " << mean(m.latency, m.reads) << ", \"memory_read_worst\": " << m.worst;
    if (!memory.dram())
        return;
    const Dram::Counts &d = memory.dram()->counts();
    out << ", \"dram\": {\"row_hits\": " << d.hits << ", \"row_misses\": " << d.misses << ", \"row_conflicts\": " << d.conflicts << ", \"refreshes\": " << d.refreshes
        << ", \"turns\": " << d.turns << "}";
}

/** Of the run's table: all sites' together. */
static void printMemory(const Options &o, const Cluster &c) {
    Dram::Counts all;
    AxiMemory::Counts reads;
    for (auto &s : c.sites()) {
        const Dram::Counts &d = s->memory.dram()->counts();
        const AxiMemory::Counts &m = s->memory.counts();
        all.hits += d.hits, all.misses += d.misses, all.conflicts += d.conflicts, all.refreshes += d.refreshes;
        reads.reads += m.reads, reads.latency += m.latency, reads.worst = std::max(reads.worst, m.worst);
    }
    std::printf("%-24s %s at %u MHz: %llu row hits, %llu misses, %llu conflicts, %llu refreshes; %llu reads, mean %.1f cycles, worst %llu\n", "DRAM", o.dram->name, o.megahertz,
                (unsigned long long)all.hits, (unsigned long long)all.misses, (unsigned long long)all.conflicts, (unsigned long long)all.refreshes,
                (unsigned long long)reads.reads, mean(reads.latency, reads.reads), (unsigned long long)reads.worst);
}

void writeReport(const Options &o, const Cluster &c, int status) {
    const std::string unfinished = o.report + ".new"; // another run's page may read this folder's report
    std::ofstream out(unfinished);
    const Stages::Sum &reads = c.stages().cleanReads();
    static const char *const endings[] = {"exited", "trapped", "timed out", "stopped moving", "inconsistent", "lost"};
    out << "{\n  \"app\": " << text(o.app) << ",\n  \"args\": [";
    for (size_t i = 1; i < o.args.size(); i++)
        out << (i > 1 ? ", " : "") << text(o.args[i]);
    out << "],\n  \"command\": " << text(o.command) << ",\n  \"exit_status\": " << status << ",\n  \"ending\": \"" << endings[c.ending()]
        << "\",\n  \"cycles\": " << c.cycles() << ",\n  \"aps\": " << o.aps << ",\n  \"block\": " << o.block << ",\n  \"sites\": [";
    for (size_t i = 0; i < c.sites().size(); i++) {
        const Site &s = *c.sites()[i];
        out << (i ? ",\n    " : "\n    ") << "{\"site\": " << i << ", \"sp_busy\": " << s.spBusy(c.clock()) << ", \"events\": " << c.eventsTaken()[i]
            << ", \"memory_line_reads\": " << s.memory.counts().lineReads << ", \"memory_line_writes\": " << s.memory.counts().lineWrites;
        writeMemory(out, s.memory);
        for (unsigned k = 0; k < Cluster::STATISTICS; k++)
            out << ", \"" << statistics[k] << "\": " << c.statistics(i)[k];
        for (auto &[name, value] : counters(c, i))
            out << ", \"" << name << "\": " << value;
        const Sent &sent = c.sent(i);
        out << ", \"wire\": {\"packets\": " << sent.packets << ", \"lines\": " << sent.lines << ", \"answers\": " << sent.answers << ", \"user\": " << sent.user
            << ", \"protocol\": ";
        writeCounts(out, sent.protocol);
        out << "}, \"taken\": ";
        writeCounts(out, c.taken(i));
        out << "}";
    }
    out << "\n  ],\n  \"protocol\": {\"name\": " << text(o.protocol);
    for (auto &[name, value] : counters(c, -1))
        out << ", \"" << name << "\": " << value;
    out << "},\n  \"taken_messages\": {";
    for (size_t p = 0; p < c.names().protocols().size(); p++) {
        const Names::Protocol &of = c.names().protocols()[p];
        out << (p ? ", " : "") << text(of.name) << ": {";
        const char *before = "";
        for (unsigned i = 0; i < Names::MESSAGES; i++)
            if (!of.messages[i].name.empty()) {
                out << before << text(of.messages[i].name) << ": " << c.messages(p)[i];
                before = ", ";
            }
        out << "}";
    }
    out << "}"
        << ",\n  \"messages\": {\"control\": " << control(c) << ", \"data\": " << total(c, DATA) << ", \"bytes\": " << total(c, BYTES)
        << "},\n  \"remote_read\": {\"count\": " << reads.count << ", \"total\": " << mean(reads.total, reads.count)
        << ", \"least\": " << (reads.count ? reads.least : 0) << ", \"most\": " << reads.most;
    for (unsigned i = 0; i < Stages::COUNT; i++)
        out << ", \"" << Stages::names[i] << "\": " << mean(reads.cycles[i], reads.count);
    out << "},\n  \"misses\": {\"remote\": " << c.stages().remoteCount << ", \"remote_mean\": " << mean(c.stages().remoteCycles, c.stages().remoteCount)
        << ", \"remote_histogram\": " << histogram(c.stages().remoteHistogram()) << ",\n             \"local\": " << c.stages().localCount
        << ", \"local_mean\": " << mean(c.stages().localCycles, c.stages().localCount)
        << ", \"local_histogram\": " << histogram(c.stages().localHistogram()) << ",\n             \"uncached\": " << c.stages().uncachedCount
        << ", \"uncached_mean\": " << mean(c.stages().uncachedCycles, c.stages().uncachedCount) << "},\n";
    if (const auto &m = c.watched())
        out << "  \"watched\": {\"site\": " << m->site << ", \"ap\": " << m->ap << ", \"address\": " << m->address << ", \"from\": " << m->from << ", \"to\": " << m->to << "},\n";
    out << "  \"hot_pages\": [";
    const char *next = "\n    ";
    for (const Sharing::Page &p : c.sharing().dearest()) {
        out << next << "{\"page\": " << p.address << ", \"misses\": " << p.misses << ", \"cycles\": " << p.cycles << ", \"sites\": " << __builtin_popcountll(p.sites)
            << ", \"writers\": " << __builtin_popcountll(p.writers) << ", \"false_sharing\": [";
        for (size_t i = 0; i < p.falselyShared.size() && i < Sharing::SHOWN; i++)
            out << (i ? ", " : "") << p.falselyShared[i];
        out << "]}";
        next = ",\n    ";
    }
    out << "],\n  \"marks\": [";
    for (size_t i = 0; i < c.marks().size(); i++) {
        const Cluster::Mark &m = c.marks()[i];
        out << (i ? ", " : "") << "[" << m.cycle << ", " << m.site << ", " << m.ap << ", " << m.value << ", [";
        for (size_t site = 0; site < m.spBusy.size(); site++)
            out << (site ? ", " : "") << m.spBusy[site];
        out << "]]";
    }
    out << "],\n  \"phases\": {";
    const char *comma = "";
    for (auto &[value, p] : c.stages().phases()) {
        out << comma << "\"" << value << "\": {\"remote\": " << p.remote << ", \"remote_mean\": " << mean(p.remoteCycles, p.remote)
            << ", \"remote_median\": " << p.median(p.remoteBy) << ", \"local\": " << p.local << ", \"local_mean\": " << mean(p.localCycles, p.local)
            << ", \"local_median\": " << p.median(p.localBy) << "}";
        comma = ", ";
    }
    writeTimes(out << "},\n  \"time\": ", c);
    const Stages::Express &e = c.stages().express();
    if (const Conductor *conductor = c.conductor())
        std::printf("%-24s %llu choices%s%s\n", "conducted", (unsigned long long)conductor->choices(), conductor->left().empty() ? "" : "; the RTL went another way: ", conductor->left().c_str());
    const HostCalls::Counts &h = c.hostCalls().counts();
    out << ",\n  \"express\": {\"count\": " << e.count << ", \"mean\": " << mean(e.cycles, e.count) << ", \"least\": " << (e.count ? e.least : 0)
        << "},\n  \"checked\": {\"loads\": " << c.consistency().loads() << ", \"stores\": " << c.consistency().stores()
        << ", \"copies\": " << c.consistency().copies() << ", \"bytes_at_end\": " << c.compared() << "},\n  \"host_calls\": {\"calls\": " << h.calls << ", \"refused\": " << h.refused << ", \"stray\": " << h.stray << ", \"cycles\": " << h.cycles
        << ", \"bytes_read\": " << c.hostCalls().files().bytesRead() << ", \"bytes_written\": " << c.hostCalls().files().bytesWritten()
        << "},\n  \"network\": {\"damaged\": " << c.damage().seen << ", \"dropped\": " << c.damage().dropped
        << ", \"unroutable\": " << c.damage().unroutable << "}";
    if (c.wires())
        writeWires(out << ",\n  \"wires\": ", *c.wires(), c.sites().size());
    out << "\n}\n";
    out.close();
    if (!out || std::rename(unfinished.c_str(), o.report.c_str()))
        throw std::runtime_error(o.report + " cannot be written");
}

void writeSpeed(const std::string &path, const Options &o, const Ranks &ranks, const Cluster &c) {
    const auto rate = [&](double seconds) { return seconds > 0 ? c.simulated() / seconds : 0; };
    std::ofstream out(path);
    out << "{\"threads\": " << o.threads << ", \"ranks\": " << ranks.count() << ", \"seconds\": " << c.seconds() << ", \"processor_seconds\": " << c.processorSeconds()
        << ", \"cycles_per_second\": " << rate(c.seconds()) << ", \"cycles_per_processor_second\": " << rate(c.processorSeconds())
        << ", \"peak_bytes\": " << c.peakBytes() << "}\n";
}

void writeReads(const std::string &path, const Cluster &c) {
    std::ofstream out(path);
    out << "site,ap,mark,address,start";
    for (const char *name : Stages::names)
        out << ",\"" << name << '"';
    out << "\n";
    for (const Stages::CleanRead &r : c.stages().kept()) {
        out << r.site << ',' << r.ap << ',' << r.mark << ",0x" << std::hex << r.address << std::dec << ',' << r.time[0];
        for (unsigned i = 0; i < Stages::COUNT; i++)
            out << ',' << r.time[i + 1] - r.time[i];
        out << "\n";
    }
}

void printSummary(const Options &o, const Cluster &c, int status) {
    const Stages::Sum &reads = c.stages().cleanReads();
    std::printf("\n%-24s %llu\n", "cycles", (unsigned long long)c.cycles());
    std::printf("%-24s %llu, mean %.0f cycles\n", "remote misses", (unsigned long long)c.stages().remoteCount,
                mean(c.stages().remoteCycles, c.stages().remoteCount));
    std::printf("%-24s %llu, mean %.0f cycles\n", "clean remote reads", (unsigned long long)reads.count, mean(reads.total, reads.count));
    std::printf("%-24s", o.protocol.c_str());
    const char *before = " ";
    for (auto &[name, value] : counters(c, -1)) {
        std::printf("%s%s %llu", before, name.c_str(), (unsigned long long)value);
        before = ", ";
    }
    std::printf("\n");
    std::printf("%-24s control %llu, data %llu, bytes %llu\n", "messages", (unsigned long long)control(c), (unsigned long long)total(c, DATA),
                (unsigned long long)total(c, BYTES));
    const std::string copies = c.consistency().copies() ? ", " + std::to_string(c.consistency().copies()) + " copies by software" : "";
    std::printf("%-24s %llu loads, %llu stores%s; %llu bytes at the end\n", "found consistent", (unsigned long long)c.consistency().loads(),
                (unsigned long long)c.consistency().stores(), copies.c_str(), (unsigned long long)c.compared());
    const HostCalls::Counts &h = c.hostCalls().counts();
    if (h.calls || h.stray)
        std::printf("%-24s %llu, %llu refused, %llu stray; %llu bytes read, %llu written; %llu cycles of aPs\n", "host calls",
                    (unsigned long long)h.calls, (unsigned long long)h.refused, (unsigned long long)h.stray, (unsigned long long)c.hostCalls().files().bytesRead(),
                    (unsigned long long)c.hostCalls().files().bytesWritten(), (unsigned long long)h.cycles);
    if (o.dram)
        printMemory(o, c);
    std::printf("%-24s", "sP occupancy");
    for (auto &s : c.sites())
        std::printf(" %.0f%%", 100 * mean(s->spBusy(c.clock()), c.cycles()));
    std::printf("\n%-24s %d\n", "exit status", status);
}
