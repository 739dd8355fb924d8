/* What a hostile process does: each gets an errno, and the card and its other users go on. */
#include "guest.h"
#include "../requests.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <turnstile_host.h>
#include <unistd.h>

static void ioctls_want_their_sizes_and_flags(void)
{
    struct turnstile_info info = {.argsz = sizeof info - 1};
    struct turnstile_queue queue = {.argsz = sizeof queue - 1, .flags = TURNSTILE_QUEUE_EXPRESS};
    int file = device();

    FAILS(ioctl(file, TURNSTILE_INFO, &info), EINVAL);
    info = (struct turnstile_info){.argsz = sizeof info, .flags = 1};
    FAILS(ioctl(file, TURNSTILE_INFO, &info), EINVAL);
    FAILS(ioctl(file, TURNSTILE_QUEUE_GET, &queue), EINVAL);
    for (unsigned flags = 0; flags < 9; flags++) {
        queue = (struct turnstile_queue){.argsz = sizeof queue, .flags = flags};
        if (flags != 1 && flags != 2) FAILS(ioctl(file, TURNSTILE_QUEUE_GET, &queue), EINVAL);
    }
    info = (struct turnstile_info){.argsz = sizeof info + 100};
    CHECK(ioctl(file, TURNSTILE_INFO, &info) == 0 && info.argsz == sizeof info);
    FAILS(ioctl(file, _IO(TURNSTILE_IOCTL_MAGIC, 99), &info), ENOTTY);
}

static void a_bad_pointer_is_EFAULT_and_takes_no_queue(void)
{
    uint32_t *head = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct turnstile_queue queue;
    void *volatile nothing = NULL;
    int file = device();

    FAILS(ioctl(file, TURNSTILE_INFO, NULL), EFAULT);
    FAILS(ioctl(file, TURNSTILE_QUEUE_GET, (void *)-1L), EFAULT);
    CHECK(head != MAP_FAILED && munmap((char *)head + 4096, 4096) == 0);
    head += 1022; /* argsz and flags are the last words before nothing */
    head[0] = sizeof queue;
    head[1] = TURNSTILE_QUEUE_EXPRESS;
    FAILS(ioctl(file, TURNSTILE_QUEUE_GET, head), EFAULT);
    queue = (struct turnstile_queue){.argsz = sizeof queue, .flags = TURNSTILE_QUEUE_EXPRESS};
    CHECK(ioctl(file, TURNSTILE_QUEUE_GET, &queue) == 0);
    FAILS(pread(file, nothing, 4, queue.receive_offset), EFAULT);
    FAILS(pwrite(file, nothing, 4, queue.send_offset), EFAULT);
}

static void a_file_has_one_queue_of_a_kind(void)
{
    struct turnstile_queue queue, basic = {.argsz = sizeof basic, .flags = TURNSTILE_QUEUE_BASIC};
    int file = device_with_queue(&queue);

    FAILS(ioctl(file, TURNSTILE_QUEUE_GET, &queue), EEXIST);
    CHECK(ioctl(file, TURNSTILE_QUEUE_GET, &basic) == 0);
    CHECK((basic.queue == 14 || basic.queue == 15) && basic.send_bytes == 0 && basic.receive_bytes == 4096 && basic.ring_bytes == HOST_RING_BYTES);
    FAILS(ioctl(file, TURNSTILE_QUEUE_GET, &basic), EEXIST);
}

static void a_ring_is_reached_by_its_owner_alone_and_is_clean(void)
{
    struct turnstile_queue mine = {.argsz = sizeof mine, .flags = TURNSTILE_QUEUE_BASIC}, theirs = mine;
    int a = device(), b = device();
    static uint8_t bytes[HOST_RING_BYTES];
    const uint32_t mark = 0x5EC3E7;

    CHECK(ioctl(a, TURNSTILE_QUEUE_GET, &mine) == 0 && ioctl(b, TURNSTILE_QUEUE_GET, &theirs) == 0);
    CHECK(pwrite(a, &mark, 4, mine.ring_offset + 2000) == 4 && pread(a, bytes, 4, mine.ring_offset + 2000) == 4 && !memcmp(bytes, &mark, 4));
    FAILS(pread(a, bytes, 4, theirs.ring_offset), EACCES);
    FAILS(pwrite(b, &mark, 4, mine.ring_offset), EACCES);
    FAILS(pread(a, bytes, 8, mine.ring_offset + mine.ring_bytes - 4), EACCES);
    FAILS(pread(a, bytes, 4, mine.ring_offset - 4), EACCES);
    FAILS(pread(a, bytes, 4, mine.ring_offset + 2 * HOST_RING_BYTES), EACCES);
    FAILS(pread(a, bytes, 4, UINT64_C(0x7FFFFFFFFFFFF000)), EACCES);
    close(a);
    FAILS(pread(b, bytes, 4, mine.ring_offset), EACCES);
    a = device();
    CHECK(ioctl(a, TURNSTILE_QUEUE_GET, &mine) == 0);
    CHECK(pread(a, bytes, sizeof bytes, mine.ring_offset) == sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) CHECK(bytes[i] == 0);
}

