/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "cable=NAME": two devices of this process. A frame goes from the sender's
 * memory straight into the receiver's buffer, inside send(): the only copy.
 */
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 63u

struct cable {
	char name[NAME_MAX_LEN + 1];
	struct sn_device *end[2];
	LIST_ENTRY(cable) next;
};

struct cable_wire {
	struct sn_wire w;
	struct cable *cable;
	uint32_t side;
};

/* All devices with cables are on one shard, so its lock covers the list. */
static LIST_HEAD(, cable) cables = LIST_HEAD_INITIALIZER(cables);

static struct cable *find_cable(const char *name)
{
	struct cable *c;

	LIST_FOREACH(c, &cables, next)
		if (!strcmp(c->name, name))
			return c;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	strcpy(c->name, name);
	LIST_INSERT_HEAD(&cables, c, next);
	return c;
}

static void unplug(struct cable *c, uint32_t side)
{
	struct sn_device *peer = c->end[!side];

	c->end[side] = NULL;
	if (peer) {
		sn_port_update_link(peer);
		return;
	}
	LIST_REMOVE(c, next);
	free(c);
}

static int cable_open(struct sn_device *dev, const char *name, struct sn_wire **out)
{
	struct cable_wire *w;
	struct cable *c;

	if (strlen(name) > NAME_MAX_LEN) {
		sn_note(dev, GIN_LOG_ERROR, "soft: cable=%s: the name has more than %u characters", name, NAME_MAX_LEN);
		return -EINVAL;
	}
	w = calloc(1, sizeof(*w));
	c = w ? find_cable(name) : NULL;
	if (!c) {
		free(w);
		return -ENOMEM;
	}
	if (c->end[0] && c->end[1]) {
		sn_note(dev, GIN_LOG_ERROR, "soft: cable=%s has two ends, both are taken: use another name", name);
		free(w);
		return -EBUSY;
	}
	w->w.ops = &sn_wire_cable;
	w->w.dev = dev;
	w->cable = c;
	w->side = c->end[0] != NULL;
	c->end[w->side] = dev;
	*out = &w->w;
	if (c->end[!w->side])
		sn_port_update_link(c->end[!w->side]);
	return 0;
}

static void cable_close(struct sn_wire *wire)
{
	struct cable_wire *w = (struct cable_wire *)wire;

	unplug(w->cable, w->side);
	free(w);
}

struct sn_device *sn_cable_peer(struct sn_device *dev)
{
	struct cable_wire *w = (struct cable_wire *)dev->wire;

	return w && w->w.ops == &sn_wire_cable ? w->cable->end[!w->side] : NULL;
}

static int cable_link(struct sn_wire *wire)
{
	struct sn_device *peer = sn_cable_peer(wire->dev);

	return peer && peer->admin_up;
}

static int cable_send(struct sn_wire *wire, const struct sn_frame *frame)
{
	struct sn_device *peer = sn_cable_peer(wire->dev);

	if (!peer)
		return -ENETDOWN;
	sn_port_arrived(peer, frame->len);
	sn_port_receive(peer, frame);
	return 0;
}

const struct sn_wire_ops sn_wire_cable = {
	.name = "cable", .arg = "NAME", .open = cable_open, .close = cable_close, .send = cable_send, .link = cable_link,
};
