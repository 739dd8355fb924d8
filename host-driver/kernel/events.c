// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts of a card. A vector fires once when it is armed: those of queues for a process that is
 * about to sleep, and at once if a message waits already, so that none is missed between a look and
 * sleep.
 */
#include <linux/eventfd.h>
#include <linux/interrupt.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>

#include "../include/turnstile_ioctl.h"
#include "turnstile.h"

#define READABLE	(EPOLLIN | EPOLLRDNORM)

#ifdef TURNSTILE_EVENTFD_COUNTS /* before Linux 6.8 */
#define signal_event(event) eventfd_signal(event, 1)
#else
#define signal_event(event) eventfd_signal(event)
#endif

/* Queues have vectors in the order of their numbers. */
static u32 vectors_of(struct turnstile *card, u32 queues)
{
	unsigned long set = queues;
	unsigned int queue;
	u32 vectors = 0;

	for_each_set_bit(queue, &set, 16)
		vectors |= BIT(HOST_VECTOR_QUEUES + hweight32(card->own & (BIT(queue) - 1)));
	return vectors;
}

static u32 of_kind(struct turnstile_file *file, u32 kind)
{
	return file->queues & (kind ? TURNSTILE_BASIC : TURNSTILE_EXPRESS);
}

static irqreturn_t queue_has_message(int irq, void *data)
{
	struct turnstile_vector *vector = data;
	struct turnstile *card = vector->card;
	struct turnstile_file *file;
	unsigned long flags;

	spin_lock_irqsave(&card->events, flags);
	file = card->owners[vector->queue];
	if (file) {
		struct eventfd_ctx *event = file->events[vector->queue >= 8];

		if (event)
			signal_event(event);
		wake_up_interruptible_poll(&file->wait, READABLE);
	}
	spin_unlock_irqrestore(&card->events, flags);
	return IRQ_HANDLED;
}

static irqreturn_t fault_recorded(int irq, void *data)
{
	struct turnstile_vector *vector = data;
	struct turnstile *card = vector->card;

	dev_warn_ratelimited(&card->pdev->dev, "an access of shared memory failed, cause %u at %#x: see %s/fault\n",
			     turnstile_read(card, HOST_FAULT),
			     turnstile_read(card, HOST_FAULT_ADDRESS), dev_name(&card->dev));
	sysfs_notify(&card->dev.kobj, NULL, "fault");
	return IRQ_HANDLED;
}

static irqreturn_t firmware_stopped(int irq, void *data)
{
	struct turnstile_vector *vector = data;
	struct turnstile *card = vector->card;

	dev_err(&card->pdev->dev, "the firmware of the card has stopped: messages and shared memory wait until the card is reset\n");
	sysfs_notify(&card->dev.kobj, NULL, "firmware");
	return IRQ_HANDLED;
}

static irqreturn_t wire_changed(int irq, void *data)
{
	struct turnstile_vector *vector = data;
	struct turnstile *card = vector->card;
	u32 status;

	turnstile_write(card, HOST_WIRE_STATUS, 0);
	status = turnstile_read(card, HOST_WIRE_STATUS);
	turnstile_write(card, HOST_INTERRUPT_ARM, BIT(HOST_VECTOR_WIRE));
	dev_info(&card->pdev->dev, "the wire is %s\n",
		 status & HOST_WIRE_STATUS_UP(1) ? "up" : "down");
	sysfs_notify(&card->dev.kobj, "wire", "up");
	return IRQ_HANDLED;
}

/* Vectors that this card uses, of those that it has. */
static u32 vectors_wanted(struct turnstile *card)
{
	return card->wire ? HOST_VECTOR_WIRE + 1 : HOST_VECTOR_QUEUES + hweight32(card->own);
}

/* Of a vector that is no queue's. */
static irq_handler_t handler_of(u32 vector)
{
	return vector == HOST_VECTOR_FAULT ? fault_recorded :
	       vector == HOST_VECTOR_FIRMWARE ? firmware_stopped : wire_changed;
}

