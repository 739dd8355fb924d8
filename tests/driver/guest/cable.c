/* A host whose card is held and has a wire: it starts it as a user would, by the command, before the tests of several hosts. */
#include "guest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60, LOOKS = 1000 * SECONDS };

/* It must end so. */
static void ends(int wanted, const char *const arguments[])
{
    pid_t child;
    int status = -1;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        execv("/turnstile", (char *const *)arguments);
        _exit(1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == wanted);
}

static void turnstile(const char *const arguments[]) { ends(0, arguments); }

static void address_of(int site, char *to, size_t room) { snprintf(to, room, "02:00:00:00:00:%02x", site + 1); }

/* Neither a station's address nor one at all. */
static void wrong_ends_are_refused(void)
{
    const char *const wrong[] = {"01:00:00:00:00:01", "00:00:00:00:00:00", "02:00:00:00:00", "cable", ""};

    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) ends(1, (const char *const[]){"turnstile", "wire", "--own", wrong[i], NULL});
}

void start_card_on_a_cable(void)
{
    const int site = atoi(getenv("SITE"));
    char own[24], peer[24], up[8] = "";
    int looks;

    wrong_ends_are_refused();
    address_of(site, own, sizeof own);
    address_of(1 - site, peer, sizeof peer);
    turnstile((const char *const[]){"turnstile", "firmware", "--load", "/firmware.elf", "--hold", NULL});
    turnstile((const char *const[]){"turnstile", "wire", "--own", own, "--peer", peer, NULL});
    for (looks = 0; looks < LOOKS && strcmp(up, "1"); looks++) {
        text_of(SYSFS "wire/up", up, sizeof up);
        usleep(1000);
    }
    CHECK(looks < LOOKS);
    turnstile((const char *const[]){"turnstile", "firmware", "--run", NULL});
}

void tell_of_the_wire(void) { turnstile((const char *const[]){"turnstile", "wire", NULL}); }
