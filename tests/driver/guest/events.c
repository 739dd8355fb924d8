/* Processes that sleep until the card interrupts; with pci=nomsi the same are told that they have to poll. */
#define _GNU_SOURCE
#include "guest.h"
#include "../requests.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG_MS = 20000, SOON_US = 200000 };

static int sleeps(void)
{
    struct turnstile_info info = {.argsz = sizeof info};

    int file = device();

    CHECK(ioctl(file, TURNSTILE_INFO, &info) == 0 && close(file) == 0);
    return info.interrupts;
}

static unsigned long interrupts(void)
{
    char text[32];

    text_of(SYSFS "counters/interrupts", text, sizeof text);
    return strtoul(text, NULL, 10);
}

static int readable(int file, int milliseconds)
{
    struct pollfd one = {.fd = file, .events = POLLIN};

    CHECK(poll(&one, 1, milliseconds) >= 0);
    return one.revents;
}

static int event_call(int file, unsigned flags, int eventfd)
{
    struct turnstile_event event = {.argsz = sizeof event, .flags = flags, .eventfd = eventfd};

    return ioctl(file, TURNSTILE_EVENT, &event);
}

static void send_to(int from, const struct turnstile_queue *queue, unsigned to, uint32_t word)
{
    CHECK(pwrite(from, &word, 4, queue->send_offset + EXPRESS_TX_DEST(to)) == 4);
}

/* A child with a queue of its own, which sends so many words to queue `to` when the parent is asleep. */
static pid_t later(unsigned to, uint32_t words)
{
    pid_t child = fork();

    CHECK(child >= 0);
    if (child == 0) {
        struct turnstile_queue queue;
        int file = device_with_queue(&queue);

        usleep(SOON_US);
        for (uint32_t word = 0; word < words; word++) send_to(file, &queue, to, word);
        _exit(0);
    }
    return child;
}

