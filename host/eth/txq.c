/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send queues: an SQ and a collapsed CQ, whose one entry names the WQE that
 * completed last. flush_in_error is off, so that the first error stays in it.
 */
#include "eth_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ginet/hw/wqe.h>
#include "log.h"

struct rings { size_t sq, cqe, sq_dbrec, cq_dbrec, size; }; /* byte offsets */

static struct rings layout(uint32_t depth)
{
	struct rings r;

	r.sq = 0;
	r.cqe = ((size_t)depth * GIN_WQEBB + 4095) & ~(size_t)4095;
	r.sq_dbrec = r.cqe + 64;
	r.cq_dbrec = r.sq_dbrec + 64;
	r.size = r.cq_dbrec + 64;
	return r;
}

static int complete(struct gin_nic *nic, const struct gin_txq_config *cfg, uint32_t *depth)
{
	uint32_t most = GIN_SQ_DEPTH_MAX;

	if (nic->caps.log_max_wq_sz < 14)
		most = 1u << nic->caps.log_max_wq_sz;
	if (cfg && cfg->flags) {
		gin_error("%s: send queue flags 0x%x are not known; set 0", nic->name, cfg->flags);
		return -EINVAL;
	}
	*depth = cfg && cfg->n_wqes ? cfg->n_wqes : 1024;
	if (*depth > most) {
		gin_error("%s: a send queue of %u WQEBBs is not possible, at most %u", nic->name, *depth, most);
		return -EINVAL;
	}
	*depth = gin_pow2(*depth);
	return 0;
}

static int create_cq(struct gin_txq *txq, const struct rings *r)
{
	struct gin_nic_queue *q = &txq->queue;
	struct gin_nic *nic = q->nic;
	struct gin_cqe cqe;
	uint8_t in[PRM_CREATE_LEN];
	struct prm_cq cq = {
		.log_size = 0,
		.uar_page = nic->cq_uar.page_id,
		.eqn = nic->eqn,
		.collapsed = 1,
		.overrun_ignore = 1,
		.ring = { txq->rings.umem.id, r->cqe },
		.dbrec = { txq->rings.umem.id, r->cq_dbrec },
	};
	int err;

	memset(&cqe, 0, sizeof(cqe));
	cqe.op_own = GIN_CQE_INIT;
	err = gin_mem_copy(q->gpu, (char *)txq->rings.mem.gpu + r->cqe, &cqe, sizeof(cqe));
	if (err)
		return err;
	prm_build_create_cq(in, &cq);
	return gin_nic_create_obj(nic, in, sizeof(in), &txq->cq, &q->cqn);
}

static int create_sq(struct gin_txq *txq, uint32_t depth, const struct rings *r)
{
	struct gin_nic_queue *q = &txq->queue;
	struct gin_nic *nic = q->nic;
	uint8_t in[PRM_CREATE_LEN];
	struct prm_sq sq = {
		.cqn = q->cqn,
		.tisn = nic->tisn,
		.min_inline_mode = nic->min_inline ? 1 : 0,
		.ts_format = nic->caps.sq_ts_format ? 2 : 0,
		.wq = {
			.log_size = gin_log2(depth),
			.log_stride = 6,
			.pd = nic->pd.pdn,
			.uar_page = txq->uar.page_id,
			.ring = { txq->rings.umem.id, r->sq },
			.dbrec = { txq->rings.umem.id, r->sq_dbrec },
		},
	};
	int err;

	prm_build_create_sq(in, &sq);
	err = gin_nic_create_obj(nic, in, sizeof(in), &q->obj, &q->number);
	if (err)
		return err;
	return gin_queue_first(nic, &q->obj, PRM_OP_QUERY_SQ, q->number, &txq->first);
}

static int map_doorbell(struct gin_txq *txq)
{
	struct gin_gpu *gpu = txq->queue.gpu;
	uintptr_t reg = (uintptr_t)txq->uar.reg, page = reg & ~(uintptr_t)(GIN_UAR_PAGE - 1);
	void *gpu_page;
	int err = gpu->ops->map_host(gpu, (void *)page, GIN_UAR_PAGE, txq->uar.is_mmio, &gpu_page);

	if (err)
		return err;
	txq->uar_page = (void *)page;
	txq->dev.sq.uar = (uint64_t *)((char *)gpu_page + (reg - page));
	return 0;
}

