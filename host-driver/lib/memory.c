/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory of the card. */
#include "card.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static int within(const ts_card_t *card, uint64_t offset, size_t bytes)
{
    int result = ts_owned(card);

    if (result) return result;
    if (offset <= card->info.shared_bytes && bytes <= card->info.shared_bytes - offset) return 0;
    return ts_says(TS_ERROR_ARGUMENT, "%zu bytes of shared memory from %#llx on: the heap has %#llx", bytes, (unsigned long long)offset, (unsigned long long)card->info.shared_bytes);
}

/* Whole words of 8 bytes, each by one load, as a vector's loads may not be what a card answers. */
static void load_words(const volatile uint8_t *from, uint8_t *to, size_t bytes)
{
    while (bytes) {
        size_t skipped = (uintptr_t)from % 8, part = bytes < 8 - skipped ? bytes : 8 - skipped;
        uint64_t word = *(const volatile uint64_t *)(from - skipped);

        memcpy(to, (uint8_t *)&word + skipped, part);
        from += part;
        to += part;
        bytes -= part;
    }
}

int ts_load(ts_card_t *card, uint64_t offset, void *to, size_t bytes)
{
    int result = within(card, offset, bytes);
    size_t done = 0;

    if (result) return result;
    if (card->shared) {
        __sync_synchronize(); /* what the processor combines leaves it, and no load is early */
        load_words(card->shared + offset, to, bytes);
        return 0;
    }
    while (done < bytes) {
        ssize_t n = pread(card->file, (uint8_t *)to + done, bytes - done, card->shared_offset + offset + done);

        if (n <= 0) return ts_says_errno(card, "pread of shared memory");
        done += n;
    }
    return 0;
}

int ts_store(ts_card_t *card, uint64_t offset, const void *from, size_t bytes)
{
    int result = within(card, offset, bytes);
    size_t done = 0;

    if (result) return result;
    while (done < bytes) {
        ssize_t n = pwrite(card->file, (const uint8_t *)from + done, bytes - done, card->shared_offset + offset + done);

        if (n < 0 && errno == EIO)
            return ts_says(TS_ERROR_STORE, "%s: a store to shared memory at %#llx waited in vain for a place: the card does no stores; see 'turnstile stats'", card->device,
                           (unsigned long long)offset + done);
        if (n <= 0) return ts_says_errno(card, "pwrite of shared memory");
        done += n;
    }
    return 0;
}

int ts_fence(ts_card_t *card)
{
    uint64_t word;

    return ts_load(card, 0, &word, sizeof word);
}

void *ts_shared(ts_card_t *card) { return ts_owned(card) ? NULL : (void *)card->shared; }
