/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/turnstileN: what a process asks of the driver. A process has its queues by the file that it
 * opened, until that is closed. What the words of a queue mean is in niu_regs.h (AP_EXPRESS_*,
 * EXPRESS_TX_*, EXPRESS_META_*, AP_BASIC_*, HOST_EXPRESS_*).
 *
 * Every structure begins with argsz, its bytes in the caller's header, and flags, of which unknown
 * ones are refused with EINVAL. A driver that knows a longer structure fills what fits.
 */
#ifndef TURNSTILE_IOCTL_H
#define TURNSTILE_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * Shared memory begins here in the file, for mmap, pread, pwrite; below are the queues' windows,
 * above the rings of Basic queues.
 */
#define TURNSTILE_SHARED_OFFSET	0x100000000ULL

/**
 * struct turnstile_info - what the card is
 * @argsz: in: bytes of this structure
 * @flags: in: 0
 * @build_id: out: of the registers of card and driver, which are the same
 * @express_queues: out: a bit a queue that processes may have
 * @basic_queues: out: the same
 * @interrupts: out: 1: who waits sleeps; 0: the host has none for the card, so poll() always
 *	says readable
 * @shared_offset: out: where the shared heap begins in the file
 * @shared_bytes: out: how long it is
 * @shared_address: out: what the card's processors call the first of these bytes
 */
struct turnstile_info {
	__u32 argsz;
	__u32 flags;
	__u32 build_id;
	__u32 express_queues;
	__u32 basic_queues;
	__u32 interrupts;
	__u64 shared_offset;
	__u64 shared_bytes;
	__u64 shared_address;
};

#define TURNSTILE_QUEUE_EXPRESS	0x1
#define TURNSTILE_QUEUE_BASIC	0x2

/**
 * struct turnstile_queue - a queue of the process' own
 * @argsz: in: bytes of this structure
 * @flags: in: one of TURNSTILE_QUEUE_EXPRESS and TURNSTILE_QUEUE_BASIC
 * @queue: out: its number
 * @reserved: out: 0
 * @send_offset: out: Express: where stores send, in the file
 * @send_bytes: out: how long that is; Basic: 0
 * @receive_offset: out: where its page for receiving (Express) or its pointers (Basic) are
 * @receive_bytes: out: how long that is
 * @ring_offset: out: Basic: its rings, HOST_RING_* of niu_regs.h; both pointers are as they were
 * @ring_bytes: out: how long that is; Express: 0
 */
struct turnstile_queue {
	__u32 argsz;
	__u32 flags;
	__u32 queue;
	__u32 reserved;
	__u64 send_offset;
	__u64 send_bytes;
	__u64 receive_offset;
	__u64 receive_bytes;
	__u64 ring_offset;
	__u64 ring_bytes;
};

/*
 * A load of 4 bytes here sleeps until a queue of the file has a message (with O_NONBLOCK:
 * EAGAIN), and gives a bit a queue that has. poll() of the file says the same: readable.
 */
#define TURNSTILE_WAIT_OFFSET	0x300000000ULL

#define TURNSTILE_EVENT_SET	0x4
#define TURNSTILE_EVENT_ARM	0x8

/**
 * struct turnstile_event - an eventfd that tells of messages in a queue of the process' own
 * @argsz: in: bytes of this structure
 * @flags: in: one of TURNSTILE_QUEUE_EXPRESS and TURNSTILE_QUEUE_BASIC, with one or both of
 *	TURNSTILE_EVENT_SET: @eventfd is the queue's from now on, until the file is closed;
 *	TURNSTILE_EVENT_ARM: it is signalled once, at once if a message waits, and then no more
 *	until it is armed again
 * @eventfd: in: with SET; -1: none
 * @reserved: in: not looked at
 *
 * An event without a message may come. One comes when the card goes.
 */
struct turnstile_event {
	__u32 argsz;
	__u32 flags;
	__s32 eventfd;
	__u32 reserved;
};

#define TURNSTILE_IOCTL_MAGIC	0xB5

/* EINVAL: argsz, flags. ENODEV: the card is gone. */
#define TURNSTILE_INFO		_IO(TURNSTILE_IOCTL_MAGIC, 0)
/* EEXIST: the file has one of this kind. EBUSY: other files have all of them. */
#define TURNSTILE_QUEUE_GET	_IO(TURNSTILE_IOCTL_MAGIC, 1)
/*
 * EBADF, EINVAL: no eventfd. ENXIO: the file has no queue of this kind. EOPNOTSUPP: the host has no
 * interrupts for the card.
 */
#define TURNSTILE_EVENT		_IO(TURNSTILE_IOCTL_MAGIC, 2)

#endif
