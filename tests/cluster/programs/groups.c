/* What the sP answers to requests for groups of OnePoll (VY-31, VY-34): of the asker's own queues, at its own site, each in any place. For SITES=2 APS=2. */
#include <niu_regs.h>
#include <stdint.h>
#include <stdio.h>
#include <turnstile_service.h>

enum { EXPRESS = 2, BASIC = 10, NEXT_AP = 1, PROTOCOL = 0, SERVICES = 1, RING_OF_SP = 8, NOBODYS = 7 };
#define WORD(address) (*(volatile uint32_t *)(address))
#define GROUP(number, ...) TS_ONEPOLL_WORD(number, __VA_ARGS__)

static uint32_t ask(uint32_t site, uint32_t word)
{
    WORD(AP_EXPRESS_TX_BASE + EXPRESS_TX_QUEUE(EXPRESS) + EXPRESS_TX_TAG(TS_SVC_ONEPOLL) + EXPRESS_TX_DEST(site << 3 | SERVICES)) = word;
    while ((WORD(AP_EXPRESS_RX_BASE + EXPRESS * AP_PAGE_BYTES + AP_EXPRESS_RX_META) & EXPRESS_META_TYPE_MASK) != 1) {
    }
    return WORD(AP_EXPRESS_RX_BASE + EXPRESS * AP_PAGE_BYTES + AP_EXPRESS_RX_DATA);
}

int main(void)
{
    static const struct { uint32_t site, word, answer; } asked[] = {
        {0, GROUP(0, EXPRESS), 0}, {0, GROUP(1, EXPRESS | BASIC << 4), 1}, {0, GROUP(3, BASIC | EXPRESS << 24), 3}, {0, GROUP(2, 0), 2},
        {0, GROUP(0, EXPRESS | EXPRESS << 4), 0}, {0, GROUP(4, EXPRESS), TS_SVC_REFUSED}, {0, GROUP(15, EXPRESS), TS_SVC_REFUSED},
        {0, GROUP(0, EXPRESS + NEXT_AP), TS_SVC_REFUSED}, {0, GROUP(0, EXPRESS | (BASIC + NEXT_AP) << 24), TS_SVC_REFUSED},
        {0, GROUP(0, SERVICES), TS_SVC_REFUSED}, {0, GROUP(0, RING_OF_SP), TS_SVC_REFUSED}, {0, GROUP(0, NOBODYS), TS_SVC_REFUSED},
        {1, GROUP(0, EXPRESS), TS_SVC_REFUSED},
    };
    int wrong = 0;

    for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
        uint32_t answer = ask(asked[i].site, asked[i].word);
        if (answer == asked[i].answer) continue;
        printf("groups: site %lu answers %lx to %lx, expected %lx\n", (unsigned long)asked[i].site, (unsigned long)answer, (unsigned long)asked[i].word,
               (unsigned long)asked[i].answer);
        wrong = 1;
    }
    printf("groups: %s\n", wrong ? "wrong" : "correct");
    return wrong;
}
