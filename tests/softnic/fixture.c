/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"
#include <ginet/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

const uint8_t other_mac[6] = { 0x02, 0xee, 0, 0, 0, 9 };
const uint8_t broadcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
const uint8_t multicast[6] = { 0x01, 0x00, 0x5e, 1, 2, 3 };

static char lines[8192];
static uint32_t n_lines;

static void keep_line(enum gin_log_level level, const char *line, void *arg)
{
	size_t at = strlen(lines);

	(void)level;
	(void)arg;
	n_lines++;
	snprintf(lines + at, sizeof(lines) - at, "%s\n", line);
}

void (*fixture_log)(enum gin_log_level level, const char *line, void *arg) = keep_line;

void log_clear(void)
{
	lines[0] = 0;
	n_lines = 0;
	gin_log_to(fixture_log, NULL);
}

int log_has(const char *part)
{
	return strstr(lines, part) != NULL;
}

uint32_t log_lines(void)
{
	return n_lines;
}

uint32_t cmd(struct bench *b, const uint8_t *in, size_t len, uint8_t *out)
{
	int err = sn_cmd(b->ctx, in, len, out, 0x110, 1);

	ck_assert_int_eq(err, prm_out_status(out) ? -EREMOTEIO : 0);
	return prm_out_status(out);
}

uint32_t create(struct bench *b, const uint8_t *in, size_t len)
{
	uint8_t out[0x110];

	ck_assert_uint_eq(cmd(b, in, len, out), PRM_OK);
	ck_assert_uint_ne(prm_out_number(out), 0);
	return prm_out_number(out);
}

void fill_cq(struct bench *b, struct prm_cq *cq, int send, const struct bench_config *cfg)
{
	uint32_t log = send ? cfg->scq_log : cfg->rcq_log;

	memset(cq, 0, sizeof(*cq));
	cq->log_size = log ? log : N_SLOTS_LOG;
	cq->uar_page = b->uar;
	cq->eqn = sn_eqn(b->ctx);
	cq->collapsed = send && cfg->scq_collapsed;
	cq->overrun_ignore = send ? cfg->scq_oi : cfg->rcq_oi;
	cq->ring.umem = cq->dbrec.umem = b->umem;
	cq->ring.offset = send ? AT_SCQ : AT_RCQ;
	cq->dbrec.offset = send ? AT_SCQ_DBR : AT_RCQ_DBR;
}

void fill_sq(struct bench *b, struct prm_sq *sq)
{
	memset(sq, 0, sizeof(*sq));
	sq->cqn = b->scq;
	sq->tisn = b->tisn;
	sq->user_index = 0xabcde;
	sq->ts_format = 2;
	sq->wq.log_size = N_SLOTS_LOG;
	sq->wq.log_stride = 6;
	sq->wq.pd = b->pdn;
	sq->wq.uar_page = b->uar;
	sq->wq.ring.umem = sq->wq.dbrec.umem = b->umem;
	sq->wq.ring.offset = AT_SQ;
	sq->wq.dbrec.offset = AT_SQ_DBR;
}

void fill_rq(struct bench *b, struct prm_rq *rq)
{
	memset(rq, 0, sizeof(*rq));
	rq->cqn = b->rcq;
	rq->user_index = 0x54321;
	rq->vlan_strip_disable = 1;
	rq->ts_format = 2;
	rq->wq.log_size = N_SLOTS_LOG;
	rq->wq.log_stride = 4;
	rq->wq.pd = b->pdn;
	rq->wq.ring.umem = rq->wq.dbrec.umem = b->umem;
	rq->wq.ring.offset = AT_RQ;
	rq->wq.dbrec.offset = AT_RQ_DBR;
}

static void make_memory(struct bench *b, const struct bench_config *cfg)
{
	uint32_t access = cfg->access == ~0u ? 0 : GIN_MR_LOCAL_WRITE, i;
	struct gin_mem_ref ref = { .len = MEM_BYTES, .dmabuf_fd = -1 };

	ck_assert_int_eq(posix_memalign((void **)&b->mem, 4096, MEM_BYTES), 0);
	ck_assert_int_eq(posix_memalign((void **)&b->buf, 4096, BUF_BYTES), 0);
	memset(b->mem, 0, MEM_BYTES);
	memset(b->buf, 0, BUF_BYTES);
	for (i = 0; i < 64; i++) {
		b->mem[AT_SCQ + 64 * i + 0x3f] = GIN_CQE_INIT;
		b->mem[AT_RCQ + 64 * i + 0x3f] = GIN_CQE_INIT;
	}
	ref.cpu = b->mem;
	ref.va = (uintptr_t)b->mem;
	ck_assert_int_eq(sn_umem_reg(b->ctx, &ref, &b->umem), 0);
	ref.cpu = b->buf;
	ref.va = (uintptr_t)b->buf;
	ref.len = BUF_BYTES;
	ck_assert_int_eq(sn_mr_reg(b->ctx, b->pdn, &ref, access, &b->lkey, &b->rkey), 0);
}

