/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion queues: a ring of 64-byte entries with owner bits; knows no Ethernet. */
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CI_MASK 0xffffffu /* record word 0, 23:0 */

static uint32_t read_context(struct sn_cmd *c, struct sn_cq *cq)
{
	const uint8_t *in = c->in;

	cq->log_size = (uint8_t)prm_get(in, PRM_AT_CQC, PRM_CQC_LOG_CQ_SIZE);
	cq->collapsed = (uint8_t)prm_get(in, PRM_AT_CQC, PRM_CQC_CC);
	cq->overrun_ignore = (uint8_t)prm_get(in, PRM_AT_CQC, PRM_CQC_OI);
	cq->period = (uint32_t)prm_get(in, PRM_AT_CQC, PRM_CQC_CQ_PERIOD);
	cq->max_count = (uint32_t)prm_get(in, PRM_AT_CQC, PRM_CQC_CQ_MAX_COUNT);
	cq->eqn = (uint32_t)prm_get(in, PRM_AT_CQC, PRM_CQC_C_EQN);
	if (cq->log_size > SN_LOG_MAX_CQ)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_SIZE, "log_cq_size %u is above %u", cq->log_size,
				 SN_LOG_MAX_CQ);
	if (cq->overrun_ignore && c->ctx->dev->profile.lacks & SN_LACKS_CQ_OI)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_UNSUPPORTED, "oi without the capability cq_oi");
	cq->mask = cq->collapsed ? 0 : (1u << cq->log_size) - 1;
	if (prm_get(in, PRM_AT_CQC, PRM_CQC_CQE_SZ))
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_UNSUPPORTED, "only 64-byte CQEs (cqe_sz 0)");
	if (cq->eqn != c->ctx->dev->tables[SN_EQ].base)
		return sn_refuse(c, PRM_BAD_RESOURCE, SN_SYN_NO_EQ, "c_eqn %u is no EQ of this context", cq->eqn);
	return PRM_OK;
}

static uint32_t find_memory(struct sn_cmd *c, struct sn_cq *cq)
{
	const uint8_t *in = c->in;
	uint64_t bytes = sizeof(struct gin_cqe) << cq->log_size;
	uint8_t *dbr;
	uint32_t status;

	status = sn_cmd_umem(c, "CQ ring", (uint32_t)prm_get(in, 0, PRM_CREATE_CQ_UMEM_ID),
			     prm_get(in, 0, PRM_CREATE_CQ_UMEM_OFFSET), bytes, 64, &cq->ring_mem, &cq->ring);
	if (status)
		return status;
	status = sn_cmd_umem(c, "CQ record", (uint32_t)prm_get(in, PRM_AT_CQC, PRM_CQC_DBR_UMEM_ID),
			     prm_get(in, PRM_AT_CQC, PRM_CQC_DBR_ADDR), sizeof(struct gin_dbrec), 8, &cq->dbr_mem, &dbr);
	cq->dbrec = (struct gin_dbrec *)(void *)dbr;
	return status;
}

uint32_t sn_cq_create(struct sn_cmd *c)
{
	struct sn_cq *cq = calloc(1, sizeof(*cq));
	uint32_t status;

	if (!cq)
		return sn_refuse(c, PRM_NO_RESOURCES, SN_SYN_MEMORY, "no memory");
	status = read_context(c, cq);
	if (!status)
		status = find_memory(c, cq);
	if (!status)
		cq->uar = (struct sn_uar *)sn_cmd_find(c, SN_UAR, (uint32_t)prm_get(c->in, PRM_AT_CQC, PRM_CQC_UAR_PAGE),
						       &status);
	cq->pi = cq->ci = c->ctx->dev->profile.first_index;
	if (!status)
		status = sn_cmd_add(c, SN_CQ, &cq->o);
	if (status) {
		free(cq);
		return status;
	}
	sn_ref(&cq->uar->o);
	sn_ref(&cq->ring_mem->o);
	sn_ref(&cq->dbr_mem->o);
	return PRM_OK;
}

