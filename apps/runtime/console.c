/*
 * stdio on the console register, a line at a time: the lines of several aPs must not mix, and a character is an uncached
 * store. A full buffer is written without its newline.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <turnstile.h>

#include "niu.h"
#include "runtime.h"

static char line[256];
static unsigned length;

void console_flush(void)
{
    for (unsigned i = 0; i < length; i++) AP_REG(AP_CONSOLE) = (unsigned char)line[i];
    length = 0;
}

void console_end_line(void)
{
    if (!length) return;
    console_flush();
    AP_REG(AP_CONSOLE) = '\n';
}

/* A process just created has copied its creator's half-written line, which is not its own to print. */
void console_forget(void) { length = 0; }

static int put(char character, FILE *file)
{
    (void)file;
    line[length++] = character;
    if (character == '\n' || length == sizeof line) console_flush();
    return (unsigned char)character;
}

static int get(FILE *file) /* there is no keyboard */
{
    (void)file;
    return EOF;
}

static int flush(FILE *file)
{
    (void)file;
    console_flush();
    return 0;
}

static FILE console = FDEV_SETUP_STREAM(put, get, flush, _FDEV_SETUP_RW);
FILE *const stdin = &console;
FILE *const stdout = &console;
FILE *const stderr = &console;

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