static void what_is_not_granted_is_not_reached(void)
{
    struct turnstile_queue queue;
    int file = device_with_queue(&queue);
    struct turnstile_info info = {.argsz = sizeof info};
    uint64_t word = 0;

    CHECK(ioctl(file, TURNSTILE_INFO, &info) == 0);
    FAILS(pread(file, &word, 4, 0), EACCES);
    FAILS(pread(file, &word, 4, queue.receive_offset - 4), EACCES);
    FAILS(pread(file, &word, 4, queue.receive_offset + queue.receive_bytes), EACCES);
    FAILS(pwrite(file, &word, 4, queue.send_offset + queue.send_bytes), EACCES);
    FAILS(pwrite(file, &word, 4, queue.send_offset - 4), EACCES);
    FAILS(pread(file, &word, 8, queue.receive_offset + queue.receive_bytes - 4), EACCES);
    FAILS(pread(file, &word, 4, info.shared_offset + info.shared_bytes), EACCES);
    FAILS(pread(file, &word, 4, info.shared_offset - 4), EACCES);
    FAILS(pwrite(file, &word, 8, info.shared_offset + info.shared_bytes - 4), EACCES);
    FAILS(pread(file, &word, 2, queue.receive_offset), EINVAL);
    FAILS(pread(file, &word, 8, queue.receive_offset + 4), EINVAL);
    FAILS(pwrite(file, &word, 8, queue.send_offset), EINVAL);
    FAILS(pwrite(file, &word, 4, queue.send_offset + 2), EINVAL);
}

static void seeded(void)
{
    const char *given = getenv("SEED");
    unsigned seed = given ? strtoul(given, NULL, 0) : 1;

    printf("guest: SEED=%u\n", seed);
    srand(seed);
}

static uint32_t any_word(void) { return (uint32_t)rand() << 16 ^ (uint32_t)rand(); }

/* What a Basic queue's owner writes into its slots and pointers, which the card reads: an aP and another process are served meanwhile, and the next owner after. */
static void any_slot_and_pointer_stops_nobody_else(void)
{
    struct turnstile_queue basic = {.argsz = sizeof basic, .flags = TURNSTILE_QUEUE_BASIC}, other;
    int hostile = device(), file = device_with_queue(&other);
    uint32_t word, before;
    ts_card_t *card;
    ts_basic_message_t came;

    seeded();
    CHECK(ioctl(hostile, TURNSTILE_QUEUE_GET, &basic) == 0);
    for (uint32_t i = 0; i < 150; i++) {
        uint32_t slot[8], which = rand() % 2 ? AP_BASIC_TX_PRODUCER : AP_BASIC_RX_CONSUMER;

        for (int n = 0; n < 8; n++) slot[n] = any_word();
        if (rand() % 2) slot[0] = (slot[0] & 0x7C0001FFu) | (slot[0] >> 16 & 127) << 16; /* without lines: more of them are messages */
        CHECK(pwrite(hostile, slot, sizeof slot, basic.ring_offset + rand() % 16 * 128) == sizeof slot);
        CHECK(pread(hostile, &word, 4, basic.receive_offset + which) == 4);
        word = rand() % 3 ? word + rand() % 18 : any_word();
        CHECK(pwrite(hostile, &word, 4, basic.receive_offset + which) == 4);
        if (i % 10 == 0) {
            ask(file, &other, CARD_ADD_ONE, i);
            CHECK(answer(file, &other, CARD_ADD_ONE) == i + 1);
        }
    }
    CHECK(pread(hostile, &before, 4, basic.receive_offset + AP_BASIC_STATUS) == 4 && (before >> AP_BASIC_STATUS_COUNT_SHIFT & AP_BASIC_STATUS_COUNT_MASK) > 0);
    close(hostile);
    CHECK(ts_open(NULL, &card) == 0 && ts_basic_open(card) == (int)basic.queue);
    CHECK(ts_basic_send(card, ts_name_of_queue(0, basic.queue - 8), 3, "after", 5) == 0);
    while (ts_basic_receive(card, &came, 20000) == 0 && came.from != (int)basic.queue - 8) { /* answers of the aP to what was sent before */
    }
    CHECK(came.bytes == 5 && !memcmp(came.payload, "after", 5));
    ts_close(card);
}

/* Any command, size, flag and pointer; the seed is in the environment, from the kernel's command line. */
static void any_ioctl_is_answered(void)
{
    int files[2] = {device(), device()};
    static uint8_t room[256];
    unsigned i;

    seeded();
    for (i = 0; i < 3000; i++) {
        unsigned long command = rand() % 4 ? _IO(TURNSTILE_IOCTL_MAGIC, rand() % 4) : (unsigned long)rand() << 1 ^ rand();
        void *pointers[] = {room, room + rand() % 200, NULL, (void *)((unsigned long)rand() << 20), (void *)-(long)(rand() % 64)};
        uint32_t head[2] = {rand() % 5 ? rand() % 80u : ~0u - rand() % 4, rand() % 5 ? rand() % 16u : (unsigned)rand()};
        int result;

        memcpy(room, head, sizeof head);
        result = ioctl(files[rand() % 2], command, pointers[rand() % 5]);
        CHECK(result == 0 || errno == EINVAL || errno == EFAULT || errno == ENOTTY || errno == EEXIST || errno == EBUSY || errno == EBADF || errno == ENXIO || errno == EOPNOTSUPP);
        if (i % 200 == 0) {
            close(files[0]);
            files[0] = device();
        }
    }
}

const struct test misuse[] = {
    {"ioctls_want_their_sizes_and_flags", ioctls_want_their_sizes_and_flags},
    {"a_bad_pointer_is_EFAULT_and_takes_no_queue", a_bad_pointer_is_EFAULT_and_takes_no_queue},
    {"a_file_has_one_queue_of_a_kind", a_file_has_one_queue_of_a_kind},
    {"a_ring_is_reached_by_its_owner_alone_and_is_clean", a_ring_is_reached_by_its_owner_alone_and_is_clean},
    {"what_is_not_granted_is_not_reached", what_is_not_granted_is_not_reached},
    {"any_slot_and_pointer_stops_nobody_else", any_slot_and_pointer_stops_nobody_else},
    {"any_ioctl_is_answered", any_ioctl_is_answered},
    {0},
};
