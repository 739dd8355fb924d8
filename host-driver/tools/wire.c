/* SPDX-License-Identifier: Apache-2.0 */
/* The wire to another card: told who its ends are, enabled; how it is. */
#include "tool.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const counts[] = {"frames", "damaged", "foreign", "stale", "again", "downs", "dropped", "cut", "overruns"};

static int refuse(const char *what, const char *value)
{
    char line[300];

    if (errno == EINVAL) snprintf(line, sizeof line, "--%s %s is not legal: a station's address, as 02:00:00:00:00:01", what, value);
    else snprintf(line, sizeof line, "wire/%s: %s%s", what, strerror(errno), errno == EACCES || errno == EPERM ? "; root sets wires" : "");
    return complain(line);
}

/* Off while its ends change. */
static int set(const struct options *options)
{
    if (set_attribute(options->device, "wire/enabled", "0")) return refuse("enabled", "0");
    if (options->own && set_attribute(options->device, "wire/own", options->own)) return refuse("own", options->own);
    if (options->peer && set_attribute(options->device, "wire/peer", options->peer)) return refuse("peer", options->peer);
    if (options->off) return GOOD;
    return set_attribute(options->device, "wire/enabled", "1") ? refuse("enabled", "1") : GOOD;
}

int wire(const struct options *options)
{
    char name[40], value[64];
    int result = GOOD;

    if (attribute(options->device, "wire/up", value, sizeof value)) {
        ts_card_t *card;

        if (!attribute(options->device, "build_id", value, sizeof value)) return complain("this card has no wire: its cluster is wired by its board");
        result = ts_open(options->device, &card); /* it says best what is wrong */
        ts_close(card);
        return result ? complain_code(result) : complain("the driver has no files in /sys: is sysfs mounted?");
    }
    if (options->own || options->peer || options->off) result = set(options);
    if (result) return result;
    begin_result(options);
    text("wire", attribute(options->device, "wire/up", value, sizeof value) || strcmp(value, "1") ? "down" : "up");
    text("enabled", attribute(options->device, "wire/enabled", value, sizeof value) || strcmp(value, "1") ? "no" : "yes");
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "wire/%s", i ? "peer" : "own");
        if (!attribute(options->device, name, value, sizeof value)) text(name + 5, value);
    }
    if (!attribute(options->device, "wire/other_version", value, sizeof value) && strcmp(value, "0")) text("peer_of_another_version", value);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        snprintf(name, sizeof name, "wire/%s", counts[i]);
        if (!attribute(options->device, name, value, sizeof value)) number(counts[i], strtoull(value, NULL, 0));
    }
    end_result();
    return GOOD;
}
