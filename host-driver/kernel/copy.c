// SPDX-License-Identifier: GPL-2.0
/* pread and pwrite of what a process may map, for kernels that cannot map it (User-Mode Linux). */
#include <linux/delay.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "turnstile.h"

/* Bytes that go at once, and the places of the store FIFO that they may take: 16 bytes each. */
#define CHUNK	64
#define PLACES	(CHUNK / 16 + 1)

/* How often the card is asked for them: stores are given up after LIMIT, so places come. */
#define TRIES	1000

ssize_t turnstile_load(struct turnstile *card, u64 offset, char __user *to, size_t bytes)
{
	u8 buffer[CHUNK];
	size_t done = 0;

	while (done < bytes) {
		size_t part = min_t(size_t, bytes - done, CHUNK);

		memcpy_fromio(buffer, card->shared + offset + done, part);
		if (copy_to_user(to + done, buffer, part))
			return -EFAULT;
		done += part;
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	return done;
}

static int wait_for_places(struct turnstile *card, u32 places)
{
	u32 tries = TRIES, free;

	for (;;) {
		free = turnstile_read(card, HOST_STORES_FREE);
		if (free == U32_MAX)
			return -ENODEV;
		if (free >= places)
			return 0;
		if (!--tries)
			return -EIO;
		usleep_range(50, 100);
	}
}

/* A store without a place would be lost, so each chunk waits for its own. */
ssize_t turnstile_store(struct turnstile *card, u64 offset, const char __user *from, size_t bytes)
{
	u8 buffer[CHUNK];
	size_t done = 0;
	int err = 0;

	mutex_lock(&card->stores);
	while (done < bytes && !err && !fatal_signal_pending(current)) {
		size_t part = min_t(size_t, bytes - done, CHUNK);

		if (copy_from_user(buffer, from + done, part)) {
			err = -EFAULT;
			break;
		}
		err = wait_for_places(card, PLACES);
		if (!err) {
			memcpy_toio(card->shared + offset + done, buffer, part);
			done += part;
		}
	}
	mutex_unlock(&card->stores);
	return done ? done : err;
}

/* Zeros, whole pages. */
int turnstile_clear(struct turnstile *card, u64 offset, size_t bytes)
{
	static const u8 zeros[512];
	int err = 0;

	mutex_lock(&card->stores);
	for (size_t done = 0; done < bytes && !err; done += sizeof(zeros)) {
		err = wait_for_places(card, sizeof(zeros) / 16);
		if (!err)
			memcpy_toio(card->shared + offset + done, zeros, sizeof(zeros));
	}
	mutex_unlock(&card->stores);
	return err;
}

/* One word, or two with one load: those of a message belong together. */
ssize_t turnstile_load_queue(struct turnstile *card, u64 offset, char __user *to, size_t bytes)
{
	void __iomem *from = card->queues + offset;
	u64 value;

	if ((bytes != 4 && bytes != 8) || offset % bytes)
		return -EINVAL;
	value = bytes == 8 ? readq(from) : ioread32(from);
	return copy_to_user(to, &value, bytes) ? -EFAULT : bytes;
}

ssize_t turnstile_store_queue(struct turnstile *card, u64 offset, const char __user *from,
			      size_t bytes)
{
	u32 value;

	if (bytes != 4 || offset % 4)
		return -EINVAL;
	if (copy_from_user(&value, from, bytes))
		return -EFAULT;
	iowrite32(value, card->queues + offset);
	return bytes;
}