void sn_cq_free_obj(struct sn_obj *obj)
{
	struct sn_cq *cq = (struct sn_cq *)obj;

	sn_unref(&cq->uar->o);
	sn_unref(&cq->ring_mem->o);
	sn_unref(&cq->dbr_mem->o);
	free(cq);
}

#define MODIFY_PERIOD 0x01u
#define MODIFY_COUNT 0x02u
#define MODIFY_OI 0x04u

uint32_t sn_cq_modify(struct sn_cmd *c)
{
	uint32_t select = (uint32_t)prm_get(c->in, 0, PRM_MODIFY_CQ_FIELD_SELECT), status = PRM_OK;
	struct sn_cq *cq;

	cq = (struct sn_cq *)sn_cmd_find(c, SN_CQ, (uint32_t)prm_get(c->in, 0, PRM_MODIFY_CQ_CQN), &status);
	if (!cq)
		return status;
	if (select & ~(MODIFY_PERIOD | MODIFY_COUNT | MODIFY_OI))
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_BITMASK, "field select 0x%x: only 0x%x", select,
				 MODIFY_PERIOD | MODIFY_COUNT | MODIFY_OI);
	if (select & MODIFY_PERIOD)
		cq->period = (uint32_t)prm_get(c->in, PRM_AT_CQC, PRM_CQC_CQ_PERIOD);
	if (select & MODIFY_COUNT)
		cq->max_count = (uint32_t)prm_get(c->in, PRM_AT_CQC, PRM_CQC_CQ_MAX_COUNT);
	if (select & MODIFY_OI)
		cq->overrun_ignore = (uint8_t)prm_get(c->in, PRM_AT_CQC, PRM_CQC_OI);
	return PRM_OK;
}

static uint32_t read_ci(const struct sn_cq *cq)
{
	struct gin_be32 raw;

	raw.raw = __atomic_load_n(&cq->dbrec->rcv.raw, __ATOMIC_ACQUIRE);
	return gin_from_be32(raw) & CI_MASK;
}

uint32_t sn_cq_query(struct sn_cmd *c)
{
	uint32_t status = PRM_OK;
	const struct sn_cq *cq;

	cq = (const struct sn_cq *)sn_cmd_find(c, SN_CQ, (uint32_t)prm_get(c->in, 0, PRM_OBJ_NUMBER), &status);
	if (!cq)
		return status;
	prm_set(c->out, PRM_AT_CQC, PRM_CQC_STATUS, cq->status);
	prm_set(c->out, PRM_AT_CQC, PRM_CQC_CC, cq->collapsed);
	prm_set(c->out, PRM_AT_CQC, PRM_CQC_OI, cq->overrun_ignore);
	prm_set(c->out, PRM_AT_CQC, PRM_CQC_ST, cq->arm);
	prm_set(c->out, PRM_AT_CQC, PRM_CQC_LOG_CQ_SIZE, cq->log_size);
	prm_set(c->out, PRM_AT_CQC, PRM_CQC_UAR_PAGE, cq->uar->o.number);
	prm_set(c->out, PRM_AT_CQC, PRM_CQC_CQ_PERIOD, cq->period);
	prm_set(c->out, PRM_AT_CQC, PRM_CQC_CQ_MAX_COUNT, cq->max_count);
	prm_set(c->out, PRM_AT_CQC, PRM_CQC_C_EQN, cq->eqn);
	prm_set(c->out, PRM_AT_CQC, PRM_CQC_LAST_NOTIFIED_INDEX, cq->last_notified);
	prm_set(c->out, PRM_AT_CQC, PRM_CQC_CONSUMER_COUNTER, read_ci(cq));
	prm_set(c->out, PRM_AT_CQC, PRM_CQC_PRODUCER_COUNTER, cq->pi & CI_MASK);
	return PRM_OK;
}

/* Software marks every entry invalid before the first CQE; else a poller takes garbage for one. */
static void check_initial(struct sn_cq *cq)
{
	uint32_t i, n = cq->collapsed ? 1 : 1u << cq->log_size;

	cq->checked = 1;
	for (i = 0; i < n; i++) {
		uint8_t op_own = __atomic_load_n(cq->ring + i * 64 + 0x3f, __ATOMIC_RELAXED);

		if (GIN_CQE_OPCODE(op_own) == GIN_CQE_INVALID)
			continue;
		sn_ignored(cq->o.ctx->dev, &cq->said, SN_SAID_ENTRIES,
			   "CQ 0x%x: entry %u holds op_own 0x%02x before its first CQE: set all entries to 0x%02x first",
			   cq->o.number, i, op_own, GIN_CQE_INIT);
		return;
	}
}

