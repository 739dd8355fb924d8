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
    int interrupts;
    struct turnstile_queue express, basic; /* argsz 0: none */
    int event[2];                          /* that tells of a message in those, by turnstile_wait; -1: none yet */
    volatile uint8_t *send, *receive, *pointers, *ring, *shared; /* NULL: not mapped */
    pthread_mutex_t sending; /* between a look for room and the store that takes it */
    pthread_mutex_t rings;   /* of what follows: slots, counted from the card's reset on */
    uint32_t made, launched, sent, arrived, taken, refused;
};

/* How many forks this process is away from the first. */
extern unsigned ts_generation;

/* Keeps the sentence for ts_strerror, and returns the code. */
int ts_says(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for what a system call said (errno) of the card. */
int ts_says_errno(const ts_card_t *card, const char *what);
/* Maps a part of the card's file; `at` stays NULL where the kernel maps none. */
int ts_map(ts_card_t *card, uint64_t offset, uint64_t bytes, volatile uint8_t **at, const char *what);
/* What a load reads when the card is gone. */
int ts_silent(const ts_card_t *card);
/* Whether a message may have this destination and tag. */
int ts_legal(int to, unsigned tag);
/* Bytes from BAR4, mapped or at an offset of the file; to it. */
int ts_load_from(ts_card_t *card, const volatile uint8_t *mapped, uint64_t offset, void *to, size_t bytes);
int ts_store_to(ts_card_t *card, uint64_t offset, const void *from, size_t bytes);
/* Milliseconds of a clock. */
int64_t ts_now(void);
/* Gets a queue of a kind (TURNSTILE_QUEUE_*) from the driver: 0, or an error. */
int ts_get_queue(ts_card_t *card, uint32_t kind, struct turnstile_queue *queue);
/* Whether the card has it: 0, TS_ERROR_FORKED, TS_ERROR_NO_QUEUE. */
int ts_has_queue(const ts_card_t *card, uint32_t kind);
/* Takes a message of the kind within so many milliseconds, below 0: whenever it comes. Looks all the time, or a little and then sleeps, if the host has interrupts for the card. */
int ts_take_within(ts_card_t *card, uint32_t kind, int (*take)(ts_card_t *, void *), void *message, int milliseconds, int sleeps);
/* 0, or TS_ERROR_FORKED. */
int ts_owned(const ts_card_t *card);
#endif
