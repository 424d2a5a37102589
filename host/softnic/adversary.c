/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The worst that a NIC may do: a CQE's last dword is seen before its other
 * bytes and before the packet, until a reader that has seen that dword makes an
 * acquire (or chance lets them out); a packet is read as late, behind the CQE
 * that says it was sent; and posted WQEs are checked for changes when they are
 * used, late. Writes to the same bytes come out in order, so a
 * later one always wins.
 */
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct held {
	uint8_t *to;
	uint32_t len;
	const uint8_t *tail; /* the dword that was published before; NULL: its CQE is still to come */
	uint64_t *readers;   /* who loaded the tail since */
	uint32_t n_readers;
	struct sn_sq *sq;    /* not a write: the queue's late packet is to be read; else NULL */
	TAILQ_ENTRY(held) next;
	uint8_t data[];
};

struct sn_held_list {
	uint32_t n;
	TAILQ_HEAD(held_list, held) list;
};

int sn_adv_coin(const struct sn_device *dev)
{
	return (int)(gin_env_random(dev->env, GIN_RNG_ADVERSARY) & 1);
}

int sn_adv_open(struct sn_device *dev)
{
	dev->held = calloc(1, sizeof(*dev->held));
	if (!dev->held)
		return -ENOMEM;
	TAILQ_INIT(&dev->held->list);
	return 0;
}

void sn_adv_close(struct sn_device *dev)
{
	sn_adv_publish(dev, dev->held->n);
	free(dev->held);
}

int sn_adv_hold_payload(struct sn_device *dev, uint8_t *dst, const uint8_t *src, uint32_t len)
{
	struct held *h = calloc(1, sizeof(*h) + len);

	if (!h)
		return -ENOMEM;
	h->to = dst;
	h->len = len;
	if (len)
		memcpy(h->data, src, len);
	TAILQ_INSERT_TAIL(&dev->held->list, h, next);
	dev->held->n++;
	return 0;
}

int sn_adv_hold(struct sn_device *dev, uint8_t *entry, const struct gin_cqe *cqe)
{
	int err = sn_adv_hold_payload(dev, entry, (const uint8_t *)cqe, GIN_CQE_TAIL);
	struct held *h;

	TAILQ_FOREACH_REVERSE(h, &dev->held->list, held_list, next) {
		if (h->tail)
			break;
		h->tail = entry + GIN_CQE_TAIL;
	}
	return err;
}

int sn_adv_hold_read(struct sn_device *dev, struct sn_sq *sq)
{
	int err = sn_adv_hold_payload(dev, NULL, NULL, 0);

	if (!err)
		TAILQ_LAST(&dev->held->list, held_list)->sq = sq;
	return err;
}

void sn_adv_forget(struct sn_device *dev, const struct sn_sq *sq)
{
	struct held *h;

	TAILQ_FOREACH(h, &dev->held->list, next)
		if (h->sq == sq)
			h->sq = NULL;
}

uint32_t sn_adv_n_held(const struct sn_device *dev)
{
	return dev->held->n;
}

static void write_out(struct sn_device *dev, struct held *h)
{
	TAILQ_REMOVE(&dev->held->list, h, next);
	dev->held->n--;
	if (h->len)
		memcpy(h->to, h->data, h->len);
	if (h->sq)
		sn_sq_read_late(h->sq);
	free(h->readers);
	free(h);
}

void sn_adv_publish(struct sn_device *dev, uint32_t n)
{
	struct held *h;

	while (n-- > 0 && (h = TAILQ_FIRST(&dev->held->list)))
		write_out(dev, h);
}

static int has_read(const struct held *h, uint64_t reader)
{
	uint32_t i;

	for (i = 0; i < h->n_readers; i++)
		if (h->readers[i] == reader)
			return 1;
	return 0;
}

void sn_adv_loaded(struct sn_device *dev, uint64_t reader, const void *p)
{
	struct held *h;

	TAILQ_FOREACH(h, &dev->held->list, next) {
		uint64_t *more;

		if (h->tail != p || has_read(h, reader))
			continue;
		more = realloc(h->readers, (h->n_readers + 1) * sizeof(*more));
		if (!more) {
			sn_adv_publish(dev, dev->held->n); /* it may always come out early */
			return;
		}
		h->readers = more;
		h->readers[h->n_readers++] = reader;
	}
}

/* The oldest write before h to some of the same bytes, or NULL. */
static struct held *predecessor(const struct sn_device *dev, const struct held *h)
{
	struct held *before;

	for (before = TAILQ_FIRST(&dev->held->list); before != h; before = TAILQ_NEXT(before, next))
		if (before->to < h->to + h->len && h->to < before->to + before->len)
			return before;
	return NULL;
}

static void write_out_in_order(struct sn_device *dev, struct held *h)
{
	struct held *before;

	while ((before = predecessor(dev, h)))
		write_out_in_order(dev, before);
	write_out(dev, h);
}

void sn_adv_acquired(struct sn_device *dev, uint64_t reader)
{
	struct held *h = TAILQ_FIRST(&dev->held->list);

	while (h) {
		struct held *next = TAILQ_NEXT(h, next);

		if (has_read(h, reader))
			write_out_in_order(dev, h); /* takes only older ones along: next stays */
		h = next;
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

void sn_adv_remember(struct sn_wq *wq, uint16_t index, uint32_t entries)
{
	for (; entries-- > 0; index++)
		wq->seen[index & ((1u << wq->log_size) - 1)] = hash_entry(wq, index);
}

int sn_adv_differs(struct sn_wq *wq, uint16_t index, uint32_t entries)
{
	for (; entries-- > 0; index++)
		if (wq->seen[index & ((1u << wq->log_size) - 1)] != hash_entry(wq, index))
			return 1;
	return 0;
}
