/*
 * stdout and stderr on the console register, a line at a time: the lines of several aPs must not mix, and a character is an uncached
 * store. A full buffer is written without its newline. What is stderr's stands between two characters that say so.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <turnstile.h>
#include <turnstile_call.h>

#include "niu.h"
#include "runtime.h"

struct output {
    FILE file;
    unsigned length;
    char line[256];
};

static int put(char character, FILE *file);
static int flush(FILE *file);
static struct output out = {.file = FDEV_SETUP_STREAM(put, NULL, flush, _FDEV_SETUP_WRITE)},
                     error = {.file = FDEV_SETUP_STREAM(put, NULL, flush, _FDEV_SETUP_WRITE)};
FILE *const stdout = &out.file;
FILE *const stderr = &error.file;

static void send(struct output *output)
{
    if (!output->length) return;
    if (output == &error) AP_REG(AP_CONSOLE) = TS_CONSOLE_STDERR;
    for (unsigned i = 0; i < output->length; i++) {
        unsigned char c = (unsigned char)output->line[i];
        if (c == TS_CONSOLE_CALL || c == TS_CONSOLE_STDERR || c == TS_CONSOLE_STDOUT || c == TS_CONSOLE_LITERAL) AP_REG(AP_CONSOLE) = TS_CONSOLE_LITERAL;
        AP_REG(AP_CONSOLE) = c;
    }
    if (output == &error) AP_REG(AP_CONSOLE) = TS_CONSOLE_STDOUT;
    output->length = 0;
}

void console_flush(void)
{
    send(&out);
    send(&error);
}

void console_end_line(void)
{
    unsigned half = out.length;

    console_flush();
    if (half) AP_REG(AP_CONSOLE) = '\n';
}

/* A process just created has copied its creator's half-written line, which is not its own to print. */
void console_forget(void) { out.length = error.length = 0; }

void console_clip(void)
{
    if (out.length > sizeof out.line) out.length = 0;
    if (error.length > sizeof error.line) error.length = 0;
}

static int put(char character, FILE *file)
{
    struct output *output = (struct output *)file;

    output->line[output->length++] = character;
    if (character == '\n' || output->length == sizeof output->line) send(output);
    return (unsigned char)character;
}

static int flush(FILE *file)
{
    send((struct output *)file);
    return 0;
}

void console_write(int of_error, const char *text, size_t bytes)
{
    struct output *output = of_error ? &error : &out;

    while (bytes--) put(*text++, &output->file);
    send(output);
}

void ts_fail(const char *format, ...)
{
    va_list arguments;

    console_end_line();
    printf("process %d: ", ts_self());
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    put('\n', stdout);
    machine_exit(TS_EXIT_FAIL);
}
