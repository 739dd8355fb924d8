// SPDX-License-Identifier: GPL-2.0
/* /sys/class/turnstile/turnstileN/wire: the wire to another card, where the card has one. */
#include <linux/etherdevice.h>
#include <linux/sysfs.h>

#include "turnstile.h"

/**
 * struct wire_attribute - a register, a field of one, or an address in two
 * @attr: the file
 * @offset: of the register; of an address the lower four bytes
 * @more: of a field its lowest bit; of an address the register of the upper two bytes
 * @least: that may be written
 * @most: that may be written; of a field its mask
 */
struct wire_attribute {
	struct device_attribute attr;
	u32 offset;
	u32 more;
	u32 least;
	u32 most;
};

static const struct wire_attribute *of_wire(struct device_attribute *attr)
{
	return container_of(attr, struct wire_attribute, attr);
}

static ssize_t show_word(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct wire_attribute *wire = of_wire(attr);
	struct turnstile *card = dev_get_drvdata(dev);
	int err = turnstile_enter(card);
	u32 word;

	if (err)
		return err;
	word = turnstile_read(card, wire->offset);
	turnstile_leave(card);
	return sysfs_emit(buf, "%u\n", word >> wire->more & wire->most);
}

static ssize_t store_word(struct device *dev, struct device_attribute *attr, const char *buf,
			  size_t count)
{
	const struct wire_attribute *wire = of_wire(attr);
	struct turnstile *card = dev_get_drvdata(dev);
	u32 word;
	int err = kstrtou32(buf, 0, &word);

	if (err)
		return err;
	if (word < wire->least || word > wire->most)
		return -ERANGE;
	err = turnstile_enter(card);
	if (err)
		return err;
	turnstile_write(card, wire->offset, word);
	turnstile_leave(card);
	return count;
}

static ssize_t show_address(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct wire_attribute *wire = of_wire(attr);
	struct turnstile *card = dev_get_drvdata(dev);
	int err = turnstile_enter(card);
	u8 address[ETH_ALEN];

	if (err)
		return err;
	put_unaligned_le32(turnstile_read(card, wire->offset), address);
	put_unaligned_le16(turnstile_read(card, wire->more), address + 4);
	turnstile_leave(card);
	return sysfs_emit(buf, "%pM\n", address);
}

/* Of a station: neither of a group nor zeros. */
static ssize_t store_address(struct device *dev, struct device_attribute *attr, const char *buf,
			     size_t count)
{
	const struct wire_attribute *wire = of_wire(attr);
	struct turnstile *card = dev_get_drvdata(dev);
	u8 address[ETH_ALEN];
	int err;

	if (!mac_pton(buf, address) || !is_valid_ether_addr(address))
		return -EINVAL;
	err = turnstile_enter(card);
	if (err)
		return err;
	turnstile_write(card, wire->offset, get_unaligned_le32(address));
	turnstile_write(card, wire->more, get_unaligned_le16(address + 4));
	turnstile_leave(card);
	return count;
}

#define WIRE(_name, _mode, _show, _store, ...)							\
	static struct wire_attribute wire_##_name = {						\
		__ATTR(_name, _mode, _show, _store), __VA_ARGS__ }
#define ADDRESS(_name, _low, _high)								\
	WIRE(_name, 0644, show_address, store_address, .offset = _low, .more = _high)
#define WORD(_name, _offset, _least, _most)							\
	WIRE(_name, 0644, show_word, store_word,						\
	     .offset = _offset, .least = _least, .most = _most)
#define FIELD(_name, _offset, _field)								\
	WIRE(_name, 0444, show_word, NULL,							\
	     .offset = _offset, .more = _field##_SHIFT, .most = _field##_MASK)
#define COUNT(_name, _offset)									\
	WIRE(_name, 0444, show_word, NULL, .offset = _offset, .most = U32_MAX)

ADDRESS(own, HOST_WIRE_OWN, HOST_WIRE_OWN_HIGH);
ADDRESS(peer, HOST_WIRE_PEER, HOST_WIRE_PEER_HIGH);
WORD(enabled, HOST_WIRE_CONTROL, 0, 1);
WORD(round_trip, HOST_WIRE_ROUND_TRIP, 1, HOST_WIRE_ROUND_TRIP_CYCLES_MASK);
WORD(silence, HOST_WIRE_SILENCE, 8, HOST_WIRE_SILENCE_UNITS_MASK);
FIELD(up, HOST_WIRE_STATUS, HOST_WIRE_STATUS_UP);
FIELD(other_version, HOST_WIRE_STATUS, HOST_WIRE_STATUS_PEER_VERSION);
COUNT(frames, HOST_COUNT_WIRE_GOOD);
COUNT(damaged, HOST_COUNT_WIRE_DAMAGED);
COUNT(foreign, HOST_COUNT_WIRE_FOREIGN);
COUNT(stale, HOST_COUNT_WIRE_STALE);
COUNT(again, HOST_COUNT_WIRE_AGAIN);
COUNT(downs, HOST_COUNT_WIRE_DOWNS);
COUNT(dropped, HOST_COUNT_WIRE_DROPPED);
COUNT(cut, HOST_COUNT_WIRE_CUT);
COUNT(overruns, HOST_COUNT_WIRE_OVERRUNS);

static struct attribute *wire_attributes[] = {
	&wire_own.attr.attr,
	&wire_peer.attr.attr,
	&wire_enabled.attr.attr,
	&wire_round_trip.attr.attr,
	&wire_silence.attr.attr,
	&wire_up.attr.attr,
	&wire_other_version.attr.attr,
	&wire_frames.attr.attr,
	&wire_damaged.attr.attr,
	&wire_foreign.attr.attr,
	&wire_stale.attr.attr,
	&wire_again.attr.attr,
	&wire_downs.attr.attr,
	&wire_dropped.attr.attr,
	&wire_cut.attr.attr,
	&wire_overruns.attr.attr,
	NULL
};

static umode_t wire_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	struct turnstile *card = dev_get_drvdata(kobj_to_dev(kobj));

	return card->wire ? attr->mode : 0;
}

const struct attribute_group turnstile_wire_group = {
	.name = "wire",
	.attrs = wire_attributes,
	.is_visible = wire_visible,
};
