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

/* What came for who had the queue before is not for who has it next. */
static void drop_stale(struct turnstile *card, u32 queue)
{
	void __iomem *page = card->queues + turnstile_receive_window(queue).offset;
	u32 left = STALE, type;

	if (!is_express(queue))
		return;
	do {
		u32 meta = ioread32(page + AP_EXPRESS_RX_META);

		type = meta >> EXPRESS_META_TYPE_SHIFT & EXPRESS_META_TYPE_MASK;
	} while (type == 1 && --left);
}

/**
 * turnstile_take_queue() - a queue of a kind for a file
 * @file: whose it will be
 * @kind: TURNSTILE_EXPRESS or TURNSTILE_BASIC
 *
 * Return: its number, or -EEXIST: the file has one, -EBUSY: other files have all.
 */
int turnstile_take_queue(struct turnstile_file *file, u32 kind)
{
	struct turnstile *card = file->card;
	u32 free;
	int queue;

	mutex_lock(&card->files_lock);
	free = card->own & kind & ~card->taken;
	if (file->queues & kind) {
		queue = -EEXIST;
	} else if (!free) {
		queue = -EBUSY;
	} else {
		queue = __ffs(free);
		card->taken |= BIT(queue);
		drop_stale(card, queue);
		file->queues |= BIT(queue);
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
