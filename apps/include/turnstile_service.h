/* Service messages of aPs (BZ-28, BZ-39): contract §8. An answer has the tag of its request, and the word TS_SVC_REFUSED when it is wrong. */
#ifndef TURNSTILE_SERVICE_H
#define TURNSTILE_SERVICE_H

#include <stdint.h>
#define TS_SVC_REFUSED 0xFFFFFFFFu

/* word: number of the lock, 0..TS_SVC_LOCKS * sites - 1, to site number mod sites; answered when it is the asker's. */
#define TS_SVC_LOCK 1
#define TS_SVC_LOCKS 512
/* word: number of the lock, to the same site; answered only when it is refused. Only the holder may. */
#define TS_SVC_UNLOCK 2
/* word: TS_BARRIER_WORD, to site 0; answered to all when `processes` have arrived. */
#define TS_SVC_BARRIER 3
#define TS_SVC_BARRIERS 65536
#define TS_BARRIER_WORD(number, processes) ((uint32_t)(number) | (uint32_t)(processes) << 16)
/* word: TS_PAGE_WORD, to site page mod sites; answered 0 done, 1 already touched, 2 illegal value. */
#define TS_SVC_PAGE_SET 4
#define TS_PAGE_INDEX(page) (((page) & 0xFFFFu) | (uint32_t)(page) >> 16 << 31) /* 17 bits: of the shared heap */
#define TS_PAGE_HOME(site) ((uint32_t)(site) << 20 | 1u << 26)
#define TS_PAGE_BLOCK(log2) ((uint32_t)(log2) << 16) /* 6..11 */
#define TS_PAGE_MODE(mode) ((uint32_t)(mode) << 27)
/* word: 1, to every site, by process 0, before the first process is created: first touch decides homes from here on (BZ-27). */
#define TS_SVC_PARALLEL 5
/* word: ts_name_hash of a page mode's name, to any site; answered with the mode's number or TS_UNKNOWN. */
#define TS_SVC_MODE 8
/* word: ts_name_hash of "protocol.service", to any site; answered with the tag that calls it, from 16 on, or TS_UNKNOWN. A call is
 * answered with a word of the service's own. */
#define TS_SVC_FIND 9
#define TS_UNKNOWN 0xFFFFFFFFu
/* word: 0, to the own site; answered with where the asker's Basic queue is, TS_QUEUE_*: TS_SLOT_BYTES a slot, transmit ring, receive ring,
 * lines of each received slot, then TS_TAGON_BYTES to attach lines from. */
#define TS_SVC_QUEUE 10
/* or TS_SHARE_WORD, to the own site: aP `ap` of it may (1), or no more (0), use the asker's Express queue: send by his own one, take from a FIFO that holds one
 * of his named queues. Answered with the queue. */
#define TS_SHARE_WORD(queue, ap, allowed) (1u << 8 | (uint32_t)(allowed) << 5 | (uint32_t)(ap) << 3 | (uint32_t)(queue))
#define TS_QUEUE_BASE(word) ((word) & ~4095u)
#define TS_QUEUE_TX_SLOTS(word) (1u << ((word) & 15u))
#define TS_QUEUE_RX_SLOTS(word) (1u << ((word) >> 4 & 15u))
#define TS_SLOT_BYTES 128u
#define TS_TAGON_BYTES 65536u
/* word: TS_DMA_WORD, to the own site, about up to TS_DMA_MOST pages of the asker's private window (turnstile_dma.h): CLOSE and OPEN them to others' transfers, answered 0;
 * LOOK at their marks, answered with TS_DMA_USED and TS_DMA_DIRTY of page i at [2i+1:2i]; CLEAR them, answered with what they were. Refused where there
 * is no DMA, or no such pages. */
#define TS_SVC_DMA 11
enum { TS_DMA_CLOSE, TS_DMA_OPEN, TS_DMA_LOOK, TS_DMA_CLEAR };
#define TS_DMA_MOST 15
#define TS_DMA_WORD(what, first, pages) ((uint32_t)(what) << 30 | (uint32_t)(pages) << 16 | (uint32_t)(first))
/* word: TS_ONEPOLL_WORD, to the own site: makes the asker's group `number` (0..3) of up to seven of its resident queues, the highest first from bit 0,
 * 4 bits each, 0 is none; answered with the group's page. Refused when a queue is not the asker's. */
#define TS_SVC_ONEPOLL 12
#define TS_ONEPOLL_WORD(number, members) ((uint32_t)(number) << 28 | (uint32_t)(members))
/* word: TS_NAMED_WORD, to the own site, about queue `number` (0..7) of the asker, turnstile_queue.h. Answered, but for READ: OPEN (page of the window with its
 * ring, log2 of the slots at [19:16]) with its name, number at [18:16]; CLOSE 0; RESUME and PARK with the FIFO, by when all that was on its way has come; GRANT
 * (name of an aP at [11:3], 1 at [12]: it may send) with the name of the queue, by the aP's sP, or TS_NAMED_BUSY: ask again;
 * EXPECT (at [11:3] the name that may move here) 0; MOVE (the queue that is to have this one's name: number at [5:3], aP at [7:6], site at
 * [13:8]) with the name it has in exchange, when all that was sent before has come. */
#define TS_SVC_NAMED 13
enum { TS_NAMED_OPEN, TS_NAMED_CLOSE, TS_NAMED_RESUME, TS_NAMED_PARK, TS_NAMED_READ, TS_NAMED_GRANT, TS_NAMED_EXPECT, TS_NAMED_MOVE };
#define TS_NAMED_WORD(what, word) ((uint32_t)(what) << 29 | (uint32_t)(word))
#define TS_NAMED_BUSY 0xFFFFFFFEu
/* FNV-1a of a name's characters. */
static inline uint32_t ts_name_hash(const char *name)
{
    uint32_t hash = 0x811C9DC5u;

    while (*name) hash = (hash ^ (uint8_t)*name++) * 0x01000193u;
    return hash;
}

/* aP to aP, name site << 3 | (2 + ap): starts a process (the bootstrap channel of BZ-39). word: address of the image. */
#define TS_AP_START 16

#endif
