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

    if (bytes > __heap_end - end || bytes < __heap_start - end) {
        /* malloc may be asked speculatively, so it is refused; but never without a word. */
        printf("process %d: private heap exhausted: %ld bytes asked for, %ld of %ld left: use G_MALLOC for large data\n",
               ts_self(), (long)bytes, (long)(__heap_end - end), (long)(__heap_end - __heap_start));
        errno = ENOMEM;
        return (void *)-1;
    }
    end += bytes;
    return start;
}
