// SPDX-License-Identifier: GPL-2.0
/* /sys/class/turnstile/turnstileN: what the card is and what has happened on it. */
#include <linux/sysfs.h>

#include "turnstile.h"

static ssize_t show_register(struct device *dev, char *buf, u32 offset, const char *format)
{
	struct turnstile *card = dev_get_drvdata(dev);
	ssize_t result = -ENODEV;

	down_read(&card->alive);
	if (!card->gone)
		result = sysfs_emit(buf, format, turnstile_read(card, offset));
	up_read(&card->alive);
	return result;
}

static ssize_t build_id_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return show_register(dev, buf, HOST_BUILD_ID, "%#010x\n");
}
static DEVICE_ATTR_RO(build_id);

static ssize_t queues_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct turnstile *card = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%#06x\n", card->own);
}
static DEVICE_ATTR_RO(queues);

static ssize_t queues_taken_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct turnstile *card = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%#06x\n", READ_ONCE(card->taken));
}
static DEVICE_ATTR_RO(queues_taken);

/* Lines "QUEUE PROCESS", for root alone: users do not see each other. */
static ssize_t owners_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct turnstile *card = dev_get_drvdata(dev);
	struct turnstile_file *file;
	unsigned long queues;
	unsigned int queue;
	ssize_t length = 0;

	mutex_lock(&card->files_lock);
	list_for_each_entry(file, &card->files, list) {
		queues = file->queues;
		for_each_set_bit(queue, &queues, 16)
			length += sysfs_emit_at(buf, length, "%u %d\n", queue, file->owner);
	}
	mutex_unlock(&card->files_lock);
	return length;
}
static DEVICE_ATTR_ADMIN_RO(owners);

/* The first since it was written last: what, and where in BAR4. */
static ssize_t fault_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	static const char * const causes[] = {
		[HOST_CAUSE_NONE] = "none",
		[HOST_CAUSE_LOAD_GIVEN_UP] = "load given up",
		[HOST_CAUSE_STORE_GIVEN_UP] = "store given up",
		[HOST_CAUSE_STORE_LOST] = "store lost",
		[HOST_CAUSE_REFUSED] = "refused",
	};
	struct turnstile *card = dev_get_drvdata(dev);
	ssize_t result = -ENODEV;
	u32 cause;

	down_read(&card->alive);
	if (!card->gone) {
		cause = turnstile_read(card, HOST_FAULT) >> HOST_FAULT_CAUSE_SHIFT &
			HOST_FAULT_CAUSE_MASK;
		if (cause == HOST_CAUSE_NONE)
			result = sysfs_emit(buf, "none\n");
		else
			result = sysfs_emit(buf, "%s %#x\n",
					    cause < ARRAY_SIZE(causes) ? causes[cause] : "unknown",
					    turnstile_read(card, HOST_FAULT_ADDRESS));
	}
	up_read(&card->alive);
	return result;
}

static ssize_t fault_store(struct device *dev, struct device_attribute *attr, const char *buf,
			   size_t count)
{
	struct turnstile *card = dev_get_drvdata(dev);
	ssize_t result = -ENODEV;

	down_read(&card->alive);
	if (!card->gone) {
		turnstile_write(card, HOST_FAULT, 0);
		if (card->interrupts)
			turnstile_write(card, HOST_INTERRUPT_ARM, BIT(HOST_VECTOR_FAULT));
		result = count;
	}
	up_read(&card->alive);
	return result;
}
static DEVICE_ATTR_RW(fault);

#define COUNTER(name, offset)									\
static ssize_t name##_show(struct device *dev, struct device_attribute *attr, char *buf)	\
{												\
	return show_register(dev, buf, offset, "%u\n");						\
}												\
static DEVICE_ATTR_RO(name)

COUNTER(unsupported, HOST_COUNT_UNSUPPORTED);
COUNTER(aborted, HOST_COUNT_ABORTED);
COUNTER(refused, HOST_COUNT_REFUSED);
COUNTER(malformed, HOST_COUNT_MALFORMED);
COUNTER(loads_failed, HOST_COUNT_LOADS_FAILED);
COUNTER(stores_failed, HOST_COUNT_STORES_FAILED);
COUNTER(interrupts, HOST_COUNT_INTERRUPTS);

static ssize_t aps_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct turnstile *card = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%u\n", card->aps);
}
static DEVICE_ATTR_RO(aps);

static ssize_t private_bytes_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct turnstile *card = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%u\n", card->private_bytes);
}
static DEVICE_ATTR_RO(private_bytes);

/* Of the card's memory, as its processors have addresses. */
static ssize_t memory_end_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct turnstile *card = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%#llx\n", card->memory_end);
}
static DEVICE_ATTR_RO(memory_end);

static struct attribute *turnstile_attributes[] = {
	&dev_attr_build_id.attr,
	&dev_attr_queues.attr,
	&dev_attr_queues_taken.attr,
	&dev_attr_owners.attr,
	&dev_attr_fault.attr,
	&dev_attr_aps.attr,
	&dev_attr_private_bytes.attr,
	&dev_attr_memory_end.attr,
	NULL
};

static struct attribute *turnstile_counters[] = {
	&dev_attr_unsupported.attr,
	&dev_attr_aborted.attr,
	&dev_attr_refused.attr,
	&dev_attr_malformed.attr,
	&dev_attr_loads_failed.attr,
	&dev_attr_stores_failed.attr,
	&dev_attr_interrupts.attr,
	NULL
};

static const struct attribute_group turnstile_group = { .attrs = turnstile_attributes };
static const struct attribute_group turnstile_counter_group = {
	.name = "counters",
	.attrs = turnstile_counters,
};

const struct attribute_group *turnstile_groups[] = {
	&turnstile_group,
	&turnstile_start_group,
	&turnstile_wire_group,
	&turnstile_counter_group,
	NULL
};
