/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive queues: a cyclic RQ and a CQ of the same depth, so that CQE slot,
 * WQE and packet slot share one index and giving a slot back is moving the
 * record. Overrun-ignore is safe: no CQE can come for a slot not given back.
 */
#include "eth_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ginet/hw/wqe.h>
#include "asan.h"
#include "log.h"

enum { MAX_SLOTS = 32768, MAX_SLOT_BYTES = 1 << 20, L2_BYTES = 18 /* Ethernet header and one VLAN tag */ };
enum { RED_ZONE = 64 /* behind each slot, for AddressSanitizer */ };

static size_t page_up(size_t n)
{
	return (n + 4095) & ~(size_t)4095;
}

struct rings { size_t cq, rq, rq_dbrec, cq_dbrec, size; }; /* byte offsets */

static struct rings layout(uint32_t n)
{
	struct rings r;

	r.cq = 0;
	r.rq = page_up((size_t)n * sizeof(struct gin_cqe));
	r.rq_dbrec = r.rq + page_up((size_t)n * sizeof(struct gin_wqe_data));
	r.cq_dbrec = r.rq_dbrec + 64;
	r.size = r.cq_dbrec + 64;
	return r;
}

/* The config with zeros filled in, checked. */
static int complete(struct gin_nic *nic, const struct gin_rxq_config *in, struct gin_rxq_config *cfg)
{
	uint32_t need;

	memset(cfg, 0, sizeof(*cfg));
	if (in)
		*cfg = *in;
	if (cfg->flags) {
		gin_error("%s: receive queue flags 0x%x are not known; set 0", nic->name, cfg->flags);
		return -EINVAL;
	}
	if (!cfg->n_slots)
		cfg->n_slots = 1024;
	if (cfg->n_slots > MAX_SLOTS || gin_log2(gin_pow2(cfg->n_slots)) > nic->caps.log_max_wq_sz) {
		gin_error("%s: a receive queue of %u slots is not possible, at most %u", nic->name, cfg->n_slots,
			  nic->caps.log_max_wq_sz < 15 ? 1u << nic->caps.log_max_wq_sz : MAX_SLOTS);
		return -EINVAL;
	}
	cfg->n_slots = gin_pow2(cfg->n_slots);
	if (cfg->headroom > MAX_SLOT_BYTES || cfg->slot_bytes > MAX_SLOT_BYTES) {
		gin_error("%s: headroom %u and slot_bytes %u: at most %u", nic->name, cfg->headroom, cfg->slot_bytes,
			  MAX_SLOT_BYTES);
		return -EINVAL;
	}
	need = cfg->headroom + nic->caps.mtu + L2_BYTES;
	if (cfg->slot_bytes && cfg->slot_bytes < need) {
		gin_error("%s: slots of %u bytes are too small, a frame at MTU %u needs %u with %u of headroom: raise slot_bytes "
			  "or lower the MTU",
			  nic->name, cfg->slot_bytes, nic->caps.mtu, need, cfg->headroom);
		return -EMSGSIZE;
	}
	if (!cfg->slot_bytes) {
		cfg->slot_bytes = (need + 63) & ~63u;
		if (!cfg->buf && cfg->slot_bytes % 4096 == 0) /* page multiples would all fall into the same cache sets */
			cfg->slot_bytes += 64;
	}
	return 0;
}

/* Slots of kernels on CPU threads are guarded; not in the simulation, where loads come late or early on purpose. */
static int has_guards(const struct gin_rxq *rxq)
{
#ifdef GINET_SIM
	(void)rxq;
	return 0;
#else
	return rxq->queue.gpu->ops == &gin_gpu_cpu && gin_asan_is_on();
#endif
}

/* From slot to slot. Your own memory has no red zones: its layout is yours. */
static uint32_t stride_of(const struct gin_rxq *rxq, const struct gin_rxq_config *cfg)
{
	return cfg->buf || !has_guards(rxq) ? cfg->slot_bytes : ((cfg->slot_bytes + 63) & ~63u) + RED_ZONE;
}