static void fail_queues(struct sn_cq *cq)
{
	const struct sn_table *t = cq->o.ctx->dev->tables;
	uint32_t i;

	for (i = 0; i < t[SN_SQ].max; i++) {
		struct sn_sq *sq = (struct sn_sq *)t[SN_SQ].slot[i];

		if (sq && sq->wq.cq == cq)
			sn_sq_fail(sq);
	}
	for (i = 0; i < t[SN_RQ].max; i++) {
		struct sn_rq *rq = (struct sn_rq *)t[SN_RQ].slot[i];

		if (rq && rq->wq.cq == cq)
			sn_rq_fail(rq);
	}
}

static void overrun(struct sn_cq *cq)
{
	cq->status = SN_CQ_OVERFLOW;
	sn_note(cq->o.ctx->dev, GIN_LOG_WARNING,
		"soft: CQ 0x%x overrun: %u entries, none given back (record word 0 is %u); it and its queues are in error",
		cq->o.number, 1u << cq->log_size, cq->ci);
	sn_event_post(cq->o.ctx, GIN_EV_CQ_ERROR, cq->o.number);
	fail_queues(cq);
}

static int has_room(struct sn_cq *cq)
{
	uint32_t n = 1u << cq->log_size;

	if (((cq->pi - cq->ci) & CI_MASK) < n)
		return 1;
	cq->ci = read_ci(cq);
	return ((cq->pi - cq->ci) & CI_MASK) < n;
}

static uint8_t *entry(const struct sn_cq *cq)
{
	return cq->ring + (size_t)(cq->pi & cq->mask) * sizeof(struct gin_cqe);
}

struct gin_cqe *sn_cq_begin(struct sn_cq *cq)
{
	if (cq->status)
		return NULL;
	if (!cq->checked)
		check_initial(cq);
	if (!cq->overrun_ignore && !has_room(cq)) {
		overrun(cq);
		return NULL;
	}
	return sn_adv_on(cq->o.ctx->dev) ? &cq->draft : (struct gin_cqe *)(void *)entry(cq);
}

/* 60 bytes are there, or held back; then the dword that makes the entry valid: a reader that sees it sees all. */
void sn_cq_end(struct sn_cq *cq, struct gin_cqe *cqe, uint16_t wqe_counter, uint32_t opcode)
{
	uint32_t owner = cq->pi >> cq->log_size & 1, tail = gin_swap32((uint32_t)wqe_counter << 16 | opcode << 4 | owner);
	uint8_t *to = entry(cq);

	if (cqe == &cq->draft && sn_adv_hold(cq->o.ctx->dev, to, cqe))
		memcpy(to, cqe, GIN_CQE_TAIL);
	__atomic_store_n((uint32_t *)(void *)(to + GIN_CQE_TAIL), tail, __ATOMIC_RELEASE);
	cq->pi++;
}

int sn_cq_write_error(struct sn_wq *wq, uint32_t cqe_opcode, uint32_t syndrome, uint32_t vendor, uint32_t wqe_opcode,
		      uint16_t wqe_counter)
{
	struct gin_cqe *cqe = sn_cq_begin(wq->cq);
	struct gin_err_cqe *err = (struct gin_err_cqe *)(void *)cqe;

	if (!cqe)
		return -EIO;
	memset(err, 0, GIN_CQE_TAIL);
	err->user_index = gin_to_be32(wq->user_index);
	err->vendor_syndrome = (uint8_t)vendor;
	err->syndrome = (uint8_t)syndrome;
	err->wqe_opcode_qpn = gin_to_be32(wqe_opcode << 24 | wq->o.number);
	sn_cq_end(wq->cq, cqe, wqe_counter, cqe_opcode);
	return 0;
}
