/*
 * What runs on the card's aP while tests/driver tries the driver: it does what a message of a host asks (its tag), and answers with the same tag.
 */
#include <stdint.h>
#include <turnstile.h>
#include <turnstile_message.h>
#include "../requests.h"

enum { FIRST_AP = 2 };

/* A host is no process, but its name is numbered as one. */
void express_send(uint32_t name, uint32_t tag, uint32_t word, uint32_t prio);
void *basic_slot(ts_basic_t *queue, uint32_t name, unsigned tag, unsigned bytes, uint32_t lines_and_offset);

static uint32_t counted;

static uint32_t perform(const ts_express_t *asked, volatile uint32_t *shared)
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
    unsigned char *to = basic_slot(queue, came->from + FIRST_AP, came->tag, came->bytes, 0);
    const unsigned char *from = came->payload;

    for (unsigned i = 0; i < came->bytes; i++) to[i] = ~from[i];
    ts_basic_launch(queue);
    ts_basic_release(queue);
}

int main(void)
{
    volatile uint32_t *shared = ts_alloc(4 * CARD_WORDS);
    ts_basic_t queue;

    ts_basic_open(&queue);
    for (;;) {
        ts_express_t asked;
        ts_basic_message_t came;

        if (ts_express_poll(&asked)) {
            if (asked.tag == CARD_COUNT) counted++;
            else express_send(asked.from + FIRST_AP, asked.tag, perform(&asked, shared), 0);
        }
        if (ts_basic_poll(&queue, &came)) invert(&queue, &came);
    }
}
