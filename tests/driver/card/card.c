/*
 * What runs on the aPs of the cards while tests/driver tries the driver: it does what a message of a host asks (its tag), and answers with the same tag.
 */
#include <niu_regs.h>
#include <stdint.h>
#include <turnstile.h>
#include <turnstile_message.h>
#include <turnstile_service.h>
#include "../requests.h"

enum { FIRST_AP = 2, MESSAGE = 1, NAMES = 512 };

/* A host is no process: the runtime's number of one may be another's too, so names are taken from the queues themselves. */
void express_send(uint32_t name, uint32_t tag, uint32_t word, uint32_t prio);
int express_kept(void);
void *basic_slot(ts_basic_t *queue, uint32_t name, unsigned tag, unsigned bytes, uint32_t lines_and_offset);

typedef struct {
    uint32_t word, name, tag;
} asked_t;

static volatile uint32_t *shared; /* by aPs of all sites */
static uint32_t counted;

/* As ts_express_poll, of the only aP of its site. What came while it began is kept by the runtime, which numbers a host of one site as its name. */
static int take(asked_t *asked)
{
    ts_express_t kept;
    const uint32_t page = AP_EXPRESS_RX_BASE + FIRST_AP * AP_PAGE_BYTES;

    if (express_kept()) {
        if (ts_processes() > 1) ts_fail("a host's message came before process %d served", ts_self());
        ts_express_poll(&kept);
        *asked = (asked_t){kept.word, kept.from + FIRST_AP, kept.tag};
        return 1;
    }
    const uint32_t meta = *(volatile uint32_t *)(page + AP_EXPRESS_RX_META);
    if ((meta >> EXPRESS_META_TYPE_SHIFT & EXPRESS_META_TYPE_MASK) != MESSAGE) return 0;
    asked->word = *(volatile uint32_t *)(page + AP_EXPRESS_RX_DATA);
    asked->name = meta >> EXPRESS_META_SOURCE_SHIFT & EXPRESS_META_SOURCE_MASK;
    asked->tag = meta >> EXPRESS_META_TAG_SHIFT & EXPRESS_META_TAG_MASK;
    return 1;
}

static uint32_t perform(const asked_t *asked)
{
    switch (asked->tag) {
    case CARD_SLEEP:
        for (uint32_t turns = asked->word; turns--;) __asm__ volatile("");
        return asked->word;
    case CARD_COUNTED: {
        uint32_t so_far = counted;

        counted = 0;
        return so_far;
    }
    case CARD_CLOCK: return (uint32_t)ts_clock();
    case CARD_WHERE: return (uint32_t)shared;
    case CARD_LOAD: return shared[asked->word % CARD_WORDS];
    case CARD_STORE:
        shared[asked->word % CARD_WORDS] = ~asked->word;
        ts_fence();
        return asked->word;
    default: return asked->word + 1;
    }
}

/* A Basic message goes back with its bytes inverted. */
static void invert(ts_basic_t *queue, const ts_basic_message_t *came)
{
    const uint32_t *head = (const uint32_t *)came->payload - 2;
    unsigned char *to = basic_slot(queue, *head % NAMES, came->tag, came->bytes, 0);
    const unsigned char *from = came->payload;

    for (unsigned i = 0; i < came->bytes; i++) to[i] = ~from[i];
    ts_basic_launch(queue);
    ts_basic_release(queue);
}

static void serve(void)
{
    ts_basic_t queue;

    ts_basic_open(&queue);
    for (;;) {
        asked_t asked;
        ts_basic_message_t came;

        if (take(&asked)) {
            if (asked.tag == CARD_COUNT) counted++;
            else express_send(asked.name, asked.tag, perform(&asked), 0);
        }
        if (ts_basic_poll(&queue, &came)) invert(&queue, &came);
    }
}

int main(void)
{
    shared = ts_alloc(4 * CARD_WORDS);
    ts_create_all(serve, ts_processes());
}
