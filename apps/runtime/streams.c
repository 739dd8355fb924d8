/*
 * What picolibc's streams lack: stdin, on what the workstation reads; and that exit writes out what fopen opened and fclose did not close.
 * The library keeps no list of its streams, so calls of the three are caught at the link (tools/app.py, --wrap).
 */
#include <stdio-bufio.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime.h"

static char buffer[BUFSIZ];
static struct __file_bufio input = FDEV_SETUP_BUFIO(STDIN_FILENO, buffer, BUFSIZ, read, write, lseek, close, __SRD, 0);
FILE *const stdin = &input.xfile.cfile.file;

struct stream {
    struct stream *next;
    FILE *file;
};
static struct stream *streams;

FILE *__real_fopen(const char *path, const char *mode);
FILE *__real_fdopen(int file, const char *mode);
int __real_fclose(FILE *file);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fdopen(int file, const char *mode);
int __wrap_fclose(FILE *file);

static void write_out(void)
{
    for (struct stream *s = streams; s; s = s->next) fflush(s->file);
}

static FILE *keep(FILE *file)
{
    struct stream *stream = file ? malloc(sizeof *stream) : NULL;

    if (!stream) return file;
    *stream = (struct stream){streams, file};
    streams = stream;
    before_end = write_out;
    return file;
}

FILE *__wrap_fopen(const char *path, const char *mode) { return keep(__real_fopen(path, mode)); }
FILE *__wrap_fdopen(int file, const char *mode) { return keep(__real_fdopen(file, mode)); }

int __wrap_fclose(FILE *file)
{
    for (struct stream **link = &streams; *link; link = &(*link)->next)
        if ((*link)->file == file) {
            struct stream *closed = *link;
            *link = closed->next;
            free(closed);
            break;
        }
    return __real_fclose(file);
}
