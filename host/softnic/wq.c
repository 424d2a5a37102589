/* SPDX-License-Identifier: BSD-3-Clause */
/* Work queue ring and state: what send and receive queues have in common. */
#include "sn.h"
#include <stdlib.h>
#include <string.h>

#define WQ_CYCLIC 1u
#define TS_REAL_TIME 2u

/* Real time came with ConnectX-6 Dx (mlx5 driver: sq_ts_format, rq_ts_format). */
static int has_real_time(const struct sn_device *dev)
{
	return !dev->profile.no_time && dev->profile.model >= SN_CX6DX;
}

/* What an SQ's and RQ's context share lies at the same offsets in both. */
static uint32_t read_context(struct sn_cmd *c, struct sn_wq *wq, uint32_t min_log_stride, uint32_t max_log_stride)
{
	const uint8_t *in = c->in;

	wq->log_size = (uint8_t)prm_get(in, PRM_AT_WQ, PRM_WQ_LOG_WQ_SZ);
	wq->log_stride = (uint8_t)prm_get(in, PRM_AT_WQ, PRM_WQ_LOG_WQ_STRIDE);
	wq->ts_format = (uint8_t)prm_get(in, PRM_AT_CTX, PRM_SQC_TS_FORMAT);
	wq->user_index = (uint32_t)prm_get(in, PRM_AT_CTX, PRM_SQC_USER_INDEX);
	if (prm_get(in, PRM_AT_CTX, PRM_SQC_STATE) != PRM_STATE_RST)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_VALUE, "a queue is created in state RST");
	if (prm_get(in, PRM_AT_WQ, PRM_WQ_TYPE) != WQ_CYCLIC)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_UNSUPPORTED, "wq_type is not 1 (cyclic)");
	if (prm_get(in, PRM_AT_WQ, PRM_WQ_SIGNATURE) || prm_get(in, PRM_AT_CTX, PRM_SQC_HAIRPIN))
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_UNSUPPORTED, "no WQE signatures, no hairpin");
	if (wq->log_size > SN_LOG_MAX_WQ)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_SIZE, "log_wq_sz %u is above %u", wq->log_size, SN_LOG_MAX_WQ);
	wq->mask = (1u << wq->log_size) - 1;
	if (wq->log_stride < min_log_stride || wq->log_stride > max_log_stride)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_STRIDE, "log_wq_stride %u is not in %u..%u", wq->log_stride,
				 min_log_stride, max_log_stride);
	if (wq->ts_format > TS_REAL_TIME || (wq->ts_format == TS_REAL_TIME && !has_real_time(c->ctx->dev)))
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_UNSUPPORTED, "ts_format %u is not one of this NIC's",
				 wq->ts_format);
	return PRM_OK;
}

static uint32_t find_memory(struct sn_cmd *c, struct sn_wq *wq)
{
	const uint8_t *in = c->in;
	uint64_t bytes = 1ull << (wq->log_size + wq->log_stride);
	uint8_t *dbr;
	uint32_t status;

	status = sn_cmd_umem(c, "ring", (uint32_t)prm_get(in, PRM_AT_WQ, PRM_WQ_UMEM_ID),
			     prm_get(in, PRM_AT_WQ, PRM_WQ_UMEM_OFFSET), bytes, 64, &wq->ring_mem, &wq->ring);
	if (status)
		return status;
	status = sn_cmd_umem(c, "record", (uint32_t)prm_get(in, PRM_AT_WQ, PRM_WQ_DBR_UMEM_ID),
			     prm_get(in, PRM_AT_WQ, PRM_WQ_DBR_ADDR), sizeof(struct gin_dbrec), 8, &wq->dbr_mem, &dbr);
	wq->dbrec = (struct gin_dbrec *)(void *)dbr;
	return status;
}

