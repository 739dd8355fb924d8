/* SPDX-License-Identifier: Apache-2.0 */
/* turnstile: what a card is, whether it works, what happens on it (turnstile.1). */
#include "tool.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command commands[] = {
    {"info", "what the card is", "", info},
    {"selftest", "tries each part: registers, messages, shared memory", "s", selftest},
    {"queue", "which queues there are, and who has them", "", queue},
    {"stats", "what was refused or failed since the card's reset", "wn", stats},
    {"bench", "time and accesses of the card a message", "sm", bench},
    {"firmware", "how the card's firmware is; loads and holds it (root)", "lSsbor", firmware},
    {"wire", "how the wire to another card is; sets and enables it (root)", "OPF", wire},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct option known[] = {
    {"device", required_argument, NULL, 'd'}, {"json", no_argument, NULL, 'j'},  {"watch", required_argument, NULL, 'w'}, {"times", required_argument, NULL, 'n'},
    {"site", required_argument, NULL, 's'},   {"help", no_argument, NULL, 'h'}, {"messages", required_argument, NULL, 'm'},
    {"load", required_argument, NULL, 'l'},   {"sites", required_argument, NULL, 'S'}, {"block", required_argument, NULL, 'b'}, {"hold", no_argument, NULL, 'o'},
    {"run", no_argument, NULL, 'r'},
    {"own", required_argument, NULL, 'O'},    {"peer", required_argument, NULL, 'P'},  {"off", no_argument, NULL, 'F'},         {0},
};

int complain(const char *sentence)
{
    fprintf(stderr, "turnstile: %s\n", sentence);
    return FAILED;
}

int complain_code(int code) { return complain(ts_strerror(code)); }

static void usage(FILE *to)
{
    fprintf(to, "turnstile COMMAND [--device PATH] [--json] [options]\n");
    for (int i = 0; i < COMMANDS; i++) fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].what);
    fprintf(to, "--device /dev/turnstile0; stats: --watch SECONDS --times LINES; selftest, bench: --site NUMBER; bench: --messages NUMBER;\n"
                "firmware: --load FILE --site NUMBER --sites NUMBER --block BYTES, --hold, --run; wire: --own ADDRESS --peer ADDRESS, or --off. See turnstile(1).\n");
}

/* A number of an option, or the program ends. */
static unsigned within(const char *option, const char *given, unsigned least, unsigned most)
{
    char *end;
    unsigned long value = strtoul(given, &end, 10);

    if (*given >= '0' && *given <= '9' && !*end && value >= least && value <= most) return value;
    fprintf(stderr, "turnstile: --%s %s is not legal: %u to %u\n", option, given, least, most);
    exit(USAGE);
}

static const struct command *command_of(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i].name, name)) return &commands[i];
    fprintf(stderr, "turnstile: there is no command '%s'; legal are", name);
    for (int i = 0; i < COMMANDS; i++) fprintf(stderr, " %s", commands[i].name);
    fprintf(stderr, "\n");
    exit(USAGE);
}

/* Which site the card is, where the user does not say. */
static void place_of(struct options *options, const char *given)
{
    unsigned site = 0, sites = 1;
    char value[64];

    if (!attribute(options->device, "site", value, sizeof value)) sscanf(value, "%u %u", &site, &sites);
    if (!strchr(given, 's')) options->site = site;
    if (!strchr(given, 'S')) options->sites = sites;
}

int main(int argc, char **argv)
{
    struct options options = {.device = "/dev/turnstile0", .messages = 100, .block = 128};
    const struct command *command;
    char given[8] = "";
    int letter, count = 0;

    while ((letter = getopt_long(argc, argv, "hj", known, NULL)) != -1) {
        if (letter != 'h' && letter != 'j' && letter != 'd' && letter != '?' && !strchr(given, letter)) given[count++] = letter;
        switch (letter) {
        case 'd': options.device = optarg; break;
        case 'j': options.json = 1; break;
        case 'w': options.seconds = within("watch", optarg, 1, 86400); break;
        case 'n': options.times = within("times", optarg, 1, 1000000000); break;
        case 's': options.site = within("site", optarg, 0, 63); break;
        case 'S': options.sites = within("sites", optarg, 1, 64); break;
        case 'b': options.block = within("block", optarg, 64, 2048); break;
        case 'l': options.file = optarg; break;
        case 'o': options.hold = 1; break;
        case 'r': options.run = 1; break;
        case 'O': options.own = optarg; break;
        case 'P': options.peer = optarg; break;
        case 'F': options.off = 1; break;
        case 'm': options.messages = within("messages", optarg, 1, 1000000000); break;
        case 'h': usage(stdout); return GOOD;
        default: usage(stderr); return USAGE;
        }
    }
    if (optind >= argc) {
        usage(stderr);
        return USAGE;
    }
    command = command_of(argv[optind++]);
    if (optind < argc) {
        fprintf(stderr, "turnstile: '%s' is too much: %s takes options alone\n", argv[optind], command->name);
        return USAGE;
    }
    for (int i = 0; i < count; i++)
        if (!strchr(command->takes, given[i])) {
            for (const struct option *o = known; o->name; o++)
                if (o->val == given[i]) fprintf(stderr, "turnstile: %s does not take --%s\n", command->name, o->name);
            return USAGE;
        }
    if (options.hold && options.run) {
        fprintf(stderr, "turnstile: --hold and --run: legal is one of them\n");
        return USAGE;
    }
    if (options.block & (options.block - 1)) {
        fprintf(stderr, "turnstile: --block %u is not legal: a power of two from 64 to 2048\n", options.block);
        return USAGE;
    }
    place_of(&options, given);
    return command->run(&options);
}
