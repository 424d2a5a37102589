/* SPDX-License-Identifier: BSD-3-Clause */
/* Transport domains, TIS (what a send queue is bound to) and TIR (what a rule leads to). */
#include "sn.h"
#include <stdlib.h>

uint32_t sn_td_alloc(struct sn_cmd *c)
{
	struct sn_obj *td = calloc(1, sizeof(*td));
	uint32_t status;

	if (!td)
		return sn_refuse(c, PRM_NO_RESOURCES, SN_SYN_MEMORY, "no memory");
	status = sn_cmd_add(c, SN_TD, td);
	if (status)
		free(td);
	return status;
}

uint32_t sn_tis_create(struct sn_cmd *c)
{
	struct sn_tis *tis = calloc(1, sizeof(*tis));
	uint32_t status = PRM_OK;

	if (!tis)
		return sn_refuse(c, PRM_NO_RESOURCES, SN_SYN_MEMORY, "no memory");
	tis->prio = (uint8_t)prm_get(c->in, PRM_AT_CTX, PRM_TISC_PRIO);
	if (prm_get(c->in, PRM_AT_CTX, PRM_TISC_TLS_EN) || prm_get(c->in, PRM_AT_CTX, PRM_TISC_UNDERLAY_QPN))
		status = sn_refuse(c, PRM_BAD_PARAM, SN_SYN_UNSUPPORTED, "no TLS, no IPoIB");
	if (!status)
		tis->td = sn_cmd_find(c, SN_TD, (uint32_t)prm_get(c->in, PRM_AT_CTX, PRM_TISC_TRANSPORT_DOMAIN), &status);
	if (!status)
		status = sn_cmd_add(c, SN_TIS, &tis->o);
	if (status) {
		free(tis);
		return status;
	}
	sn_ref(tis->td);
	return PRM_OK;
}

void sn_tis_free_obj(struct sn_obj *obj)
{
	struct sn_tis *tis = (struct sn_tis *)obj;

	sn_unref(tis->td);
	free(tis);
}

#define MODIFY_TIS_PRIO 1u

uint32_t sn_tis_modify(struct sn_cmd *c)
{
	uint64_t select = prm_get(c->in, 0, PRM_MODIFY_TIS_MODIFY_BITMASK);
	uint32_t status = PRM_OK;
	struct sn_tis *tis;

	tis = (struct sn_tis *)sn_cmd_find(c, SN_TIS, (uint32_t)prm_get(c->in, 0, PRM_MODIFY_TIS_TISN), &status);
	if (!tis)
		return status;
	if (select & ~(uint64_t)MODIFY_TIS_PRIO)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_BITMASK, "modify_bitmask: only prio (1) can be changed");
	if (select & MODIFY_TIS_PRIO)
		tis->prio = (uint8_t)prm_get(c->in, PRM_AT_CTX, PRM_TISC_PRIO);
	return PRM_OK;
}

uint32_t sn_tis_query(struct sn_cmd *c)
{
	uint32_t status = PRM_OK;
	const struct sn_tis *tis;

	tis = (const struct sn_tis *)sn_cmd_find(c, SN_TIS, (uint32_t)prm_get(c->in, 0, PRM_OBJ_NUMBER), &status);
	if (!tis)
		return status;
	prm_set(c->out, PRM_AT_QUERY_TISC, PRM_TISC_PRIO, tis->prio);
	prm_set(c->out, PRM_AT_QUERY_TISC, PRM_TISC_TRANSPORT_DOMAIN, tis->td->number);
	return PRM_OK;
}

#define DISP_DIRECT 0u

uint32_t sn_tir_create(struct sn_cmd *c)
{
	struct sn_tir *tir = calloc(1, sizeof(*tir));
	uint32_t status = PRM_OK;

	if (!tir)
		return sn_refuse(c, PRM_NO_RESOURCES, SN_SYN_MEMORY, "no memory");
	tir->self_lb_block = (uint8_t)prm_get(c->in, PRM_AT_CTX, PRM_TIRC_SELF_LB_BLOCK);
	if (prm_get(c->in, PRM_AT_CTX, PRM_TIRC_DISP_TYPE) != DISP_DIRECT ||
	    prm_get(c->in, PRM_AT_CTX, PRM_TIRC_LRO_ENABLE_MASK))
		status = sn_refuse(c, PRM_BAD_PARAM, SN_SYN_UNSUPPORTED, "only direct TIRs (disp_type 0), no LRO");
	if (!status)
		tir->rq = (struct sn_rq *)sn_cmd_find(c, SN_RQ, (uint32_t)prm_get(c->in, PRM_AT_CTX, PRM_TIRC_INLINE_RQN),
						      &status);
	if (!status)
		tir->td = sn_cmd_find(c, SN_TD, (uint32_t)prm_get(c->in, PRM_AT_CTX, PRM_TIRC_TRANSPORT_DOMAIN), &status);
	if (!status)
		status = sn_cmd_add(c, SN_TIR, &tir->o);
	if (status) {
		free(tir);
		return status;
	}
	sn_ref(&tir->rq->wq.o);
	sn_ref(tir->td);
	return PRM_OK;
}

void sn_tir_free_obj(struct sn_obj *obj)
{
	struct sn_tir *tir = (struct sn_tir *)obj;

	sn_unref(&tir->rq->wq.o);
	sn_unref(tir->td);
	free(tir);
}

#define MODIFY_TIR_SELF_LB 0x10u

uint32_t sn_tir_modify(struct sn_cmd *c)
{
	uint64_t select = prm_get(c->in, 0, PRM_MODIFY_TIR_MODIFY_BITMASK);
	uint32_t status = PRM_OK;
	struct sn_tir *tir;

	tir = (struct sn_tir *)sn_cmd_find(c, SN_TIR, (uint32_t)prm_get(c->in, 0, PRM_MODIFY_TIR_TIRN), &status);
	if (!tir)
		return status;
	if (select & ~(uint64_t)MODIFY_TIR_SELF_LB)
		return sn_refuse(c, PRM_BAD_PARAM, SN_SYN_BITMASK, "modify_bitmask: only self_lb_block (0x10) can be changed");
	if (select & MODIFY_TIR_SELF_LB)
		tir->self_lb_block = (uint8_t)prm_get(c->in, PRM_AT_CTX, PRM_TIRC_SELF_LB_BLOCK);
	return PRM_OK;
}

uint32_t sn_tir_query(struct sn_cmd *c)
{
	uint32_t status = PRM_OK;
	const struct sn_tir *tir;

	tir = (const struct sn_tir *)sn_cmd_find(c, SN_TIR, (uint32_t)prm_get(c->in, 0, PRM_OBJ_NUMBER), &status);
	if (!tir)
		return status;
	prm_set(c->out, PRM_AT_CTX, PRM_TIRC_INLINE_RQN, tir->rq->wq.o.number);
	prm_set(c->out, PRM_AT_CTX, PRM_TIRC_SELF_LB_BLOCK, tir->self_lb_block);
	prm_set(c->out, PRM_AT_CTX, PRM_TIRC_TRANSPORT_DOMAIN, tir->td->number);
	return PRM_OK;
}
