/* A kernel that maps the card (QEMU's guest): messages without a system call, and what a process maps of others. */
#define _GNU_SOURCE
#include "guest.h"
#include "../requests.h"
#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <turnstile_host.h>
#include <unistd.h>

enum { ROUNDS = 100, AP = 2 };

static ts_card_t *card_with_mapped_queue(int *queue)
{
    ts_card_t *card;

    CHECK(ts_open(NULL, &card) == 0 && !strcmp(ts_path(card), "mmap"));
    *queue = ts_express_open(card);
    CHECK(*queue == 6 || *queue == 7);
    return card;
}

/* The signal that ends a child which does this. */
static int ends_by(void (*what)(void *), void *with)
{
    int status;
    pid_t child = fork();

    CHECK(child >= 0);
    if (child == 0) {
        what(with);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* After prctl only read, write, exit and sigreturn are allowed: any other call ends the process. */
static void sends_without_a_call(void)
{
    int queue;
    ts_card_t *card = card_with_mapped_queue(&queue);
    ts_express_port_t self, ap;
    ts_express_t came;
    uint32_t i, wrong = 0;

    CHECK(ts_express_port(card, ts_name_of_queue(0, queue), 3, 1, &self) == 0 && self.at);
    CHECK(ts_express_port(card, ts_name_of_ap(0, 0), CARD_ADD_ONE, 0, &ap) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    for (i = 0; i < ROUNDS; i++) {
        ts_express_store(&self, i);
        while (ts_express_poll(card, &came) != 1) {
        }
        wrong |= came.word != i || came.tag != 3 || came.priority != 1 || came.from != queue;
        ts_express_store(&ap, i);
        while (ts_express_poll(card, &came) != 1) {
        }
        wrong |= came.word != i + 1 || came.tag != CARD_ADD_ONE || came.from != AP;
    }
    syscall(SYS_exit, wrong);
}

static void messages_need_no_system_call(void) { in_child(sends_without_a_call); }

static void two_processes_send_at_once(void)
{
    pid_t children[2];
    int status;

    for (int i = 0; i < 2; i++)
        if ((children[i] = fork()) == 0) sends_without_a_call();
    for (int i = 0; i < 2; i++) CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0);
}

static void basic_messages_by_mapped_rings(void)
{
    unsigned char out[TS_BASIC_BYTES];
    ts_basic_message_t came;
    ts_card_t *card;
    int queue;

    CHECK(ts_open(NULL, &card) == 0);
    queue = ts_basic_open(card);
    CHECK(queue == 14 || queue == 15);
    for (unsigned bytes = 0; bytes <= TS_BASIC_BYTES; bytes++) {
        for (unsigned i = 0; i < bytes; i++) out[i] = i * 7 + bytes;
        CHECK(ts_basic_send(card, ts_name_of_queue(0, queue - 8), bytes % 16, out, bytes) == 0);
        CHECK(ts_basic_receive(card, &came, 20000) == 0);
        CHECK(came.from == queue - 8 && came.tag == bytes % 16 && came.bytes == bytes && !memcmp(came.payload, out, bytes));
    }
    CHECK(ts_basic_send(card, ts_name_of_ap(0, 0), 1, "ab", 2) == 0 && ts_basic_receive(card, &came, 20000) == 0);
    CHECK(came.from == AP && came.bytes == 2 && came.payload[0] == (unsigned char)~'a' && came.payload[1] == (unsigned char)~'b');
    ts_close(card);
}

static struct turnstile_queue first;

static void maps_what_is_not_its_own(void)
{
    struct turnstile_queue own;
    struct turnstile_info info = {.argsz = sizeof info};
    int file = device_with_queue(&own);
    void *volatile at;

    CHECK(ioctl(file, TURNSTILE_INFO, &info) == 0);
    const struct { uint64_t offset, bytes; } others[] = {
        {first.send_offset, 4096}, {first.send_offset, first.send_bytes}, {first.receive_offset, 4096}, {own.send_offset, own.send_bytes + 4096}, {own.send_offset - 4096, 4096},
        {own.receive_offset, 8192}, {own.receive_offset - 4096, 8192}, {0, 4096}, {0, 8 << 20}, {info.shared_offset - 4096, 4096}, {info.shared_offset, info.shared_bytes + 4096},
        {info.shared_offset + info.shared_bytes, 4096}, {UINT64_C(1) << 40, 4096},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        errno = 0;
        at = mmap(NULL, others[i].bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, others[i].offset);
        CHECK(at == MAP_FAILED && errno == EACCES);
    }
    errno = 0;
    at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, own.receive_offset);
    CHECK(at == MAP_FAILED && errno == EINVAL);
    at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, own.receive_offset);
    CHECK(at != MAP_FAILED);
    errno = 0;
    CHECK(mremap(at, 4096, 8192, MREMAP_MAYMOVE) == MAP_FAILED && errno == EFAULT);
}

static void a_process_maps_its_own_pages_and_no_others(void)
{
    device_with_queue(&first);
    in_child(maps_what_is_not_its_own);
}

