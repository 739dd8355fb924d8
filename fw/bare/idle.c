/** \file Nothing else runs in the bare image. */
#include "site.h"

void image_idle(uint32_t a, uint32_t meta) { (void)a, (void)meta; }
