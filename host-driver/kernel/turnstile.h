/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the driver share. */
#ifndef TURNSTILE_H
#define TURNSTILE_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/poll.h>
#include <linux/rwsem.h>

#include "niu_regs.h"

#ifndef TURNSTILE_VM_FLAGS_SET /* before Linux 6.3 */
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}
#endif

/* The same as in sim/host/pci_ids.h. */
#define TURNSTILE_VENDOR	PCI_VENDOR_ID_XILINX
#define TURNSTILE_DEVICE	0x7453

enum turnstile_bar { TURNSTILE_CONTROL = 0, TURNSTILE_QUEUES = 2, TURNSTILE_SHARED = 4 };

/* Queues of which a bit is set in these are Express queues; the others are Basic queues. */
#define TURNSTILE_EXPRESS	0x00ff
#define TURNSTILE_BASIC		0xff00

struct turnstile_file;

/* A vector of the card, and the queue that it is of, if of one. */
struct turnstile_vector {
	struct turnstile *card;
	u32 queue;
};

/**
 * struct turnstile - a card
 * @dev: its character device; what keeps this structure
 * @pdev: its function, valid while it is not @gone
 * @control: BAR0
 * @queues: BAR2
 * @shared: BAR4
 * @own: queues that the card gives to hosts
 * @heap_offset: of the shared heap in BAR4
 * @heap_bytes: its length
 * @aps: its application processors
 * @private_bytes: of the window that each has
 * @memory_end: of its memory, as they have addresses
 * @wire: it has a wire to another card
 * @rings: of Basic queues in BAR4, HOST_RING_BYTES each
 * @alive: held for reading by who touches the card, for writing by who takes it away
 * @gone: there is no card any more
 * @files_lock: of what follows
 * @files: that are open
 * @taken: queues that belong to one of them
 * @interrupts: vectors that it has; 0: processes that wait poll
 * @vectors: those
 * @events: of what handlers of interrupts look at: @owners, and files' events
 * @owners: of each queue
 * @loading: held by who writes or reads the memory of the sP, word after word
 * @stores: held by who stores to shared memory: STORES_FREE is for all of them
 */
struct turnstile {
	struct device dev;
	struct cdev cdev;
	struct pci_dev *pdev;
	void __iomem *control;
	void __iomem *queues;
	void __iomem *shared;
	u32 own;
	u32 heap_offset;
	u32 heap_bytes;
	u32 aps;
	u32 private_bytes;
	u64 memory_end;
	bool wire;
	u32 rings;
	struct rw_semaphore alive;
	bool gone;
	struct mutex files_lock; /* of files, taken */
	struct list_head files;
	u32 taken;
	u32 interrupts;
	struct turnstile_vector vectors[HOST_VECTOR_QUEUES + 16];
	spinlock_t events; /* of owners, and of files' events */
	struct turnstile_file *owners[16];
	struct mutex loading; /* of the address of the next word to the sP */
	struct mutex stores; /* of the places of the store FIFO */
};

/**
 * struct turnstile_file - an open file, and its queues
 * @card: it holds a reference
 * @list: in the card's files
 * @mapping: of its pages
 * @queues: that are its own, a bit each
 * @owner: process that opened it
 * @wait: who sleeps until a message comes
 * @events: eventfd of its Express queue, and of its Basic queue, that tell of one
 * @ones: what its mappings read when the card is gone, from the first on
 */
struct turnstile_file {
	struct turnstile *card;
	struct list_head list;
	struct address_space *mapping;
	u32 queues;
	pid_t owner;
	wait_queue_head_t wait;
	struct eventfd_ctx *events[2];
	struct page *ones;
};

/* Rings in the file: those of queue q are q * HOST_RING_BYTES further. */
#define TURNSTILE_RINGS_OFFSET	0x200000000ULL

/* A window of a queue: a range of BAR2, or of BAR4 for a ring; whole pages. */
struct turnstile_window {
	u32 offset;
	u32 bytes;
};

static inline u32 turnstile_read(struct turnstile *card, u32 offset)
{
	return ioread32(card->control + offset);
}

static inline void turnstile_write(struct turnstile *card, u32 offset, u32 value)
{
	iowrite32(value, card->control + offset);
}

/* cdev.c */
extern const struct file_operations turnstile_fops;
void turnstile_detach_files(struct turnstile *card);
int turnstile_enter(struct turnstile *card);
void turnstile_leave(struct turnstile *card);

/* events.c */
struct turnstile_event;
int turnstile_start_events(struct turnstile *card);
void turnstile_stop_events(struct turnstile *card);
void turnstile_hang_up(struct turnstile_file *file);
void turnstile_own_events(struct turnstile_file *file, u32 queue);
void turnstile_drop_events(struct turnstile_file *file);
long turnstile_set_event(struct turnstile_file *file, struct turnstile_event *asked);
__poll_t turnstile_poll(struct file *filp, poll_table *table);
ssize_t turnstile_wait(struct file *filp, char __user *to, size_t bytes);

/* queues.c */
struct turnstile_window turnstile_send_window(u32 queue);
struct turnstile_window turnstile_receive_window(u32 queue);
struct turnstile_window turnstile_ring(struct turnstile *card, u32 queue);
bool turnstile_reaches(u32 queues, u64 offset, u64 bytes);
bool turnstile_reaches_ring(struct turnstile_file *file, u64 offset, u64 bytes, u64 *place);
int turnstile_take_queue(struct turnstile_file *file, u32 kind);
void turnstile_give_back(struct turnstile_file *file);

/* copy.c */
ssize_t turnstile_load(struct turnstile *card, u64 offset, char __user *to, size_t bytes);
ssize_t turnstile_store(struct turnstile *card, u64 offset, const char __user *from, size_t bytes);
int turnstile_clear(struct turnstile *card, u64 offset, size_t bytes);
ssize_t turnstile_load_queue(struct turnstile *card, u64 offset, char __user *to, size_t bytes);
ssize_t turnstile_store_queue(struct turnstile *card, u64 offset, const char __user *from,
			      size_t bytes);

/* start.c */
extern const struct attribute_group turnstile_start_group;

/* wire.c */
extern const struct attribute_group turnstile_wire_group;

/* sysfs.c */
extern const struct attribute_group *turnstile_groups[];

#endif
