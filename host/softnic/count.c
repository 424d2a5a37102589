/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters. Each is written under the shard's lock and read with it held: a
 * snapshot is always taken between two passes, so its sums are right. The
 * in_flight terms are measured here: what wires hold, what queues have covered
 * and not ended.
 */
#include "sn.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sn_drop(struct sn_device *dev, uint64_t *counter, const char *cause, const struct sn_frame *frame)
{
	struct gin_nic_drop *d = &dev->first_drop;

	(*counter)++;
	if (d->cause)
		return;
	d->cause = cause;
	d->time_ns = gin_env_now(dev->env);
	d->len = frame->len;
	memset(d->head, 0, sizeof(d->head));
	if (frame->len)
		memcpy(d->head, frame->data, frame->len < sizeof(d->head) ? frame->len : sizeof(d->head));
}

void sn_ignored(struct sn_device *dev, uint8_t *said, uint8_t bit, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	dev->stats.refused++;
	if (*said & bit)
		return;
	*said |= bit;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	sn_note(dev, GIN_LOG_WARNING, "soft: %s", line);
}

uint32_t sn_rx_in_flight(const struct sn_device *dev)
{
	return dev->wire->ops->held ? dev->wire->ops->held(dev->wire) : 0;
}

uint64_t sn_tx_in_flight(const struct sn_device *dev)
{
	const struct sn_table *t = &dev->tables[SN_SQ];
	uint64_t n = dev->host_len ? 1 : 0;
	uint32_t i, left = t->n;

	for (i = 0; left && i < t->max; i++) {
		const struct sn_sq *sq = (const struct sn_sq *)t->slot[i];

		if (!sq)
			continue;
		left--;
		n += sq->covered - sq->done;
	}
	return n;
}

int sn_counters(struct sn_device *dev, struct gin_nic_counters *out)
{
	sn_lock(dev);
	out->stats = dev->stats;
	out->stats.rx_in_flight = sn_rx_in_flight(dev);
	out->stats.tx_in_flight = sn_tx_in_flight(dev);
	out->first_drop = dev->first_drop;
	dev->first_drop.cause = NULL;
	sn_unlock(dev);
	return 0;
}

int sn_queue_counters(struct sn_ctx *ctx, uint32_t number, int is_sq, struct gin_nic_queue_counters *out)
{
	const struct sn_wq *wq;

	sn_lock(ctx->dev);
	wq = (const struct sn_wq *)sn_find(ctx, is_sq ? SN_SQ : SN_RQ, number);
	if (wq) {
		*out = wq->count;
		out->state = wq->state;
		out->in_flight = is_sq ? sn_sq_in_flight((const struct sn_sq *)wq) : sn_rq_posted((const struct sn_rq *)wq);
	}
	sn_unlock(ctx->dev);
	return wq ? 0 : -EINVAL;
}
