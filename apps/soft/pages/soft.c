/** \file
 * The page mode of a run whose aPs keep shared memory coherent themselves (SOFT=, docs/design/soft.md): each site has a frame of its own at the
 * same address, all of whose lines its aP may write, so the sP hears of a page once, when it is opened.
 */
#include "tempest.h"

static void impossible(uint32_t a, uint32_t meta) { tt_error("an access that its tag forbids to a page kept by software: address, meta", a, meta); }

const struct tt_protocol soft = {
    .name = "soft",
    .modes = {{.name = "soft", .home = {impossible, impossible, TT_READ_WRITE, 1}, .copy = {impossible, impossible, TT_READ_WRITE, 1}, .consistency = TT_BY_SOFTWARE}}};
