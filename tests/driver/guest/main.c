/* The first process of the guest: loads the driver, runs the tests, says how they went, and switches the machine off. */
#define _GNU_SOURCE
#include "guest.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { TRIES = 5000 };

void check_that(int holds, const char *what, const char *file, int line)
{
    if (holds) return;
    printf("guest: %s:%d: not so: %s (%s)\n", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line, what, strerror(errno));
    fflush(stdout);
    _exit(1);
}

int device(void)
{
    int file = open(DEVICE, O_RDWR | O_CLOEXEC);

    CHECK(file >= 0);
    return file;
}

int device_with_queue(struct turnstile_queue *queue)
{
    int file = device();

    *queue = (struct turnstile_queue){.argsz = sizeof *queue, .flags = TURNSTILE_QUEUE_EXPRESS};
    CHECK(ioctl(file, TURNSTILE_QUEUE_GET, queue) == 0);
    return file;
}

void in_child(void (*run)(void))
{
    pid_t child;
    int status;

    fflush(stdout);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        run();
        fflush(stdout);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

pid_t child_that_stays(void (*begin)(void))
{
    int ready[2];
    char byte;
    pid_t child;

    CHECK(pipe(ready) == 0);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        begin();
        CHECK(write(ready[1], "", 1) == 1);
        for (;;) pause();
    }
    close(ready[1]);
    CHECK(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    return child;
}

void kill_child(pid_t child)
{
    CHECK(kill(child, SIGKILL) == 0);
    CHECK(waitpid(child, NULL, 0) == child);
}

void ask(int file, const struct turnstile_queue *queue, unsigned tag, uint32_t word)
{
    enum { SITE = 0, AP = 2 };
    uint32_t status = 0;
    int left;

    for (left = TRIES; left && !(status & HOST_EXPRESS_ROOM_LOW(1)); left--) CHECK(pread(file, &status, 4, queue->send_offset) == 4);
    CHECK(left);
    CHECK(pwrite(file, &word, 4, queue->send_offset + (EXPRESS_TX_TAG(tag) | EXPRESS_TX_DEST(SITE << 3 | AP))) == 4);
}

uint64_t poll_once(int file, const struct turnstile_queue *queue)
{
    uint64_t both;

    CHECK(pread(file, &both, 8, queue->receive_offset) == 8);
    return both;
}

uint32_t answer(int file, const struct turnstile_queue *queue, unsigned tag)
{
    int left;

    for (left = TRIES; left; left--) {
        uint64_t both = poll_once(file, queue);
        uint32_t meta = both >> 32;

        if (!is_message(both)) continue;
        CHECK((meta >> EXPRESS_META_TAG_SHIFT & EXPRESS_META_TAG_MASK) == tag);
        CHECK((meta >> EXPRESS_META_SOURCE_SHIFT & EXPRESS_META_SOURCE_MASK) == 2);
        return (uint32_t)both;
    }
    CHECK(!"an answer came");
    return 0;
}

void text_of(const char *path, char *to, size_t room)
{
    int file = open(path, O_RDONLY);
    ssize_t n;

    CHECK(file >= 0);
    n = read(file, to, room - 1);
    CHECK(n >= 0);
    to[n > 0 && to[n - 1] == '\n' ? n - 1 : n] = 0;
    close(file);
}

int load_module(void)
{
    int file = open("/turnstile.ko", O_RDONLY), result;

    CHECK(file >= 0);
    result = syscall(SYS_finit_module, file, "", 0);
    close(file);
    return result;
}

int unload_module(int flags) { return syscall(SYS_delete_module, "turnstile", O_NONBLOCK | flags); }

static int passed, failed;

static void run(const struct test *tests)
{
    for (; tests->name; tests++) {
        pid_t child;
        int status = -1;

        fflush(stdout);
        child = fork();
        if (child == 0) {
            alarm(100);
            tests->run();
            fflush(stdout);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status) {
            failed++;
            printf("guest: FAILED %s\n", tests->name);
        } else {
            passed++;
            printf("guest: passed %s\n", tests->name);
        }
    }
}

/* What a kernel that looks for leaks has found, printed; others have no such file. Objects younger than 5 seconds do not count. */
static int leaks(void)
{
    char found[4096];
    int file;
    ssize_t n;

    mount("debugfs", "/sys/kernel/debug", "debugfs", 0, "");
    file = open("/sys/kernel/debug/kmemleak", O_RDWR);
    if (file < 0) return 0;
    sleep(6);
    CHECK(write(file, "scan", 4) == 4);
    sleep(1);
    CHECK(write(file, "scan", 4) == 4);
    n = read(file, found, sizeof found - 1);
    CHECK(n >= 0);
    close(file);
    found[n] = 0;
    if (n) printf("guest: leaks:\n%s\n", found);
    return n > 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "driver";

    setvbuf(stdout, NULL, _IOLBF, 0);
    mkdir("/proc", 0755);
    mkdir("/sys", 0755);
    mkdir("/dev", 0755);
    mount("proc", "/proc", "proc", 0, "");
    mount("sysfs", "/sys", "sysfs", 0, "");
    mount("devtmpfs", "/dev", "devtmpfs", 0, "");
    if (load_module())
        printf("guest: the module does not load: %s\n", strerror(errno));
    if (!strcmp(what, "refused")) {
        printf("guest: the device is %s\n", access(DEVICE, F_OK) ? "not there" : "there");
    } else if (!strcmp(what, "user")) {
        run_user();
    } else if (!strcmp(what, "bench")) {
        run_bench();
    } else if (!strcmp(what, "cluster")) {
        const int wired = access(SYSFS "wire/up", F_OK) == 0; /* the folder is there without */

        if (wired) start_card_on_a_cable();
        run(cluster);
        if (wired) tell_of_the_wire();
        printf("guest: %d passed, %d failed\n", passed, failed);
    } else if (!strcmp(what, "mapped")) {
        int apart = open("/dev/ttyS1", O_WRONLY | O_NOCTTY); /* the kernel's lines on the console come between */

        CHECK(apart >= 0 && dup2(apart, 1) == 1);
        run(mapped);
        run(events);
        printf("guest: %d passed, %d failed\n", passed, failed);
        fflush(stdout);
        tcdrain(1);
    } else {
        run(messages);
        run(memory);
        run(misuse);
        run(events);
        run(lifetimes);
        failed += leaks();
        printf("guest: %d passed, %d failed\n", passed, failed);
    }
    fflush(stdout);
    reboot(RB_POWER_OFF);
    return 1;
}
