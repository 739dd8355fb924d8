/** \file turnstile-check KEY=VALUE...: explores one configuration, or FOLLOWs a run of the RTL; writes what was found as JSON. tools/check.py checks the keys. */
#include "follow.h"
#include "search.h"
#include <cmath>
#include <fstream>
#include <map>
#include <sys/resource.h>

static std::string quoted(const std::string &text) {
    std::string s = "\"";
    for (char c : text)
        s += c == '"' || c == '\\' ? std::string("\\") + c : c == '\n' ? "\\n" : std::string(1, c);
    return s + "\"";
}

static void sites(const Cluster &cluster, const State &s) {
    std::printf("[");
    for (unsigned i = 0; i < config.sites; i++)
        for (unsigned cell = 0; cell < config.cells(); cell++)
            std::printf("%s%s", cell ? ", " : i ? "], [" : "[", quoted(describe(cluster.site(s.site[i]), cell)).c_str());
    std::printf("]]");
}

static void path(Cluster &cluster, const Outcome &outcome) {
    std::printf("  \"first\": ");
    sites(cluster, outcome.first);
    std::printf(",\n  \"path\": [");
    const char *comma = "\n";
    const State *before = &outcome.first;
    for (const Outcome::Told &told : outcome.path) {
        std::printf("%s    {\"site\": %u, \"text\": %s, \"sent\": [", comma, told.site, quoted(told.step.text).c_str());
        const char *between = "";
        for (const Sent &sent : told.step.sent) {
            if (sent.channel == ANSWER)
                continue;
            std::printf("%s{\"channel\": %u, \"to\": %u, \"name\": %s}", between, sent.channel, sent.to, quoted(fw_message_name(sent.message.type, sent.message.word)).c_str());
            between = ", ";
        }
        std::printf("]");
        if (told.step.kind == Kind::MESSAGE)
            std::printf(", \"from\": %u, \"channel\": %u", told.from, told.channel);
        if (const std::string choice = Follow::choiceOf(told.step, told.site, told.from, told.channel); !choice.empty())
            std::printf(", \"choice\": %s, \"rests\": %s", quoted(choice).c_str(), Follow::rests(cluster, *before) ? "true" : "false");
        before = &told.state;
        std::printf(",\n     \"sites\": ");
        sites(cluster, told.state);
        std::printf("}");
        comma = ",\n";
    }
    std::printf("],\n");
}

static void rows() {
    std::printf("  \"rows\": [");
    const char *comma = "";
    for (const std::string &row : rowsHit()) {
        std::printf("%s%s", comma, quoted(row).c_str());
        comma = ", ";
    }
    std::printf("]}\n");
}

static int follow(Cluster &cluster, const std::string &path) {
    std::ifstream in(path);
    if (!in)
        return std::fprintf(stderr, "turnstile-check: FOLLOW=%s cannot be read\n", path.c_str()), 2;
    const Follow::Outcome outcome = Follow(cluster).run(in);
    std::printf("{\"choices\": %u, \"seen\": %u, \"most\": %zu, \"error\": %s, \"broken\": %s,\n", outcome.choices, outcome.seen, outcome.most, quoted(outcome.error).c_str(),
                quoted(outcome.broken).c_str());
    std::printf("  \"last\": [");
    for (const State &s : outcome.last) {
        std::printf(&s == &outcome.last[0] ? "" : ", ");
        sites(cluster, s);
    }
    std::printf("],\n");
    rows();
    return outcome.error.empty() ? 0 : 1;
}

int main(int argc, char **argv) {
    std::map<std::string, unsigned *> numbers = {{"SITES", &config.sites}, {"APS", &config.aps}, {"BLOCKS", &config.blocks}, {"SHIFT", &config.shift},
                                                 {"PAGES", &config.pages}, {"COMMANDS", &config.commands}, {"PLACES", &config.events}, {"SLOTS", &config.slots}};
    std::map<std::string, bool *> switches = {{"STORES", &config.stores}, {"EVICTIONS", &config.evictions}, {"OPEN", &config.open}, {"FIRST_TOUCH", &config.firstTouch},
                                              {"FULL", &config.full}, {"TIMEOUTS", &config.timeouts}, {"PROGRESS", &config.progress}};
    std::string followed;
    for (int i = 1; i < argc; i++) {
        std::string argument = argv[i], key = argument.substr(0, argument.find('='));
        unsigned long long value = std::strtoull(argument.c_str() + std::min(argument.size(), key.size() + 1), nullptr, 10);
        if (numbers.count(key))
            *numbers[key] = unsigned(value);
        else if (switches.count(key))
            *switches[key] = value != 0;
        else if (key == "FOLLOW")
            followed = argument.substr(7);
        else if (key == "STATES")
            config.states = value;
        else
            return std::fprintf(stderr, "turnstile-check: %s is not known\n", argument.c_str()), 2;
    }
    Cluster cluster;
    if (!followed.empty())
        return follow(cluster, followed);
    Search search(cluster);
    Outcome outcome = search.run();
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    std::printf("{\"states\": %llu, \"transitions\": %llu, \"depth\": %u, \"complete\": %s, \"seconds\": %.3f, \"progress_seconds\": %.3f,\n",
                (unsigned long long)outcome.states, (unsigned long long)outcome.transitions, outcome.depth, outcome.complete ? "true" : "false", outcome.seconds,
                outcome.progressSeconds);
    std::printf("  \"omission\": %.3g, \"renamings\": %u, \"site_states\": %zu, \"firmware_states\": %zu, \"most_events\": %u, \"most_slots\": %u, \"memory_mb\": %ld,\n",
                double(outcome.states) * double(outcome.states) / std::ldexp(1.0, 65), cluster.renamings(), cluster.siteStates(), firmwareStates(),
                cluster.mostEvents(), cluster.mostSlots(), used.ru_maxrss / 1024);
    std::printf("  \"service\": %s,\n", quoted(config.release[0] ? fw_release_name(0) : "").c_str());
    std::printf("  \"error\": %s,\n", quoted(outcome.error).c_str());
    path(cluster, outcome);
    rows();
    return outcome.error.empty() ? 0 : 1;
}