uint32_t sn_wq_create(struct sn_cmd *c, struct sn_wq *wq, uint32_t cqn, uint32_t min_log_stride, uint32_t max_log_stride)
{
	uint32_t status = read_context(c, wq, min_log_stride, max_log_stride);

	if (!status)
		status = find_memory(c, wq);
	if (!status)
		wq->pd = sn_cmd_find(c, SN_PD, (uint32_t)prm_get(c->in, PRM_AT_WQ, PRM_WQ_PD), &status);
	if (!status)
		wq->cq = (struct sn_cq *)sn_cmd_find(c, SN_CQ, cqn, &status);
	if (status)
		return status;
	if (c->ctx->dev->profile.adversary) {
		wq->seen = calloc((size_t)1 << wq->log_size, sizeof(*wq->seen));
		if (!wq->seen)
			return sn_refuse(c, PRM_NO_RESOURCES, SN_SYN_MEMORY, "no memory");
	}
	sn_ref(wq->pd);
	sn_ref(&wq->cq->o);
	sn_ref(&wq->ring_mem->o);
	sn_ref(&wq->dbr_mem->o);
	return PRM_OK;
}

void sn_wq_free(struct sn_wq *wq)
{
	sn_unref(wq->pd);
	sn_unref(&wq->cq->o);
	sn_unref(&wq->ring_mem->o);
	sn_unref(&wq->dbr_mem->o);
	free(wq->seen);
}

/* To RST: what was posted is forgotten, indices start over. */
void sn_wq_reset(struct sn_wq *wq)
{
	wq->state = PRM_STATE_RST;
	wq->pi = wq->ci = (uint16_t)sn_wq_dev(wq)->profile.first_index;
	wq->said = 0;
}

/* Transitions: DPDK's mlx5 driver makes RST-RDY, RDY-RST, RDY-ERR, ERR-RST, RDY-RDY; others are refused (assumed). */
uint32_t sn_wq_modify_check(struct sn_cmd *c, const struct sn_wq *wq, uint32_t from, uint32_t to)
{
	if (from != wq->state)
		return sn_refuse(c, PRM_BAD_STATE, SN_SYN_STATE, "%s 0x%x is in state %u, not %u", sn_kind_name(wq->o.kind),
				 wq->o.number, wq->state, from);
	if (to == PRM_STATE_RST || (to == PRM_STATE_RDY && from != PRM_STATE_ERR) || to == PRM_STATE_ERR)
		return PRM_OK;
	return sn_refuse(c, to > PRM_STATE_ERR || to == 2 ? PRM_BAD_PARAM : PRM_BAD_STATE, SN_SYN_TRANSITION,
			 "%s 0x%x cannot go from state %u to %u", sn_kind_name(wq->o.kind), wq->o.number, from, to);
}

/* Counters are 32 bit where they are read, see first_index; the queue itself needs 16. */
static uint32_t wide(const struct sn_wq *wq, uint16_t index)
{
	uint32_t first = sn_wq_dev(wq)->profile.first_index;

	return first + (uint16_t)(index - first);
}

void sn_wq_query(const struct sn_wq *wq, uint8_t *out)
{
	prm_set(out, PRM_AT_CTX, PRM_SQC_STATE, wq->state);
	prm_set(out, PRM_AT_CTX, PRM_SQC_USER_INDEX, wq->user_index);
	prm_set(out, PRM_AT_CTX, PRM_SQC_CQN, wq->cq->o.number);
	prm_set(out, PRM_AT_CTX, PRM_SQC_TS_FORMAT, wq->ts_format);
	prm_set(out, PRM_AT_WQ, PRM_WQ_TYPE, WQ_CYCLIC);
	prm_set(out, PRM_AT_WQ, PRM_WQ_PD, wq->pd->number);
	prm_set(out, PRM_AT_WQ, PRM_WQ_LOG_WQ_STRIDE, wq->log_stride);
	prm_set(out, PRM_AT_WQ, PRM_WQ_LOG_WQ_SZ, wq->log_size);
	prm_set(out, PRM_AT_WQ, PRM_WQ_HW_COUNTER, wide(wq, wq->ci));
	prm_set(out, PRM_AT_WQ, PRM_WQ_SW_COUNTER, wide(wq, wq->pi));
}

/* The clock of the free-running format ticks in ns too: device_frequency_khz says 1 GHz. */
uint64_t sn_timestamp(const struct sn_wq *wq)
{
	const struct sn_clock *now = sn_look(sn_wq_dev(wq));

	return wq->ts_format == TS_REAL_TIME ? now->real_time : now->ns;
}
