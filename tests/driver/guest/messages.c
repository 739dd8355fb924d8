/* A process finds the card, and exchanges messages with the card's aP by its own queue. */
#include "guest.h"
#include "../requests.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static void the_card_is_known_by_its_build_id(void)
{
    struct turnstile_info info = {.argsz = sizeof info};
    char text[64];

    text_of(SYSFS "build_id", text, sizeof text);
    CHECK(strtoul(text, NULL, 16) == HOST_BUILD_ID_VALUE);
    CHECK(ioctl(device(), TURNSTILE_INFO, &info) == 0);
    CHECK(info.argsz == sizeof info && info.build_id == HOST_BUILD_ID_VALUE);
    CHECK(info.express_queues == 0xC0 && info.basic_queues == 0xC000);
    CHECK(info.shared_bytes && info.shared_address >= MEMORY_BASE && info.shared_offset == TURNSTILE_SHARED_OFFSET);
}

static void a_store_is_a_message_and_a_load_takes_one(void)
{
    struct turnstile_queue queue;
    int file = device_with_queue(&queue), i;

    for (i = 0; i < 20; i++) {
        ask(file, &queue, CARD_ADD_ONE, 1000 * i);
        CHECK(answer(file, &queue, CARD_ADD_ONE) == 1000u * i + 1);
    }
    CHECK(!is_message(poll_once(file, &queue)));
}

static void messages_come_in_order(void)
{
    struct turnstile_queue queue;
    int file = device_with_queue(&queue), i;

    for (i = 0; i < 8; i++) ask(file, &queue, CARD_ADD_ONE, i);
    for (i = 0; i < 8; i++) CHECK(answer(file, &queue, CARD_ADD_ONE) == (uint32_t)i + 1);
}

static void a_name_that_nobody_has_stops_nothing(void)
{
    struct turnstile_queue queue;
    int file = device_with_queue(&queue);
    uint32_t word = 1;

    for (int name = 0; name < 512; name += 37)
        if (name >= 8) CHECK(pwrite(file, &word, 4, queue.send_offset + EXPRESS_TX_DEST(name)) == 4);
    CHECK(pwrite(file, &word, 4, queue.send_offset + EXPRESS_TX_DEST(0)) == 4); /* the protocol of the sP */
    ask(file, &queue, CARD_ADD_ONE, 6);
    CHECK(answer(file, &queue, CARD_ADD_ONE) == 7);
}

static struct turnstile_queue first;

static void another_gets_another_queue(void)
{
    struct turnstile_queue own, third = {.argsz = sizeof third, .flags = TURNSTILE_QUEUE_EXPRESS};
    int file = device_with_queue(&own);
    uint32_t word = 0;

    CHECK(own.queue != first.queue);
    CHECK(own.send_offset != first.send_offset && own.receive_offset != first.receive_offset);
    FAILS(ioctl(device(), TURNSTILE_QUEUE_GET, &third), EBUSY);
    FAILS(pread(file, &word, 4, first.receive_offset), EACCES);
    FAILS(pwrite(file, &word, 4, first.send_offset), EACCES);
    ask(file, &own, CARD_ADD_ONE, 40);
    CHECK(answer(file, &own, CARD_ADD_ONE) == 41);
}

static void two_processes_have_different_queues(void)
{
    int file = device_with_queue(&first);

    in_child(another_gets_another_queue);
    CHECK(!is_message(poll_once(file, &first)));
}

static void hosts_send_to_each_other(void)
{
    struct turnstile_queue a, b;
    int from = device_with_queue(&a), to = device_with_queue(&b), left;
    uint32_t word = 0xABCD0123;
    uint64_t both = 0;

    CHECK(pwrite(from, &word, 4, a.send_offset + EXPRESS_TX_DEST(b.queue)) == 4);
    for (left = 1000; left && !is_message(both); left--) both = poll_once(to, &b);
    CHECK(left && (uint32_t)both == word);
    CHECK((both >> 32 >> EXPRESS_META_SOURCE_SHIFT & EXPRESS_META_SOURCE_MASK) == a.queue);
}

/* Enough to fill the queue of one who does not read, and then some. */
static void who_does_not_read_loses_only_his_own(void)
{
    struct turnstile_queue a, b;
    int from = device_with_queue(&a), to = device_with_queue(&b), i;
    uint32_t word;

    for (word = 0; word < 400; word++) CHECK(pwrite(from, &word, 4, a.send_offset + EXPRESS_TX_DEST(b.queue)) == 4);
    ask(from, &a, CARD_ADD_ONE, 1);
    CHECK(answer(from, &a, CARD_ADD_ONE) == 2);
    for (i = 0; i < 2000; i++) poll_once(to, &b);
    ask(to, &b, CARD_ADD_ONE, 3);
    CHECK(answer(to, &b, CARD_ADD_ONE) == 4);
}

/* More than there are places for while the aP does not read. */
static void who_floods_an_ap_is_held_and_nothing_is_lost(void)
{
    enum { FLOOD = 1500, TURNS = 100000 };
    struct turnstile_queue queue;
    int file = device_with_queue(&queue), i;

    ask(file, &queue, CARD_COUNTED, 0);
    answer(file, &queue, CARD_COUNTED);
    ask(file, &queue, CARD_SLEEP, TURNS);
    for (i = 0; i < FLOOD; i++) ask(file, &queue, CARD_COUNT, i);
    CHECK(answer(file, &queue, CARD_SLEEP) == TURNS);
    ask(file, &queue, CARD_COUNTED, 0);
    CHECK(answer(file, &queue, CARD_COUNTED) == FLOOD);
}

/* User-Mode Linux has nothing behind a BAR that a process could map: it is told so, and lives. */
static void mmap_is_refused_where_it_cannot_be(void)
{
    struct turnstile_queue queue;
    int file = device_with_queue(&queue);

    errno = 0;
    CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, queue.receive_offset) == MAP_FAILED && errno == ENODEV);
}

const struct test messages[] = {
    {"the_card_is_known_by_its_build_id", the_card_is_known_by_its_build_id},
    {"a_store_is_a_message_and_a_load_takes_one", a_store_is_a_message_and_a_load_takes_one},
    {"messages_come_in_order", messages_come_in_order},
    {"a_name_that_nobody_has_stops_nothing", a_name_that_nobody_has_stops_nothing},
    {"two_processes_have_different_queues", two_processes_have_different_queues},
    {"hosts_send_to_each_other", hosts_send_to_each_other},
    {"who_does_not_read_loses_only_his_own", who_does_not_read_loses_only_his_own},
    {"who_floods_an_ap_is_held_and_nothing_is_lost", who_floods_an_ap_is_held_and_nothing_is_lost},
    {"mmap_is_refused_where_it_cannot_be", mmap_is_refused_where_it_cannot_be},
    {0},
};