/* All counts start where the NIC's do: nothing reserved, nothing open, the token at the first link. */
static int init_state(struct gin_txq *txq, uint32_t depth, const struct rings *r)
{
	struct gin_gpu *gpu = txq->queue.gpu;
	uint64_t first = txq->first;
	size_t size = offsetof(struct gin_sq_state, link) + depth * sizeof(uint64_t);
	struct gin_sq_state *state;
	struct gin_cqe cqe;
	int err = gin_mem_alloc(gpu, GIN_MEM_GPU, size, &txq->state);

	if (err)
		return err;
	state = aligned_alloc(GIN_LINE, (size + GIN_LINE - 1) & ~(size_t)(GIN_LINE - 1));
	if (!state)
		return -ENOMEM;
	memset(state, 0, size);
	state->reserved = state->completed = first;
	state->cqe = (struct gin_cqe *)((char *)txq->rings.mem.gpu + r->cqe);
	state->mask = depth - 1;
	state->link[first & (depth - 1)] = first << 1 | 1;
	err = gin_mem_copy(gpu, txq->state.gpu, state, size);
	free(state);
	if (err)
		return err;
	/* The CQE names the WQEBB before the first as done. */
	memset(&cqe, 0, sizeof(cqe));
	cqe.wqe_counter = gin_to_be16((uint16_t)(first - 1));
	cqe.op_own = GIN_CQE_INIT;
	return gin_mem_copy(gpu, (char *)txq->rings.mem.gpu + r->cqe, &cqe, sizeof(cqe));
}

static void fill_handle(struct gin_txq *txq, uint32_t depth, const struct rings *r)
{
	struct gin_nic *nic = txq->queue.nic;
	char *mem = txq->rings.mem.gpu;

	txq->dev.sq.wqe = (uint8_t *)(mem + r->sq);
	txq->dev.sq.dbrec = (struct gin_dbrec *)(mem + r->sq_dbrec);
	txq->dev.sq.cqe = (struct gin_cqe *)(mem + r->cqe);
	txq->dev.sq.state = txq->state.gpu;
	txq->dev.sq.stop = txq->queue.gpu->stop_gpu;
	txq->dev.sq.mask = depth - 1;
	txq->dev.sq.sqn = gin_to_be32(txq->queue.number << 8);
	txq->dev.max_frame = nic->caps.mtu + 18u; /* with a VLAN tag; the NIC checks untagged ones */
	txq->dev.min_inline = nic->min_inline;
}

static int start(struct gin_txq *txq)
{
	struct gin_nic_queue *q = &txq->queue;
	uint8_t in[PRM_MODIFY_LEN];

	prm_build_modify_sq(in, q->number, PRM_STATE_RST, PRM_STATE_RDY);
	return gin_nic_modify_obj(q->nic, &q->obj, in, sizeof(in));
}

static uint64_t peek(const struct gin_txq *txq, size_t offset)
{
	const char *cpu = txq->state.cpu;

	return gin_nic_peek64(txq->queue.gpu, (const char *)txq->state.gpu + offset, cpu ? cpu + offset : NULL);
}

static int read_error(struct gin_nic_queue *queue, struct gin_err_cqe *out, uint64_t *index)
{
	struct gin_txq *txq = (struct gin_txq *)queue;
	uint64_t reserved = peek(txq, offsetof(struct gin_sq_state, reserved));

	if (gin_mem_copy(queue->gpu, out, txq->dev.sq.cqe, sizeof(*out)) ||
	    GIN_CQE_OPCODE(out->op_own) != GIN_CQE_REQ_ERR)
		return -ENOENT;
	*index = reserved - (uint16_t)(reserved - gin_from_be16(out->wqe_counter));
	return 0;
}

/* A kernel that never puts headers into the WQE would get error CQEs from a NIC that wants them. */
static int may_launch(struct gin_nic_queue *queue, const struct gin_kernel *kernel)
{
	const struct gin_nic *nic = queue->nic;

	if (!nic->min_inline || !(kernel->flags & GIN_KERNEL_NO_INLINE))
		return 0;
	gin_error("kernel %s was built with GIN_NO_INLINE, but NIC %s wants %u header bytes in each WQE of %s: build the kernel "
		  "without GIN_NO_INLINE, or use another NIC",
		  kernel->name, nic->name, nic->min_inline, queue->name);
	return -ENOTSUP;
}

static void free_txq(struct gin_txq *txq)
{
	struct gin_nic_queue *q = &txq->queue;
	struct gin_nic *nic = q->nic;

	gin_nic_queue_remove(q);
	gin_nic_destroy_obj(nic, &q->obj);
	gin_nic_destroy_obj(nic, &txq->cq);
	if (txq->uar_page)
		q->gpu->ops->unmap_host(q->gpu, txq->uar_page);
	if (txq->uar.priv)
		nic->ops->uar_free(nic->dev, &txq->uar);
	gin_nic_mem_free(nic, &txq->rings);
	gin_mem_free(q->gpu, &txq->state);
	free(txq);
}

