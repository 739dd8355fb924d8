/*
 * The shared heap: first fit on an address-ordered free list, pieces merged when freed. All its state is in shared
 * memory under one lock, so every process may allocate.
 *
 * A piece is a number of 128 B blocks. Its 16 B header occupies the end of the block before it, so that what the caller
 * gets is aligned to a block and costs no block of its own; headers are touched only when allocating.
 */
#include "platform.h"

enum { MAGIC_FREE = 0x46524545, MAGIC_USED = 0x55534544, HEADER = 16 };

struct piece {
    uint32_t magic, blocks;
    union {
        struct piece *next; /* free */
        uint64_t pad;
    };
};
_Static_assert(sizeof(struct piece) == HEADER, "the header is what the alignment leaves free");

struct heap {
    ts_lock_t lock;
    struct piece *free;
};

static struct heap *heap(void)
{
    char *base, *end;
    ts_heap_region(&base, &end);
    return (struct heap *)base;
}

void ts_heap_init(void)
{
    char *base, *end;
    ts_heap_region(&base, &end);
    /* The first block holds struct heap and the first header; headers sit HEADER bytes before a block boundary. */
    struct piece *all = (struct piece *)(base + TS_BLOCK - HEADER);
    all->magic = MAGIC_FREE;
    all->blocks = (uint32_t)((end - base) / TS_BLOCK - 1);
    all->next = NULL;
    heap()->free = all;
}

static struct piece *after(struct piece *piece)
{
    return (struct piece *)((char *)piece + (size_t)piece->blocks * TS_BLOCK);
}

void *ts_alloc(size_t bytes)
{
    struct heap *h = heap();
    size_t blocks = bytes / TS_BLOCK + 1; /* the next header needs HEADER bytes of the last block */
    uint32_t largest = 0;

    if (bytes % TS_BLOCK > TS_BLOCK - HEADER) blocks++;
    ts_lock(&h->lock);
    for (struct piece **link = &h->free; *link; link = &(*link)->next) {
        struct piece *piece = *link;
        if (piece->blocks > largest) largest = piece->blocks;
        if (piece->blocks < blocks) continue;
        if (piece->blocks == blocks) {
            *link = piece->next;
        } else {
            struct piece *rest = (struct piece *)((char *)piece + blocks * TS_BLOCK);
            rest->magic = MAGIC_FREE;
            rest->blocks = (uint32_t)(piece->blocks - blocks);
            rest->next = piece->next;
            *link = rest;
            piece->blocks = (uint32_t)blocks;
        }
        piece->magic = MAGIC_USED;
        ts_unlock(&h->lock);
        return (char *)piece + HEADER;
    }
    ts_unlock(&h->lock);

    char *base, *end;
    ts_heap_region(&base, &end);
    ts_fail("shared heap exhausted: asked for %lu bytes, the largest free piece has %lu of the heap's %lu: %s",
            (unsigned long)bytes, largest ? (unsigned long)largest * TS_BLOCK - HEADER : 0ul, (unsigned long)(end - base),
            ts_heap_advice);
}

void ts_free(void *memory)
{
    struct heap *h = heap();
    char *base, *end;
    struct piece *piece = (struct piece *)((char *)memory - HEADER);

    if (!memory) return;
    ts_heap_region(&base, &end);
    if ((char *)memory < base + TS_BLOCK || (char *)memory >= end || (uintptr_t)memory % TS_BLOCK)
        ts_fail("%p given back to the shared heap is no address that G_MALLOC returned (heap %p..%p)", memory, (void *)base,
                (void *)end);
    ts_lock(&h->lock);
    if (piece->magic != MAGIC_USED)
        ts_fail("%p given back to the shared heap %s", memory,
                piece->magic == MAGIC_FREE ? "was given back before" : "is no address that G_MALLOC returned");

    struct piece *before = NULL, *next = h->free;
    while (next && next < piece) before = next, next = next->next;
    piece->magic = MAGIC_FREE;
    piece->next = next;
    if (before) before->next = piece;
    else h->free = piece;
    if (next && after(piece) == next) {
        piece->blocks += next->blocks;
        piece->next = next->next;
        next->magic = 0;
    }
    if (before && after(before) == piece) {
        before->blocks += piece->blocks;
        before->next = piece->next;
        piece->magic = 0;
    }
    ts_unlock(&h->lock);
}
