/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: what each is refused for (rows of the reaction table), references, what queries say. */
#include "fixture.h"
#include <errno.h>
#include <string.h>

static const struct bench_config plain = { .scq_oi = 1, .rcq_oi = 1 };

/* Status of a command, and that it said why in one line and by a syndrome. */
static uint32_t refused(struct bench *b, const uint8_t *in, size_t len)
{
	uint8_t out[0x110];
	uint32_t status;

	log_clear();
	status = cmd(b, in, len, out);
	ck_assert_uint_ne(prm_out_syndrome(out), 0);
	ck_assert_uint_eq(log_lines(), 1);
	return status;
}

START_TEST(unknown_command_and_lengths)
{
	struct bench b;
	uint8_t in[0x110] = { 0x0f, 0x3c }, out[0x110];

	bench_open(&b, &plain);
	ck_assert_uint_eq(refused(&b, in, 16), 0x02);
	prm_build_create_tis(in, b.td);
	ck_assert_uint_eq(refused(&b, in, PRM_TIS_LEN - 1), 0x50);
	ck_assert_uint_eq(cmd(&b, in, PRM_TIS_LEN, out), 0);
	prm_build_query_hca_cap(in, 0, 1);
	ck_assert_uint_eq(refused(&b, in, 16), 0x51); /* out has 0x110 bytes, not 0x1010 */
	ck_assert_int_eq(sn_cmd(b.ctx, in, 15, out, 0x110, 1), -EINVAL);
	ck_assert_int_eq(sn_cmd(b.ctx, in, 16, out, 15, 1), -EINVAL);
	bench_close(&b);
}
END_TEST

START_TEST(reserved_bits_are_refused_from_our_library_only)
{
	struct bench b;
	uint8_t in[0x110], out[0x110];

	bench_open(&b, &plain);
	prm_build_alloc_td(in);
	in[0x0f] = 1;
	ck_assert_uint_eq(refused(&b, in, 16), 0x03);
	ck_assert_int_eq(sn_cmd(b.ctx, in, 16, out, 0x110, 0), 0);
	bench_close(&b);
}
END_TEST

/* A good CREATE_SQ, changed in one field. */
static uint32_t try_sq(struct bench *b, void (*change)(struct bench *b, uint8_t *in))
{
	struct prm_sq sq;
	uint8_t in[0x110];

	fill_sq(b, &sq);
	prm_build_create_sq(in, &sq);
	change(b, in);
	return refused(b, in, 0x110);
}

#define CHANGE(name, at, field, value) \
	static void name(struct bench *b, uint8_t *in) \
	{ \
		(void)b; \
		prm_set(in, at, field, value); \
	}
CHANGE(log_size_16, PRM_AT_WQ, PRM_WQ_LOG_WQ_SZ, 16)
CHANGE(stride_4, PRM_AT_WQ, PRM_WQ_LOG_WQ_STRIDE, 4)
CHANGE(stride_10, PRM_AT_WQ, PRM_WQ_LOG_WQ_STRIDE, 10)
CHANGE(stride_3, PRM_AT_WQ, PRM_WQ_LOG_WQ_STRIDE, 3)
CHANGE(umem_small, PRM_AT_WQ, PRM_WQ_UMEM_OFFSET, MEM_BYTES - 448)
CHANGE(umem_far, PRM_AT_WQ, PRM_WQ_UMEM_OFFSET, 1ull << 63)
CHANGE(ring_unaligned, PRM_AT_WQ, PRM_WQ_UMEM_OFFSET, 32)
CHANGE(record_unaligned, PRM_AT_WQ, PRM_WQ_DBR_ADDR, AT_SQ_DBR + 4)
CHANGE(record_outside, PRM_AT_WQ, PRM_WQ_DBR_ADDR, MEM_BYTES)
CHANGE(state_rdy, PRM_AT_CTX, PRM_SQC_STATE, 1)
CHANGE(wq_linked, PRM_AT_WQ, PRM_WQ_TYPE, 0)
CHANGE(wq_striding, PRM_AT_WQ, PRM_WQ_TYPE, 3)
CHANGE(signature, PRM_AT_WQ, PRM_WQ_SIGNATURE, 1)
CHANGE(hairpin, PRM_AT_CTX, PRM_SQC_HAIRPIN, 1)
CHANGE(empw, PRM_AT_CTX, PRM_SQC_ALLOW_MULTI_PKT_SEND_WQE, 1)
CHANGE(inline_ip, PRM_AT_CTX, PRM_SQC_MIN_WQE_INLINE_MODE, 2)
CHANGE(no_tis, PRM_AT_CTX, PRM_SQC_TIS_LST_SZ, 0)
CHANGE(ts_3, PRM_AT_CTX, PRM_SQC_TS_FORMAT, 3)
CHANGE(op_mod, 0, PRM_IN_OP_MOD, 1)
CHANGE(bad_umem, PRM_AT_WQ, PRM_WQ_UMEM_ID, b->umem + 1)
CHANGE(bad_dbr_umem, PRM_AT_WQ, PRM_WQ_DBR_UMEM_ID, 0)
CHANGE(bad_pd, PRM_AT_WQ, PRM_WQ_PD, b->td)
CHANGE(bad_cq, PRM_AT_CTX, PRM_SQC_CQN, b->sqn)
CHANGE(bad_tis, PRM_AT_CTX, PRM_SQC_TIS_NUM_0, b->tirn)
CHANGE(bad_uar, PRM_AT_WQ, PRM_WQ_UAR_PAGE, b->uar + 1)