/* Nobody may touch a slot before a packet is in it; the NIC lifts that as it writes one (softnic/rq.c). */
static void poison_slots(const struct gin_rxq *rxq)
{
	const uint8_t *slot = rxq->dev.slots + rxq->dev.headroom;
	uint32_t i;

	for (i = 0; has_guards(rxq) && i <= rxq->dev.mask; i++, slot += rxq->dev.stride)
		gin_asan_poison(slot, rxq->dev.stride - rxq->dev.headroom);
}

static int alloc_slots(struct gin_rxq *rxq, const struct gin_rxq_config *cfg)
{
	struct gin_nic_queue *q = &rxq->queue;
	size_t size = (size_t)cfg->n_slots * rxq->dev.stride;
	enum gin_mem_kind kind = gin_nic_mem_kind(q->nic, q->gpu, cfg->mem);
	struct gin_mem_ref ref;
	int err;

	if (cfg->buf) {
		rxq->dev.slots = cfg->buf;
		ref = gin_nic_mem_ref(q->gpu, cfg->buf, cfg->buf, size, kind);
		if (ref.gpu)
			ref.cpu = NULL;
	} else {
		err = gin_mem_alloc(q->gpu, kind, size, &rxq->slots);
		if (err)
			return err;
		rxq->dev.slots = rxq->slots.gpu;
		ref = gin_nic_mem_ref(q->gpu, rxq->slots.gpu, rxq->slots.cpu, size, kind);
	}
	return q->nic->ops->mr_reg(q->nic->dev, &q->nic->pd, &ref, GIN_MR_LOCAL_WRITE, &rxq->mr);
}

static int alloc_rings(struct gin_rxq *rxq, uint32_t n)
{
	struct gin_nic_queue *q = &rxq->queue;
	struct rings r = layout(n);
	struct gin_cqe *cqes;
	uint32_t i;
	int err = gin_nic_mem_alloc(q->nic, q->gpu, r.size, &rxq->rings);

	if (err)
		return err;
	cqes = calloc(n, sizeof(*cqes));
	if (!cqes)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		cqes[i].op_own = GIN_CQE_INIT;
	err = gin_mem_copy(q->gpu, (char *)rxq->rings.mem.gpu + r.cq, cqes, n * sizeof(*cqes));
	free(cqes);
	return err;
}

static int create_cq(struct gin_rxq *rxq, uint32_t n)
{
	struct gin_nic *nic = rxq->queue.nic;
	struct rings r = layout(n);
	uint8_t in[PRM_CREATE_LEN];
	struct prm_cq cq = {
		.log_size = gin_log2(n),
		.uar_page = nic->cq_uar.page_id,
		.eqn = nic->eqn,
		.overrun_ignore = 1,
		.ring = { rxq->rings.umem.id, r.cq },
		.dbrec = { rxq->rings.umem.id, r.cq_dbrec },
	};

	prm_build_create_cq(in, &cq);
	return gin_nic_create_obj(nic, in, sizeof(in), &rxq->cq, &rxq->queue.cqn);
}

static int create_rq(struct gin_rxq *rxq, uint32_t n)
{
	struct gin_nic *nic = rxq->queue.nic;
	struct rings r = layout(n);
	uint8_t in[PRM_CREATE_LEN];
	struct prm_rq rq = {
		.cqn = rxq->queue.cqn,
		.flush_in_error = 1,
		.vlan_strip_disable = 1,
		.ts_format = nic->caps.rq_ts_format ? 2 : 0,
		.wq = {
			.log_size = gin_log2(n),
			.log_stride = gin_log2(sizeof(struct gin_wqe_data)),
			.pd = nic->pd.pdn,
			.ring = { rxq->rings.umem.id, r.rq },
			.dbrec = { rxq->rings.umem.id, r.rq_dbrec },
		},
	};
	int err;

	prm_build_create_rq(in, &rq);
	err = gin_nic_create_obj(nic, in, sizeof(in), &rxq->queue.obj, &rxq->queue.number);
	if (err)
		return err;
	prm_build_create_tir(in, rxq->queue.number, nic->tdn, 3 /* own unicast and multicast do not come back */);
	err = gin_nic_create_obj(nic, in, sizeof(in), &rxq->tir, &rxq->tirn);
	if (err)
		return err;
	return gin_queue_first(nic, &rxq->queue.obj, PRM_OP_QUERY_RQ, rxq->queue.number, &rxq->first);
}

