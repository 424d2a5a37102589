/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UAR pages: plain memory here, so what stands for a register write is an
 * 8-byte word that the engine exchanges with 0 (a doorbell is never 0, as no
 * queue number is). Two doorbells to one word between two looks: the later hides
 * the earlier. A dedicated page serves the queue that the doorbell names; a
 * page that allocations share therefore makes us read the record of each of its
 * queues.
 */
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HOT_PASSES 256u /* without a doorbell, then it is looked at in turn only */
#define COLD_LOOKS 4u   /* cold pages looked at in one pass */

static struct sn_uar *uar_new(void)
{
	struct sn_uar *uar = calloc(1, sizeof(*uar));

	if (!uar)
		return NULL;
	/* Shared: after a fork() a private page would be copied, and a GPU that has it pinned write to the old one. */
	uar->page = mmap(NULL, GIN_UAR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (uar->page == MAP_FAILED) {
		free(uar);
		return NULL;
	}
	uar->users = 1;
	return uar;
}

static void uar_delete(struct sn_uar *uar)
{
	munmap(uar->page, GIN_UAR_PAGE);
	free(uar);
}

static int uar_add(struct sn_ctx *ctx, struct sn_uar *uar)
{
	struct sn_device *dev = ctx->dev;
	int err = sn_obj_add(ctx, SN_UAR, &uar->o);

	if (err) {
		sn_note(dev, GIN_LOG_ERROR, "soft: all %u UAR pages are taken: destroy queues, or take another NIC or uar=shared", dev->tables[SN_UAR].max);
		return -ENOMEM;
	}
	uar->shared = dev->profile.shared_uar;
	TAILQ_INSERT_TAIL(&dev->uars, uar, in_dev);
	if (uar->shared)
		ctx->shared_uar = uar;
	return 0;
}

int sn_uar_alloc(struct sn_ctx *ctx, uint32_t *page_id, void **page)
{
	struct sn_uar *uar = uar_new(), *spare = uar;
	int err = 0;

	if (!uar)
		return -ENOMEM;
	sn_lock(ctx->dev);
	if (ctx->shared_uar) {
		uar = ctx->shared_uar;
		uar->users++;
	} else {
		err = uar_add(ctx, uar);
		spare = err ? uar : NULL;
	}
	if (!err) {
		*page_id = uar->o.number;
		*page = uar->page;
	}
	sn_unlock(ctx->dev);
	if (spare)
		uar_delete(spare);
	return err;
}

int sn_uar_free(struct sn_ctx *ctx, uint32_t page_id)
{
	struct sn_uar *uar;
	int err = 0;

	sn_lock(ctx->dev);
	uar = (struct sn_uar *)sn_find(ctx, SN_UAR, page_id);
	if (!uar)
		err = -EINVAL;
	else if (uar->users > 1)
		uar->users--;
	else if (uar->o.refs)
		err = -EBUSY;
	else
		sn_obj_free(&uar->o);
	sn_unlock(ctx->dev);
	return err;
}

void sn_uar_free_obj(struct sn_obj *obj)
{
	struct sn_uar *uar = (struct sn_uar *)obj;

	if (obj->ctx->shared_uar == uar)
		obj->ctx->shared_uar = NULL;
	TAILQ_REMOVE(&obj->ctx->dev->uars, uar, in_dev);
	uar_delete(uar);
}

static uint64_t *doorbell(const struct sn_uar *uar)
{
	return (uint64_t *)(void *)(uar->page + GIN_UAR_SQ_DOORBELL);
}

/* Sequentially consistent: the look of an engine that goes to sleep, see engine.c. */
int sn_uar_rung(const struct sn_uar *uar)
{
	return __atomic_load_n(doorbell(uar), __ATOMIC_SEQ_CST) != 0;
}

static void ring_shared(struct sn_device *dev, const struct sn_uar *uar)
{
	const struct sn_table *t = &dev->tables[SN_SQ];
	uint32_t i, left = t->n;

	for (i = 0; left && i < t->max; i++) {
		struct sn_sq *sq = (struct sn_sq *)t->slot[i];

		if (!sq)
			continue;
		left--;
		if (sq->uar == uar && sq->wq.state == PRM_STATE_RDY)
			sn_sq_cover_record(sq);
	}
}

/* In ERR a queue that flushes still takes WQEs, to flush them too. */
static int takes_doorbells(const struct sn_sq *sq)
{
	return sq->wq.state == PRM_STATE_RDY || (sq->wq.state == PRM_STATE_ERR && sq->wq.flush_in_error);
}

void sn_uar_take(struct sn_device *dev, struct sn_uar *uar)
{
	uint64_t value = __atomic_exchange_n(doorbell(uar), 0, __ATOMIC_ACQ_REL);
	uint32_t w0 = gin_swap32((uint32_t)value), w1 = gin_swap32((uint32_t)(value >> 32));
	struct sn_sq *sq = (struct sn_sq *)sn_find(uar->o.ctx, SN_SQ, w1 >> 8);

	uar->idle = 0;
	if (!sq || sq->uar != uar)
		sn_ignored(dev, &uar->said, SN_SAID_NUMBER, "doorbell 0x%08x%08x on UAR page 0x%x: SQ 0x%x is not one of its queues", w0, w1,
			   uar->o.number, w1 >> 8);
	else if (!takes_doorbells(sq))
		sn_sq_refuse(sq);
	else if (!uar->shared && !(sn_adv_on(dev) && sn_adv_coin(dev)))
		/* Opcode and opmod may be anything: only index, number and size count. */
		sn_sq_cover(sq, (uint16_t)((w0 >> 8) + ((w1 & 0x3f) + 3) / 4));
	else
		/* Shared page; or a NIC that recovers and reads the record again. */
		sn_sq_cover_record(sq);
	if (uar->shared)
		ring_shared(dev, uar);
}

static void set_hot(struct sn_device *dev, struct sn_uar *uar, int hot)
{
	uar->hot = (uint8_t)hot;
	uar->idle = 0;
	TAILQ_REMOVE(&dev->uars, uar, in_dev);
	if (hot)
		TAILQ_INSERT_HEAD(&dev->uars, uar, in_dev);
	else
		TAILQ_INSERT_TAIL(&dev->uars, uar, in_dev);
}

static int look(struct sn_device *dev, struct sn_uar *uar)
{
	if (!sn_uar_rung(uar))
		return 0;
	sn_uar_take(dev, uar);
	if (!uar->hot)
		set_hot(dev, uar, 1);
	return 1;
}

/* Hot pages stand first. A cold one that was looked at goes to the end: so each has its turn. */
int sn_uar_pass(struct sn_device *dev)
{
	struct sn_uar *uar = TAILQ_FIRST(&dev->uars), *next;
	uint32_t cold = 0;
	int n = 0;

	for (; uar && uar->hot; uar = next) {
		next = TAILQ_NEXT(uar, in_dev);
		if (look(dev, uar))
			n++;
		else if (++uar->idle > HOT_PASSES)
			set_hot(dev, uar, 0);
	}
	for (; uar && cold < COLD_LOOKS; uar = next, cold++) {
		next = TAILQ_NEXT(uar, in_dev);
		if (look(dev, uar))
			n++;
		else
			set_hot(dev, uar, 0);
	}
	return n;
}
