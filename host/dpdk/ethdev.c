/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A wire by any DPDK driver: one port with one queue each way. Whoever makes a
 * pass of the shard moves bursts, so a driver sees one caller at a time. The
 * port is promiscuous: the NIC's own filter decides what it takes.
 */
#include "dpdk.h"
#include <errno.h>
#include <rte_cycles.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINKS_A_SECOND 10u     /* looks at the link */
#define SEND_NAP_NS 20000ull   /* packets wait for the driver */
#define FIRST_NAP_NS 20000ull  /* nothing comes, and no descriptor tells when it does */
#define LAST_NAP_NS 10000000ull /* a look after a nap costs 40 us with cold caches: 0.4 % of a core */
#define FLUSH_NS 100000000ull  /* at the end */

static struct ethdev *ethdev_of(struct sn_wire *w)
{
	return (struct ethdev *)w;
}

/* Once: infinite_rx=1 begins again at its end. */
static int reads_file(const struct ethdev *e)
{
	char value[8];

	if (!sn_devargs_get(e->devargs, "rx_pcap", value, sizeof(value)))
		return 0;
	return !sn_devargs_get(e->devargs, "infinite_rx", value, sizeof(value)) || !strcmp(value, "0");
}

/* Packets */

static int ethdev_send(struct sn_wire *w, const struct sn_frame *frame)
{
	return rings_put(&ethdev_of(w)->rings, frame);
}

static int ethdev_can_send(struct sn_wire *w)
{
	return rings_has_room(&ethdev_of(w)->rings);
}

static int ethdev_receive(struct sn_wire *w, struct sn_frame *frame)
{
	return rings_front(&ethdev_of(w)->rings, frame);
}

static void ethdev_taken(struct sn_wire *w)
{
	ethdev_of(w)->rings.rx_first++;
}

static uint32_t ethdev_held(struct sn_wire *w)
{
	return rings_n_rx(&ethdev_of(w)->rings);
}

static int ethdev_can_receive(struct sn_wire *w)
{
	return ethdev_held(w) != 0;
}

static int ethdev_ended(struct sn_wire *w)
{
	const struct ethdev *e = ethdev_of(w);

	if (!e->finite)
		return 0;
	return e->used_up && !rings_n_rx(&e->rings) ? 1 : -EAGAIN;
}

/* Link */

static void follow_link(struct ethdev *e)
{
	uint64_t now = rte_rdtsc();
	uint8_t up;

	if (now - e->link_tsc < rte_get_tsc_hz() / LINKS_A_SECOND)
		return;
	e->link_tsc = now;
	wake_clear_errors(&e->wake);
	up = port_link_is_up(e);
	if (up == e->up)
		return;
	e->up = up;
	dpdk_host->update_link(e->w.dev);
}

static int ethdev_link(struct sn_wire *w)
{
	return ethdev_of(w)->up;
}

/* Passes and sleep */

/* A capture file gives fewer packets than it was asked for only at its end, unless there was no memory for them. */
static void look_for_end(struct ethdev *e, uint32_t n)
{
	if (e->finite && !n && rings_n_rx(&e->rings) <= RING - BURST && rte_mempool_avail_count(e->rings.pool) > BURST)
		e->used_up = 1;
}

static uint32_t ethdev_poll(struct sn_wire *w)
{
	struct ethdev *e = ethdev_of(w);
	uint32_t sent = rings_push(&e->rings, e->port), n;

	if (e->trigger.move)
		e->trigger.move(e->trigger.signal);
	n = rings_pull(&e->rings, e->port, w->dev);
	wake_found(&e->wake, e->port, n);
	look_for_end(e, n);
	if (n)
		e->last_ns = 0;
	if (n && !e->up)
		e->link_tsc = 0; /* packets come: look now, before the port drops them for a link that was down */
	follow_link(e);
	return sent + n;
}

static int ethdev_fd(struct sn_wire *w)
{
	const struct ethdev *e = ethdev_of(w);

	return e->up ? e->wake.fd : -1; /* of an interface that is down: it would wake us for that, again and again */
}

/* The longer nothing came, the longer the next nap: 1 ms after a quarter of a second, the longest after 2.5 s. */
static uint64_t nap(struct ethdev *e, uint64_t now)
{
	uint64_t ns;

	if (!e->last_ns)
		e->last_ns = now;
	ns = (now - e->last_ns) / 256;
	return ns < FIRST_NAP_NS ? FIRST_NAP_NS : ns > LAST_NAP_NS ? LAST_NAP_NS : ns;
}

