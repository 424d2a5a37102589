/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The worst that a NIC may do: a CQE's last dword is seen before its other
 * bytes and before the packet, until the reader makes an acquire (or chance
 * lets them out); and posted WQEs are checked for changes when they are used,
 * late. What is held back comes out in order, so a later write always wins.
 */
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct held {
	uint8_t *to;
	uint32_t len;
	STAILQ_ENTRY(held) next;
	uint8_t data[];
};

struct sn_held_list {
	uint32_t n;
	STAILQ_HEAD(, held) list;
};

int sn_adv_on(const struct sn_device *dev)
{
	return dev->profile.adversary && sn_engine_is_stepped();
}

int sn_adv_coin(const struct sn_device *dev)
{
	return (int)(gin_env_random(dev->env, GIN_RNG_ADVERSARY) & 1);
}

int sn_adv_open(struct sn_device *dev)
{
	dev->held = calloc(1, sizeof(*dev->held));
	if (!dev->held)
		return -ENOMEM;
	STAILQ_INIT(&dev->held->list);
	return 0;
}

void sn_adv_close(struct sn_device *dev)
{
	sn_adv_publish(dev, dev->held->n);
	free(dev->held);
}

int sn_adv_hold_payload(struct sn_device *dev, uint8_t *dst, const uint8_t *src, uint32_t len)
{
	struct held *h = malloc(sizeof(*h) + len);

	if (!h)
		return -ENOMEM;
	h->to = dst;
	h->len = len;
	memcpy(h->data, src, len);
	STAILQ_INSERT_TAIL(&dev->held->list, h, next);
	dev->held->n++;
	return 0;
}

int sn_adv_hold(struct sn_device *dev, uint8_t *entry, const struct gin_cqe *cqe)
{
	return sn_adv_hold_payload(dev, entry, (const uint8_t *)cqe, GIN_CQE_TAIL);
}

uint32_t sn_adv_n_held(const struct sn_device *dev)
{
	return dev->held->n;
}

void sn_adv_publish(struct sn_device *dev, uint32_t n)
{
	struct held *h;

	while (n-- > 0 && (h = STAILQ_FIRST(&dev->held->list))) {
		STAILQ_REMOVE_HEAD(&dev->held->list, next);
		dev->held->n--;
		memcpy(h->to, h->data, h->len);
		free(h);
	}
}

/* FNV-1a over whole words; a check, not a proof. */
static uint64_t hash_entry(const struct sn_wq *wq, uint16_t index)
{
	uint32_t slot = index & ((1u << wq->log_size) - 1), i, bytes = 1u << wq->log_stride;
	const uint8_t *p = wq->ring + ((size_t)slot << wq->log_stride);
	uint64_t h = 0xcbf29ce484222325ull, word;

	for (i = 0; i < bytes; i += sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		h = (h ^ word) * 0x100000001b3ull;
	}
	return h;
}

void sn_adv_saw(struct sn_wq *wq, uint16_t index, uint32_t entries)
{
	for (; wq->seen && entries-- > 0; index++)
		wq->seen[index & ((1u << wq->log_size) - 1)] = hash_entry(wq, index);
}

int sn_adv_changed(struct sn_wq *wq, uint16_t index, uint32_t entries)
{
	for (; wq->seen && entries-- > 0; index++)
		if (wq->seen[index & ((1u << wq->log_size) - 1)] != hash_entry(wq, index))
			return 1;
	return 0;
}