START_TEST(create_sq_is_checked)
{
	static const struct { void (*change)(struct bench *b, uint8_t *in); uint32_t status; } bad[] = {
		{ log_size_16, 0x03 },  { stride_4, 0x03 },         { umem_small, 0x03 },     { umem_far, 0x03 },
		{ ring_unaligned, 0x03 }, { record_unaligned, 0x03 }, { record_outside, 0x03 }, { state_rdy, 0x03 },
		{ wq_linked, 0x03 },    { wq_striding, 0x03 },      { signature, 0x03 },      { hairpin, 0x03 },
		{ empw, 0x03 },         { inline_ip, 0x03 },        { no_tis, 0x03 },         { ts_3, 0x03 },
		{ op_mod, 0x03 },       { bad_umem, 0x05 },         { bad_dbr_umem, 0x05 },   { bad_pd, 0x05 },
		{ bad_cq, 0x05 },       { bad_tis, 0x05 },          { bad_uar, 0x05 },
	};
	struct bench b;

	bench_open(&b, &plain);
	ck_assert_uint_lt((size_t)_i, sizeof(bad) / sizeof(bad[0]));
	ck_assert_uint_eq(try_sq(&b, bad[_i].change), bad[_i].status);
	/* Nothing is left of it: the memory can go, once its real users went. */
	bench_close_ctx(&b);
	sn_device_destroy(b.dev);
}
END_TEST

CHANGE(rmp, PRM_AT_CTX, PRM_RQC_MEM_RQ_TYPE, 1)
CHANGE(delay_drop, PRM_AT_CTX, PRM_RQC_DELAY_DROP_EN, 1)
CHANGE(scatter_fcs, PRM_AT_CTX, PRM_RQC_SCATTER_FCS, 1)

START_TEST(create_rq_is_checked)
{
	static const struct { void (*change)(struct bench *b, uint8_t *in); uint32_t status; } bad[] = {
		{ log_size_16, 0x03 },  { stride_3, 0x03 },         { stride_10, 0x03 },   { umem_small, 0 },
		{ record_unaligned, 0x03 }, { rmp, 0x03 },          { delay_drop, 0x03 },  { scatter_fcs, 0x03 },
		{ bad_umem, 0x05 },     { bad_pd, 0x05 },           { bad_cq, 0x05 },
	};
	struct bench b;
	struct prm_rq rq;
	uint8_t in[0x110], out[0x110];

	bench_open(&b, &plain);
	fill_rq(&b, &rq);
	prm_build_create_rq(in, &rq);
	bad[_i].change(&b, in);
	if (bad[_i].status)
		ck_assert_uint_eq(refused(&b, in, 0x110), bad[_i].status);
	else
		ck_assert_uint_eq(cmd(&b, in, 0x110, out), 0); /* 8 entries of 16 bytes fit there */
	bench_close(&b);
}
END_TEST