/* Slot i belongs to WQE i for good. */
static int write_wqes(struct gin_rxq *rxq, const struct gin_rxq_config *cfg)
{
	struct rings r = layout(cfg->n_slots);
	struct gin_wqe_data *wqes = calloc(cfg->n_slots, sizeof(*wqes));
	uint32_t i;
	int err;

	if (!wqes)
		return -ENOMEM;
	for (i = 0; i < cfg->n_slots; i++) {
		wqes[i].byte_count = gin_to_be32(cfg->slot_bytes - cfg->headroom);
		wqes[i].lkey = rxq->dev.lkey;
		wqes[i].addr = gin_to_be64((uintptr_t)rxq->dev.slots + (uint64_t)i * rxq->dev.stride + cfg->headroom);
	}
	err = gin_mem_copy(rxq->queue.gpu, (char *)rxq->rings.mem.gpu + r.rq, wqes, cfg->n_slots * sizeof(*wqes));
	free(wqes);
	return err;
}

static int init_state(struct gin_rxq *rxq, uint32_t n)
{
	struct gin_gpu *gpu = rxq->queue.gpu;
	struct gin_rxq_state state;
	size_t size = offsetof(struct gin_rxq_state, deferred) + n * sizeof(struct gin_rxq_deferred);
	int err = gin_mem_alloc(gpu, GIN_MEM_GPU, size, &rxq->state);

	if (err)
		return err;
	memset(&state, 0, sizeof(state));
	state.ci = state.released = rxq->first;
	return gin_mem_copy(gpu, rxq->state.gpu, &state, offsetof(struct gin_rxq_state, deferred));
}

/* Arm: only a complete queue takes packets. */
static int start(struct gin_rxq *rxq, uint32_t n)
{
	struct gin_nic_queue *q = &rxq->queue;
	struct gin_be32 posted = gin_to_be32((uint32_t)rxq->first + n);
	struct rings r = layout(n);
	uint8_t in[PRM_MODIFY_LEN];
	int err;

	prm_build_modify_rq(in, q->number, PRM_STATE_RST, PRM_STATE_RDY);
	err = gin_nic_modify_obj(q->nic, &q->obj, in, sizeof(in));
	if (err)
		return err;
	return gin_mem_copy(q->gpu, (char *)rxq->rings.mem.gpu + r.rq_dbrec, &posted, sizeof(posted));
}

static void fill_handle(struct gin_rxq *rxq, const struct gin_rxq_config *cfg)
{
	struct rings r = layout(cfg->n_slots);
	char *mem = rxq->rings.mem.gpu;

	rxq->dev.cq = (struct gin_cqe *)(mem + r.cq);
	rxq->dev.dbrec = (struct gin_dbrec *)(mem + r.rq_dbrec);
	rxq->dev.state = rxq->state.gpu;
	rxq->dev.stop = rxq->queue.gpu->stop_gpu;
	rxq->dev.mask = cfg->n_slots - 1;
	rxq->dev.log_n = gin_log2(cfg->n_slots);
	rxq->dev.headroom = cfg->headroom;
}

/* The first error CQE at or behind the consumer. */
static int read_error(struct gin_nic_queue *queue, struct gin_err_cqe *out, uint64_t *index)
{
	struct gin_rxq *rxq = (struct gin_rxq *)queue;
	uint64_t ci = gin_nic_peek64(queue->gpu, &rxq->dev.state->ci,
				     rxq->state.cpu ? &((struct gin_rxq_state *)rxq->state.cpu)->ci : NULL);
	uint32_t i;

	for (i = 0; i <= rxq->dev.mask; i++) {
		if (gin_mem_copy(queue->gpu, out, &rxq->dev.cq[(uint32_t)(ci + i) & rxq->dev.mask], sizeof(*out)))
			return -ENOENT;
		if (GIN_CQE_OPCODE(out->op_own) == GIN_CQE_RESP_ERR &&
		    (out->op_own & GIN_CQE_OWNER) == ((ci + i) >> rxq->dev.log_n & 1)) {
			*index = ci + i;
			return 0;
		}
	}
	return -ENOENT;
}

