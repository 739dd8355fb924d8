// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/turnstile/turnstileN: how a card is started. Which site it is, its sP held and let go,
 * the memory of the sP, where root writes firmware while it is held.
 */
#include <linux/delay.h>
#include <linux/sysfs.h>

#include "turnstile.h"

/* Both RAMs of the sP: instructions, then data. */
#define SP_MEMORY_BYTES	(SP_IRAM_BYTES + SP_DRAM_BYTES)

/* Words of a burst to the sP. */
#define BURST	32

/* Looks at what comes within some hundred cycles of the card, unless its sP is hung. */
#define LOOKS	1000

/* Firmware asks for an event at least once in 300 cycles, but for its handlers. */
static bool alive(struct turnstile *card)
{
	u32 before = turnstile_read(card, HOST_SP_TURNS);

	for (unsigned int i = 0; i < LOOKS; i++) {
		if (turnstile_read(card, HOST_SP_TURNS) != before)
			return true;
		if (i >= LOOKS / 2)
			usleep_range(10, 20);
	}
	return false;
}

static ssize_t firmware_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct turnstile *card = dev_get_drvdata(dev);
	const char *how = "runs";
	int err = turnstile_enter(card);

	if (err)
		return err;
	if (turnstile_read(card, HOST_SP_CONTROL) & HOST_SP_CONTROL_HELD(1))
		how = "held";
	else if (turnstile_read(card, HOST_FIRMWARE) & HOST_FIRMWARE_STOPPED(1))
		how = "stopped";
	else if (!alive(card))
		how = "hangs";
	turnstile_leave(card);
	return sysfs_emit(buf, "%s\n", how);
}

static ssize_t firmware_store(struct device *dev, struct device_attribute *attr, const char *buf,
			      size_t count)
{
	struct turnstile *card = dev_get_drvdata(dev);
	bool hold = sysfs_streq(buf, "hold");
	int err;

	if (!hold && !sysfs_streq(buf, "run"))
		return -EINVAL;
	err = turnstile_enter(card);
	if (err)
		return err;
	turnstile_write(card, HOST_SP_CONTROL, HOST_SP_CONTROL_HELD(hold));
	turnstile_leave(card);
	return count;
}
static DEVICE_ATTR_RW(firmware);

static ssize_t site_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct turnstile *card = dev_get_drvdata(dev);
	int err = turnstile_enter(card);
	u32 site;

	if (err)
		return err;
	site = turnstile_read(card, HOST_SITE);
	turnstile_leave(card);
	return sysfs_emit(buf, "%u %u\n", site >> HOST_SITE_NUMBER_SHIFT & HOST_SITE_NUMBER_MASK,
			  site >> HOST_SITE_SITES_SHIFT & HOST_SITE_SITES_MASK);
}

/* "NUMBER SITES", while the sP is held: its firmware has read it before it does anything else. */
static ssize_t site_store(struct device *dev, struct device_attribute *attr, const char *buf,
			  size_t count)
{
	struct turnstile *card = dev_get_drvdata(dev);
	u32 number, sites;
	char end;
	int err;

	if (sscanf(buf, "%u %u %c", &number, &sites, &end) != 2 || sites < 1 || sites > 64 ||
	    number >= sites)
		return -EINVAL;
	err = turnstile_enter(card);
	if (err)
		return err;
	if (turnstile_read(card, HOST_SP_CONTROL) & HOST_SP_CONTROL_HELD(1))
		turnstile_write(card, HOST_SITE, HOST_SITE_NUMBER(number) | HOST_SITE_SITES(sites));
	else
		err = -EBUSY;
	turnstile_leave(card);
	return err ? err : count;
}
static DEVICE_ATTR_RW(site);

/* The words that are under way are done. */
static int settled(struct turnstile *card, u32 words)
{
	for (unsigned int i = 0; i < LOOKS; i++) {
		u32 status = turnstile_read(card, HOST_SP_STATUS);

		if (!(status & HOST_SP_STATUS_READING(1)) &&
		    (status >> HOST_SP_STATUS_ROOM_SHIFT & HOST_SP_STATUS_ROOM_MASK) >= words)
			return 0;
		if (i >= LOOKS / 2)
			usleep_range(10, 20);
	}
	return -EIO;
}

static bool legal(loff_t at, size_t bytes)
{
	return at >= 0 && at <= SP_MEMORY_BYTES && bytes <= SP_MEMORY_BYTES - at && !(at % 4) &&
	       !(bytes % 4);
}

static ssize_t sp_memory_write(struct file *file, struct kobject *kobj, struct bin_attribute *attr,
			       char *from, loff_t at, size_t bytes)
{
	struct turnstile *card = dev_get_drvdata(kobj_to_dev(kobj));
	int err;

	if (!legal(at, bytes))
		return -EINVAL;
	err = turnstile_enter(card);
	if (err)
		return err;
	mutex_lock(&card->loading);
	if (!(turnstile_read(card, HOST_SP_CONTROL) & HOST_SP_CONTROL_HELD(1)))
		err = -EBUSY;
	else
		turnstile_write(card, HOST_SP_ADDRESS, at);
	for (size_t done = 0, part; done < bytes && !err; done += part) {
		part = min_t(size_t, bytes - done, 4 * BURST);
		err = settled(card, BURST);
		if (!err)
			memcpy_toio(card->control + HOST_SP_DATA(0), from + done, part);
	}
	mutex_unlock(&card->loading);
	turnstile_leave(card);
	return err ? err : bytes;
}

static ssize_t sp_memory_read(struct file *file, struct kobject *kobj, struct bin_attribute *attr,
			      char *to, loff_t at, size_t bytes)
{
	struct turnstile *card = dev_get_drvdata(kobj_to_dev(kobj));
	u32 *words = (u32 *)to;
	int err;

	if (!legal(at, bytes))
		return -EINVAL;
	err = turnstile_enter(card);
	if (err)
		return err;
	mutex_lock(&card->loading);
	turnstile_write(card, HOST_SP_ADDRESS, at);
	for (size_t i = 0; i < bytes / 4 && !err; i++) {
		turnstile_write(card, HOST_SP_READ, 0);
		err = settled(card, 0);
		words[i] = turnstile_read(card, HOST_SP_WORD);
	}
	mutex_unlock(&card->loading);
	turnstile_leave(card);
	return err ? err : bytes;
}
static BIN_ATTR_ADMIN_RW(sp_memory, SP_MEMORY_BYTES);

static struct attribute *start_attributes[] = {
	&dev_attr_firmware.attr,
	&dev_attr_site.attr,
	NULL
};

static struct bin_attribute *start_files[] = {
	&bin_attr_sp_memory,
	NULL
};

const struct attribute_group turnstile_start_group = {
	.attrs = start_attributes,
	.bin_attrs = start_files,
};
