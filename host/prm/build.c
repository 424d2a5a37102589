/* SPDX-License-Identifier: BSD-3-Clause */
/* Mailboxes of the commands that the library sends. What a builder does not name stays 0. */
#include "prm.h"
#include <string.h>

#define WQ_CYCLIC 1u
#define LOG_WQEBB 6u    /* a send ring counts 64-byte blocks */
#define TIR_DIRECT 0u

static void begin(uint8_t *in, size_t len, enum prm_opcode opcode)
{
	memset(in, 0, len);
	prm_set(in, 0, PRM_IN_OPCODE, opcode);
}

void prm_build_query_hca_cap(uint8_t in[PRM_SHORT_LEN], uint32_t category, int current)
{
	begin(in, PRM_SHORT_LEN, PRM_OP_QUERY_HCA_CAP);
	prm_set(in, 0, PRM_IN_OP_MOD, category << 1 | (current ? 1 : 0));
}

/* Of our own vport: other_vport and vport_number 0. */
void prm_build_query_nic_vport(uint8_t in[PRM_SHORT_LEN])
{
	begin(in, PRM_SHORT_LEN, PRM_OP_QUERY_NIC_VPORT_CONTEXT);
}

/* op_mod 0: the vport of a NIC, not one of an E-Switch. */
void prm_build_query_vport_state(uint8_t in[PRM_SHORT_LEN])
{
	begin(in, PRM_SHORT_LEN, PRM_OP_QUERY_VPORT_STATE);
}

void prm_build_alloc_td(uint8_t in[PRM_SHORT_LEN])
{
	begin(in, PRM_SHORT_LEN, PRM_OP_ALLOC_TD);
}

void prm_build_create_tis(uint8_t in[PRM_TIS_LEN], uint32_t td)
{
	begin(in, PRM_TIS_LEN, PRM_OP_CREATE_TIS);
	prm_set(in, PRM_AT_CTX, PRM_TISC_TRANSPORT_DOMAIN, td);
}

/*
 * The umem-valid bits: a kernel driver sets them itself, a device that is
 * spoken to directly needs them.
 */
void prm_build_create_cq(uint8_t in[PRM_CREATE_LEN], const struct prm_cq *cq)
{
	begin(in, PRM_CREATE_LEN, PRM_OP_CREATE_CQ);
	prm_set(in, PRM_AT_CQC, PRM_CQC_CC, cq->collapsed);
	prm_set(in, PRM_AT_CQC, PRM_CQC_OI, cq->overrun_ignore);
	prm_set(in, PRM_AT_CQC, PRM_CQC_LOG_CQ_SIZE, cq->log_size);
	prm_set(in, PRM_AT_CQC, PRM_CQC_UAR_PAGE, cq->uar_page);
	prm_set(in, PRM_AT_CQC, PRM_CQC_C_EQN, cq->eqn);
	prm_set(in, PRM_AT_CQC, PRM_CQC_DBR_UMEM_VALID, 1);
	prm_set(in, PRM_AT_CQC, PRM_CQC_DBR_UMEM_ID, cq->dbrec.umem);
	prm_set(in, PRM_AT_CQC, PRM_CQC_DBR_ADDR, cq->dbrec.offset);
	prm_set(in, 0, PRM_CREATE_CQ_UMEM_VALID, 1);
	prm_set(in, 0, PRM_CREATE_CQ_UMEM_ID, cq->ring.umem);
	prm_set(in, 0, PRM_CREATE_CQ_UMEM_OFFSET, cq->ring.offset);
}

/* The part that send and receive rings share. */
static void set_wq(uint8_t *in, const struct prm_wq *wq)
{
	prm_set(in, PRM_AT_WQ, PRM_WQ_TYPE, WQ_CYCLIC);
	prm_set(in, PRM_AT_WQ, PRM_WQ_PD, wq->pd);
	prm_set(in, PRM_AT_WQ, PRM_WQ_LOG_WQ_SZ, wq->log_size);
	prm_set(in, PRM_AT_WQ, PRM_WQ_DBR_UMEM_VALID, 1);
	prm_set(in, PRM_AT_WQ, PRM_WQ_DBR_UMEM_ID, wq->dbrec.umem);
	prm_set(in, PRM_AT_WQ, PRM_WQ_DBR_ADDR, wq->dbrec.offset);
	prm_set(in, PRM_AT_WQ, PRM_WQ_UMEM_VALID, 1);
	prm_set(in, PRM_AT_WQ, PRM_WQ_UMEM_ID, wq->ring.umem);
	prm_set(in, PRM_AT_WQ, PRM_WQ_UMEM_OFFSET, wq->ring.offset);
}

