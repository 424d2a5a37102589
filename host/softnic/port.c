/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The port: link, receive filter, the way in and the way out.
 *
 * What is sent leaves by the wire. A frame for the own MAC, a group or all is
 * also offered to the own receive side (self loopback): it gets there if a rule
 * leads it to a TIR of the sender's transport domain that does not block it by
 * self_lb_block; such a copy counts as rx_duplicated, as it came by no wire.
 * The host end never gets copies. The wire "loop" is not this: its frames come
 * back as from outside and count as rx_wire.
 */
#include "devargs.h"
#include "plugin.h"
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ETH_HEADER 14u
#define VLAN_TAG 4u

static const uint32_t model_mbps[] = { [SN_CX4LX] = 25000, [SN_CX5] = 100000, [SN_CX6DX] = 100000, [SN_CX7] = 200000 };

int sn_port_prepare(const struct sn_profile *profile)
{
	const struct sn_plugin *plugin;
	int err;

	if (!sn_devargs_is(profile->wire))
		return 0;
	err = sn_plugin_load(profile->wire, &plugin);
	return err ? err : plugin->check(profile->wire);
}

static int open_wire(struct sn_device *dev, const char *text, struct sn_wire **out)
{
	const struct sn_plugin *plugin = sn_plugin_loaded();
	const struct sn_wire_ops *ops;
	const char *arg = text;

	if (sn_devargs_is(text))
		ops = plugin ? plugin->ethdev : NULL;
	else
		ops = sn_wire_find(text, &arg);
	if (!ops)
		return -EINVAL;
	return ops->open(dev, arg, out);
}

int sn_port_open(struct sn_device *dev)
{
	int err = open_wire(dev, dev->profile.wire, &dev->wire);

	if (err)
		return err;
	if (dev->profile.host[0]) {
		err = open_wire(dev, dev->profile.host, &dev->host);
		if (err)
			goto err_close;
		dev->host_frame = malloc(SN_FRAME_MAX);
		err = dev->host_frame ? sn_tap_set_mac(dev->host, dev->profile.mac) : -ENOMEM;
		if (err)
			goto err_close;
	}
	sn_input_look(dev);
	sn_port_update_link(dev);
	return 0;

err_close:
	sn_port_close(dev);
	return err;
}

void sn_port_close(struct sn_device *dev)
{
	if (dev->host)
		dev->host->ops->close(dev->host);
	if (dev->wire)
		dev->wire->ops->close(dev->wire);
	dev->host = dev->wire = NULL;
	free(dev->host_frame);
	dev->host_frame = NULL;
}

void sn_port_update_link(struct sn_device *dev)
{
	const struct sn_wire *w = dev->wire;
	uint8_t up = dev->admin_up && w && (!w->ops->link || w->ops->link(dev->wire));

	if (up == dev->link)
		return;
	dev->link = up;
	sn_event_post_all(dev, up ? GIN_EV_PORT_UP : GIN_EV_PORT_DOWN, 1);
}

int sn_port_set_link(struct sn_device *dev, int up)
{
	struct sn_device *peer;

	sn_lock(dev);
	dev->admin_up = up != 0;
	sn_port_update_link(dev);
	peer = sn_cable_peer(dev);
	if (peer)
		sn_port_update_link(peer);
	sn_unlock(dev);
	return 0;
}

int sn_port_query(struct sn_device *dev, struct gin_nic_port *out)
{
	sn_lock(dev);
	memcpy(out->mac, dev->profile.mac, sizeof(out->mac));
	out->up = dev->link;
	out->mtu = dev->profile.mtu;
	out->mbps = model_mbps[dev->profile.model];
	sn_unlock(dev);
	return 0;
}

int sn_port_promisc(struct sn_ctx *ctx, int on)
{
	if (on && !ctx->dev->profile.promisc_allowed) {
		gin_error("soft: promiscuous mode refused: the device string says promisc=0");
		return -EPERM;
	}
	sn_lock(ctx->dev);
	ctx->promisc = on != 0;
	sn_unlock(ctx->dev);
	return 0;
}