CHANGE(cq_size_23, PRM_AT_CQC, PRM_CQC_LOG_CQ_SIZE, 23)
CHANGE(cq_size_10, PRM_AT_CQC, PRM_CQC_LOG_CQ_SIZE, 10)
CHANGE(cqe_128, PRM_AT_CQC, PRM_CQC_CQE_SZ, 1)
CHANGE(bad_eqn, PRM_AT_CQC, PRM_CQC_C_EQN, (sn_eqn(b->ctx) + 1) & 0xff)
CHANGE(cq_uar, PRM_AT_CQC, PRM_CQC_UAR_PAGE, 0)
CHANGE(cq_record, PRM_AT_CQC, PRM_CQC_DBR_ADDR, AT_SCQ_DBR + 4)
CHANGE(cq_ring, 0, PRM_CREATE_CQ_UMEM_OFFSET, AT_SCQ + 16)
CHANGE(cq_umem, 0, PRM_CREATE_CQ_UMEM_ID, 0)
CHANGE(cqe_compression, PRM_AT_CQC, PRM_CQC_CQE_COMP_EN, 1)

START_TEST(create_cq_is_checked)
{
	static const struct { void (*change)(struct bench *b, uint8_t *in); uint32_t status; } bad[] = {
		{ cq_size_23, 0x03 }, { cq_size_10, 0x03 }, { cqe_128, 0x03 }, { bad_eqn, 0x05 }, { cq_uar, 0x05 },
		{ cq_record, 0x03 },  { cq_ring, 0x03 },    { cq_umem, 0x05 }, { cqe_compression, 0 },
	};
	struct bench b;
	struct prm_cq cq;
	uint8_t in[0x110], out[0x110];

	bench_open(&b, &plain);
	fill_cq(&b, &cq, 1, &plain);
	prm_build_create_cq(in, &cq);
	bad[_i].change(&b, in);
	if (bad[_i].status)
		ck_assert_uint_eq(refused(&b, in, 0x110), bad[_i].status);
	else
		ck_assert_uint_eq(cmd(&b, in, 0x110, out), 0); /* may be asked for, is never used */
	bench_close(&b);
}
END_TEST

CHANGE(indirect, PRM_AT_CTX, PRM_TIRC_DISP_TYPE, 1)
CHANGE(lro, PRM_AT_CTX, PRM_TIRC_LRO_ENABLE_MASK, 1)
CHANGE(tir_rq, PRM_AT_CTX, PRM_TIRC_INLINE_RQN, b->sqn)
CHANGE(tir_td, PRM_AT_CTX, PRM_TIRC_TRANSPORT_DOMAIN, b->pdn)

START_TEST(create_tir_and_tis_are_checked)
{
	static const struct { void (*change)(struct bench *b, uint8_t *in); uint32_t status; } bad[] = {
		{ indirect, 0x03 }, { lro, 0x03 }, { tir_rq, 0x05 }, { tir_td, 0x05 },
	};
	struct bench b;
	uint8_t in[0x110];
	size_t i;

	bench_open(&b, &plain);
	for (i = 0; i < 4; i++) {
		prm_build_create_tir(in, b.rqn, b.td, 0);
		bad[i].change(&b, in);
		ck_assert_uint_eq(refused(&b, in, 0x110), bad[i].status);
	}
	prm_build_create_tis(in, b.pdn);
	ck_assert_uint_eq(refused(&b, in, PRM_TIS_LEN), 0x05);
	bench_close(&b);
}
END_TEST

START_TEST(modify_checks_current_state_and_transition)
{
	struct bench b;
	uint8_t in[0x110];

	bench_open(&b, &plain); /* queues are RDY */
	prm_build_modify_sq(in, b.sqn, PRM_STATE_RST, PRM_STATE_RDY);
	ck_assert_uint_eq(refused(&b, in, 0x110), 0x09);
	prm_build_modify_rq(in, b.rqn, PRM_STATE_ERR, PRM_STATE_RST);
	ck_assert_uint_eq(refused(&b, in, 0x110), 0x09);
	prm_build_modify_sq(in, b.sqn, PRM_STATE_RDY, 2);
	ck_assert_uint_eq(refused(&b, in, 0x110), 0x03);
	prm_build_modify_sq(in, b.rqn, PRM_STATE_RDY, PRM_STATE_RST);
	ck_assert_uint_eq(refused(&b, in, 0x110), 0x05);
	prm_build_modify_sq(in, b.sqn, PRM_STATE_RDY, PRM_STATE_RST);
	prm_set(in, 0, PRM_MODIFY_SQ_MODIFY_BITMASK, 1);
	ck_assert_uint_eq(refused(&b, in, 0x110), 0x03);
	bench_close(&b);
}
END_TEST

