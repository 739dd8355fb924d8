/* Checks of arguments that are the same on every machine. */
#ifndef TS_MESSAGE_CHECKS_H
#define TS_MESSAGE_CHECKS_H

#include <turnstile.h>
#include <turnstile_message.h>
#include <turnstile_service.h>

static inline void check_express(int to, unsigned tag, unsigned priority, int processes)
{
    if ((unsigned)to >= (unsigned)processes) ts_fail("an Express message to process %d: the legal range is 0..%d", to, processes - 1);
    if (tag > 31 || tag == TS_AP_START) ts_fail("an Express message with tag %u: legal are 0..31, but %d, which is the runtime's", tag, TS_AP_START);
    if (priority > 1) ts_fail("an Express message of priority %u: legal are 0 and 1", priority);
}

static inline void check_basic(int to, unsigned tag, unsigned bytes, int processes)
{
    if ((unsigned)to >= (unsigned)processes) ts_fail("a Basic message to process %d: the legal range is 0..%d", to, processes - 1);
    if (tag > 31) ts_fail("a Basic message with tag %u: the legal range is 0..31", tag);
    if (bytes > TS_BASIC_BYTES) ts_fail("a Basic message of %u bytes: the legal range is 0..%d", bytes, TS_BASIC_BYTES);
}

static inline void check_onepoll(unsigned number, ts_found_t first, ts_found_t second, const ts_basic_t *basic)
{
    if (number >= TS_ONEPOLL_GROUPS) ts_fail("group %u of OnePoll: the legal range is 0..%d", number, TS_ONEPOLL_GROUPS - 1);
    if ((unsigned)first > TS_BASIC || (unsigned)second > TS_BASIC || (first == second && first != TS_NOTHING))
        ts_fail("a group of OnePoll with queues %u and %u: legal are TS_EXPRESS, TS_BASIC, each once, and TS_NOTHING", (unsigned)first, (unsigned)second);
    if (!basic && (first == TS_BASIC || second == TS_BASIC)) ts_fail("a group of OnePoll with a Basic queue needs it: ts_basic_open before");
}

static inline void check_tagon(unsigned line, unsigned lines)
{
    if (lines < 1 || lines > 2) ts_fail("a Basic message with %u lines: legal are 1 and 2", lines);
    if (line > TS_TAGON_LINES - lines)
        ts_fail("a Basic message with %u lines from line %u of the tag-on area: the legal range is 0..%u", lines, line, TS_TAGON_LINES - lines);
}

#endif
