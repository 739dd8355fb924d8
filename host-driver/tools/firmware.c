/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a card: says which site it is, writes its firmware, lets the sP go; tells how it is. */
#include "firmware.h"
#include "tool.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first of tt_config, which firmware looks for. */
enum { CONFIG_MAGIC = 0x54545543 };

static int refuse(const char *what)
{
    char line[500];

    snprintf(line, sizeof line, "%s: %s%s", what, strerror(errno), errno == EACCES || errno == EPERM ? "; root starts cards" : "");
    return complain(line);
}

static uint64_t number_of(const char *device, const char *name)
{
    char value[64];

    return attribute(device, name, value, sizeof value) ? 0 : strtoull(value, NULL, 0);
}

/* What the firmware is told of its card; the tail of it is in memory that no segment has. */
static void configure(const struct options *options, const ts_info_t *is, unsigned sites, struct firmware *firmware)
{
    const uint32_t heap = is->shared_address, words[CONFIG_WORDS] = {
        CONFIG_MAGIC, sites, number_of(options->device, "aps"), __builtin_ctz(options->block), 0, heap, heap + is->shared_bytes,
        number_of(options->device, "memory_end"), number_of(options->device, "private_bytes"), is->express_queues};

    memcpy(firmware->memory + firmware->config, words, sizeof words);
    if (firmware->used < firmware->config + sizeof words) firmware->used = firmware->config + sizeof words;
}

static int let_go(const struct options *options) { return set_attribute(options->device, "firmware", "run") ? refuse("the sP cannot be let go") : GOOD; }

static int load(const struct options *options, const ts_info_t *is)
{
    static struct firmware firmware;
    const char *wrong = read_firmware(options->file, &firmware);
    char place[32], is_so[32], line[200];
    unsigned site = options->site, sites = options->sites;

    if (wrong) return complain(wrong);
    if (site >= sites) {
        snprintf(line, sizeof line, "--site %u of --sites %u is not legal: 0 to %u", site, sites, sites - 1);
        complain(line);
        return USAGE;
    }
    snprintf(place, sizeof place, "%u %u", site, sites);
    if (set_attribute(options->device, "firmware", "hold") || set_attribute(options->device, "site", place)) return refuse("the card cannot be held");
    if (attribute(options->device, "site", is_so, sizeof is_so)) return refuse("site");
    if (strcmp(place, is_so)) {
        snprintf(line, sizeof line, "the card is site and number of sites '%s' by its pins, not '%s': say --site and --sites so", is_so, place);
        return complain(line);
    }
    configure(options, is, sites, &firmware);
    if (write_file(options->device, "sp_memory", firmware.memory, (firmware.used + 3) & ~3u)) return refuse("the sP's memory cannot be written");
    return options->hold ? GOOD : let_go(options);
}

/* Who may not open the card is told how it is, too. */
int firmware(const struct options *options)
{
    char how[32], site[32];
    ts_card_t *card = NULL;
    int result = GOOD;

    if (options->file) {
        result = ts_open(options->device, &card);
        if (result) return complain_code(result);
        result = load(options, ts_info(card));
        ts_close(card);
    } else if (options->hold && set_attribute(options->device, "firmware", "hold")) {
        result = refuse("the card cannot be held");
    } else if (options->run) {
        result = let_go(options);
    }
    if (result) return result;
    if (attribute(options->device, "firmware", how, sizeof how) || attribute(options->device, "site", site, sizeof site)) {
        result = ts_open(options->device, &card); /* it says best what is wrong */
        ts_close(card);
        return result ? complain_code(result) : refuse("firmware");
    }
    begin_result(options);
    text("firmware", how);
    number("site", strtoul(site, NULL, 10));
    number("sites", strtoul(strchr(site, ' ') ? strchr(site, ' ') : "0", NULL, 10));
    end_result();
    if (options->hold || !(options->file || options->run) || !strcmp(how, "runs")) return GOOD;
    return complain("the firmware does not run: is the file one for this card?");
}
