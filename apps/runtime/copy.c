/*
 * memcpy, memmove and memset by words and in blocks of eight: picolibc's, which Debian builds for size, go byte by byte (9 cycles each, as
 * the data cache answers). Where source and target differ in their lowest two address bits, bytes remain.
 */
#include <stdint.h>
#include <string.h>

typedef uint32_t __attribute__((may_alias)) word_t;
enum { WORD = sizeof(word_t), BLOCK = 8 * WORD };

/* gcc must not find in these loops the functions that they are. */
#define AS_WRITTEN __attribute__((optimize("no-tree-loop-distribute-patterns")))
/* A program may have its own, as with those of a library. */
#define WEAK __attribute__((weak))

static int aligned(const void *a, const void *b) { return (((uintptr_t)a ^ (uintptr_t)b) & (WORD - 1)) == 0; }

/* From low to high addresses: right also when the target begins below the source. */
AS_WRITTEN static void copy_up(char *to, const char *from, size_t bytes)
{
    if (aligned(to, from)) {
        for (; bytes && (uintptr_t)to % WORD; bytes--) *to++ = *from++;
        for (; bytes >= BLOCK; bytes -= BLOCK, to += BLOCK, from += BLOCK) {
            const word_t *f = (const word_t *)from;
            word_t *t = (word_t *)to, a = f[0], b = f[1], c = f[2], d = f[3], e = f[4], g = f[5], h = f[6], i = f[7];
            t[0] = a, t[1] = b, t[2] = c, t[3] = d, t[4] = e, t[5] = g, t[6] = h, t[7] = i;
        }
        for (; bytes >= WORD; bytes -= WORD, to += WORD, from += WORD) *(word_t *)to = *(const word_t *)from;
    }
    while (bytes--) *to++ = *from++;
}

AS_WRITTEN static void copy_down(char *to, const char *from, size_t bytes)
{
    to += bytes, from += bytes;
    if (aligned(to, from)) {
        for (; bytes && (uintptr_t)to % WORD; bytes--) *--to = *--from;
        for (; bytes >= WORD; bytes -= WORD) to -= WORD, from -= WORD, *(word_t *)to = *(const word_t *)from;
    }
    while (bytes--) *--to = *--from;
}

WEAK void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    copy_up(to, from, bytes);
    return to;
}

WEAK void *memmove(void *to, const void *from, size_t bytes)
{
    if ((uintptr_t)to - (uintptr_t)from >= bytes) copy_up(to, from, bytes);
    else copy_down(to, from, bytes);
    return to;
}

AS_WRITTEN WEAK void *memset(void *to, int value, size_t bytes)
{
    char *t = to;
    const word_t four = (unsigned char)value * 0x01010101u;

    for (; bytes && (uintptr_t)t % WORD; bytes--) *t++ = (char)value;
    for (; bytes >= BLOCK; bytes -= BLOCK, t += BLOCK)
        for (int i = 0; i < 8; i++) ((word_t *)t)[i] = four;
    for (; bytes >= WORD; bytes -= WORD, t += WORD) *(word_t *)t = four;
    while (bytes--) *t++ = (char)value;
    return to;
}
