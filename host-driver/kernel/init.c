// SPDX-License-Identifier: GPL-2.0
/* A card is found, known or refused, and taken away. */
#include <linux/idr.h>
#include <linux/module.h>

#include "turnstile.h"

#define CARDS	64

/* Places for capabilities in the card. */
#define CAPABILITIES	8

/*
 * Units of 256 cycles that an access of shared memory may wait: at 100 MHz 41 us, less than the
 * 50 us that are the least for a completion timeout.
 */
#define LIMIT	16

#define ONE_TREE	"build card and driver of one tree\n"

static struct class turnstile_class = { .name = "turnstile" };
static dev_t turnstile_numbers;
static DEFINE_IDA(turnstile_ids);

static int check_shared(struct turnstile *card, u32 i)
{
	struct device *dev = &card->pdev->dev;
	u64 bar = pci_resource_len(card->pdev, TURNSTILE_SHARED);

	card->heap_offset = turnstile_read(card, HOST_CAPABILITY_FIRST(i));
	card->heap_bytes = turnstile_read(card, HOST_CAPABILITY_SECOND(i));
	if (card->heap_bytes && PAGE_ALIGNED(card->heap_offset) && PAGE_ALIGNED(card->heap_bytes) &&
	    (u64)card->heap_offset + card->heap_bytes <= bar)
		return 0;
	dev_err(dev, "shared heap of %u bytes at %#x in BAR4 of %llu: legal are whole pages within\n",
		card->heap_bytes, card->heap_offset, bar);
	return -ENODEV;
}

static int check_queues(struct turnstile *card, u32 i)
{
	u64 bar = pci_resource_len(card->pdev, TURNSTILE_QUEUES);
	struct turnstile_window last = turnstile_receive_window(15);
	struct device *dev = &card->pdev->dev;
	u64 rings;

	card->own = turnstile_read(card, HOST_CAPABILITY_FIRST(i));
	card->rings = turnstile_read(card, HOST_CAPABILITY_SECOND(i));
	if (!card->own || card->own & ~(TURNSTILE_EXPRESS | TURNSTILE_BASIC) ||
	    last.offset + last.bytes > bar) {
		dev_err(dev, "queues %#x for hosts in BAR2 of %llu bytes: legal are bits 0 to 15, %u bytes\n",
			card->own, bar, last.offset + last.bytes);
		return -ENODEV;
	}
	rings = hweight32(card->own & TURNSTILE_BASIC) * (u64)HOST_RING_BYTES;
	bar = pci_resource_len(card->pdev, TURNSTILE_SHARED);
	if (PAGE_ALIGNED(card->rings) && card->rings && card->rings + rings <= bar)
		return 0;
	dev_err(dev, "rings of %llu bytes at %#x in BAR4 of %llu: legal are whole pages within\n",
		rings, card->rings, bar);
	return -ENODEV;
}

static int check_start(struct turnstile *card, u32 i)
{
	u64 bar = pci_resource_len(card->pdev, TURNSTILE_SHARED);

	card->aps = turnstile_read(card, HOST_CAPABILITY_FIRST(i));
	card->private_bytes = turnstile_read(card, HOST_CAPABILITY_SECOND(i));
	card->memory_end = MEMORY_BASE + bar;
	if (card->aps >= 1 && card->aps <= 4 && is_power_of_2(card->private_bytes) &&
	    (u64)card->aps * card->private_bytes <= bar)
		return 0;
	dev_err(&card->pdev->dev, "%u processors with windows of %u bytes in BAR4 of %llu: legal are 1 to 4, powers of two, within\n",
		card->aps, card->private_bytes, bar);
	return -ENODEV;
}

/* Checked when the queues are known: it comes last. */
static int check_interrupts(struct turnstile *card, u32 i)
{
	u32 has = turnstile_read(card, HOST_CAPABILITY_FIRST(i));
	u32 wanted = HOST_VECTOR_QUEUES + hweight32(card->own);

	if (has >= wanted && has <= 2048)
		return 0;
	dev_err(&card->pdev->dev, "%u interrupts: legal are %u, for its queues, to 2048\n", has,
		wanted);
	return -ENODEV;
}

