/* What the tests in the guest share: they print a line each, and one at the end that tests/driver/test_driver.py reads. */
#ifndef GUEST_H
#define GUEST_H
#include "turnstile_ioctl.h"
#include "niu_regs.h"
#include <stdint.h>
#include <sys/types.h>

#define DEVICE "/dev/turnstile0"
#define SYSFS "/sys/class/turnstile/turnstile0/"

/* A test returns when it is done; what is not as it must be ends it with the line of the check. */
void check_that(int holds, const char *what, const char *file, int line);
#define CHECK(what) check_that(!!(what), #what, __FILE__, __LINE__)
/* The call fails with this error and no other. */
#define FAILS(call, error) CHECK((errno = 0, (call) == -1) && errno == (error))

struct test {
    const char *name;
    void (*run)(void);
};
extern const struct test messages[], memory[], misuse[], events[], lifetimes[], mapped[], cluster[];

/* An open device with an Express queue, or without. */
int device(void);
int device_with_queue(struct turnstile_queue *queue);
/* In a process of its own, which must end with 0; and one that goes on until it is killed, when it has said it is ready. */
void in_child(void (*run)(void));
pid_t child_that_stays(void (*begin)(void));
void kill_child(pid_t child);

/* A word for aP 0 of site 0, with what it does as the tag; the next message, or the test fails. */
void ask(int file, const struct turnstile_queue *queue, unsigned tag, uint32_t word);
uint32_t answer(int file, const struct turnstile_queue *queue, unsigned tag);
/* META and DATA of a load of 8 bytes. */
uint64_t poll_once(int file, const struct turnstile_queue *queue);
static inline int is_message(uint64_t both) { return (both >> 32 >> EXPRESS_META_TYPE_SHIFT & EXPRESS_META_TYPE_MASK) == 1; }

/* Where the card is on its bus, known from the first call on; the driver takes it, or leaves it. */
const char *card_address(void);
void bind_or_unbind(const char *what);
void text_of(const char *path, char *to, size_t room);
/* Tests of library and command, tests/driver/user: they say themselves how they went. */
void run_user(void);
void run_bench(void);
/* cable.c */
void start_card_on_a_cable(void);
void tell_of_the_wire(void);
int load_module(void);
int unload_module(int flags);
#endif
