/* What a host may ask of tests/driver/card, by tag, and how many words of shared memory both use. */
#ifndef REQUESTS_H
#define REQUESTS_H

enum {
    CARD_ADD_ONE = 1,
    CARD_WHERE = 2,   /* the address of the shared words */
    CARD_LOAD = 3,    /* of a word, by number */
    CARD_STORE = 4,   /* the word's number, inverted */
    CARD_SLEEP = 5,   /* reads no message for so many turns of a loop */
    CARD_COUNT = 6,   /* counts, without an answer */
    CARD_COUNTED = 7, /* how many since the last time */
    CARD_CLOCK = 8,   /* cycles since its reset */
    CARD_WORDS = 1024
};

#endif
