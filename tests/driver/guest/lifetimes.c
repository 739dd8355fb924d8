/* Queues of processes that die, and a card or a driver that goes away while files are open. */
#include "guest.h"
#include "../requests.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void takes_a_queue(void)
{
    struct turnstile_queue queue;

    device_with_queue(&queue);
}

static void who_dies_loses_his_queue(void)
{
    pid_t a = child_that_stays(takes_a_queue), b = child_that_stays(takes_a_queue);
    struct turnstile_queue queue = {.argsz = sizeof queue, .flags = TURNSTILE_QUEUE_EXPRESS};
    char text[64];
    int file = device();

    FAILS(ioctl(file, TURNSTILE_QUEUE_GET, &queue), EBUSY);
    kill_child(a);
    CHECK(ioctl(file, TURNSTILE_QUEUE_GET, &queue) == 0);
    kill_child(b);
    close(file);
    text_of(SYSFS "queues_taken", text, sizeof text);
    CHECK(strtoul(text, NULL, 16) == 0);
}

static void leaves_answers_unread(void)
{
    struct turnstile_queue queue;
    int file = device_with_queue(&queue), i;

    for (i = 0; i < 3; i++) ask(file, &queue, CARD_ADD_ONE, i);
    /* They have come when an answer to a fourth, of another file, has. */
    {
        struct turnstile_queue other;
        int second = device_with_queue(&other);

        ask(second, &other, CARD_ADD_ONE, 9);
        CHECK(answer(second, &other, CARD_ADD_ONE) == 10);
    }
}

static void the_next_owner_gets_no_message_of_the_last(void)
{
    struct turnstile_queue queue;
    int file, i;

    in_child(leaves_answers_unread);
    file = device_with_queue(&queue);
    for (i = 0; i < 50; i++) CHECK(!is_message(poll_once(file, &queue)));
    ask(file, &queue, CARD_ADD_ONE, 70);
    CHECK(answer(file, &queue, CARD_ADD_ONE) == 71);
}

const char *card_address(void)
{
    static char link[256], *address;

    if (!address) {
        CHECK(readlink(SYSFS "device", link, sizeof link - 1) > 0);
        address = strrchr(link, '/') + 1;
    }
    return address;
}

void bind_or_unbind(const char *what)
{
    const char *name = card_address();
    char path[128];
    int file;

    strcat(strcpy(path, "/sys/bus/pci/drivers/turnstile/"), what);
    file = open(path, O_WRONLY);
    CHECK(file >= 0 && write(file, name, strlen(name)) == (ssize_t)strlen(name));
    close(file);
}

static void a_card_that_goes_is_ENODEV(void)
{
    struct turnstile_queue queue;
    int file = device_with_queue(&queue);
    uint64_t both;

    bind_or_unbind("unbind");
    FAILS(ioctl(file, TURNSTILE_QUEUE_GET, &queue), ENODEV);
    FAILS(pread(file, &both, 8, queue.receive_offset), ENODEV);
    CHECK(access(DEVICE, F_OK) == -1);
    CHECK(close(file) == 0);
    bind_or_unbind("bind");
    file = device_with_queue(&queue);
    ask(file, &queue, CARD_ADD_ONE, 80);
    CHECK(answer(file, &queue, CARD_ADD_ONE) == 81);
}

static void the_module_stays_while_a_file_is_open(void)
{
    int file = device();

    FAILS(unload_module(0), EWOULDBLOCK);
    CHECK(close(file) == 0);
    CHECK(unload_module(0) == 0);
    CHECK(access(DEVICE, F_OK) == -1);
    CHECK(load_module() == 0);
    close(device());
}

const struct test lifetimes[] = {
    {"who_dies_loses_his_queue", who_dies_loses_his_queue},
    {"the_next_owner_gets_no_message_of_the_last", the_next_owner_gets_no_message_of_the_last},
    {"a_card_that_goes_is_ENODEV", a_card_that_goes_is_ENODEV},
    {"the_module_stays_while_a_file_is_open", the_module_stays_while_a_file_is_open},
    {0},
};