START_TEST(err_leads_to_rst_only)
{
	struct bench b;
	uint8_t in[0x110], out[0x110];

	bench_open(&b, &plain);
	prm_build_modify_rq(in, b.rqn, PRM_STATE_RDY, PRM_STATE_ERR);
	ck_assert_uint_eq(cmd(&b, in, 0x110, out), 0);
	prm_build_modify_rq(in, b.rqn, PRM_STATE_ERR, PRM_STATE_RDY);
	ck_assert_uint_eq(refused(&b, in, 0x110), 0x09);
	bench_close(&b);
}
END_TEST

static uint32_t destroy(struct bench *b, enum prm_opcode opcode, uint32_t number)
{
	uint8_t in[16], out[0x110];

	prm_build_destroy(in, opcode, number);
	return cmd(b, in, 16, out);
}

START_TEST(what_is_referred_to_cannot_be_destroyed)
{
	struct bench b;

	bench_open(&b, &plain);
	ck_assert_uint_eq(destroy(&b, PRM_OP_DESTROY_TIR, b.tirn), 0x06); /* by the rule */
	ck_assert_uint_eq(destroy(&b, PRM_OP_DESTROY_RQ, b.rqn), 0x06);   /* by the TIR */
	ck_assert_uint_eq(destroy(&b, PRM_OP_DESTROY_CQ, b.rcq), 0x06);   /* by the RQ */
	ck_assert_uint_eq(destroy(&b, PRM_OP_DESTROY_CQ, b.scq), 0x06);
	ck_assert_uint_eq(destroy(&b, PRM_OP_DESTROY_TIS, b.tisn), 0x06);
	ck_assert_uint_eq(destroy(&b, PRM_OP_DEALLOC_TD, b.td), 0x06);
	ck_assert_int_eq(sn_umem_dereg(b.ctx, b.umem), -EBUSY);
	ck_assert_int_eq(sn_uar_free(b.ctx, b.uar), -EBUSY);
	ck_assert_int_eq(sn_pd_free(b.ctx, b.pdn), -EBUSY);

	ck_assert_int_eq(sn_rule_del(b.ctx, b.rule), 0);
	ck_assert_uint_eq(destroy(&b, PRM_OP_DESTROY_TIR, b.tirn), 0);
	ck_assert_uint_eq(destroy(&b, PRM_OP_DESTROY_TIR, b.tirn), 0x05); /* twice */
	ck_assert_uint_eq(destroy(&b, PRM_OP_DESTROY_SQ, b.sqn), 0);
	ck_assert_uint_eq(destroy(&b, PRM_OP_DESTROY_RQ, b.rqn), 0);
	ck_assert_uint_eq(destroy(&b, PRM_OP_DESTROY_CQ, b.scq), 0);
	ck_assert_uint_eq(destroy(&b, PRM_OP_DESTROY_CQ, b.rcq), 0);
	ck_assert_uint_eq(destroy(&b, PRM_OP_DESTROY_TIS, b.tisn), 0);
	ck_assert_uint_eq(destroy(&b, PRM_OP_DEALLOC_TD, b.td), 0);
	ck_assert_int_eq(sn_umem_dereg(b.ctx, b.umem), 0);
	ck_assert_int_eq(sn_uar_free(b.ctx, b.uar), 0);
	ck_assert_int_eq(sn_pd_free(b.ctx, b.pdn), -EBUSY); /* by the key */
	ck_assert_int_eq(sn_mr_dereg(b.ctx, b.lkey ^ 1), -EINVAL);
	ck_assert_int_eq(sn_mr_dereg(b.ctx, b.lkey), 0);
	ck_assert_int_eq(sn_pd_free(b.ctx, b.pdn), 0);
	ck_assert_int_eq(sn_pd_free(b.ctx, b.pdn), -EINVAL);
	bench_close(&b);
}
END_TEST

START_TEST(more_than_the_capability_is_limit_exceeded)
{
	struct bench b;
	uint8_t in[16], out[0x1010];
	uint32_t n, log;

	bench_open(&b, &plain);
	prm_build_query_hca_cap(in, 0, 1);
	ck_assert_int_eq(sn_cmd(b.ctx, in, 16, out, 0x1010, 1), 0);
	log = (uint32_t)prm_get(out, PRM_AT_CAP, PRM_HCA_CAP_LOG_MAX_TRANSPORT_DOMAIN);
	prm_build_alloc_td(in);
	for (n = 1; n < 1u << log; n++)
		ck_assert_uint_eq(cmd(&b, in, 16, out), 0);
	ck_assert_uint_eq(refused(&b, in, 16), 0x08);
	bench_close(&b);
}
END_TEST

