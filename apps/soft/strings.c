/** \file
 * <string.h> for memory that may be shared. A copy goes through a line of the aP's own, so a block of the source and one of the target are never needed at a
 * time; the rest is compiled with checks, as a program is.
 */
#include "soft.h"

#include <string.h>

enum { LINE = 1 << SOFT_LINE_SHIFT };
#define UNCHECKED __attribute__((no_sanitize_thread, optimize("no-tree-loop-distribute-patterns")))
#define AS_WRITTEN __attribute__((optimize("no-tree-loop-distribute-patterns")))

/* Of a line, at most. */
UNCHECKED static inline void move(char *to, const char *from, uint32_t bytes) {
    typedef uint32_t __attribute__((may_alias)) word_t;
    if ((((uintptr_t)to | (uintptr_t)from) & 3) == 0)
        for (; bytes >= 4; bytes -= 4, to += 4, from += 4)
            *(word_t *)to = *(const word_t *)from;
    while (bytes--)
        *to++ = *from++;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

UNCHECKED static void piece(char *to, const char *from, uint32_t bytes) {
    char own[LINE] __attribute__((aligned(8)));
    char *const via = own + ((uintptr_t)from & 3);
    soft_load((uintptr_t)from, bytes);
    move(via, from, bytes);
    soft_store((uintptr_t)to, bytes);
    move(to, via, bytes);
}

UNCHECKED void *memmove(void *target, const void *source, size_t bytes) {
    enum { PIECE = LINE - 4 };
    char *to = target;
    const char *from = source;
    if ((uintptr_t)to - (uintptr_t)from >= bytes) {
        for (uint32_t now; bytes; to += now, from += now, bytes -= now) {
            now = least(bytes, least(PIECE, LINE - ((uintptr_t)from & (LINE - 1))));
            piece(to, from, now);
        }
    } else {
        for (uint32_t now; bytes; bytes -= now) {
            now = least(bytes, PIECE);
            piece(to + bytes - now, from + bytes - now, now);
        }
    }
    return target;
}

UNCHECKED void *memcpy(void *restrict to, const void *restrict from, size_t bytes) { return memmove(to, from, bytes); }

UNCHECKED void *memset(void *target, int value, size_t bytes) {
    char *to = target;
    for (uint32_t now; bytes; to += now, bytes -= now) {
        now = least(bytes, LINE - ((uintptr_t)to & (LINE - 1)));
        soft_store((uintptr_t)to, now);
        uint32_t i = 0;
        if (((uintptr_t)to & 3) == 0)
            for (; i + 4 <= now; i += 4)
                *(uint32_t __attribute__((may_alias)) *)(to + i) = (unsigned char)value * 0x01010101u;
        for (; i < now; i++)
            to[i] = (char)value;
    }
    return target;
}

AS_WRITTEN int memcmp(const void *a, const void *b, size_t bytes) {
    const unsigned char *x = a, *y = b;
    for (; bytes; bytes--, x++, y++) {
        const int first = *x, second = *y;
        if (first != second)
            return first - second;
    }
    return 0;
}
AS_WRITTEN void *memchr(const void *a, int wanted, size_t bytes) {
    for (const unsigned char *x = a; bytes; bytes--, x++)
        if (*x == (unsigned char)wanted)
            return (void *)x;
    return NULL;
}
AS_WRITTEN size_t strlen(const char *a) {
    const char *end = a;
    while (*end)
        end++;
    return (size_t)(end - a);
}
AS_WRITTEN size_t strnlen(const char *a, size_t most) {
    size_t n = 0;
    while (n < most && a[n])
        n++;
    return n;
}
AS_WRITTEN char *strcpy(char *restrict to, const char *restrict from) {
    char *t = to;
    for (char c = 1; c;)
        *t++ = c = *from++;
    return to;
}
AS_WRITTEN char *strncpy(char *restrict to, const char *restrict from, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        const char c = *from;
        to[i] = c;
        from += c != 0;
    }
    return to;
}
AS_WRITTEN char *strcat(char *restrict to, const char *restrict from) {
    strcpy(to + strlen(to), from);
    return to;
}
AS_WRITTEN int strncmp(const char *a, const char *b, size_t bytes) {
    for (; bytes; bytes--, a++, b++) {
        const unsigned char first = (unsigned char)*a, second = (unsigned char)*b;
        if (first != second || !first)
            return first - second;
    }
    return 0;
}
int strcmp(const char *a, const char *b) { return strncmp(a, b, SIZE_MAX); }
AS_WRITTEN char *strchr(const char *a, int wanted) {
    for (;; a++) {
        const char c = *a;
        if (c == (char)wanted)
            return (char *)a;
        if (!c)
            return NULL;
    }
}
AS_WRITTEN char *strrchr(const char *a, int wanted) {
    const char *found = NULL;
    for (char c = 1; c; a++) {
        c = *a;
        if (c == (char)wanted)
            found = a;
    }
    return (char *)found;
}
