/* SPDX-License-Identifier: Apache-2.0 */
/* What libfabric loads: fi_prov_ini; and what is asked of the environment. */
#include "provider.h"
#include <time.h>

struct fi_provider turnstile_provider = {
    .version = FI_VERSION(0, 1),
    .fi_version = FI_VERSION(1, 17),
    .name = "turnstile",
    .getinfo = get_info,
    .fabric = open_fabric,
};

int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

int setting(const char *name, int least, int most, int otherwise)
{
    int value;

    if (fi_param_get(&turnstile_provider, name, &value)) return otherwise;
    if (value >= least && value <= most) return value;
    SAY(FI_LOG_WARN, "setting '%s' (FI_TURNSTILE_*) is %d: the legal range is %d..%d; %d is taken\n", name, value, least, most, otherwise);
    return otherwise;
}

FI_EXT_INI
{
    fi_param_define(&turnstile_provider, "site", FI_PARAM_INT, "site of the card, 0..63 (default: what its driver says)");
    fi_param_define(&turnstile_provider, "repeat", FI_PARAM_INT, "milliseconds after which a segment that is not acknowledged is sent again, 1..60000; then after twice, four and eight times as long (default: 1000)");
    fi_param_define(&turnstile_provider, "patience", FI_PARAM_INT, "seconds without a sign of life after which a peer is given up, 1..1000000 (default: 60)");
    return &turnstile_provider;
}
