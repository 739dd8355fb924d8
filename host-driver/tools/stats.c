/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the card: since its reset, or from line to line. */
#include "tool.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int print(const struct options *options, const uint64_t before[COUNTERS], const uint64_t now[COUNTERS])
{
    char fault[128];

    if (attribute(options->device, "fault", fault, sizeof fault)) return FAILED;
    begin_result(options);
    for (int i = 0; i < COUNTERS; i++) number(counters[i], (uint32_t)(now[i] - before[i])); /* they wrap */
    text("first_fault", fault);
    end_result();
    return GOOD;
}

int stats(const struct options *options)
{
    uint64_t before[COUNTERS] = {0}, now[COUNTERS];
    unsigned left = options->seconds ? options->times : 1;

    if (options->times && !options->seconds) {
        complain("--times without --watch: say how many seconds are between two lines");
        return USAGE;
    }
    for (;;) {
        if (count_all(options->device, now) || print(options, before, now)) {
            ts_card_t *card;
            int result = ts_open(options->device, &card);

            ts_close(card);
            return result ? complain_code(result) : complain("the driver's counters in /sys cannot be read");
        }
        if (left && !--left) return GOOD;
        if (!options->json) printf("\n");
        fflush(stdout);
        memcpy(before, now, sizeof before);
        sleep(options->seconds);
    }
}
