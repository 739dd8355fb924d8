/* OnePoll (VY-31, VY-32): one load asks all queues of a group. The sP registers a group of the process' own queues. */
#include <turnstile_service.h>

#include "../common/message.h"
#include "niu.h"

enum { FOUND_MESSAGE = 1, FOUND_BASIC = 2 };

static volatile uint32_t *word_at(const ts_onepoll_t *poll, uint32_t offset) { return (volatile uint32_t *)((char *)poll->page + offset); }

static uint32_t resident(ts_found_t queue)
{
    return queue == TS_NOTHING ? 0 : NAME_AP + own()->ap + (queue == TS_BASIC ? 8 : 0);
}

void ts_onepoll_open(ts_onepoll_t *poll, unsigned number, ts_found_t first, ts_found_t second, ts_basic_t *basic)
{
    check_onepoll(number, first, second, basic);
    express_send(own()->site << 3 | NAME_SP_SERVICE, TS_SVC_ONEPOLL, TS_ONEPOLL_WORD(number, resident(first) | resident(second) << 4), PRIO_LOW);
    uint32_t group = express_receive(TS_SVC_ONEPOLL);
    if (group == TS_SVC_REFUSED) ts_fail("the sP has no group of queues for process %d", ts_self());
    *poll = (ts_onepoll_t){(volatile uint32_t *)(AP_ONEPOLL_BASE + group * AP_PAGE_BYTES), basic, {first, second}};
}

ts_found_t ts_onepoll(ts_onepoll_t *poll, ts_express_t *message)
{
    uint32_t meta = *word_at(poll, AP_ONEPOLL_META), type = meta >> EXPRESS_META_TYPE_SHIFT & EXPRESS_META_TYPE_MASK;

    if (type == FOUND_MESSAGE) {
        uint32_t word = *word_at(poll, AP_ONEPOLL_DATA);
        if (!express_kept()) {
            ap_fence();
            express_deliver(message, meta, word);
            return TS_EXPRESS;
        }
        express_keep(meta, word);
    } else if (type == FOUND_BASIC && !(poll->order[0] == TS_EXPRESS && express_kept())) {
        uint32_t status = *word_at(poll, AP_ONEPOLL_DATA) >> AP_BASIC_RX_STATUS_PRODUCER_SHIFT;
        poll->basic->arrived = poll->basic->taken + (uint16_t)(status - poll->basic->taken);
        ap_fence();
        return TS_BASIC;
    } else if (!express_kept() || (poll->order[0] != TS_EXPRESS && poll->order[1] != TS_EXPRESS)) {
        return TS_NOTHING;
    }
    ap_fence();
    (void)ts_express_poll(message);
    return TS_EXPRESS;
}
