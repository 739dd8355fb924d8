/* What a host may ask of tests/driver/card, by tag, and how many words of shared memory both use. */
#ifndef REQUESTS_H
#define REQUESTS_H

enum { CARD_ADD_ONE = 1, CARD_WHERE = 2, CARD_LOAD = 3, CARD_STORE = 4, CARD_WORDS = 1024 };

#endif
