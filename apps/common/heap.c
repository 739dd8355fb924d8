/*
 * The shared heap: first fit on an address-ordered free list, pieces merged when freed. All its state is in shared
 * memory under one lock, so every process may allocate.
 *
 * A piece is a number of 128 B blocks. Its 16 B header occupies the end of the block before it, so that what the caller
 * gets is aligned to a block and costs no block of its own; headers are touched only when allocating.
 */
#include "platform.h"
#include "turnstile_job.h"

enum { MAGIC_FREE = 0x46524545, MAGIC_USED = 0x55534544, HEADER = 16 };

struct piece {
    uint32_t magic, blocks;
    union {
        struct piece *next; /* free */
        uint64_t pad;
    };
};
_Static_assert(sizeof(struct piece) == HEADER, "the header is what the alignment leaves free");
_Static_assert(sizeof(struct ts_shared_state) <= TS_BLOCK - HEADER, "state and first header share the first block");

struct ts_shared_state *ts_shared_state(void)
{
    char *base, *end;

    ts_heap_region(&base, &end);
    return (struct ts_shared_state *)base;
}

void ts_heap_init(void)
{
    char *base, *end;

    ts_heap_region(&base, &end);
    struct piece *all = (struct piece *)(base + TS_BLOCK - HEADER);
    all->magic = MAGIC_FREE;
    all->blocks = (uint32_t)((end - base) / TS_BLOCK - 1);
    all->next = NULL;
    *ts_shared_state() = (struct ts_shared_state){.free = all, .next_lock = LOCK_PROGRAM};
}

static struct piece *at(struct piece *piece, size_t blocks)
{
    return (struct piece *)((char *)piece + blocks * TS_BLOCK);
}

/* Cuts a free piece after `blocks`; the rest stays in the list behind it. */
static void cut(struct piece *piece, size_t blocks)
{
    if (piece->blocks == blocks) return;
    struct piece *rest = at(piece, blocks);
    rest->magic = MAGIC_FREE;
    rest->blocks = (uint32_t)(piece->blocks - blocks);
    rest->next = piece->next;
    piece->blocks = (uint32_t)blocks;
    piece->next = rest;
}

static void *allocate(size_t bytes, size_t alignment)
{
    struct ts_shared_state *state = ts_shared_state();
    size_t blocks = bytes / TS_BLOCK + 1; /* the next header needs HEADER bytes of the last block */
    uint32_t largest = 0;
    char *base, *end;

    if (bytes % TS_BLOCK > TS_BLOCK - HEADER) blocks++;
    ts_number_lock(LOCK_HEAP);
    for (struct piece **link = &state->free; *link; link = &(*link)->next) {
        struct piece *piece = *link;
        size_t skip = (size_t)(-(uintptr_t)((char *)piece + HEADER)) % alignment / TS_BLOCK;
        if (piece->blocks > largest) largest = piece->blocks;
        if (piece->blocks < blocks + skip) continue;
        if (skip) {
            cut(piece, skip);
            link = &piece->next;
            piece = *link;
        }
        cut(piece, blocks);
        *link = piece->next;
        piece->magic = MAGIC_USED;
        ts_number_unlock(LOCK_HEAP);
        return (char *)piece + HEADER;
    }
    ts_number_unlock(LOCK_HEAP);
    ts_heap_region(&base, &end);
    ts_fail("shared heap exhausted: asked for %lu bytes, the largest free piece has %lu of the heap's %lu: %s",
            (unsigned long)bytes, largest ? (unsigned long)largest * TS_BLOCK - HEADER : 0ul, (unsigned long)(end - base),
            ts_heap_advice);
}

void *ts_alloc(size_t bytes) { return allocate(bytes, TS_BLOCK); }

static char *alloc_pages(size_t bytes, int process, int block, int mode, bool *untouched)
{
    if (process < -1 || process >= ts_processes())
        ts_fail("shared memory with home process %d: the legal range is 0..%d", process, ts_processes() - 1);
    if (block && (block < 64 || block > 2048 || (block & (block - 1))))
        ts_fail("shared memory with blocks of %d bytes: legal are 64, 128, 256, 512, 1024, 2048", block);
    size_t pages = (bytes + TS_PAGE - 1) / TS_PAGE;
    char *memory = allocate(pages * TS_PAGE, TS_PAGE);
    *untouched = true;
    for (size_t i = 0; i < pages; i++) *untouched &= ts_page_set(memory + i * TS_PAGE, process, block, mode);
    return memory;
}

void *ts_alloc_pages(size_t bytes, int process, int block)
{
    bool untouched; /* no matter: for memory that was used before the wish comes too late, harmlessly */

    return alloc_pages(bytes, process, block, 0, &untouched);
}

void *ts_alloc_mode(size_t bytes, int process, int block, const char *mode)
{
    bool untouched;
    char *memory = alloc_pages(bytes, process, block, ts_page_mode(mode), &untouched);

    if (!untouched)
        ts_fail("shared memory of mode %s at %p was used before, in another mode: allocate it before memory of its size is freed", mode, (void *)memory);
    return memory;
}

void *ts_alloc_at(size_t bytes, int process)
{
    return bytes < TS_PAGE || process < 0 || process >= ts_processes() ? ts_alloc(bytes) : ts_alloc_pages(bytes, process, 0);
}

static struct piece *checked(void *memory)
{
    struct piece *piece = (struct piece *)((char *)memory - HEADER);
    char *base, *end;

    ts_heap_region(&base, &end);
    if ((char *)memory < base + TS_BLOCK || (char *)memory >= end || (uintptr_t)memory % TS_BLOCK
        || (piece->magic != MAGIC_USED && piece->magic != MAGIC_FREE))
        ts_fail("%p given back to the shared heap is no address that G_MALLOC returned (heap %p..%p)", memory, (void *)base,
                (void *)end);
    if (piece->magic == MAGIC_FREE) ts_fail("%p given back to the shared heap a second time", memory);
    return piece;
}

void ts_free(void *memory)
{
    struct ts_shared_state *state = ts_shared_state();

    if (!memory) return;
    struct piece *piece = checked(memory);
    ts_number_lock(LOCK_HEAP);
    struct piece *before = NULL, *next = state->free;
    while (next && next < piece) before = next, next = next->next;
    piece->magic = MAGIC_FREE;
    piece->next = next;
    if (before) before->next = piece;
    else state->free = piece;
    if (next && at(piece, piece->blocks) == next) {
        piece->blocks += next->blocks;
        piece->next = next->next;
        next->magic = 0;
    }
    if (before && at(before, before->blocks) == piece) {
        before->blocks += piece->blocks;
        before->next = piece->next;
        piece->magic = 0;
    }
    ts_number_unlock(LOCK_HEAP);
}
