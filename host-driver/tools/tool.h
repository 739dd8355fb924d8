/* SPDX-License-Identifier: Apache-2.0 */
/* What the subcommands of `turnstile` share. */
#ifndef TOOL_H
#define TOOL_H
#include "turnstile_host.h"
#include <stddef.h>
#include <stdint.h>

/* Exit statuses. */
enum { GOOD = 0, FAILED = 1, USAGE = 2 };

struct options {
    const char *device, *file;  /* firmware: to load */
    const char *own, *peer;     /* wire: addresses */
    int json, hold, run, off;
    unsigned site, sites, block;
    unsigned seconds, times, messages; /* stats: between two lines, lines; bench */
};

struct command {
    const char *name, *what;
    const char *takes; /* the options of its own, by their letters */
    int (*run)(const struct options *options);
};
int info(const struct options *options);
int selftest(const struct options *options);
int queue(const struct options *options);
int stats(const struct options *options);
int bench(const struct options *options);
int firmware(const struct options *options);
int wire(const struct options *options);

/* On stderr, "turnstile: " before it; returns FAILED. */
int complain(const char *sentence);
/* Prints the library's sentence. */
int complain_code(int code);

/* A file of the card in sysfs, without its newline; -1: it cannot be read (errno). */
int attribute(const char *device, const char *name, char *to, size_t room);
/* Writes it; -1: errno. */
int set_attribute(const char *device, const char *name, const char *value);
int write_file(const char *device, const char *name, const void *from, size_t bytes);
/* The last part of where a link of the card's folder in sysfs leads; -1. */
int linked(const char *device, const char *name, char *to, size_t room);
/* The counters of the driver, which are files of these names. */
extern const char *const counters[];
enum { INTERRUPTS = 6, COUNTERS };
/* All of them; -1: cannot be read. */
int count_all(const char *device, uint64_t to[COUNTERS]);

/* A result is lines of name and value, or with --json one object on a line. */
void begin_result(const struct options *options);
void text(const char *name, const char *value);
void number(const char *name, uint64_t value);
void decimal(const char *name, double value);
void hexadecimal(const char *name, uint64_t value);
void list(const char *name, uint32_t bits);
void end_result(void);
#endif