static uint64_t ethdev_next_ns(struct sn_wire *w)
{
	struct ethdev *e = ethdev_of(w);
	uint64_t now = dpdk_host->now_ns(w->dev);

	if (e->wake.can_arm && !e->wake.armed)
		return now;
	if (rings_n_tx(&e->rings) && e->up)
		return now + SEND_NAP_NS;
	if (e->wake.fd < 0 && e->up && !e->used_up)
		return now + nap(e, now);
	return now + 1000000000 / LINKS_A_SECOND;
}

/* Opening */

static int ethdev_open(struct sn_device *dev, const char *devargs, struct sn_wire **out)
{
	struct ethdev *e = calloc(1, sizeof(*e));
	int err;

	if (!e)
		return -ENOMEM;
	e->w.ops = &dpdk_wire_ethdev;
	e->w.dev = dev;
	e->wake.fd = e->wake.epoll = e->interface_socket = -1;
	snprintf(e->devargs, sizeof(e->devargs), "%s", devargs);
	snprintf(e->name, sizeof(e->name), "%.*s", (int)strcspn(devargs, ","), devargs);
	e->finite = reads_file(e);
	err = port_open(e);
	if (err) {
		port_close(e);
		free(e);
		return err;
	}
	*out = &e->w;
	return 0;
}

/* Closing */

/* What was sent leaves, if the driver takes it within a bounded time. */
static void flush(struct ethdev *e)
{
	uint64_t end = dpdk_host->now_ns(e->w.dev) + FLUSH_NS;

	while (e->up && rings_n_tx(&e->rings) && dpdk_host->now_ns(e->w.dev) < end)
		if (!rings_push(&e->rings, e->port))
			usleep(50);
	if (rings_n_tx(&e->rings))
		dpdk_note(e->w.dev, GIN_LOG_WARNING, "soft:%.200s: %u packets that were sent had not left when the NIC was closed", e->devargs,
			  rings_n_tx(&e->rings));
}

static void tell_losses(const struct ethdev *e)
{
	struct rte_eth_stats s;

	if (rte_eth_stats_get(e->port, &s))
		return;
	if (e->finite) /* net_pcap counts the end of a file that is cut off, of which pcap.c has told */
		s.ierrors = 0;
	if (!(s.imissed | s.ierrors | s.rx_nombuf))
		return;
	dpdk_note(e->w.dev, GIN_LOG_WARNING,
		  "soft:%.200s: packets lost before they came to the NIC, as DPDK counts them: imissed %llu, ierrors %llu, rx_nombuf %llu",
		  e->devargs, (unsigned long long)s.imissed, (unsigned long long)s.ierrors, (unsigned long long)s.rx_nombuf);
}

static void tell_cut_output(struct sn_device *dev, const char *path, const struct rte_eth_stats *sent)
{
	if (!dpdk_pcap_output_is_whole(path, sent))
		dpdk_note(dev, GIN_LOG_ERROR, "soft: tx_pcap=%.200s has not all of the %llu packets that were sent: is there room on its disk?",
			  path, (unsigned long long)sent->opackets);
}

static void ethdev_close(struct sn_wire *w)
{
	struct ethdev *e = ethdev_of(w);
	struct sn_device *dev = w->dev;
	struct rte_eth_stats sent;
	char output[SN_DEVARGS_MAX];
	int has_output;

	flush(e);
	tell_losses(e);
	has_output = sn_devargs_get(e->devargs, "tx_pcap", output, sizeof(output)) && !rte_eth_stats_get(e->port, &sent);
	port_close(e);
	free(e);
	if (has_output)
		tell_cut_output(dev, output, &sent);
}

const struct sn_wire_ops dpdk_wire_ethdev = {
	.name = "DPDK", .open = ethdev_open, .close = ethdev_close, .send = ethdev_send, .receive = ethdev_receive,
	.taken = ethdev_taken, .can_send = ethdev_can_send, .can_receive = ethdev_can_receive, .held = ethdev_held,
	.link = ethdev_link, .fd = ethdev_fd, .poll = ethdev_poll, .next_ns = ethdev_next_ns, .ended = ethdev_ended,
};
