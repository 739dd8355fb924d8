/* SPDX-License-Identifier: Apache-2.0 */
/* Codes, and the sentence of a thread's last one. */
#include "card.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct {
    int code;
    char sentence[320];
} last;

static const char *const meanings[] = {
    [0] = "no error",
    [-TS_ERROR_ARGUMENT] = "an argument is out of range",
    [-TS_ERROR_NO_CARD] = "there is no such card",
    [-TS_ERROR_PERMISSION] = "this user may not open the card",
    [-TS_ERROR_VERSION] = "library and driver are not of one tree",
    [-TS_ERROR_BUSY] = "other processes have all queues",
    [-TS_ERROR_NO_QUEUE] = "the card has no queue, or has one already",
    [-TS_ERROR_FULL] = "there is no room in the transmit queue",
    [-TS_ERROR_TIMEOUT] = "nothing came in time",
    [-TS_ERROR_GONE] = "the card was taken away",
    [-TS_ERROR_FORKED] = "the card was opened by the parent process",
    [-TS_ERROR_STORE] = "shared memory takes no stores",
    [-TS_ERROR_SYSTEM] = "the kernel refused a call",
};

const char *ts_strerror(int code)
{
    const int known = sizeof meanings / sizeof *meanings;

    if (code && code == last.code) return last.sentence;
    return code > 0 || code <= -known ? "this is no code of libturnstile" : meanings[-code];
}

int ts_says(int code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(last.sentence, sizeof last.sentence, format, arguments);
    va_end(arguments);
    return last.code = code;
}

int ts_says_errno(const ts_card_t *card, const char *what)
{
    if (errno == ENODEV) return ts_says(TS_ERROR_GONE, "%s: the card was taken away; close it", card->device);
    return ts_says(TS_ERROR_SYSTEM, "%s: %s: the kernel says: %s", card->device, what, strerror(errno));
}
