// SPDX-License-Identifier: GPL-2.0
/* /dev/turnstileN: see turnstile_ioctl.h. */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../include/turnstile_ioctl.h"
#include "turnstile.h"

static int turnstile_open(struct inode *inode, struct file *filp)
{
	struct turnstile *card = container_of(inode->i_cdev, struct turnstile, cdev);
	struct turnstile_file *file = kzalloc(sizeof(*file), GFP_KERNEL);

	if (!file)
		return -ENOMEM;
	get_device(&card->dev);
	file->card = card;
	file->mapping = filp->f_mapping;
	file->owner = task_tgid_nr(current);
	init_waitqueue_head(&file->wait);
	filp->private_data = file;
	mutex_lock(&card->files_lock);
	list_add(&file->list, &card->files);
	mutex_unlock(&card->files_lock);
	return 0;
}

static int turnstile_close(struct inode *inode, struct file *filp)
{
	struct turnstile_file *file = filp->private_data;
	struct turnstile *card = file->card;

	turnstile_drop_events(file);
	turnstile_give_back(file);
	mutex_lock(&card->files_lock);
	list_del(&file->list);
	mutex_unlock(&card->files_lock);
	put_device(&card->dev);
	if (file->ones)
		__free_page(file->ones); /* no mapping is left */
	kfree(file);
	return 0;
}

/* The card is gone: who sleeps is woken; pages are taken away, and read as ones from now on. */
void turnstile_detach_files(struct turnstile *card)
{
	struct turnstile_file *file;

	mutex_lock(&card->files_lock);
	list_for_each_entry(file, &card->files, list) {
		unmap_mapping_range(file->mapping, 0, 0, 1);
		turnstile_hang_up(file);
	}
	mutex_unlock(&card->files_lock);
}

/* With this the card stays until turnstile_leave. */
int turnstile_enter(struct turnstile *card)
{
	down_read(&card->alive);
	if (!card->gone)
		return 0;
	up_read(&card->alive);
	return -ENODEV;
}

void turnstile_leave(struct turnstile *card)
{
	up_read(&card->alive);
}

