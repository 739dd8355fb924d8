/* SPDX-License-Identifier: Apache-2.0 */
/* What the card is, and who has its queues. */
#include "tool.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int info(const struct options *options)
{
    ts_card_t *card;
    const ts_info_t *is;
    char name[64];
    int result = ts_open(options->device, &card);

    if (result) return complain_code(result);
    is = ts_info(card);
    begin_result(options);
    text("device", options->device);
    if (!linked(options->device, "device", name, sizeof name)) text("pci_address", name);
    if (!linked(options->device, "device/driver", name, sizeof name)) text("driver", name);
    hexadecimal("build_id", is->build_id);
    list("express_queues", is->express_queues);
    list("basic_queues", is->basic_queues);
    number("shared_bytes", is->shared_bytes);
    hexadecimal("shared_address", is->shared_address);
    text("path", ts_path(card));
    text("waiting", ts_sleeps(card) ? "sleeps" : "polls");
    end_result();
    ts_close(card);
    return GOOD;
}

/* The process of a queue, from lines "QUEUE PROCESS"; 0: not there. */
static unsigned long owner_of(const char *owners, unsigned queue)
{
    unsigned number_of;
    unsigned long process;
    int used;

    while (sscanf(owners, "%u %lu%n", &number_of, &process, &used) == 2) {
        if (number_of == queue) return process;
        owners += used;
    }
    return 0;
}

/* Owners are for root alone; another sees which queues are taken. */
int queue(const struct options *options)
{
    char all[64], taken[64], owners[512] = "", state[64];
    uint32_t own, used;

    if (attribute(options->device, "queues", all, sizeof all) || attribute(options->device, "queues_taken", taken, sizeof taken)) {
        ts_card_t *card;
        int result = ts_open(options->device, &card); /* it says best what is wrong */

        ts_close(card);
        return result ? complain_code(result) : complain("the driver has no files in /sys: is sysfs mounted?");
    }
    attribute(options->device, "owners", owners, sizeof owners);
    own = strtoul(all, NULL, 0);
    used = strtoul(taken, NULL, 0);
    begin_result(options);
    for (unsigned i = 0; i < 16; i++) {
        unsigned long process = owner_of(owners, i);
        char name[32];

        if (!(own >> i & 1)) continue;
        snprintf(name, sizeof name, "%s %u", i < 8 ? "express" : "basic", i);
        if (!(used >> i & 1)) snprintf(state, sizeof state, "free");
        else if (process) snprintf(state, sizeof state, "process %lu", process);
        else snprintf(state, sizeof state, "taken");
        text(name, state);
    }
    end_result();
    return GOOD;
}