static void loads(void *at) { (void)*(volatile uint32_t *)at; }

static void a_childs_copy_is_not_there(void)
{
    int queue;
    ts_card_t *card = card_with_mapped_queue(&queue);
    ts_express_port_t port;

    CHECK(ts_express_port(card, ts_name_of_queue(0, queue), 0, 0, &port) == 0);
    CHECK(ends_by(loads, (void *)port.at) == SIGSEGV);
    CHECK(ends_by(loads, ts_shared(card)) == SIGSEGV);
    ts_close(card);
}

static uint32_t asked(ts_card_t *card, unsigned request, uint32_t word)
{
    ts_express_t came;

    CHECK(ts_express_send(card, ts_name_of_ap(0, 0), request, 0, word) == 0);
    CHECK(ts_express_receive(card, &came, 20000) == 0 && came.tag == request);
    return came.word;
}

static void mapped_memory_is_that_of_the_ap(void)
{
    int queue;
    ts_card_t *card = card_with_mapped_queue(&queue);
    const uint64_t offset = asked(card, CARD_WHERE, 0) - ts_info(card)->shared_address;
    volatile uint32_t *words = (volatile uint32_t *)((char *)ts_shared(card) + offset);

    for (uint32_t i = 0; i < CARD_WORDS; i += 113) {
        uint32_t word = 0xF00D0000 + i, back;

        words[i] = word;
        CHECK(ts_fence(card) == 0 && asked(card, CARD_LOAD, i) == word);
        CHECK(asked(card, CARD_STORE, i) == i && words[i] == ~i);
        CHECK(ts_store(card, offset + 4 * i, &word, 4) == 0 && ts_load(card, offset + 4 * i, &back, 4) == 0 && back == word);
    }
    ts_close(card);
}

static void dies_with_messages(void)
{
    int queue;
    ts_card_t *card = card_with_mapped_queue(&queue);
    ts_express_port_t port;

    CHECK(ts_express_port(card, ts_name_of_queue(0, queue), 9, 0, &port) == 0);
    for (uint32_t i = 0; i < 5; i++) ts_express_store(&port, i);
    raise(SIGKILL);
}

static void the_next_owner_of_a_mapped_queue_gets_no_message_of_the_last(void)
{
    pid_t child = fork();
    int queue, status;
    ts_express_t came;

    if (child == 0) dies_with_messages();
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    ts_card_t *card = card_with_mapped_queue(&queue);
    for (int i = 0; i < 50; i++) CHECK(ts_express_poll(card, &came) == 0);
    CHECK(asked(card, CARD_ADD_ONE, 5) == 6);
}

/* Stores go nowhere, loads read as ones, and the library says so. */
static void loses_the_card(void)
{
    int queue;
    ts_card_t *card = card_with_mapped_queue(&queue);
    ts_express_port_t port;
    ts_express_t came;
    ts_basic_message_t other;
    uint32_t word;

    CHECK(ts_express_port(card, ts_name_of_ap(0, 0), 1, 0, &port) == 0 && ts_basic_open(card) > 0);
    bind_or_unbind("unbind");
    CHECK(*(volatile uint32_t *)ts_shared(card) == UINT32_MAX);
    CHECK(ts_express_store(&port, 1) == 0);
    CHECK(ts_express_poll(card, &came) == TS_ERROR_GONE && ts_express_send(card, ts_name_of_ap(0, 0), 1, 0, 1) == TS_ERROR_GONE);
    CHECK(ts_express_receive(card, &came, -1) == TS_ERROR_GONE && ts_basic_receive(card, &other, -1) == TS_ERROR_GONE);
    CHECK(ts_load(card, 64, &word, 4) == TS_ERROR_GONE && ts_store(card, 64, &word, 4) == TS_ERROR_GONE && ts_fence(card) == TS_ERROR_GONE);
    CHECK(strstr(ts_strerror(TS_ERROR_GONE), "the card was taken away"));
    ts_close(card);
}

static void a_card_that_went_is_said_to_be_gone(void)
{
    card_address();
    in_child(loses_the_card);
    bind_or_unbind("bind");
    in_child(sends_without_a_call);
}

const struct test mapped[] = {
    {"messages_need_no_system_call", messages_need_no_system_call},
    {"two_processes_send_at_once", two_processes_send_at_once},
    {"basic_messages_by_mapped_rings", basic_messages_by_mapped_rings},
    {"a_process_maps_its_own_pages_and_no_others", a_process_maps_its_own_pages_and_no_others},
    {"a_childs_copy_is_not_there", a_childs_copy_is_not_there},
    {"mapped_memory_is_that_of_the_ap", mapped_memory_is_that_of_the_ap},
    {"the_next_owner_of_a_mapped_queue_gets_no_message_of_the_last", the_next_owner_of_a_mapped_queue_gets_no_message_of_the_last},
    {"a_card_that_went_is_said_to_be_gone", a_card_that_went_is_said_to_be_gone},
    {0},
};
