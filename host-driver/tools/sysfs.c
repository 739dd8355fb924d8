/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver says of a card in /sys, found by the numbers of its device file. */
#include "tool.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

const char *const counters[] = {"unsupported", "aborted", "refused", "malformed", "loads_failed", "stores_failed", [INTERRUPTS] = "interrupts"};
_Static_assert(sizeof counters / sizeof *counters == COUNTERS, "a name a counter");

static int place(const char *device, const char *name, char *to, size_t room)
{
    struct stat found;

    if (stat(device, &found)) return -1;
    snprintf(to, room, "/sys/dev/char/%u:%u/%s", major(found.st_rdev), minor(found.st_rdev), name);
    return 0;
}

int attribute(const char *device, const char *name, char *to, size_t room)
{
    char path[PATH_MAX];
    ssize_t n;
    int file, error;

    if (place(device, name, path, sizeof path)) return -1;
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    n = read(file, to, room - 1);
    error = errno;
    close(file);
    errno = error;
    if (n < 0) return -1;
    to[n && to[n - 1] == '\n' ? n - 1 : n] = 0;
    return 0;
}

int write_file(const char *device, const char *name, const void *from, size_t bytes)
{
    char path[PATH_MAX];
    size_t done = 0;
    int file, error;

    if (place(device, name, path, sizeof path)) return -1;
    file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return -1;
    while (done < bytes) {
        ssize_t n = write(file, (const char *)from + done, bytes - done);

        if (n <= 0) break;
        done += n;
    }
    error = errno;
    close(file);
    errno = error;
    return done == bytes ? 0 : -1;
}

/* The kernel is not asked to write nothing. */
int set_attribute(const char *device, const char *name, const char *value)
{
    errno = EINVAL;
    return *value ? write_file(device, name, value, strlen(value)) : -1;
}

int linked(const char *device, const char *name, char *to, size_t room)
{
    char path[PATH_MAX], target[PATH_MAX];
    const char *last;
    ssize_t n;

    if (place(device, name, path, sizeof path)) return -1;
    n = readlink(path, target, sizeof target - 1);
    if (n < 0) return -1;
    target[n] = 0;
    last = strrchr(target, '/');
    snprintf(to, room, "%s", last ? last + 1 : target);
    return 0;
}

int count_all(const char *device, uint64_t to[COUNTERS])
{
    char name[64], value[64];

    for (int i = 0; i < COUNTERS; i++) {
        snprintf(name, sizeof name, "counters/%s", counters[i]);
        if (attribute(device, name, value, sizeof value)) return -1;
        to[i] = strtoull(value, NULL, 0);
    }
    return 0;
}
