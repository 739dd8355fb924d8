/** \file
 * How much the firmware of one site keeps track of. A model checker puts its own, small numbers in place of
 * this file, so that a state is small: a protocol takes its bounds from here and nowhere else.
 */
#ifndef TT_LIMITS_H
#define TT_LIMITS_H

enum { TT_MAX_SITES = 64 };
/** Pages of a heap whose records are in the sP's RAM; of the largest one, whose others are in DRAM, cleared so many at a time. */
enum { TT_PAGES = 1792, TT_MOST_PAGES = 114688, TT_FAR_BLOCK = 64 };
/* An aP has one access or one service under way, so 256 of them are all that a site's tables ever hold (BZ-26: 64 sites x 4 aPs). */
enum { TT_WAITERS = 256, TT_DEFERRED = 256, TT_ANSWERS = 256, TT_LOCKS = 512, TT_POOL_BYTES = 14 * 1024 };
/** Lines of the largest block come in this many messages. */
enum { TT_MOST_PARTS = 16 };
#endif
