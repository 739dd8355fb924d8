/* The private heap: what picolibc's malloc grows, up to the end of the private window. */
#include <errno.h>
#include <stdio.h>
#include <turnstile.h>
#include <unistd.h>

#include "niu.h"
#include "runtime.h"

static char *end = __heap_start;

char *heap_break(void) { return end; }

void *sbrk(ptrdiff_t bytes)
{
    char *start = end;

    char *const most = (char *)__tt_memory.private_end;

    if (bytes > most - end || bytes < __heap_start - end) {
        /* malloc may be asked speculatively, so it is refused; but never without a word. */
        printf("process %d: private heap exhausted: %ld bytes asked for, %ld of %ld left: PRIVATE= gives more, or use G_MALLOC for large data\n",
               ts_self(), (long)bytes, (long)(most - end), (long)(most - __heap_start));
        errno = ENOMEM;
        return (void *)-1;
    }
    end += bytes;
    return start;
}