static void at_launch(struct gin_nic_queue *queue)
{
	struct gin_rxq *rxq = (struct gin_rxq *)queue;

	if (!__atomic_load_n(&rxq->n_flows, __ATOMIC_RELAXED) && !__atomic_exchange_n(&rxq->warned_no_rule, 1, __ATOMIC_RELAXED))
		gin_warn("no rule leads to %s: its kernel will wait for ever; call gin_flow_all() or gin_flow_create()", queue->name);
}

static void traffic(struct gin_nic_queue *queue, struct gin_gpu_traffic *sum)
{
	struct gin_rxq_stats stats;

	if (gin_rxq_stats((struct gin_rxq *)queue, &stats))
		return;
	sum->moved += stats.taken + stats.released;
	sum->unreleased += stats.packets - stats.released;
}

void gin_rxq_unshare(struct gin_rxq_share *share)
{
	struct gin_nic *nic = share->nic;

	TAILQ_REMOVE(&share->rxq->shares, share, in_rxq);
	pthread_mutex_lock(&nic->lock);
	TAILQ_REMOVE(&nic->shares, share, in_nic);
	pthread_mutex_unlock(&nic->lock);
	nic->ops->mr_dereg(nic->dev, &share->mr);
	free(share);
}

static void free_rxq(struct gin_rxq *rxq)
{
	struct gin_nic *nic = rxq->queue.nic;
	struct gin_rxq_share *share;

	gin_nic_queue_remove(&rxq->queue);
	while ((share = TAILQ_FIRST(&rxq->shares)))
		gin_rxq_unshare(share);
	gin_nic_destroy_obj(nic, &rxq->tir);
	gin_nic_destroy_obj(nic, &rxq->queue.obj);
	gin_nic_destroy_obj(nic, &rxq->cq);
	gin_nic_mem_free(nic, &rxq->rings);
	if (rxq->mr.priv)
		nic->ops->mr_dereg(nic->dev, &rxq->mr);
	if (rxq->dev.slots && has_guards(rxq)) /* your own memory is yours again */
		gin_asan_unpoison(rxq->dev.slots, ((size_t)rxq->dev.mask + 1) * rxq->dev.stride);
	gin_mem_free(rxq->queue.gpu, &rxq->slots);
	gin_mem_free(rxq->queue.gpu, &rxq->state);
	free(rxq);
}

/* cfg is complete. */
static int create(struct gin_nic *nic, struct gin_gpu *gpu, const struct gin_rxq_config *cfg, struct gin_rxq **out)
{
	struct gin_rxq *rxq;
	int err;

	rxq = calloc(1, sizeof(*rxq));
	if (!rxq)
		return -ENOMEM;
	TAILQ_INIT(&rxq->shares);
	rxq->queue.nic = nic;
	rxq->queue.gpu = gpu;
	rxq->queue.receives = 1;
	rxq->queue.read_error = read_error;
	rxq->queue.tick = gin_rxq_look_idle;
	rxq->queue.traffic = traffic;
	rxq->queue.at_launch = at_launch;
	rxq->dev.stride = stride_of(rxq, cfg);
	err = alloc_slots(rxq, cfg);
	if (err)
		goto err_free;
	rxq->dev.lkey = gin_to_be32(rxq->mr.lkey);
	err = alloc_rings(rxq, cfg->n_slots);
	if (err)
		goto err_free;
	err = create_cq(rxq, cfg->n_slots);
	if (err)
		goto err_free;
	err = create_rq(rxq, cfg->n_slots);
	if (err)
		goto err_free;
	err = write_wqes(rxq, cfg);
	if (err)
		goto err_free;
	err = init_state(rxq, cfg->n_slots);
	if (err)
		goto err_free;
	fill_handle(rxq, cfg);
	poison_slots(rxq);
	err = start(rxq, cfg->n_slots);
	if (err)
		goto err_free;
	gin_nic_queue_add(&rxq->queue);
	*out = rxq;
	return 0;

err_free:
	free_rxq(rxq);
	return err;
}

