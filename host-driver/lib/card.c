/* SPDX-License-Identifier: Apache-2.0 */
/* A card is opened, known, and closed. */
#include "card.h"
#include "niu_regs.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(void *) == 8, "META and DATA are one load of 8 bytes, low word first");

unsigned ts_generation;

static void child(void) { ts_generation++; }
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, child); }

int ts_owned(const ts_card_t *card)
{
    if (card->born == ts_generation) return 0;
    return ts_says(TS_ERROR_FORKED, "%s was opened by the parent of this process: open it again here", card->device);
}

static int refused(const char *device)
{
    switch (errno) {
    case ENOENT: return ts_says(TS_ERROR_NO_CARD, "%s is not there: load the driver (modprobe turnstile); if it is loaded, the kernel's log says why it refused the card", device);
    case EACCES:
    case EPERM: return ts_says(TS_ERROR_PERMISSION, "%s: this user may not read and write it; ls -l says who may", device);
    case ENODEV:
    case ENXIO: return ts_says(TS_ERROR_GONE, "%s: the card was taken away", device);
    default: return ts_says(TS_ERROR_SYSTEM, "%s cannot be opened: the kernel says: %s", device, strerror(errno));
    }
}

static int know(ts_card_t *card)
{
    struct turnstile_info info = {.argsz = sizeof info};

    if (ioctl(card->file, TURNSTILE_INFO, &info)) {
        if (errno == ENOTTY) return ts_says(TS_ERROR_NO_CARD, "%s is no Turnstile card", card->device);
        if (errno == EINVAL) return ts_says(TS_ERROR_VERSION, "%s: the driver does not know this library's TURNSTILE_INFO of %zu bytes: build both of one tree", card->device, sizeof info);
        return ts_says_errno(card, "TURNSTILE_INFO");
    }
    if (info.build_id != HOST_BUILD_ID_VALUE)
        return ts_says(TS_ERROR_VERSION, "%s: card and driver have build id 0x%08x, this library 0x%08x: build all of one tree", card->device, info.build_id, HOST_BUILD_ID_VALUE);
    card->info = (ts_info_t){info.build_id, info.express_queues, info.basic_queues, info.shared_bytes, info.shared_address};
    card->shared_offset = info.shared_offset;
    card->interrupts = info.interrupts;
    return 0;
}

int ts_map(ts_card_t *card, uint64_t offset, uint64_t bytes, volatile uint8_t **at, const char *what)
{
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, card->file, offset);

    if (mapped != MAP_FAILED) *at = mapped;
    else if (errno != ENODEV) return ts_says_errno(card, what);
    return 0;
}

int ts_silent(const ts_card_t *card) { return ts_says(TS_ERROR_GONE, "%s does not answer: a load reads as ones; close it", card->device); }

int64_t ts_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

static const char *name_of(uint32_t kind) { return kind == TURNSTILE_QUEUE_EXPRESS ? "Express" : "Basic"; }

int ts_get_queue(ts_card_t *card, uint32_t kind, struct turnstile_queue *queue)
{
    struct turnstile_queue asked = {.argsz = sizeof asked, .flags = kind};
    int result = ts_owned(card);

    if (result) return result;
    if (queue->argsz) return ts_says(TS_ERROR_NO_QUEUE, "%s: this card has %s queue %u already; open the card again for another", card->device, name_of(kind), queue->queue);
    if (ioctl(card->file, TURNSTILE_QUEUE_GET, &asked)) {
        const uint32_t all = kind == TURNSTILE_QUEUE_EXPRESS ? card->info.express_queues : card->info.basic_queues;

        if (errno == EBUSY) return ts_says(TS_ERROR_BUSY, "%s: other processes have all %s queues (0x%x); 'turnstile queue' says which", card->device, name_of(kind), all);
        return ts_says_errno(card, "TURNSTILE_QUEUE_GET");
    }
    *queue = asked;
    return 0;
}

int ts_has_queue(const ts_card_t *card, uint32_t kind)
{
    const struct turnstile_queue *queue = kind == TURNSTILE_QUEUE_EXPRESS ? &card->express : &card->basic;
    int result = ts_owned(card);

    if (result || queue->argsz) return result;
    return ts_says(TS_ERROR_NO_QUEUE, "%s: this card has no %s queue: ts_%s_open first", card->device, name_of(kind), kind == TURNSTILE_QUEUE_EXPRESS ? "express" : "basic");
}

int ts_open(const char *device, ts_card_t **card)
{
    const char *path = device ? device : "/dev/turnstile0";
    ts_card_t *made;
    int result;

    *card = NULL;
    made = calloc(1, sizeof *made);
    if (!made) return ts_says(TS_ERROR_SYSTEM, "%s: no memory for a card", path);
    snprintf(made->device, sizeof made->device, "%s", path);
    made->born = ts_generation;
    made->event[0] = made->event[1] = -1;
    pthread_mutex_init(&made->sending, NULL);
    pthread_mutex_init(&made->rings, NULL);
    made->file = open(path, O_RDWR | O_CLOEXEC);
    result = made->file < 0 ? refused(path) : know(made);
    if (!result) result = ts_map(made, made->shared_offset, made->info.shared_bytes, &made->shared, "mmap of the shared heap");
    if (result) ts_close(made);
    else *card = made;
    return result;
}

void ts_close(ts_card_t *card)
{
    if (!card) return;
    if (card->born == ts_generation) { /* a child has no such pages */
        if (card->shared) munmap((void *)card->shared, card->info.shared_bytes);
        if (card->send) munmap((void *)card->send, card->express.send_bytes);
        if (card->receive) munmap((void *)card->receive, card->express.receive_bytes);
        if (card->pointers) munmap((void *)card->pointers, card->basic.receive_bytes);
        if (card->ring) munmap((void *)card->ring, card->basic.ring_bytes);
    }
    for (int i = 0; i < 2; i++)
        if (card->event[i] >= 0) close(card->event[i]);
    if (card->file >= 0) close(card->file);
    pthread_mutex_destroy(&card->sending);
    pthread_mutex_destroy(&card->rings);
    free(card);
}

int ts_file(const ts_card_t *card) { return card->file; }
int ts_sleeps(const ts_card_t *card) { return card->interrupts; }
const ts_info_t *ts_info(const ts_card_t *card) { return &card->info; }
const char *ts_path(const ts_card_t *card) { return card->shared ? "mmap" : "calls"; }
