/*
 * What runs on the card's aP while tests/driver tries the driver: it does what a message of a host asks (its tag), and answers with the same tag.
 */
#include <stdint.h>
#include <turnstile.h>
#include <turnstile_message.h>
#include "../requests.h"

enum { FIRST_AP = 2 };

void express_send(uint32_t name, uint32_t tag, uint32_t word, uint32_t prio);

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
    case CARD_WHERE: return (uint32_t)shared;
    case CARD_LOAD: return shared[asked->word % CARD_WORDS];
    case CARD_STORE:
        shared[asked->word % CARD_WORDS] = ~asked->word;
        ts_fence();
        return asked->word;
    default: return asked->word + 1;
    }
}

int main(void)
{
    volatile uint32_t *shared = ts_alloc(4 * CARD_WORDS);

    for (;;) {
        ts_express_t asked;

        ts_express_receive(&asked);
        if (asked.tag == CARD_COUNT) counted++;
        else /* a host is no process, but its name is numbered as one */
            express_send(asked.from + FIRST_AP, asked.tag, perform(&asked, shared), 0);
    }
}
