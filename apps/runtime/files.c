/*
 * Files: POSIX calls on those that the workstation opens (TS_CALL_*). 0 is its STDIN=, 1 and 2 are the console. What a pointer names is
 * checked here, what a path or a descriptor is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/platform.h"
#include "call.h"
#include "niu.h"
#include "runtime.h"

/* Files that open gave and close did not take back. */
static uint32_t opened;

static int fail(int error)
{
    errno = error;
    return -1;
}

static bool of_console(int file) { return file == STDOUT_FILENO || file == STDERR_FILENO; }

/* Bytes from @p at to the end of the memory it lies in; 0: in none that a process has. */
static uint32_t memory_left(const void *at)
{
    uint32_t address = (uint32_t)at;
    char *base, *end;

    ts_heap_region(&base, &end);
    uint32_t window_end = __tt_memory.private_end + AP_MESSAGE_BYTES, heap = __tt_memory.heap;
    if (address >= AP_PRIVATE_BASE && address < window_end) return window_end - address;
    if (address - heap < (uint32_t)end - heap) return (uint32_t)end - address;
    return 0;
}

/* Puts a path before the workstation: its bytes with the NUL, or -1. */
static int give_path(const char *path)
{
    uint32_t left = memory_left(path), most = left < TS_CALL_BYTES ? left : TS_CALL_BYTES;

    if (left == 0) return fail(EFAULT);
    uint32_t length = (uint32_t)strnlen(path, most);
    if (length == most) return fail(most < TS_CALL_BYTES ? EFAULT : ENAMETOOLONG);
    memcpy(__tt_call.data, path, length + 1);
    return (int)length + 1;
}

int open(const char *path, int flags, ...)
{
    uint32_t asked = (flags & O_ACCMODE) == O_RDONLY ? TS_OPEN_READ : (flags & O_ACCMODE) == O_WRONLY ? TS_OPEN_WRITE : TS_OPEN_READ | TS_OPEN_WRITE;

    if ((flags & O_ACCMODE) > O_RDWR) return fail(EINVAL);
    if (flags & O_CREAT) asked |= TS_OPEN_CREATE;
    if (flags & O_EXCL) asked |= TS_OPEN_EXCLUSIVE;
    if (flags & O_TRUNC) asked |= TS_OPEN_TRUNCATE;
    if (flags & O_APPEND) asked |= TS_OPEN_APPEND;
    int bytes = give_path(path);
    if (bytes < 0) return -1;
    int file = host_call(TS_CALL_OPEN, asked, (uint32_t)bytes, 0);
    if (file >= 0) opened++;
    return file;
}

int close(int file)
{
    if (of_console(file)) return 0;
    int done = host_call(TS_CALL_CLOSE, (uint32_t)file, 0, 0);
    if (done == 0 && opened) opened--;
    return done;
}

ssize_t read(int file, void *data, size_t bytes)
{
    size_t done = 0;

    if (of_console(file)) return fail(EBADF);
    if (bytes > INT32_MAX) return fail(EINVAL);
    if (bytes > memory_left(data)) return fail(EFAULT);
    do {
        uint32_t part = bytes - done < TS_CALL_BYTES ? bytes - done : TS_CALL_BYTES;
        int32_t got = host_call(TS_CALL_READ, (uint32_t)file, part, 0);
        if (got < 0) return done ? (ssize_t)done : -1;
        memcpy((char *)data + done, __tt_call.data, (size_t)got);
        done += (size_t)got;
        if ((uint32_t)got < part) break;
    } while (done < bytes);
    return (ssize_t)done;
}

ssize_t write(int file, const void *data, size_t bytes)
{
    size_t done = 0;

    if (bytes > INT32_MAX) return fail(EINVAL);
    if (bytes > memory_left(data)) return fail(EFAULT);
    if (of_console(file)) {
        console_write(file == STDERR_FILENO, data, bytes);
        return (ssize_t)bytes;
    }
    do {
        uint32_t part = bytes - done < TS_CALL_BYTES ? bytes - done : TS_CALL_BYTES;
        memcpy(__tt_call.data, (const char *)data + done, part);
        int32_t put = host_call(TS_CALL_WRITE, (uint32_t)file, part, 0);
        if (put < 0) return done ? (ssize_t)done : -1;
        done += (size_t)put;
        if ((uint32_t)put < part) break;
    } while (done < bytes);
    return (ssize_t)done;
}

off_t lseek(int file, off_t offset, int from)
{
    uint32_t whence = from == SEEK_SET ? TS_SEEK_SET : from == SEEK_CUR ? TS_SEEK_CURRENT : from == SEEK_END ? TS_SEEK_END : UINT32_MAX;

    if (of_console(file)) return fail(ESPIPE);
    return host_call(TS_CALL_SEEK, (uint32_t)file, (uint32_t)offset, whence);
}

static int status_of(struct stat *status, uint32_t number, uint32_t file, uint32_t bytes)
{
    uint32_t words[TS_STAT_BYTES / 4];

    if (memory_left(status) < sizeof *status) return fail(EFAULT);
    if (host_call(number, file, bytes, 0) < 0) return -1;
    memcpy(words, __tt_call.data, sizeof words);
    *status = (struct stat){.st_mode = words[1] ? S_IFDIR | 0755 : S_IFREG | 0644, .st_nlink = 1, .st_size = (off_t)words[0]};
    return 0;
}

int stat(const char *restrict path, struct stat *restrict status)
{
    int bytes = give_path(path);

    return bytes < 0 ? -1 : status_of(status, TS_CALL_STAT, 0, (uint32_t)bytes);
}

int fstat(int file, struct stat *status)
{
    if (!of_console(file)) return status_of(status, TS_CALL_FSTAT, (uint32_t)file, 0);
    if (memory_left(status) < sizeof *status) return fail(EFAULT);
    *status = (struct stat){.st_mode = S_IFCHR | 0620, .st_nlink = 1};
    return 0;
}

int unlink(const char *path)
{
    int bytes = give_path(path);

    return bytes < 0 ? -1 : host_call(TS_CALL_UNLINK, 0, (uint32_t)bytes, 0);
}

int isatty(int file)
{
    if (of_console(file)) return 1;
    errno = ENOTTY;
    return 0;
}

void files_inherit(uint32_t process)
{
    if (opened) host_call(TS_CALL_INHERIT, process, 0, 0);
}

void files_forget(void)
{
    if (opened) host_call(TS_CALL_FORGET, 0, 0, 0);
}