/* The port takes one VLAN tag above its MTU, as the mlx5 driver sets it: 14 + MTU + 4. */
uint32_t sn_max_frame(const struct sn_device *dev, const uint8_t *head, uint32_t len)
{
	uint32_t tagged = len > ETH_HEADER && ((head[12] == 0x81 && head[13] == 0x00) || (head[12] == 0x88 && head[13] == 0xa8));

	return ETH_HEADER + dev->profile.mtu + (tagged ? VLAN_TAG : 0);
}

static int is_too_long(const struct sn_device *dev, const struct sn_frame *f)
{
	return f->len > ETH_HEADER + dev->profile.mtu && f->len > sn_max_frame(dev, f->data, f->len);
}

int sn_port_can_send(struct sn_device *dev)
{
	if (!dev->tx_blocked)
		return 1;
	if (dev->retry_ns)
		return gin_env_now(dev->env) >= dev->retry_ns;
	return !dev->wire->ops->can_send || dev->wire->ops->can_send(dev->wire);
}

static int is_group(const struct sn_frame *f)
{
	return f->data[0] & 1;
}

static int is_own(const struct sn_device *dev, const struct sn_frame *f)
{
	return !memcmp(f->data, dev->profile.mac, 6);
}

static void to_tir(struct sn_rule *rule, const struct sn_frame *frame, const struct sn_parsed *parsed)
{
	rule->packets++;
	rule->bytes += frame->len;
	sn_rq_deliver(rule->tir->rq, frame, parsed, rule->tag);
}

static void loop_back(struct sn_device *dev, const struct sn_frame *frame, const struct sn_obj *td)
{
	uint32_t kind = is_group(frame) ? 2 : 1;
	struct sn_parsed parsed;
	struct sn_rule *rule;

	if (!is_group(frame) && !is_own(dev, frame))
		return;
	sn_parse(frame->data, frame->len, &parsed);
	rule = sn_steer(dev, frame, &parsed);
	if (!rule || rule->to != GIN_NIC_TO_TIR || rule->tir->td != td || rule->tir->self_lb_block & kind)
		return;
	dev->stats.rx_duplicated++;
	to_tir(rule, frame, &parsed);
}

static void sent(struct sn_device *dev, const struct sn_frame *frame, struct gin_nic_queue_counters *count)
{
	dev->stats.tx_wire++;
	dev->stats.tx_wire_bytes += frame->len;
	if (!count)
		return;
	count->packets++;
	count->bytes += frame->len;
	count->last_ns = sn_look(dev)->ns;
}

static void count_drop(struct gin_nic_queue_counters *count)
{
	if (count)
		count->drops++;
}

#define RETRY_NS 1000000ull /* a kernel that has no memory now gets a millisecond */

/* In a capture a frame leaves before it arrives, also where it arrives inside send(). */
static int put_on_wire(struct sn_device *dev, const struct sn_frame *frame)
{
	const struct sn_wire_ops *ops = dev->wire->ops;
	int err;

	if (!ops->receive) /* and such a wire takes all that comes while its link is up */
		sn_record(dev, 1, frame);
	err = ops->send(dev->wire, frame);
	if (!err && ops->receive)
		sn_record(dev, 1, frame);
	return err;
}

int sn_port_send(struct sn_device *dev, const struct sn_frame *frame, const struct sn_obj *td,
		 struct gin_nic_queue_counters *count)
{
	int err = -ENETDOWN;

	if (is_too_long(dev, frame)) {
		SN_DROP(dev, tx_drop_too_long, frame);
		count_drop(count);
		return 0;
	}
	if (dev->link)
		err = put_on_wire(dev, frame);
	dev->tx_blocked = err == -EAGAIN || err == -ENOBUFS;
	dev->retry_ns = err == -ENOBUFS ? gin_env_now(dev->env) + RETRY_NS : 0;
	if (dev->tx_blocked) {
		sn_engine_rang(); /* if a helper found this, the thread sleeps without looking for room */
		return -EAGAIN;
	}
	if (err) {
		SN_DROP(dev, tx_drop_link_down, frame);
		count_drop(count);
		return 0;
	}
	sent(dev, frame, count);
	if (td)
		loop_back(dev, frame, td);
	return 0;
}

void sn_port_arrived(struct sn_device *dev, uint32_t len)
{
	dev->stats.rx_wire++;
	dev->stats.rx_wire_bytes += len;
}

