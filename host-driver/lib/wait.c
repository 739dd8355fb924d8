/* SPDX-License-Identifier: Apache-2.0 */
/* A message is waited for: by looking, or asleep until the card interrupts. */
#include "card.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Looks before it sleeps: an answer that comes at once costs no interrupt. */
enum { LOOKS = 32 };

/* The event of a queue, made when it is needed first. A thread that comes second uses the first one's. */
static int event_of(ts_card_t *card, uint32_t kind)
{
    int *event = &card->event[kind == TURNSTILE_QUEUE_BASIC], result = 0;

    pthread_mutex_lock(&card->sending);
    if (*event < 0) {
        int made = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        struct turnstile_event set = {.argsz = sizeof set, .flags = kind | TURNSTILE_EVENT_SET, .eventfd = made};

        if (made < 0 || ioctl(card->file, TURNSTILE_EVENT, &set)) {
            result = ts_says_errno(card, "an eventfd for a queue");
            if (made >= 0) close(made);
        } else {
            *event = made;
        }
    }
    pthread_mutex_unlock(&card->sending);
    return result ? result : *event;
}

/* Until something comes or the time is over. What is read off the event is followed by arming, which tells again of what waits: so no thread takes another's. */
static int sleep_until_told(ts_card_t *card, uint32_t kind, int milliseconds)
{
    struct turnstile_event arm = {.argsz = sizeof arm, .flags = kind | TURNSTILE_EVENT_ARM};
    struct pollfd told = {.events = POLLIN};
    uint64_t count;

    told.fd = event_of(card, kind);
    if (told.fd < 0) return told.fd;
    if (read(told.fd, &count, sizeof count) < 0 && errno != EAGAIN) return ts_says_errno(card, "read of an eventfd");
    if (ioctl(card->file, TURNSTILE_EVENT, &arm)) return ts_says_errno(card, "TURNSTILE_EVENT");
    if (poll(&told, 1, milliseconds) < 0 && errno != EINTR) return ts_says_errno(card, "poll of an eventfd");
    return 0;
}

int ts_take_within(ts_card_t *card, uint32_t kind, int (*take)(ts_card_t *, void *), void *message, int milliseconds, int sleeps)
{
    const int64_t end = milliseconds < 0 ? INT64_MAX : ts_now() + milliseconds;

    for (unsigned looks = 0;; looks++) {
        int result = take(card, message);
        const int64_t now = ts_now();

        if (result) return result < 0 ? result : 0;
        if (now > end)
            return ts_says(TS_ERROR_TIMEOUT, "%s: no %s message came within %d ms", card->device, kind == TURNSTILE_QUEUE_EXPRESS ? "Express" : "Basic", milliseconds);
        if (!sleeps || !card->interrupts || looks < LOOKS) continue;
        result = sleep_until_told(card, kind, milliseconds < 0 ? -1 : (int)(end - now + 1));
        if (result) return result;
    }
}
