// SPDX-License-Identifier: GPL-2.0
/* Queues of the card, each of one open file at a time. */
#include <linux/bitops.h>

#include "turnstile.h"

/* More messages than a queue and what is on its way to it hold. */
#define STALE	4096

static bool is_express(u32 queue)
{
	return TURNSTILE_EXPRESS >> queue & 1;
}

/* Where stores send; a Basic queue has none: its messages lie in a ring. */
struct turnstile_window turnstile_send_window(u32 queue)
{
	struct turnstile_window window = { 0, 0 };

	if (is_express(queue)) {
		window.offset = AP_EXPRESS_TX_BASE - AP_BASE + EXPRESS_TX_QUEUE(queue);
		window.bytes = EXPRESS_TX_QUEUE(1);
	}
	return window;
}

/* The page from which an Express queue is read, or that of a Basic queue's pointers. */
struct turnstile_window turnstile_receive_window(u32 queue)
{
	u32 base = is_express(queue) ? AP_EXPRESS_RX_BASE : AP_BASIC_BASE;
	struct turnstile_window window = { base - AP_BASE + queue * AP_PAGE_BYTES, AP_PAGE_BYTES };

	return window;
}

/* In BAR4: transmit ring and receive ring of a Basic queue. */
struct turnstile_window turnstile_ring(struct turnstile *card, u32 queue)
{
	u32 before = hweight32(card->own & TURNSTILE_BASIC & (BIT(queue) - 1));
	struct turnstile_window window = { card->rings + before * HOST_RING_BYTES,
					   HOST_RING_BYTES };

	return window;
}

static bool within(struct turnstile_window window, u64 offset, u64 bytes)
{
	return offset >= window.offset && offset - window.offset < window.bytes &&
	       bytes <= window.bytes - (offset - window.offset);
}

/* Whether these bytes are in a window of one of the queues. */
bool turnstile_reaches(u32 queues, u64 offset, u64 bytes)
{
	unsigned long set = queues;
	unsigned int queue;

	for_each_set_bit(queue, &set, 16) {
		if (within(turnstile_send_window(queue), offset, bytes) ||
		    within(turnstile_receive_window(queue), offset, bytes))
			return true;
	}
	return false;
}

/* The same of a ring: where it is in BAR4. */
bool turnstile_reaches_ring(struct turnstile_file *file, u64 offset, u64 bytes, u64 *place)
{
	u64 queue = (offset - TURNSTILE_RINGS_OFFSET) / HOST_RING_BYTES;
	u64 at = (offset - TURNSTILE_RINGS_OFFSET) % HOST_RING_BYTES;

	if (offset < TURNSTILE_RINGS_OFFSET || queue > 15 ||
	    !(file->queues & TURNSTILE_BASIC & BIT(queue)) || bytes > HOST_RING_BYTES - at)
		return false;
	*place = turnstile_ring(file->card, queue).offset + at;
	return true;
}

/* What came for who had the queue before is not for who has it next. */
static void drop_stale(struct turnstile *card, u32 queue)
{
	void __iomem *page = card->queues + turnstile_receive_window(queue).offset;
	u32 left = STALE, type;

	do {
		u32 meta = ioread32(page + AP_EXPRESS_RX_META);

		type = meta >> EXPRESS_META_TYPE_SHIFT & EXPRESS_META_TYPE_MASK;
	} while (type == 1 && --left);
}

/*
 * The same of a Basic queue, and what lies in its rings. What was launched leaves before; what
 * cannot leave is cleared, and no message then.
 */
static int clean_ring(struct turnstile *card, u32 queue)
{
	void __iomem *page = card->queues + turnstile_receive_window(queue).offset;
	struct turnstile_window ring = turnstile_ring(card, queue);
	u32 left = STALE;
	int err;

	while (ioread32(page + AP_BASIC_TX_SENT) != ioread32(page + AP_BASIC_TX_PRODUCER) && --left)
		cpu_relax();
	err = turnstile_clear(card, ring.offset, ring.bytes);
	if (!err)
		iowrite32(ioread32(page + AP_BASIC_RX_PRODUCER), page + AP_BASIC_RX_CONSUMER);
	return err;
}

/**
 * turnstile_take_queue() - a queue of a kind for a file
 * @file: whose it will be
 * @kind: TURNSTILE_EXPRESS or TURNSTILE_BASIC
 *
 * Return: its number, or -EEXIST: the file has one, -EBUSY: other files have all, -EIO: the card
 * does no stores, -ENODEV.
 */
int turnstile_take_queue(struct turnstile_file *file, u32 kind)
{
	struct turnstile *card = file->card;
	int queue, err = 0;
	u32 free;

	mutex_lock(&card->files_lock);
	free = card->own & kind & ~card->taken;
	if (file->queues & kind) {
		queue = -EEXIST;
	} else if (!free) {
		queue = -EBUSY;
	} else {
		queue = __ffs(free);
		if (is_express(queue))
			drop_stale(card, queue);
		else
			err = clean_ring(card, queue);
		if (err) {
			queue = err;
		} else {
			card->taken |= BIT(queue);
			file->queues |= BIT(queue);
			turnstile_own_events(file, queue);
		}
	}
	mutex_unlock(&card->files_lock);
	return queue;
}

/* The file is closed. */
void turnstile_give_back(struct turnstile_file *file)
{
	struct turnstile *card = file->card;

	mutex_lock(&card->files_lock);
	card->taken &= ~file->queues;
	file->queues = 0;
	mutex_unlock(&card->files_lock);
}