static long give_info(struct turnstile *card, void __user *arg)
{
	struct turnstile_info info;

	if (copy_from_user(&info, arg, offsetofend(struct turnstile_info, flags)))
		return -EFAULT;
	if (info.argsz < sizeof(info) || info.flags)
		return -EINVAL;
	info = (struct turnstile_info) {
		.argsz = sizeof(info),
		.build_id = HOST_BUILD_ID_VALUE,
		.express_queues = card->own & TURNSTILE_EXPRESS,
		.basic_queues = card->own & TURNSTILE_BASIC,
		.interrupts = !!card->interrupts,
		.shared_offset = TURNSTILE_SHARED_OFFSET,
		.shared_bytes = card->heap_bytes,
		.shared_address = (u64)MEMORY_BASE + card->heap_offset,
	};
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long give_queue(struct turnstile_file *file, void __user *arg)
{
	struct turnstile_window send, receive;
	struct turnstile_queue asked;
	int queue;

	if (copy_from_user(&asked, arg, offsetofend(struct turnstile_queue, flags)))
		return -EFAULT;
	if (asked.argsz < sizeof(asked))
		return -EINVAL;
	if (asked.flags != TURNSTILE_QUEUE_EXPRESS && asked.flags != TURNSTILE_QUEUE_BASIC)
		return -EINVAL;
	/* What cannot be told is not given. */
	if (clear_user(arg + offsetofend(struct turnstile_queue, flags),
		       sizeof(asked) - offsetofend(struct turnstile_queue, flags)))
		return -EFAULT;
	queue = turnstile_take_queue(file, asked.flags == TURNSTILE_QUEUE_EXPRESS ?
				     TURNSTILE_EXPRESS : TURNSTILE_BASIC);
	if (queue < 0)
		return queue;
	send = turnstile_send_window(queue);
	receive = turnstile_receive_window(queue);
	asked = (struct turnstile_queue) {
		.argsz = sizeof(asked),
		.flags = asked.flags,
		.queue = queue,
		.send_offset = send.offset,
		.send_bytes = send.bytes,
		.receive_offset = receive.offset,
		.receive_bytes = receive.bytes,
	};
	if (asked.flags == TURNSTILE_QUEUE_BASIC) {
		asked.ring_offset = TURNSTILE_RINGS_OFFSET + queue * HOST_RING_BYTES;
		asked.ring_bytes = HOST_RING_BYTES;
	}
	return copy_to_user(arg, &asked, sizeof(asked)) ? -EFAULT : 0;
}

static long set_event(struct turnstile_file *file, void __user *arg)
{
	struct turnstile_event asked;

	if (copy_from_user(&asked, arg, sizeof(asked)))
		return -EFAULT;
	return turnstile_set_event(file, &asked);
}

static long turnstile_ioctl(struct file *filp, unsigned int command, unsigned long argument)
{
	struct turnstile_file *file = filp->private_data;
	void __user *arg = (void __user *)argument;
	long result = turnstile_enter(file->card);

	if (result)
		return result;
	switch (command) {
	case TURNSTILE_INFO:
		result = give_info(file->card, arg);
		break;
	case TURNSTILE_QUEUE_GET:
		result = give_queue(file, arg);
		break;
	case TURNSTILE_EVENT:
		result = set_event(file, arg);
		break;
	default:
		result = -ENOTTY;
	}
	turnstile_leave(file->card);
	return result;
}

/* Whether these bytes are of the heap, or of the file's own rings; where in BAR4. */
static bool in_shared(struct turnstile_file *file, u64 offset, u64 bytes, u64 *place)
{
	struct turnstile *card = file->card;
	u64 at = offset - TURNSTILE_SHARED_OFFSET;

	*place = card->heap_offset + at;
	return (offset >= TURNSTILE_SHARED_OFFSET && at < card->heap_bytes &&
		bytes <= card->heap_bytes - at) ||
	       turnstile_reaches_ring(file, offset, bytes, place);
}

static ssize_t turnstile_pread(struct file *filp, char __user *to, size_t bytes, loff_t *at)
{
	struct turnstile_file *file = filp->private_data;
	struct turnstile *card = file->card;
	ssize_t result;
	u64 place;

	if (*at == TURNSTILE_WAIT_OFFSET)
		return turnstile_wait(filp, to, bytes);
	result = turnstile_enter(card);
	if (result)
		return result;
	if (in_shared(file, *at, bytes, &place))
		result = turnstile_load(card, place, to, bytes);
	else if (turnstile_reaches(file->queues, *at, bytes))
		result = turnstile_load_queue(card, *at, to, bytes);
	else
		result = -EACCES;
	turnstile_leave(card);
	return result;
}

static ssize_t turnstile_pwrite(struct file *filp, const char __user *from, size_t bytes,
				loff_t *at)
{
	struct turnstile_file *file = filp->private_data;
	struct turnstile *card = file->card;
	ssize_t result = turnstile_enter(card);
	u64 place;

	if (result)
		return result;
	if (in_shared(file, *at, bytes, &place))
		result = turnstile_store(card, place, from, bytes);
	else if (turnstile_reaches(file->queues, *at, bytes))
		result = turnstile_store_queue(card, *at, from, bytes);
	else
		result = -EACCES;
	turnstile_leave(card);
	return result;
}

/* Only a card that is gone has no page there: a load reads as ones, as it does on the bus. */
static vm_fault_t turnstile_fault(struct vm_fault *vmf)
{
	struct turnstile_file *file = vmf->vma->vm_file->private_data;

	if (!READ_ONCE(file->card->gone))
		return VM_FAULT_SIGBUS;
	return vmf_insert_pfn(vmf->vma, vmf->address, page_to_pfn(file->ones));
}

static const struct vm_operations_struct turnstile_vm_ops = {
	.fault = turnstile_fault,
};

static int have_ones(struct turnstile_file *file)
{
	struct turnstile *card = file->card;
	int err = 0;

	mutex_lock(&card->files_lock);
	if (!file->ones) {
		file->ones = alloc_page(GFP_KERNEL);
		if (file->ones)
			memset(page_address(file->ones), 0xff, PAGE_SIZE);
		else
			err = -ENOMEM;
	}
	mutex_unlock(&card->files_lock);
	return err;
}

/*
 * A queue's pages, or pages of the heap: they go with the process that mapped them, not with its
 * children. User-Mode Linux has no memory behind a BAR: who touched it would die.
 */
static int turnstile_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct turnstile_file *file = filp->private_data;
	struct turnstile *card = file->card;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT, bytes = vma->vm_end - vma->vm_start;
	phys_addr_t at;
	int result;
	u64 place;

	if (IS_ENABLED(CONFIG_UML))
		return -ENODEV;
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	result = turnstile_enter(card);
	if (result)
		return result;
	if (in_shared(file, offset, bytes, &place)) {
		at = pci_resource_start(card->pdev, TURNSTILE_SHARED) + place;
		vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
	} else if (turnstile_reaches(file->queues, offset, bytes)) {
		at = pci_resource_start(card->pdev, TURNSTILE_QUEUES) + offset;
		vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	} else {
		result = -EACCES;
		goto leave;
	}
	result = have_ones(file);
	if (result)
		goto leave;
	vma->vm_ops = &turnstile_vm_ops;
	vm_flags_set(vma, VM_DONTCOPY);
	result = io_remap_pfn_range(vma, vma->vm_start, at >> PAGE_SHIFT, bytes,
				    vma->vm_page_prot);
leave:
	turnstile_leave(card);
	return result;
}

const struct file_operations turnstile_fops = {
	.owner = THIS_MODULE,
	.open = turnstile_open,
	.release = turnstile_close,
	.read = turnstile_pread,
	.write = turnstile_pwrite,
	.poll = turnstile_poll,
	.unlocked_ioctl = turnstile_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = turnstile_mmap,
};