/**
 * turnstile_start_events() - interrupts from now on, if the host has any for the card
 * @card: that is known
 *
 * Without them processes poll; they are told (TURNSTILE_INFO, interrupts), and so is the log.
 *
 * Return: 0, or an error.
 */
int turnstile_start_events(struct turnstile *card)
{
	u32 wanted = vectors_wanted(card), v, own = card->own;
	struct pci_dev *pdev = card->pdev;
	int err;

	pci_set_master(pdev);
	err = pci_alloc_irq_vectors(pdev, wanted, wanted, PCI_IRQ_MSIX);
	if (err < 0) {
		dev_info(&pdev->dev, "no %u interrupts (MSI-X) here, error %d: processes that wait poll\n",
			 wanted, -err);
		return 0;
	}
	for (v = 0; v < wanted; v++) {
		struct turnstile_vector *vector = &card->vectors[v];
		int irq = pci_irq_vector(pdev, v);

		vector->card = card;
		if (v >= HOST_VECTOR_QUEUES && v != HOST_VECTOR_WIRE) {
			vector->queue = __ffs(own);
			own &= own - 1;
			err = request_irq(irq, queue_has_message, 0, "turnstile", vector);
		} else {
			err = request_threaded_irq(irq, NULL, handler_of(v), IRQF_ONESHOT,
						   "turnstile", vector);
		}
		if (err)
			goto free;
	}
	card->interrupts = wanted;
	turnstile_write(card, HOST_INTERRUPT_ARM,
			BIT(HOST_VECTOR_FAULT) | BIT(HOST_VECTOR_FIRMWARE) |
			(card->wire ? BIT(HOST_VECTOR_WIRE) : 0));
	return 0;
free:
	while (v--)
		free_irq(pci_irq_vector(pdev, v), &card->vectors[v]);
	pci_free_irq_vectors(pdev);
	return err;
}

/* No handler runs when it returns. */
void turnstile_stop_events(struct turnstile *card)
{
	if (!card->interrupts)
		return;
	turnstile_write(card, HOST_INTERRUPT_DISARM, U32_MAX);
	for (u32 v = 0; v < card->interrupts; v++)
		free_irq(pci_irq_vector(card->pdev, v), &card->vectors[v]);
	pci_free_irq_vectors(card->pdev);
}

/* Who sleeps finds out that the card is gone. */
void turnstile_hang_up(struct turnstile_file *file)
{
	unsigned long flags;

	spin_lock_irqsave(&file->card->events, flags);
	for (u32 kind = 0; kind < 2; kind++)
		if (file->events[kind])
			signal_event(file->events[kind]);
	wake_up_interruptible_poll(&file->wait, READABLE | EPOLLHUP);
	spin_unlock_irqrestore(&file->card->events, flags);
}

/* The file has this queue from now on. */
void turnstile_own_events(struct turnstile_file *file, u32 queue)
{
	unsigned long flags;

	spin_lock_irqsave(&file->card->events, flags);
	file->card->owners[queue] = file;
	spin_unlock_irqrestore(&file->card->events, flags);
}

static void set_event(struct turnstile_file *file, u32 kind, struct eventfd_ctx *event)
{
	unsigned long flags;

	spin_lock_irqsave(&file->card->events, flags);
	swap(file->events[kind], event);
	spin_unlock_irqrestore(&file->card->events, flags);
	if (event)
		eventfd_ctx_put(event);
}