int gin_rxq_create(struct gin_nic *nic, struct gin_gpu *gpu, const struct gin_rxq_config *user, struct gin_rxq **out)
{
	unsigned int before = gin_log_errors();
	struct gin_rxq_config cfg;
	int err = complete(nic, user, &cfg);

	if (err)
		return err;
	err = create(nic, gpu, &cfg, out);
	if (err)
		gin_error_if_untold(before, "%s: cannot create a receive queue of %u slots of %u bytes: %s", nic->name,
				    cfg.n_slots, cfg.slot_bytes, gin_strerror(err));
	return err;
}

int gin_rxq_destroy(struct gin_rxq *rxq)
{
	if (!rxq)
		return 0;
	if (__atomic_load_n(&rxq->n_flows, __ATOMIC_RELAXED)) {
		gin_error("%s cannot be destroyed: %u rules lead to it; destroy them first", rxq->queue.name, rxq->n_flows);
		return -EBUSY;
	}
	free_rxq(rxq);
	return 0;
}

struct gin_dev_rxq gin_rxq_dev(const struct gin_rxq *rxq)
{
	return rxq->dev;
}

static int share_slots(struct gin_rxq *rxq, struct gin_nic *other, struct gin_be32 *lkey)
{
	size_t size = ((size_t)rxq->dev.mask + 1) * rxq->dev.stride;
	struct gin_gpu *gpu = rxq->queue.gpu;
	struct gin_rxq_share *share = calloc(1, sizeof(*share));
	struct gin_mem_ref ref;
	int err;

	if (!share)
		return -ENOMEM;
	ref = gin_nic_mem_ref(gpu, rxq->dev.slots, rxq->slots.gpu ? rxq->slots.cpu : rxq->dev.slots, size, rxq->slots.kind);
	err = other->ops->mr_reg(other->dev, &other->pd, &ref, 0, &share->mr);
	if (err) {
		free(share);
		return err;
	}
	share->rxq = rxq;
	share->nic = other;
	TAILQ_INSERT_TAIL(&rxq->shares, share, in_rxq);
	pthread_mutex_lock(&other->lock);
	TAILQ_INSERT_TAIL(&other->shares, share, in_nic);
	pthread_mutex_unlock(&other->lock);
	*lkey = gin_to_be32(share->mr.lkey);
	return 0;
}

int gin_rxq_share(struct gin_rxq *rxq, struct gin_nic *other, struct gin_be32 *lkey)
{
	unsigned int before = gin_log_errors();
	int err = share_slots(rxq, other, lkey);

	if (err)
		gin_error_if_untold(before, "%s: cannot register the slots of %s: %s", other->name, rxq->queue.name,
				    gin_strerror(err));
	return err;
}

int gin_rxq_stats(struct gin_rxq *rxq, struct gin_rxq_stats *out)
{
	struct gin_nic_queue *q = &rxq->queue;
	const struct gin_rxq_state *cpu = rxq->state.cpu;
	struct gin_nic_queue_counters counters;
	int err;

	memset(out, 0, sizeof(*out));
	/* The kernel's indices first: it cannot have taken more than the NIC then says it delivered. */
	out->released = gin_nic_peek64(q->gpu, &rxq->dev.state->released, cpu ? &cpu->released : NULL) - rxq->first;
	out->taken = gin_nic_peek64(q->gpu, &rxq->dev.state->ci, cpu ? &cpu->ci : NULL) - rxq->first;
	err = q->nic->ops->queue_counters(q->nic->dev, &q->obj, &counters);
	if (err)
		return err;
	out->packets = counters.packets;
	out->bytes = counters.bytes;
	out->drop_no_buffer = counters.drops;
	out->last_ns = counters.last_ns;
	out->waiting = (uint32_t)(out->packets - out->taken);
	out->n_slots = rxq->dev.mask + 1;
	return 0;
}
