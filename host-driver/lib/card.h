/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the library share. */
#ifndef CARD_H
#define CARD_H
#include "turnstile_host.h"
#include "turnstile_ioctl.h"
#include <pthread.h>
#include <stdint.h>

struct ts_card {
    int file;
    unsigned born; /* ts_generation when it was opened */
    char device[64];
    ts_info_t info;
    uint64_t shared_offset;
    struct turnstile_queue express; /* argsz 0: none */
    volatile uint8_t *send, *receive, *shared; /* NULL: not mapped */
    pthread_mutex_t sending; /* between a look for room and the store that takes it */
};

/* How many forks this process is away from the first. */
extern unsigned ts_generation;

/* Keeps the sentence for ts_strerror, and returns the code. */
int ts_says(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for what a system call said (errno) of the card. */
int ts_says_errno(const ts_card_t *card, const char *what);
/* 0, or TS_ERROR_FORKED. */
int ts_owned(const ts_card_t *card);
#endif
