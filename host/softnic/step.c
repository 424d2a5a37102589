/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine's work on one device, in steps: take a doorbell, execute one WQE
 * of one queue, deliver one frame, let one held CQE out. A pass does a burst of
 * each; a test or the simulation draws single ones.
 */
#include "sn.h"

#define BURST 32u

/* A wire that is pumped: what waits in either direction moves on. */
static uint32_t pump(struct sn_device *dev)
{
	return dev->wire->ops->poll ? dev->wire->ops->poll(dev->wire) : 0;
}

static int host_ready(struct sn_device *dev)
{
	return dev->host && sn_port_can_send(dev) && (dev->host_len || dev->host->ops->can_receive(dev->host));
}

static uint32_t n_rung(const struct sn_device *dev)
{
	const struct sn_uar *uar;
	uint32_t n = 0;

	TAILQ_FOREACH(uar, &dev->uars, in_dev)
		n += (uint32_t)sn_uar_rung(uar);
	return n;
}

static uint32_t n_sendable(struct sn_device *dev)
{
	return dev->n_busy && sn_port_can_send(dev) ? dev->n_busy : 0;
}

uint32_t sn_dev_n_ready(struct sn_device *dev)
{
	uint32_t moved = pump(dev) ? 1 : 0; /* also the last look before the engine sleeps */

	return moved + n_rung(dev) + n_sendable(dev) + (sn_input_can_receive(dev) ? 1 : 0) + (host_ready(dev) ? 1 : 0) +
	       (sn_adv_n_held(dev) ? 1 : 0);
}

static void take_doorbell(struct sn_device *dev, uint32_t which)
{
	struct sn_uar *uar;

	TAILQ_FOREACH(uar, &dev->uars, in_dev) {
		if (sn_uar_rung(uar) && which-- == 0) {
			sn_uar_take(dev, uar);
			return;
		}
	}
}

static void send_one(struct sn_device *dev, uint32_t which)
{
	struct sn_sq *sq;

	TAILQ_FOREACH(sq, &dev->busy, in_busy) {
		if (which-- == 0) {
			sn_sq_step(sq);
			return;
		}
	}
}

void sn_dev_step(struct sn_device *dev, uint32_t which)
{
	uint32_t n = n_rung(dev);

	if (which < n) {
		take_doorbell(dev, which);
		return;
	}
	which -= n;
	n = n_sendable(dev);
	if (which < n) {
		send_one(dev, which);
		return;
	}
	which -= n;
	if (sn_input_can_receive(dev) && which-- == 0)
		sn_port_poll_wire(dev);
	else if (host_ready(dev) && which-- == 0)
		sn_port_poll_host(dev);
	else
		sn_adv_publish(dev, 1);
}

static uint32_t send_some(struct sn_sq *sq)
{
	struct sn_clock *clock = sn_wq_dev(&sq->wq)->clock;
	uint32_t n;

	clock->held = 1;
	clock->ns = 0;
	for (n = 0; n < BURST && sq->busy && !sn_sq_step(sq);)
		n++;
	clock->held = 0;
	return n;
}

/* Queues take turns; each gets a burst. */
static uint32_t send_burst(struct sn_device *dev)
{
	uint32_t queues = dev->n_busy, n = 0;
	struct sn_sq *sq;

	while (queues-- > 0 && sn_port_can_send(dev) && (sq = TAILQ_FIRST(&dev->busy))) {
		TAILQ_REMOVE(&dev->busy, sq, in_busy);
		TAILQ_INSERT_TAIL(&dev->busy, sq, in_busy);
		n += send_some(sq);
	}
	return n;
}

int sn_dev_pass(struct sn_device *dev)
{
	uint32_t n = (uint32_t)sn_uar_pass(dev), i;

	n += send_burst(dev);
	n += pump(dev); /* after sending: what a kernel sent leaves in this pass */
	for (i = 0; i < BURST && sn_port_poll_wire(dev); i++)
		n++;
	for (i = 0; i < BURST && sn_port_poll_host(dev); i++)
		n++;
	if (dev->recorder)
		sn_recorder_look(dev);
	return (int)n;
}

static uint64_t wire_next_ns(const struct sn_device *dev)
{
	return dev->wire->ops->next_ns ? dev->wire->ops->next_ns(dev->wire) : UINT64_MAX;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t sn_dev_next_ns(const struct sn_device *dev)
{
	uint64_t retry = dev->tx_blocked && dev->retry_ns ? dev->retry_ns : UINT64_MAX;
	uint64_t ours = earlier(sn_input_next_ns(dev), sn_recorder_next_ns(dev));

	return earlier(earlier(retry, wire_next_ns(dev)), ours);
}