START_TEST(another_contexts_numbers_are_unknown)
{
	struct bench a, b;
	struct bench_config cfg = plain;
	struct prm_sq sq;
	uint8_t in[0x110];
	struct gin_nic_rule_spec spec = { .to = GIN_NIC_TO_TIR, .priority = 3 };
	struct gin_nic_queue_counters q;
	uint32_t id;

	bench_open(&a, &plain);
	cfg.dev = a.dev;
	cfg.no_rule = 1;
	bench_open(&b, &cfg);
	ck_assert_uint_eq(destroy(&b, PRM_OP_DESTROY_SQ, a.sqn), 0x05);
	fill_sq(&b, &sq);
	sq.cqn = a.scq;
	prm_build_create_sq(in, &sq);
	ck_assert_uint_eq(refused(&b, in, 0x110), 0x05);
	fill_sq(&b, &sq);
	sq.wq.ring.umem = a.umem;
	prm_build_create_sq(in, &sq);
	ck_assert_uint_eq(refused(&b, in, 0x110), 0x05);
	ck_assert_int_eq(sn_umem_dereg(b.ctx, a.umem), -EINVAL);
	ck_assert_int_eq(sn_mr_dereg(b.ctx, a.lkey), -EINVAL);
	ck_assert_int_eq(sn_pd_free(b.ctx, a.pdn), -EINVAL);
	ck_assert_int_eq(sn_uar_free(b.ctx, a.uar), -EINVAL);
	ck_assert_int_eq(sn_rule_del(b.ctx, a.rule), -EINVAL);
	ck_assert_int_eq(sn_rule_add(b.ctx, &spec, a.tirn, &id), -EINVAL);
	ck_assert_int_eq(sn_queue_counters(b.ctx, a.sqn, 1, &q), -EINVAL);
	bench_close_ctx(&b);
	bench_close(&a);
}
END_TEST

START_TEST(queries_tell_what_was_set)
{
	struct bench b;
	uint8_t in[16], out[0x110];

	bench_open(&b, &plain);
	prm_build_query(in, PRM_OP_QUERY_SQ, b.sqn);
	ck_assert_uint_eq(cmd(&b, in, 16, out), 0);
	ck_assert_uint_eq(out[0x20] << 24 | out[0x21] << 16 | out[0x22] << 8 | out[0x23], 0x00100020); /* RDY, real time */
	ck_assert_uint_eq(prm_get(out, PRM_AT_CTX, PRM_SQC_CQN), b.scq);
	ck_assert_uint_eq(prm_get(out, PRM_AT_CTX, PRM_SQC_TIS_NUM_0), b.tisn);
	ck_assert_uint_eq(prm_get(out, PRM_AT_WQ, PRM_WQ_LOG_WQ_SZ), 3);
	prm_build_query(in, PRM_OP_QUERY_RQ, b.rqn);
	ck_assert_uint_eq(cmd(&b, in, 16, out), 0);
	ck_assert_uint_eq(out[0x20] << 24 | out[0x21] << 16 | out[0x22] << 8 | out[0x23], 0x10100020); /* vsd, RDY */
	prm_build_query(in, PRM_OP_QUERY_TIR, b.tirn);
	ck_assert_uint_eq(cmd(&b, in, 16, out), 0);
	ck_assert_uint_eq(prm_get(out, PRM_AT_CTX, PRM_TIRC_INLINE_RQN), b.rqn);
	prm_build_query(in, PRM_OP_QUERY_TIS, b.tisn);
	ck_assert_uint_eq(cmd(&b, in, 16, out), 0);
	ck_assert_uint_eq(prm_get(out, PRM_AT_QUERY_TISC, PRM_TISC_TRANSPORT_DOMAIN), b.td);
	bench_close(&b);
}
END_TEST