static int filter_takes(const struct sn_device *dev, const struct sn_frame *frame)
{
	const struct sn_ctx *ctx;

	if (is_group(frame) || is_own(dev, frame))
		return 1;
	TAILQ_FOREACH(ctx, &dev->ctxs, in_dev)
		if (ctx->promisc)
			return 1;
	return 0;
}

/* A host end that is full loses the frame, as a kernel interface with a full ring does. */
static void to_host(struct sn_device *dev, const struct sn_frame *frame)
{
	dev->stats.rx_to_host++;
	if (dev->host)
		dev->host->ops->send(dev->host, frame);
}

static void steer(struct sn_device *dev, const struct sn_frame *frame)
{
	struct sn_parsed parsed;
	struct sn_rule *rule;

	sn_parse(frame->data, frame->len, &parsed);
	rule = sn_steer(dev, frame, &parsed);
	if (rule && rule->to == GIN_NIC_TO_TIR) {
		to_tir(rule, frame, &parsed);
		return;
	}
	if (rule) {
		rule->packets++;
		rule->bytes += frame->len;
	}
	if (rule && rule->to == GIN_NIC_TO_DROP)
		SN_DROP(dev, rx_drop_by_rule, frame);
	else
		to_host(dev, frame);
}

void sn_port_receive(struct sn_device *dev, const struct sn_frame *frame)
{
	uint8_t padded[SN_FRAME_MIN];
	struct sn_frame f = *frame;

	sn_record(dev, 0, frame);
	if (!dev->link) {
		SN_DROP(dev, rx_drop_link_down, frame);
	} else if (f.len < ETH_HEADER) {
		SN_DROP(dev, rx_drop_bad_frame, frame);
	} else if (is_too_long(dev, &f)) {
		SN_DROP(dev, rx_drop_too_long, frame); /* above the port's MTU: no queue sees it */
	} else if (!filter_takes(dev, &f)) {
		SN_DROP(dev, rx_drop_filter, frame);
	} else {
		sn_frame_pad(&f, padded);
		steer(dev, &f);
	}
}

struct sn_rq *sn_port_queue_of(struct sn_device *dev, const struct sn_frame *frame)
{
	uint8_t padded[SN_FRAME_MIN];
	struct sn_frame f = *frame;
	struct sn_parsed parsed;
	struct sn_rule *rule;

	if (!dev->link || f.len < ETH_HEADER || f.len > sn_max_frame(dev, f.data, f.len) || !filter_takes(dev, &f))
		return NULL;
	sn_frame_pad(&f, padded);
	sn_parse(f.data, f.len, &parsed);
	rule = sn_steer(dev, &f, &parsed);
	return rule && rule->to == GIN_NIC_TO_TIR ? rule->tir->rq : NULL;
}

int sn_port_poll_wire(struct sn_device *dev)
{
	struct sn_frame frame;

	if (!dev->wire->ops->receive || dev->wire->ops->receive(dev->wire, &frame) || sn_input_holds(dev, &frame))
		return 0;
	sn_port_receive(dev, &frame);
	dev->wire->ops->taken(dev->wire);
	return 1;
}

static void send_host_frame(struct sn_device *dev)
{
	struct sn_frame frame = { dev->host_frame, dev->host_len };

	if (!sn_port_send(dev, &frame, NULL, NULL))
		dev->host_len = 0;
}

/* A frame of the host leaves by the port, one at a time: while it waits for the wire, the next waits in the TAP. */
int sn_port_poll_host(struct sn_device *dev)
{
	uint8_t padded[SN_FRAME_MIN];
	struct sn_frame frame;

	if (!dev->host || !sn_port_can_send(dev))
		return 0;
	if (!dev->host_len) {
		if (dev->host->ops->receive(dev->host, &frame))
			return 0;
		sn_frame_pad(&frame, padded);
		dev->host_len = frame.len < SN_FRAME_MAX ? frame.len : SN_FRAME_MAX;
		memcpy(dev->host_frame, frame.data, dev->host_len);
		dev->host->ops->taken(dev->host);
		dev->stats.tx_posted++;
	}
	send_host_frame(dev);
	return !dev->host_len;
}
