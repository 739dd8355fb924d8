/* Processes one after another on one aP, with large globals of which few words are not zero: each has what its creator has, and no more. */
#include <stdio.h>
#include <stdlib.h>
#include <turnstile.h>

enum { WORDS = 20000, EVERY = 997, HEAP = 300 };

static int table[WORDS], set = 7;
static int *heap;

static int wrong(void)
{
    int bad = 0;

    for (int i = 0; i < WORDS; i++) bad += table[i] != (set && i % EVERY == 5 ? set + i : 0);
    for (int i = 0; i < HEAP; i++) bad += heap[i] != (i == 271 ? set : 0);
    return bad;
}

static void child(void)
{
    if (wrong()) ts_fail("%d words are not the creator's", wrong());
    for (int i = 0; i < WORDS; i += 3) table[i] = -1; /* nothing of this is another's, nor the next process's here */
    for (int i = 0; i < HEAP; i++) heap[i] = -1;
}

int main(void)
{
    static const int values[] = {7, 8, 0}; /* 0: words that were something are zero again */

    heap = calloc(HEAP, sizeof *heap);
    for (unsigned v = 0; v < sizeof values / sizeof *values; v++) {
        set = values[v];
        for (int i = 5; i < WORDS; i += EVERY) table[i] = set ? set + i : 0;
        heap[271] = set;
        unsigned long begin = ts_clock();
        ts_create(child);
        printf("created in %lu %s\n", ts_clock() - begin, ts_clock_unit);
        ts_wait_for_end(1);
        printf("ended after %lu %s\n", ts_clock() - begin, ts_clock_unit);
    }
    printf("created: %d wrong\n", wrong());
    return wrong() != 0;
}