static void make_queues(struct bench *b, const struct bench_config *cfg)
{
	uint8_t in[0x110];
	struct prm_cq cq;
	struct prm_sq sq;
	struct prm_rq rq;

	prm_build_alloc_td(in);
	b->td = create(b, in, PRM_SHORT_LEN);
	prm_build_create_tis(in, b->td);
	b->tisn = create(b, in, PRM_TIS_LEN);
	fill_cq(b, &cq, 1, cfg);
	prm_build_create_cq(in, &cq);
	b->scq = create(b, in, PRM_CREATE_LEN);
	fill_cq(b, &cq, 0, cfg);
	prm_build_create_cq(in, &cq);
	b->rcq = create(b, in, PRM_CREATE_LEN);
	fill_sq(b, &sq);
	sq.flush_in_error = cfg->flush;
	sq.min_inline_mode = cfg->min_inline;
	sq.ts_format = cfg->ts_format ? cfg->ts_format : 2;
	prm_build_create_sq(in, &sq);
	b->sqn = create(b, in, PRM_CREATE_LEN);
	fill_rq(b, &rq);
	rq.flush_in_error = cfg->flush;
	rq.vlan_strip_disable = !cfg->vlan_strip;
	rq.ts_format = sq.ts_format;
	prm_build_create_rq(in, &rq);
	b->rqn = create(b, in, PRM_CREATE_LEN);
	prm_build_create_tir(in, b->rqn, b->td, cfg->self_lb_block);
	b->tirn = create(b, in, PRM_CREATE_LEN);
}

static void make_ready(struct bench *b)
{
	uint8_t in[0x110], out[0x110];

	prm_build_modify_sq(in, b->sqn, PRM_STATE_RST, PRM_STATE_RDY);
	ck_assert_uint_eq(cmd(b, in, PRM_MODIFY_LEN, out), PRM_OK);
	prm_build_modify_rq(in, b->rqn, PRM_STATE_RST, PRM_STATE_RDY);
	ck_assert_uint_eq(cmd(b, in, PRM_MODIFY_LEN, out), PRM_OK);
}

void bench_open(struct bench *b, const struct bench_config *cfg)
{
	struct gin_nic_rule_spec all = { .to = GIN_NIC_TO_TIR, .tag = 0x5a5a5a };
	void *page;

	memset(b, 0, sizeof(*b));
	log_clear();
	if (cfg->dev) {
		b->dev = cfg->dev;
	} else {
		sn_engine_set_stepped(!cfg->threaded);
		ck_assert_int_eq(sn_profile_parse(cfg->name ? cfg->name : "test", gin_env_real(), &b->profile), 0);
		ck_assert_int_eq(sn_device_create(&b->profile, gin_env_real(), &b->dev), 0);
	}
	ck_assert_int_eq(sn_open(b->dev, &b->ctx), 0);
	ck_assert_int_eq(sn_pd_alloc(b->ctx, &b->pdn), 0);
	ck_assert_int_eq(sn_uar_alloc(b->ctx, &b->uar, &page), 0);
	b->uar_page = page;
	make_memory(b, cfg);
	make_queues(b, cfg);
	b->sq_pi = b->rq_pi = b->profile.first_index;
	set_record(b, b->sq_pi);
	post_recv(b, 0);
	if (!cfg->no_rule)
		ck_assert_int_eq(sn_rule_add(b->ctx, &all, b->tirn, &b->rule), 0);
	if (!cfg->keep_rst)
		make_ready(b);
}

void bench_close_ctx(struct bench *b)
{
	sn_close(b->ctx);
	free(b->mem);
	free(b->buf);
}

void bench_close(struct bench *b)
{
	sn_device_destroy(b->dev);
	free(b->mem);
	free(b->buf);
}

void run_idle(void)
{
	uint32_t i;

	for (i = 0; sn_engine_n_ready(NULL); i++) {
		ck_assert_uint_lt(i, 100000);
		sn_engine_step(NULL, 0);
	}
}

uint8_t *sq_wqe(struct bench *b, uint32_t index)
{
	return b->mem + AT_SQ + (index % N_SLOTS) * 64;
}

static void put32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

void put_ctrl(struct bench *b, uint8_t *wqe, uint32_t index, uint32_t opcode, uint32_t ds, uint32_t ce)
{
	memset(wqe, 0, 64);
	put32(wqe, (index & 0xffff) << 8 | opcode);
	put32(wqe + 4, b->sqn << 8 | ds);
	wqe[11] = (uint8_t)(ce << 2);
}

void post_send(struct bench *b, uint64_t addr, uint32_t len, uint32_t ce)
{
	uint8_t *wqe = sq_wqe(b, b->sq_pi);

	put_ctrl(b, wqe, b->sq_pi, 0x0a, 3, ce);
	put32(wqe + 0x20, len);
	put32(wqe + 0x24, b->lkey);
	put32(wqe + 0x28, (uint32_t)(addr >> 32));
	put32(wqe + 0x2c, (uint32_t)addr);
	b->sq_pi++;
}

