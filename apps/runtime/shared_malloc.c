/* malloc and its kin of programs with GLOBALS=shared, whose pointers any thread may use: the shared heap (tools/app.py, --wrap). */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <turnstile.h>

enum { HEAD = 16 }; /* before what the caller gets: its bytes; as aligned as malloc's must be */

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t bytes)
{
    if (bytes > UINT32_MAX / 2) {
        errno = ENOMEM;
        return NULL;
    }
    char *memory = ts_alloc(bytes + HEAD);
    *(size_t *)memory = bytes;
    return memory + HEAD;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    size_t all;

    if (__builtin_mul_overflow(count, bytes, &all)) all = SIZE_MAX;
    void *memory = __wrap_malloc(all);
    return memory ? memset(memory, 0, all) : NULL;
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    void *moved = __wrap_malloc(bytes);

    if (!memory || !moved) return moved;
    size_t had = *(size_t *)((char *)memory - HEAD);
    memcpy(moved, memory, had < bytes ? had : bytes);
    __wrap_free(memory);
    return moved;
}

void __wrap_free(void *memory)
{
    if (memory) ts_free((char *)memory - HEAD);
}
