/** \file The checker's place of fw/tempest/tt_limits.h: few pages, few of everything, so that a state of the firmware is small. */
#ifndef TT_LIMITS_H
#define TT_LIMITS_H

enum { TT_MAX_SITES = 64, TT_PAGES = 2, TT_MOST_PAGES = TT_PAGES, TT_FAR_BLOCK = 64 };
enum { TT_WAITERS = 12, TT_DEFERRED = 8, TT_ANSWERS = 8, TT_LOCKS = 1, TT_POOL_BYTES = 2048 };
#ifdef CHECK_AS_SHIPPED /* beside the RTL: places for answers are the real ones */
enum { TT_MOST_PARTS = 16 };
#else
enum { TT_MOST_PARTS = 2 };
#endif
#endif