/* Blocks that are not known are left alone; a known one must have the version that is known. */
static int check_capabilities(struct turnstile *card)
{
	static const char * const names[] = {
		[CAPABILITY_KIND_CONTROL] = "CONTROL",
		[CAPABILITY_KIND_SHARED] = "SHARED",
		[CAPABILITY_KIND_QUEUES] = "QUEUES",
		[CAPABILITY_KIND_INTERRUPTS] = "INTERRUPTS",
		[CAPABILITY_KIND_START] = "START",
		[CAPABILITY_KIND_WIRE] = "WIRE",
	};
	const u32 first = HOST_CAPABILITY(0), stride = HOST_CAPABILITY(1) - first;
	u32 offset = turnstile_read(card, HOST_CAPABILITIES), found = 0, left = CAPABILITIES;
	struct device *dev = &card->pdev->dev;
	int err;

	while (offset) {
		u32 i = (offset - first) / stride, head, kind, version;

		if (offset < first || (offset - first) % stride || i >= CAPABILITIES ||
		    !left--) {
			dev_err(dev, "the list of capabilities leads to %#x, where none is\n",
				offset);
			return -ENODEV;
		}
		head = turnstile_read(card, HOST_CAPABILITY(i));
		kind = head >> HOST_CAPABILITY_KIND_SHIFT & HOST_CAPABILITY_KIND_MASK;
		version = head >> HOST_CAPABILITY_VERSION_SHIFT & HOST_CAPABILITY_VERSION_MASK;
		offset = turnstile_read(card, HOST_CAPABILITY_NEXT(i));
		if (kind == 0 || kind >= ARRAY_SIZE(names))
			continue;
		if (version != 1) {
			dev_err(dev, "capability %s has version %u, this driver knows 1: " ONE_TREE,
				names[kind], version);
			return -ENODEV;
		}
		err = kind == CAPABILITY_KIND_SHARED ? check_shared(card, i) :
		      kind == CAPABILITY_KIND_QUEUES ? check_queues(card, i) :
		      kind == CAPABILITY_KIND_INTERRUPTS ? check_interrupts(card, i) :
		      kind == CAPABILITY_KIND_START ? check_start(card, i) : 0;
		if (err)
			return err;
		card->wire |= kind == CAPABILITY_KIND_WIRE;
		found |= BIT(kind);
	}
	for (u32 kind = 1; kind < ARRAY_SIZE(names); kind++) {
		if (found & BIT(kind) || kind == CAPABILITY_KIND_WIRE)
			continue;
		dev_err(dev, "the card has no capability %s, which this driver needs\n",
			names[kind]);
		return -ENODEV;
	}
	return 0;
}

static int check_card(struct turnstile *card)
{
	struct device *dev = &card->pdev->dev;
	u32 magic = turnstile_read(card, HOST_MAGIC);
	u32 build_id = turnstile_read(card, HOST_BUILD_ID);

	if (magic == U32_MAX) {
		dev_err(dev, "the card does not answer: MAGIC reads as ones\n");
		return -ENODEV;
	}
	if (magic != HOST_MAGIC_VALUE) {
		dev_err(dev, "MAGIC is %#010x, expected %#010x: this is no Turnstile card\n", magic,
			HOST_MAGIC_VALUE);
		return -ENODEV;
	}
	if (build_id != HOST_BUILD_ID_VALUE) {
		dev_err(dev, "BUILD_ID is %#010x, this driver is made for %#010x: " ONE_TREE,
			build_id, HOST_BUILD_ID_VALUE);
		return -ENODEV;
	}
	return check_capabilities(card);
}

static void turnstile_release(struct device *dev)
{
	struct turnstile *card = container_of(dev, struct turnstile, dev);

	ida_free(&turnstile_ids, MINOR(dev->devt));
	mutex_destroy(&card->files_lock);
	mutex_destroy(&card->loading);
	mutex_destroy(&card->stores);
	kfree(card);
}

static struct turnstile *turnstile_new(struct pci_dev *pdev)
{
	struct turnstile *card = kzalloc(sizeof(*card), GFP_KERNEL);
	int id;