void set_record(struct bench *b, uint32_t pi)
{
	uint8_t be[4];
	uint32_t raw;

	put32(be, pi & 0xffff);
	memcpy(&raw, be, 4);
	__atomic_store_n((uint32_t *)(void *)(b->mem + AT_SQ_DBR + 4), raw, __ATOMIC_RELEASE);
}

void ring_index(struct bench *b, uint32_t pi)
{
	uint8_t be[8];
	uint64_t raw;

	put32(be, (pi & 0xffff) << 8);
	put32(be + 4, b->sqn << 8);
	memcpy(&raw, be, 8);
	__atomic_store_n((uint64_t *)(void *)(b->uar_page + 0x800), raw, __ATOMIC_SEQ_CST);
	sn_engine_rang();
}

void ring(struct bench *b)
{
	set_record(b, b->sq_pi);
	ring_index(b, b->sq_pi);
}

uint8_t *tx_frame(struct bench *b, uint32_t n)
{
	return b->buf + TX_AT + n * SLOT_BYTES;
}

void make_frame(uint8_t *frame, const uint8_t dst[6], uint32_t len, uint32_t seq)
{
	uint32_t i;

	for (i = 14; i < len; i++)
		frame[i] = (uint8_t)(seq + i);
	memcpy(frame, dst, 6);
	memcpy(frame + 6, other_mac, 6);
	frame[12] = 0x88; /* IEEE 802.1 local experimental: no parser knows more */
	frame[13] = 0xb5;
}

void post_recv(struct bench *b, uint32_t n)
{
	uint8_t be[4];
	uint32_t raw;

	for (; n-- > 0; b->rq_pi++) {
		uint32_t slot = b->rq_pi % N_RX_BUF;
		uint8_t *wqe = b->mem + AT_RQ + slot * 16;
		uint64_t addr = (uintptr_t)b->buf + slot * SLOT_BYTES;

		put32(wqe, SLOT_BYTES);
		put32(wqe + 4, b->lkey);
		put32(wqe + 8, (uint32_t)(addr >> 32));
		put32(wqe + 12, (uint32_t)addr);
	}
	put32(be, b->rq_pi & 0xffff);
	memcpy(&raw, be, 4);
	__atomic_store_n((uint32_t *)(void *)(b->mem + AT_RQ_DBR), raw, __ATOMIC_RELEASE);
}

/* Tests count CQEs from 0. */
const struct gin_cqe *cqe_at(struct bench *b, int send, uint32_t index)
{
	index += b->profile.first_index;
	return (const struct gin_cqe *)(const void *)(b->mem + (send ? AT_SCQ : AT_RCQ) + (index % N_SLOTS) * 64);
}

int cqe_valid(struct bench *b, int send, uint32_t index)
{
	const uint8_t *tail = (const uint8_t *)cqe_at(b, send, index) + GIN_CQE_TAIL;
	/* The whole dword, as readers do; op_own is its last byte. */
	uint32_t op_own = __atomic_load_n((const uint32_t *)(const void *)tail, __ATOMIC_ACQUIRE) >> 24;

	return op_own >> 4 != 15 && (op_own & 1) == ((index + b->profile.first_index) / N_SLOTS & 1);
}

void give_back(struct bench *b, int send, uint32_t ci)
{
	put32(b->mem + (send ? AT_SCQ_DBR : AT_RCQ_DBR), (ci + b->profile.first_index) & 0xffffff);
}

struct gin_nic_stats stats(struct bench *b)
{
	struct gin_nic_counters c;
	struct gin_nic_stats *s = &c.stats;

	ck_assert_int_eq(sn_counters(b->dev, &c), 0);
	ck_assert_uint_eq(s->rx_wire + s->rx_duplicated,
			  s->rx_delivered + s->rx_to_host + s->rx_in_flight + s->rx_drop_filter + s->rx_drop_by_rule +
				  s->rx_drop_no_buffer + s->rx_drop_too_long + s->rx_drop_bad_frame +
				  s->rx_drop_queue_error + s->rx_drop_link_down);
	ck_assert_uint_eq(s->tx_posted, s->tx_wire + s->tx_in_flight + s->tx_drop_too_long + s->tx_drop_link_down +
						s->tx_drop_queue_error);
	return *s;
}

void arrive(struct bench *b, uint32_t len, uint32_t seq)
{
	uint8_t frame[16384];

	make_frame(frame, b->profile.mac, len, seq);
	ck_assert_int_eq(sn_test_put(b->dev, frame, len), 0);
}

int run_suite(const char *name, void (*add)(TCase *tc))
{
	Suite *suite = suite_create(name);
	TCase *tc = tcase_create(name);
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, 120);
	add(tc);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
