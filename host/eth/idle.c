/* SPDX-License-Identifier: BSD-3-Clause */
/* The warning against silence: a queue gets nothing while the port drops frames. Says which frame and why. */
#include "eth_priv.h"
#include <stdio.h>
#include <time.h>
#include "log.h"

#define IDLE_NS 3000000000ull
#define LOOK_NS 500000000ull

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The most common mistake in a first kernel. */
static const char *advice(struct gin_rxq *rxq)
{
	struct gin_rxq_stats s;

	if (gin_rxq_stats(rxq, &s) || s.taken - s.released < s.n_slots)
		return "";
	return "; the kernel has taken all slots and released none: call gin_rxq_release() or gin_rxq_release_after()";
}

static void show(struct gin_rxq *rxq, const struct gin_nic_drop *drop)
{
	const struct gin_nic_queue *queue = &rxq->queue;
	const uint8_t *h = drop->head;

	gin_warn("%s got nothing for 3 s, while %s drops frames as %s; the first: %u bytes, "
		 "%02x:%02x:%02x:%02x:%02x:%02x -> %02x:%02x:%02x:%02x:%02x:%02x, EtherType 0x%02x%02x, then "
		 "%02x%02x%02x%02x %02x%02x%02x%02x %02x%02x%02x%02x%s",
		 queue->name, queue->nic->name, drop->cause, drop->len, h[6], h[7], h[8], h[9], h[10], h[11], h[0], h[1], h[2],
		 h[3], h[4], h[5], h[12], h[13], h[14], h[15], h[16], h[17], h[18], h[19], h[20], h[21], h[22], h[23], h[24],
		 h[25], advice(rxq));
}

void gin_rxq_look_idle(struct gin_nic_queue *queue)
{
	struct gin_rxq *rxq = (struct gin_rxq *)queue;
	struct gin_nic_queue_counters counters;
	struct gin_nic_counters port;
	uint64_t now = now_ns();

	if (rxq->warned_idle || now - rxq->looked_ns < LOOK_NS)
		return;
	rxq->looked_ns = now;
	if (queue->nic->ops->queue_counters(queue->nic->dev, &queue->obj, &counters))
		return;
	if (!rxq->idle_since_ns || counters.packets != rxq->idle_packets) {
		rxq->idle_packets = counters.packets;
		rxq->idle_since_ns = now;
		return;
	}
	if (now - rxq->idle_since_ns < IDLE_NS || queue->nic->ops->counters(queue->nic->dev, &port))
		return;
	/* One from before tells nothing of this silence. This look took it away: the next finds a newer one. */
	if (port.first_drop.cause && port.first_drop.time_ns >= rxq->idle_since_ns) {
		show(rxq, &port.first_drop);
		rxq->warned_idle = 1;
	}
}
