/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory of the card. */
#include "card.h"
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
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

int ts_load_from(ts_card_t *card, const volatile uint8_t *mapped, uint64_t offset, void *to, size_t bytes)
{
    size_t done = 0;

    if (mapped) {
        __sync_synchronize(); /* what the processor combines leaves it, and no load is early */
        load_words(mapped, to, bytes);
        return 0;
    }
    while (done < bytes) {
        ssize_t n = pread(card->file, (uint8_t *)to + done, bytes - done, offset + done);

        if (n <= 0) return ts_says_errno(card, "pread of shared memory");
        done += n;
    }
    return 0;
}

int ts_store_to(ts_card_t *card, uint64_t offset, const void *from, size_t bytes)
{
    size_t done = 0;

    while (done < bytes) {
        ssize_t n = pwrite(card->file, (const uint8_t *)from + done, bytes - done, offset + done);

        if (n < 0 && errno == EIO)
            return ts_says(TS_ERROR_STORE, "%s: a store to shared memory waited in vain for a place: the card does no stores; see 'turnstile stats'", card->device);
        if (n <= 0) return ts_says_errno(card, "pwrite of shared memory");
        done += n;
    }
    return 0;
}

/* Memory may hold ones too; only the driver knows. */
static int gone(const ts_card_t *card, const uint8_t *loaded, size_t bytes)
{
    struct turnstile_info info = {.argsz = sizeof info};

    for (size_t i = 0; i < bytes; i++)
        if (loaded[i] != 0xFF) return 0;
    return bytes && ioctl(card->file, TURNSTILE_INFO, &info) ? ts_says_errno(card, "TURNSTILE_INFO") : 0;
}

int ts_load(ts_card_t *card, uint64_t offset, void *to, size_t bytes)
{
    int result = within(card, offset, bytes);

    if (!result) result = ts_load_from(card, card->shared ? card->shared + offset : NULL, card->shared_offset + offset, to, bytes);
    return result ? result : gone(card, to, bytes);
}

int ts_store(ts_card_t *card, uint64_t offset, const void *from, size_t bytes)
{
    int result = within(card, offset, bytes);

    return result ? result : ts_store_to(card, card->shared_offset + offset, from, bytes);
}

int ts_fence(ts_card_t *card)
{
    uint64_t word;

    return ts_load(card, 0, &word, sizeof word);
}

void *ts_shared(ts_card_t *card) { return ts_owned(card) ? NULL : (void *)card->shared; }