/* Offsets by hand, from the capability tables. */
START_TEST(capabilities_say_what_the_card_is)
{
	struct bench_config cfg = plain;
	struct bench b;
	uint8_t in[16], out[0x1010];

	cfg.name = "test,mac=02:11:22:33:44:55,mtu=9000,inline=l2";
	bench_open(&b, &cfg);
	prm_build_query_hca_cap(in, 0, 1);
	ck_assert_int_eq(sn_cmd(b.ctx, in, 16, out, 0x1010, 1), 0);
	ck_assert_uint_eq(out[0x10 + 0x19], 22);                     /* log_max_cq_sz */
	ck_assert_uint_eq(out[0x10 + 0x37], 1);                      /* num_ports */
	ck_assert_uint_eq(out[0x10 + 0x36] & 3, 1);                  /* port_type Ethernet */
	ck_assert_uint_eq(out[0x10 + 0x3f] & 15, 1);                 /* cqe_version */
	ck_assert_uint_eq(out[0x10 + 0x44] >> 7, 1);                 /* cq_oi */
	ck_assert_uint_eq(out[0x10 + 0x52] << 8 | out[0x10 + 0x53], 1024); /* max_wqe_sz_sq */
	ck_assert_uint_eq(out[0x10 + 0x7b] & 31, 15);                /* log_max_wq_sz */
	ck_assert_uint_eq(out[0x10 + 0x88] >> 4, 0xa);               /* both time formats, SQ and RQ */
	prm_build_query_hca_cap(in, 1, 1);
	ck_assert_int_eq(sn_cmd(b.ctx, in, 16, out, 0x1010, 1), 0);
	ck_assert_uint_eq(out[0x10] >> 7, 1);                        /* csum_cap */
	ck_assert_uint_eq(out[0x12] >> 4 & 3, 1);                    /* wqe_inline_mode: see vport */
	prm_build_query_hca_cap(in, 0x20, 0);
	ck_assert_int_eq(sn_cmd(b.ctx, in, 16, out, 0x1010, 1), 0);
	prm_build_query_hca_cap(in, 0x15, 1);
	ck_assert_int_eq(sn_cmd(b.ctx, in, 16, out, 0x1010, 1), -EREMOTEIO);
	ck_assert_uint_eq(out[0], 0x03);
	prm_build_query_nic_vport(in);
	ck_assert_uint_eq(cmd(&b, in, 16, out), 0);
	ck_assert_int_eq(memcmp(out + 0x106, "\x02\x11\x22\x33\x44\x55", 6), 0);
	ck_assert_uint_eq(out[0x36] << 8 | out[0x37], 9000);
	ck_assert_uint_eq(out[0x10] & 7, 1);                         /* min_wqe_inline_mode L2 */
	prm_build_query_vport_state(in);
	ck_assert_uint_eq(cmd(&b, in, 16, out), 0);
	ck_assert_uint_eq(out[0x0f] & 15, 1);
	bench_close(&b);
}
END_TEST

START_TEST(card_without_real_time_refuses_its_format)
{
	struct bench_config cfg = { .name = _i ? "test,model=cx5" : "test,time=0", .ts_format = 1 };
	struct bench b;
	uint8_t in[0x110], out[0x1010];
	struct prm_sq sq;

	bench_open(&b, &cfg);
	prm_build_query_hca_cap(in, 0, 1);
	ck_assert_int_eq(sn_cmd(b.ctx, in, 16, out, 0x1010, 1), 0);
	ck_assert_uint_eq(out[0x10 + 0x88] >> 4, 0);
	fill_sq(&b, &sq);
	sq.ts_format = 2;
	prm_build_create_sq(in, &sq);
	ck_assert_uint_eq(refused(&b, in, 0x110), 0x03);
	bench_close(&b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, unknown_command_and_lengths);
	tcase_add_test(tc, reserved_bits_are_refused_from_our_library_only);
	tcase_add_loop_test(tc, create_sq_is_checked, 0, 23);
	tcase_add_loop_test(tc, create_rq_is_checked, 0, 11);
	tcase_add_loop_test(tc, create_cq_is_checked, 0, 9);
	tcase_add_test(tc, create_tir_and_tis_are_checked);
	tcase_add_test(tc, modify_checks_current_state_and_transition);
	tcase_add_test(tc, err_leads_to_rst_only);
	tcase_add_test(tc, what_is_referred_to_cannot_be_destroyed);
	tcase_add_test(tc, more_than_the_capability_is_limit_exceeded);
	tcase_add_test(tc, another_contexts_numbers_are_unknown);
	tcase_add_test(tc, queries_tell_what_was_set);
	tcase_add_test(tc, capabilities_say_what_the_card_is);
	tcase_add_loop_test(tc, card_without_real_time_refuses_its_format, 0, 2);
}

int main(void)
{
	return run_suite("softnic_cmd", add);
}