void prm_build_create_sq(uint8_t in[PRM_CREATE_LEN], const struct prm_sq *sq)
{
	begin(in, PRM_CREATE_LEN, PRM_OP_CREATE_SQ);
	prm_set(in, PRM_AT_CTX, PRM_SQC_FLUSH_IN_ERROR_EN, sq->flush_in_error);
	prm_set(in, PRM_AT_CTX, PRM_SQC_MIN_WQE_INLINE_MODE, sq->min_inline_mode);
	prm_set(in, PRM_AT_CTX, PRM_SQC_STATE, PRM_STATE_RST);
	prm_set(in, PRM_AT_CTX, PRM_SQC_TS_FORMAT, sq->ts_format);
	prm_set(in, PRM_AT_CTX, PRM_SQC_USER_INDEX, sq->user_index);
	prm_set(in, PRM_AT_CTX, PRM_SQC_CQN, sq->cqn);
	prm_set(in, PRM_AT_CTX, PRM_SQC_TIS_LST_SZ, 1);
	prm_set(in, PRM_AT_CTX, PRM_SQC_TIS_NUM_0, sq->tisn);
	set_wq(in, &sq->wq);
	prm_set(in, PRM_AT_WQ, PRM_WQ_LOG_WQ_STRIDE, LOG_WQEBB);
	prm_set(in, PRM_AT_WQ, PRM_WQ_UAR_PAGE, sq->wq.uar_page);
}

/* A receive ring has no doorbell register, hence no UAR page. */
void prm_build_create_rq(uint8_t in[PRM_CREATE_LEN], const struct prm_rq *rq)
{
	begin(in, PRM_CREATE_LEN, PRM_OP_CREATE_RQ);
	prm_set(in, PRM_AT_CTX, PRM_RQC_VSD, rq->vlan_strip_disable);
	prm_set(in, PRM_AT_CTX, PRM_RQC_STATE, PRM_STATE_RST);
	prm_set(in, PRM_AT_CTX, PRM_RQC_FLUSH_IN_ERROR_EN, rq->flush_in_error);
	prm_set(in, PRM_AT_CTX, PRM_RQC_TS_FORMAT, rq->ts_format);
	prm_set(in, PRM_AT_CTX, PRM_RQC_USER_INDEX, rq->user_index);
	prm_set(in, PRM_AT_CTX, PRM_RQC_CQN, rq->cqn);
	set_wq(in, &rq->wq);
	prm_set(in, PRM_AT_WQ, PRM_WQ_LOG_WQ_STRIDE, rq->wq.log_stride);
}

void prm_build_create_tir(uint8_t in[PRM_CREATE_LEN], uint32_t rqn, uint32_t td, uint32_t self_lb_block)
{
	begin(in, PRM_CREATE_LEN, PRM_OP_CREATE_TIR);
	prm_set(in, PRM_AT_CTX, PRM_TIRC_DISP_TYPE, TIR_DIRECT);
	prm_set(in, PRM_AT_CTX, PRM_TIRC_INLINE_RQN, rqn);
	prm_set(in, PRM_AT_CTX, PRM_TIRC_SELF_LB_BLOCK, self_lb_block);
	prm_set(in, PRM_AT_CTX, PRM_TIRC_TRANSPORT_DOMAIN, td);
}

void prm_build_modify_sq(uint8_t in[PRM_MODIFY_LEN], uint32_t sqn, uint32_t from, uint32_t to)
{
	begin(in, PRM_MODIFY_LEN, PRM_OP_MODIFY_SQ);
	prm_set(in, 0, PRM_MODIFY_SQ_SQ_STATE, from);
	prm_set(in, 0, PRM_MODIFY_SQ_SQN, sqn);
	prm_set(in, PRM_AT_CTX, PRM_SQC_STATE, to);
}

void prm_build_modify_rq(uint8_t in[PRM_MODIFY_LEN], uint32_t rqn, uint32_t from, uint32_t to)
{
	begin(in, PRM_MODIFY_LEN, PRM_OP_MODIFY_RQ);
	prm_set(in, 0, PRM_MODIFY_RQ_RQ_STATE, from);
	prm_set(in, 0, PRM_MODIFY_RQ_RQN, rqn);
	prm_set(in, PRM_AT_CTX, PRM_RQC_STATE, to);
}

static void build_short(uint8_t *in, enum prm_opcode opcode, uint32_t number)
{
	begin(in, PRM_SHORT_LEN, opcode);
	prm_set(in, 0, PRM_OBJ_NUMBER, number);
}

void prm_build_query(uint8_t in[PRM_SHORT_LEN], enum prm_opcode opcode, uint32_t number)
{
	build_short(in, opcode, number);
}

void prm_build_destroy(uint8_t in[PRM_SHORT_LEN], enum prm_opcode opcode, uint32_t number)
{
	build_short(in, opcode, number);
}