static int create(struct gin_nic *nic, struct gin_gpu *gpu, uint32_t depth, struct gin_txq **out)
{
	struct gin_txq *txq;
	struct rings r;
	int err;

	txq = calloc(1, sizeof(*txq));
	if (!txq)
		return -ENOMEM;
	r = layout(depth);
	txq->queue.nic = nic;
	txq->queue.gpu = gpu;
	txq->queue.read_error = read_error;
	txq->queue.may_launch = may_launch;
	err = gin_nic_mem_alloc(nic, gpu, r.size, &txq->rings);
	if (err)
		goto err_free;
	err = nic->ops->uar_alloc(nic->dev, &txq->uar);
	if (err)
		goto err_free;
	err = map_doorbell(txq);
	if (err)
		goto err_free;
	err = create_cq(txq, &r);
	if (err)
		goto err_free;
	err = create_sq(txq, depth, &r);
	if (err)
		goto err_free;
	err = init_state(txq, depth, &r);
	if (err)
		goto err_free;
	fill_handle(txq, depth, &r);
	err = start(txq);
	if (err)
		goto err_free;
	gin_nic_queue_add(&txq->queue);
	*out = txq;
	return 0;

err_free:
	free_txq(txq);
	return err;
}

int gin_txq_create(struct gin_nic *nic, struct gin_gpu *gpu, const struct gin_txq_config *cfg, struct gin_txq **out)
{
	unsigned int before = gin_log_errors();
	uint32_t depth;
	int err = complete(nic, cfg, &depth);

	if (err)
		return err;
	err = create(nic, gpu, depth, out);
	if (err)
		gin_error_if_untold(before, "%s: cannot create a send queue of %u WQEBBs: %s", nic->name, depth,
				    gin_strerror(err));
	return err;
}

/* A send queue, looked for in the deferred releases of receive queues; forget: take it out of them. */
struct search { const struct gin_txq *txq; int forget; };

static int look_in(struct gin_gpu_watch *watch, void *arg)
{
	struct gin_nic_queue *queue = gin_nic_queue_of(watch);
	const struct gin_rxq *rxq = (const struct gin_rxq *)queue;
	const struct search *search = arg;
	struct gin_rxq_deferred d, *at;
	struct gin_rxq_state state;
	int found = 0;
	uint64_t i;

	if (!queue->receives || gin_mem_copy(queue->gpu, &state, rxq->state.gpu, offsetof(struct gin_rxq_state, deferred)))
		return 0;
	for (i = state.deferred_first; i != state.deferred_end; i++) {
		at = &rxq->dev.state->deferred[(uint32_t)i & rxq->dev.mask];
		if (gin_mem_copy(queue->gpu, &d, at, sizeof(d)) || d.sq != search->txq->dev.sq.state)
			continue;
		found = 1;
		d.sq = NULL; /* done: a queue that is gone reads no slot */
		if (search->forget)
			gin_mem_copy(queue->gpu, at, &d, sizeof(d));
	}
	return found && !search->forget;
}

void gin_txq_forget(const struct gin_txq *txq)
{
	struct search search = { txq, 1 };

	gin_gpu_watch_each(txq->queue.gpu, look_in, &search);
}

/* Also by receive queues of other NICs: they may send out of their slots by this one, see gin_rxq_share(). */
static int is_awaited(const struct gin_txq *txq)
{
	struct search search = { txq, 0 };

	return gin_gpu_watch_each(txq->queue.gpu, look_in, &search);
}

int gin_txq_destroy(struct gin_txq *txq)
{
	if (!txq)
		return 0;
	if (is_awaited(txq)) {
		gin_error("%s cannot be destroyed: a receive queue waits for its sends (gin_rxq_release_after()); destroy that "
			  "receive queue first",
			  txq->queue.name);
		return -EBUSY;
	}
	free_txq(txq);
	return 0;
}

struct gin_dev_txq gin_txq_dev(const struct gin_txq *txq)
{
	return txq->dev;
}

int gin_txq_stats(struct gin_txq *txq, struct gin_txq_stats *out)
{
	struct gin_nic_queue *q = &txq->queue;
	struct gin_nic_queue_counters counters;
	int err = q->nic->ops->queue_counters(q->nic->dev, &q->obj, &counters);

	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	out->posted = counters.posted;
	out->bytes = counters.bytes;
	out->wire = counters.packets;
	out->drop = counters.drops;
	out->last_ns = counters.last_ns;
	out->completed = peek(txq, offsetof(struct gin_sq_state, completed)) - txq->first;
	out->full = peek(txq, offsetof(struct gin_sq_state, full));
	out->in_flight = counters.in_flight;
	out->n_wqes = txq->dev.sq.mask + 1;
	return 0;
}