static void ended(pid_t child)
{
    int status;

    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static uint64_t taken(int file, const struct turnstile_queue *queue)
{
    uint64_t both = poll_once(file, queue);

    CHECK(is_message(both));
    return (uint32_t)both;
}

static void who_sleeps_in_poll_is_woken_by_a_message(void)
{
    struct turnstile_queue queue;
    int file = device_with_queue(&queue);
    unsigned long before;
    pid_t child;

    if (!sleeps()) {
        CHECK(readable(file, 0) == POLLIN);
        return;
    }
    for (int round = 0; round < 3; round++) {
        CHECK(readable(file, 0) == 0);
        before = interrupts();
        child = later(queue.queue, 1);
        CHECK(readable(file, LONG_MS) == POLLIN && interrupts() == before + 1);
        CHECK(taken(file, &queue) == 0);
        ended(child);
    }
}

static void a_load_of_the_wait_offset_sleeps(void)
{
    struct turnstile_queue queue;
    uint32_t waiting = 0;
    int file = device_with_queue(&queue);
    pid_t child = later(queue.queue, 1);

    CHECK(pread(file, &waiting, 4, TURNSTILE_WAIT_OFFSET) == 4 && waiting == 1u << queue.queue);
    if (sleeps()) {
        CHECK(taken(file, &queue) == 0);
        CHECK(fcntl(file, F_SETFL, O_NONBLOCK) == 0);
        FAILS(pread(file, &waiting, 4, TURNSTILE_WAIT_OFFSET), EAGAIN);
    }
    FAILS(pread(file, &waiting, 2, TURNSTILE_WAIT_OFFSET), EINVAL);
    FAILS(pwrite(file, &waiting, 4, TURNSTILE_WAIT_OFFSET), EACCES);
    FAILS(pread(device(), &waiting, 4, TURNSTILE_WAIT_OFFSET), ENXIO);
    ended(child);
}

/* One event for a storm; at once for what waits when it is armed; none for what was taken. */
static void an_eventfd_tells_once_until_it_is_armed_again(void)
{
    enum { STORM = 10 };
    struct turnstile_queue queue, other;
    int file = device_with_queue(&queue), from = device_with_queue(&other), event = eventfd(0, EFD_NONBLOCK);
    uint64_t count;

    if (!sleeps()) {
        FAILS(event_call(file, TURNSTILE_QUEUE_EXPRESS | TURNSTILE_EVENT_SET, event), EOPNOTSUPP);
        return;
    }
    CHECK(event_call(file, TURNSTILE_QUEUE_EXPRESS | TURNSTILE_EVENT_SET | TURNSTILE_EVENT_ARM, event) == 0);
    CHECK(readable(event, 100) == 0);
    for (int i = 0; i < STORM; i++) send_to(from, &other, queue.queue, i);
    CHECK(readable(event, LONG_MS) == POLLIN && read(event, &count, 8) == 8 && count == 1);
    for (int i = 0; i < STORM / 2; i++) CHECK(taken(file, &queue) == (uint64_t)i);
    CHECK(readable(event, 100) == 0);
    CHECK(event_call(file, TURNSTILE_QUEUE_EXPRESS | TURNSTILE_EVENT_ARM, 0) == 0);
    CHECK(readable(event, LONG_MS) == POLLIN && read(event, &count, 8) == 8 && count == 1);
    for (int i = STORM / 2; i < STORM; i++) CHECK(taken(file, &queue) == (uint64_t)i);
    CHECK(event_call(file, TURNSTILE_QUEUE_EXPRESS | TURNSTILE_EVENT_ARM, 0) == 0 && readable(event, 100) == 0);
    CHECK(event_call(file, TURNSTILE_QUEUE_EXPRESS | TURNSTILE_EVENT_SET, -1) == 0);
    send_to(from, &other, queue.queue, 1);
    CHECK(readable(event, 100) == 0);
}

static void a_basic_queue_has_an_event_of_its_own(void)
{
    struct turnstile_queue express, basic = {.argsz = sizeof basic, .flags = TURNSTILE_QUEUE_BASIC};
    int file = device_with_queue(&express), event = eventfd(0, EFD_NONBLOCK);
    uint32_t slot[2] = {basic.queue}, next;

    CHECK(ioctl(file, TURNSTILE_QUEUE_GET, &basic) == 0);
    if (!sleeps()) return;
    CHECK(event_call(file, TURNSTILE_QUEUE_BASIC | TURNSTILE_EVENT_SET | TURNSTILE_EVENT_ARM, event) == 0);
    send_to(file, &express, express.queue, 7);
    CHECK(readable(file, LONG_MS) == POLLIN && readable(event, 100) == 0);
    slot[0] = basic.queue - 8; /* to itself, no byte */
    CHECK(pread(file, &next, 4, basic.receive_offset + AP_BASIC_TX_PRODUCER) == 4);
    CHECK(pwrite(file, slot, 8, basic.ring_offset + next % 16 * 128) == 8 && pread(file, slot, 4, basic.ring_offset) == 4);
    next++;
    CHECK(pwrite(file, &next, 4, basic.receive_offset + AP_BASIC_TX_PRODUCER) == 4);
    CHECK(readable(event, LONG_MS) == POLLIN);
    CHECK(pread(file, &next, 4, TURNSTILE_WAIT_OFFSET) == 4 && next == (1u << express.queue | 1u << basic.queue));
}

/* Whose event is armed when he goes hears nothing of the next owner's messages; who comes next is told of his own. */
static void who_closes_while_armed_is_told_nothing(void)
{
    struct turnstile_queue queue, other;
    int file = device_with_queue(&queue), from, event = eventfd(0, EFD_NONBLOCK);
    const unsigned first = queue.queue;

    if (!sleeps()) return;
    CHECK(event_call(file, TURNSTILE_QUEUE_EXPRESS | TURNSTILE_EVENT_SET | TURNSTILE_EVENT_ARM, event) == 0);
    CHECK(readable(file, 0) == 0 && close(file) == 0);
    file = device_with_queue(&queue);
    from = device_with_queue(&other);
    CHECK(queue.queue == first);
    send_to(from, &other, first, 1);
    CHECK(readable(file, LONG_MS) == POLLIN && readable(event, 100) == 0);
}

static void an_illegal_event_is_refused(void)
{
    struct turnstile_event event = {.argsz = sizeof event - 1, .flags = TURNSTILE_QUEUE_EXPRESS | TURNSTILE_EVENT_ARM};
    struct turnstile_queue queue;
    int file = device(), ends[2];

    CHECK(pipe(ends) == 0);
    FAILS(ioctl(file, TURNSTILE_EVENT, &event), EINVAL);
    FAILS(ioctl(file, TURNSTILE_EVENT, NULL), EFAULT);
    for (unsigned flags = 0; flags < 64; flags++) {
        const unsigned kind = flags & 3, act = flags & 12;

        if (flags >= 16 || kind == 0 || kind == 3 || !act) FAILS(event_call(file, flags, -1), EINVAL);
    }
    if (!sleeps()) return;
    FAILS(event_call(file, TURNSTILE_QUEUE_EXPRESS | TURNSTILE_EVENT_ARM, -1), ENXIO);
    CHECK(readable(file, 0) == 0);
    close(file);
    file = device_with_queue(&queue);
    FAILS(event_call(file, TURNSTILE_QUEUE_EXPRESS | TURNSTILE_EVENT_SET, ends[0]), EINVAL);
    FAILS(event_call(file, TURNSTILE_QUEUE_EXPRESS | TURNSTILE_EVENT_SET, 1000), EBADF);
    FAILS(event_call(file, TURNSTILE_QUEUE_BASIC | TURNSTILE_EVENT_ARM, 0), ENXIO);
}

static void sleeps_till_the_card_goes(void)
{
    struct turnstile_queue queue;
    int file = device_with_queue(&queue), event = eventfd(0, 0);
    uint32_t waiting;
    pid_t child;

    CHECK(event_call(file, TURNSTILE_QUEUE_EXPRESS | TURNSTILE_EVENT_SET, event) == 0);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        usleep(SOON_US);
        bind_or_unbind("unbind");
        _exit(0);
    }
    FAILS(pread(file, &waiting, 4, TURNSTILE_WAIT_OFFSET), ENODEV);
    CHECK(readable(event, LONG_MS) == POLLIN);
    CHECK(readable(file, LONG_MS) & POLLHUP);
    FAILS(event_call(file, TURNSTILE_QUEUE_EXPRESS | TURNSTILE_EVENT_ARM, 0), ENODEV);
    ended(child);
    CHECK(close(file) == 0);
}

static void a_card_that_goes_wakes_who_sleeps(void)
{
    struct turnstile_queue queue;
    int file;

    if (!sleeps()) return;
    card_address();
    in_child(sleeps_till_the_card_goes);
    bind_or_unbind("bind");
    file = device_with_queue(&queue);
    ask(file, &queue, CARD_ADD_ONE, 80);
    CHECK(readable(file, LONG_MS) == POLLIN && answer(file, &queue, CARD_ADD_ONE) == 81);
}

const struct test events[] = {
    {"who_sleeps_in_poll_is_woken_by_a_message", who_sleeps_in_poll_is_woken_by_a_message},
    {"a_load_of_the_wait_offset_sleeps", a_load_of_the_wait_offset_sleeps},
    {"an_eventfd_tells_once_until_it_is_armed_again", an_eventfd_tells_once_until_it_is_armed_again},
    {"a_basic_queue_has_an_event_of_its_own", a_basic_queue_has_an_event_of_its_own},
    {"who_closes_while_armed_is_told_nothing", who_closes_while_armed_is_told_nothing},
    {"an_illegal_event_is_refused", an_illegal_event_is_refused},
    {"a_card_that_goes_wakes_who_sleeps", a_card_that_goes_wakes_who_sleeps},
    {0},
};