	if (!card)
		return ERR_PTR(-ENOMEM);
	id = ida_alloc_max(&turnstile_ids, CARDS - 1, GFP_KERNEL);
	if (id < 0) {
		kfree(card);
		return ERR_PTR(id);
	}
	card->pdev = pdev;
	init_rwsem(&card->alive);
	spin_lock_init(&card->events);
	mutex_init(&card->files_lock);
	mutex_init(&card->loading);
	mutex_init(&card->stores);
	INIT_LIST_HEAD(&card->files);
	device_initialize(&card->dev);
	card->dev.devt = MKDEV(MAJOR(turnstile_numbers), id);
	card->dev.class = &turnstile_class;
	card->dev.parent = &pdev->dev;
	card->dev.groups = turnstile_groups;
	card->dev.release = turnstile_release;
	dev_set_drvdata(&card->dev, card);
	cdev_init(&card->cdev, &turnstile_fops);
	card->cdev.owner = THIS_MODULE;
	return card;
}

static int turnstile_map(struct turnstile *card)
{
	struct pci_dev *pdev = card->pdev;
	const int bars = BIT(TURNSTILE_CONTROL) | BIT(TURNSTILE_QUEUES) | BIT(TURNSTILE_SHARED);
	int err;

	err = pcim_enable_device(pdev);
	if (err)
		return err;
	err = pcim_iomap_regions(pdev, bars, "turnstile");
	if (err)
		return err;
	card->control = pcim_iomap_table(pdev)[TURNSTILE_CONTROL];
	card->queues = pcim_iomap_table(pdev)[TURNSTILE_QUEUES];
	card->shared = pcim_iomap_table(pdev)[TURNSTILE_SHARED];
	return 0;
}

static int turnstile_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct turnstile *card = turnstile_new(pdev);
	int err;

	if (IS_ERR(card))
		return PTR_ERR(card);
	err = dev_set_name(&card->dev, "turnstile%u", MINOR(card->dev.devt));
	if (!err)
		err = turnstile_map(card);
	if (!err)
		err = check_card(card);
	if (err)
		goto put;
	turnstile_write(card, HOST_LIMIT, LIMIT);
	pci_set_drvdata(pdev, card);
	err = turnstile_start_events(card);
	if (err)
		goto put;
	err = cdev_device_add(&card->cdev, &card->dev);
	if (err)
		goto stop;
	dev_info(&pdev->dev, "%s: build id %#010x, queues %#x, shared heap of %u KB\n",
		 dev_name(&card->dev), HOST_BUILD_ID_VALUE, card->own, card->heap_bytes >> 10);
	return 0;
stop:
	turnstile_stop_events(card);
put:
	put_device(&card->dev);
	return err;
}

/* Files may still be open: they get ENODEV from now on, and their pages are taken away. */
static void turnstile_remove(struct pci_dev *pdev)
{
	struct turnstile *card = pci_get_drvdata(pdev);

	cdev_device_del(&card->cdev, &card->dev);
	down_write(&card->alive);
	card->gone = true;
	up_write(&card->alive);
	turnstile_stop_events(card);
	turnstile_detach_files(card);
	put_device(&card->dev);
}

static const struct pci_device_id turnstile_cards[] = {
	{ PCI_DEVICE(TURNSTILE_VENDOR, TURNSTILE_DEVICE) },
	{ }
};
MODULE_DEVICE_TABLE(pci, turnstile_cards);

static struct pci_driver turnstile_driver = {
	.name = "turnstile",
	.id_table = turnstile_cards,
	.probe = turnstile_probe,
	.remove = turnstile_remove,
};

static int __init turnstile_init(void)
{
	int err = alloc_chrdev_region(&turnstile_numbers, 0, CARDS, "turnstile");

	if (err)
		return err;
	err = class_register(&turnstile_class);
	if (err)
		goto numbers;
	err = pci_register_driver(&turnstile_driver);
	if (!err)
		return 0;
	class_unregister(&turnstile_class);
numbers:
	unregister_chrdev_region(turnstile_numbers, CARDS);
	return err;
}
module_init(turnstile_init);

static void __exit turnstile_exit(void)
{
	pci_unregister_driver(&turnstile_driver);
	class_unregister(&turnstile_class);
	unregister_chrdev_region(turnstile_numbers, CARDS);
	ida_destroy(&turnstile_ids);
}
module_exit(turnstile_exit);

MODULE_DESCRIPTION("Turnstile network interface");
MODULE_LICENSE("GPL");