/* The file is closed: nothing is told to it any more. */
void turnstile_drop_events(struct turnstile_file *file)
{
	struct turnstile *card = file->card;
	unsigned long set = file->queues, flags;
	unsigned int queue;

	spin_lock_irqsave(&card->events, flags);
	for_each_set_bit(queue, &set, 16)
		card->owners[queue] = NULL;
	spin_unlock_irqrestore(&card->events, flags);
	for (u32 kind = 0; kind < 2; kind++)
		set_event(file, kind, NULL);
	down_read(&card->alive);
	if (!card->gone && card->interrupts && set)
		turnstile_write(card, HOST_INTERRUPT_DISARM, vectors_of(card, set));
	up_read(&card->alive);
}

/* TURNSTILE_EVENT. */
long turnstile_set_event(struct turnstile_file *file, struct turnstile_event *asked)
{
	const u32 kinds = TURNSTILE_QUEUE_EXPRESS | TURNSTILE_QUEUE_BASIC;
	const u32 acts = TURNSTILE_EVENT_SET | TURNSTILE_EVENT_ARM;
	u32 kind = (asked->flags & kinds) == TURNSTILE_QUEUE_BASIC, queues;
	struct eventfd_ctx *event = NULL;

	if (asked->argsz < sizeof(*asked) || asked->flags & ~(kinds | acts) ||
	    !(asked->flags & acts) || hweight32(asked->flags & kinds) != 1)
		return -EINVAL;
	if (!file->card->interrupts)
		return -EOPNOTSUPP;
	queues = of_kind(file, kind);
	if (!queues)
		return -ENXIO;
	if (asked->flags & TURNSTILE_EVENT_SET) {
		if (asked->eventfd >= 0) {
			event = eventfd_ctx_fdget(asked->eventfd);
			if (IS_ERR(event))
				return PTR_ERR(event);
		}
		set_event(file, kind, event);
	}
	if (asked->flags & TURNSTILE_EVENT_ARM)
		turnstile_write(file->card, HOST_INTERRUPT_ARM, vectors_of(file->card, queues));
	return 0;
}

/*
 * Queues of the file in which a message waits. When there is none their vectors are armed: what
 * came since interrupts at once. Without interrupts all may have one: who asks has to look.
 */
static u32 look(struct turnstile_file *file)
{
	struct turnstile *card = file->card;
	u32 waiting;

	if (!file->queues || !card->interrupts)
		return file->queues;
	waiting = turnstile_read(card, HOST_WAITING) & file->queues;
	if (!waiting)
		turnstile_write(card, HOST_INTERRUPT_ARM, vectors_of(card, file->queues));
	return waiting;
}

__poll_t turnstile_poll(struct file *filp, poll_table *table)
{
	struct turnstile_file *file = filp->private_data;
	__poll_t result = EPOLLERR | EPOLLHUP;

	poll_wait(filp, &file->wait, table);
	if (turnstile_enter(file->card))
		return result;
	result = look(file) ? READABLE : 0;
	turnstile_leave(file->card);
	return result;
}

/* A load at TURNSTILE_WAIT_OFFSET. The card may go meanwhile, so it is not held. */
ssize_t turnstile_wait(struct file *filp, char __user *to, size_t bytes)
{
	struct turnstile_file *file = filp->private_data;
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	long result = 0;
	u32 waiting = 0;

	if (bytes != sizeof(waiting))
		return -EINVAL;
	add_wait_queue(&file->wait, &wait);
	for (;;) {
		result = turnstile_enter(file->card);
		if (result)
			break;
		waiting = look(file);
		if (!file->queues)
			result = -ENXIO;
		turnstile_leave(file->card);
		if (waiting || result)
			break;
		if (filp->f_flags & O_NONBLOCK) {
			result = -EAGAIN;
			break;
		}
		if (signal_pending(current)) {
			result = -ERESTARTSYS;
			break;
		}
		wait_woken(&wait, TASK_INTERRUPTIBLE, MAX_SCHEDULE_TIMEOUT);
	}
	remove_wait_queue(&file->wait, &wait);
	if (result)
		return result;
	return copy_to_user(to, &waiting, sizeof(waiting)) ? -EFAULT : sizeof(waiting);
}
