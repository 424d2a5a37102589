/* SPDX-License-Identifier: BSD-3-Clause */
/* Send queues: doorbells and records, what a WQE must be like, errors, a full wire. */
#include "fixture.h"
#include <errno.h>
#include <string.h>

static const struct bench_config plain = { .scq_oi = 1, .rcq_oi = 1 };

static void send_n(struct bench *b, uint32_t n)
{
	while (n-- > 0) {
		make_frame(tx_frame(b, b->sq_pi % 8), other_mac, 100, b->sq_pi);
		post_send(b, (uintptr_t)tx_frame(b, b->sq_pi % 8), 100, 2);
	}
}

static int take_seq(struct bench *b, uint32_t seq)
{
	uint8_t want[100], got[2048];
	int len = sn_test_take(b->dev, got, sizeof(got));

	make_frame(want, other_mac, 100, seq);
	return len == 100 && !memcmp(want, got, 100);
}

static uint32_t n_sent(struct bench *b)
{
	uint8_t got[2048];
	uint32_t n = 0;

	while (sn_test_take(b->dev, got, sizeof(got)) > 0)
		n++;
	return n;
}

START_TEST(packet_leaves_unchanged_and_completes)
{
	struct bench b;
	const struct gin_cqe *cqe;

	bench_open(&b, &plain);
	send_n(&b, 1);
	ring(&b);
	run_idle();
	ck_assert(take_seq(&b, 0));
	ck_assert(cqe_valid(&b, 1, 0));
	cqe = cqe_at(&b, 1, 0);
	ck_assert_uint_eq(cqe->op_own, 0x00);
	ck_assert_uint_eq(gin_from_be32(cqe->user_index), 0xabcde);
	ck_assert_uint_eq(gin_from_be32(cqe->sop_drop_qpn), 0x0a000000 | b.sqn);
	ck_assert_uint_eq(gin_from_be16(cqe->wqe_counter), 0);
	ck_assert_uint_lt(gin_from_be64(cqe->timestamp) & 0xffffffff, 1000000000);
	ck_assert_uint_eq(stats(&b).tx_wire, 1);
	ck_assert_uint_eq(stats(&b).tx_wire_bytes, 100);
	ck_assert_uint_eq(log_lines(), 0);
	bench_close(&b);
}
END_TEST

START_TEST(moved_record_alone_sends_nothing)
{
	struct bench b;

	bench_open(&b, &plain);
	send_n(&b, 3);
	set_record(&b, b.sq_pi);
	ck_assert_uint_eq(sn_engine_n_ready(NULL), 0);
	ck_assert_uint_eq(stats(&b).tx_posted, 0);
	bench_close(&b);
}
END_TEST

START_TEST(doorbell_before_record_and_again_sends_once)
{
	struct bench b;

	bench_open(&b, &plain);
	send_n(&b, 2);
	ring_index(&b, 2);
	run_idle();
	set_record(&b, 2);
	ring_index(&b, 2);
	ring_index(&b, 1); /* an older one that comes late */
	run_idle();
	ck_assert_uint_eq(n_sent(&b), 2);
	ck_assert_uint_eq(stats(&b).tx_posted, 2);
	ck_assert_uint_eq(stats(&b).refused, 0);
	bench_close(&b);
}
END_TEST

/* rdma-core rings with the last WQE's own index and size: PI = index + ceil(ds / 4). */
START_TEST(doorbell_may_be_the_last_wqe_head)
{
	struct bench b;
	uint64_t raw;

	bench_open(&b, &plain);
	send_n(&b, 2);
	set_record(&b, 2);
	memcpy(&raw, sq_wqe(&b, 1), 8); /* index 1, ds 3 */
	__atomic_store_n((uint64_t *)(void *)(b.uar_page + 0x800), raw, __ATOMIC_SEQ_CST);
	run_idle();
	ck_assert_uint_eq(n_sent(&b), 2);
	bench_close(&b);
}
END_TEST

START_TEST(completion_only_where_asked)
{
	struct bench b;

	bench_open(&b, &plain);
	post_send(&b, (uintptr_t)tx_frame(&b, 0), 100, 0);
	post_send(&b, (uintptr_t)tx_frame(&b, 0), 100, 1);
	post_send(&b, (uintptr_t)tx_frame(&b, 0), 100, 2);
	ring(&b);
	run_idle();
	ck_assert_uint_eq(gin_from_be16(cqe_at(&b, 1, 0)->wqe_counter), 2);
	ck_assert(!cqe_valid(&b, 1, 1));
	ck_assert_uint_eq(n_sent(&b), 3);
	bench_close(&b);
}
END_TEST

START_TEST(nop_completes_and_is_no_packet)
{
	struct bench b;

	bench_open(&b, &plain);
	put_ctrl(&b, sq_wqe(&b, 0), 0, 0x00, 1, 2);
	b.sq_pi = 1;
	ring(&b);
	run_idle();
	ck_assert(cqe_valid(&b, 1, 0));
	ck_assert_uint_eq(stats(&b).tx_posted, 0);
	ck_assert_uint_eq(n_sent(&b), 0);
	bench_close(&b);
}
END_TEST

START_TEST(wqe_may_wrap_at_the_rings_end)
{
	struct bench b;
	uint8_t *wqe, big[128], got[2048];
	uint32_t i;

	bench_open(&b, &plain);
	send_n(&b, 7);
	ring(&b);
	run_idle();
	ck_assert_uint_eq(n_sent(&b), 7);
	/* 6 segments: ctrl, eth, 4 pieces of 25 bytes: 96 bytes, 64 at slot 7 and 32 at slot 0 */
	memset(big, 0, sizeof(big));
	make_frame(tx_frame(&b, 0), other_mac, 100, 77);
	put_ctrl(&b, big, 7, 0x0a, 6, 2);
	for (i = 0; i < 4; i++) {
		struct gin_wqe_data seg = { gin_to_be32(25), gin_to_be32(b.lkey),
					    gin_to_be64((uintptr_t)tx_frame(&b, 0) + 25 * i) };

		memcpy(big + 32 + 16 * i, &seg, 16);
	}
	wqe = sq_wqe(&b, 7);
	memcpy(wqe, big, 64);
	memcpy(sq_wqe(&b, 8), big + 64, 32);
	b.sq_pi = 9;
	ring(&b);
	run_idle();
	ck_assert_int_eq(sn_test_take(b.dev, got, sizeof(got)), 100);
	ck_assert_int_eq(memcmp(got, tx_frame(&b, 0), 100), 0);
	ck_assert_uint_eq(gin_from_be16(cqe_at(&b, 1, 7)->wqe_counter), 7); /* the first WQEBB */
	bench_close(&b);
}
END_TEST

START_TEST(indices_wrap_at_65536)
{
	struct bench_config cfg = plain;
	struct bench b;
	uint32_t i;

	cfg.name = "test,first_index=65529";
	bench_open(&b, &cfg);
	for (i = 0; i < 40; i++) {
		send_n(&b, 1);
		ring(&b);
		run_idle();
		ck_assert(take_seq(&b, 65529 + i));
		ck_assert_uint_eq(gin_from_be16(cqe_at(&b, 1, i)->wqe_counter), (65529 + i) & 0xffff);
	}
	bench_close(&b);
}
END_TEST

/* The wire of the test holds 16 frames, the ring 8 WQEs. */
START_TEST(full_wire_stops_fetching_and_loses_nothing)
{
	struct bench b;
	struct gin_nic_queue_counters q;
	uint32_t i;

	bench_open(&b, &plain);
	for (i = 0; i < 16; i++) {
		send_n(&b, 1);
		ring(&b);
		run_idle();
	}
	send_n(&b, 5);
	ring(&b);
	while (sn_engine_n_ready(NULL)) {
		sn_engine_step(NULL, 0);
		stats(&b); /* the sums hold after each step */
	}
	ck_assert_uint_eq(stats(&b).tx_posted, 21);
	ck_assert_uint_eq(stats(&b).tx_wire, 16);
	ck_assert_uint_eq(stats(&b).tx_in_flight, 5);
	ck_assert_int_eq(sn_queue_counters(b.ctx, b.sqn, 1, &q), 0);
	ck_assert_uint_eq(q.in_flight, 5);
	ck_assert_uint_eq(q.posted, 21);
	ck_assert_uint_eq(q.packets, 16);
	for (i = 0; i < 21; i++) {
		ck_assert(take_seq(&b, i));
		while (sn_engine_n_ready(NULL)) {
			sn_engine_step(NULL, 0);
			stats(&b);
		}
	}
	ck_assert_uint_eq(stats(&b).tx_in_flight, 0);
	ck_assert(cqe_valid(&b, 1, 20));
	bench_close(&b);
}
END_TEST

START_TEST(waiting_packets_of_a_destroyed_queue_are_counted)
{
	struct bench b;
	uint8_t in[0x10], out[0x110];

	bench_open(&b, &plain);
	send_n(&b, 3);
	ring(&b);
	sn_engine_step(NULL, 0); /* the doorbell */
	ck_assert_uint_eq(stats(&b).tx_in_flight, 3);
	prm_build_destroy(in, PRM_OP_DESTROY_SQ, b.sqn);
	ck_assert_uint_eq(cmd(&b, in, 16, out), PRM_OK);
	ck_assert_uint_eq(stats(&b).tx_drop_queue_error, 3);
	bench_close(&b);
}
END_TEST

START_TEST(longer_than_the_mtu_is_dropped_and_completes)
{
	struct bench b;
	uint8_t got[2048];

	bench_open(&b, &plain);
	make_frame(tx_frame(&b, 0), other_mac, 1514, 1);
	make_frame(tx_frame(&b, 1), other_mac, 1515, 1);
	make_frame(tx_frame(&b, 2), other_mac, 1518, 1);
	memcpy(tx_frame(&b, 2) + 12, "\x81\x00\x00\x05", 4); /* one VLAN tag is above the MTU */
	post_send(&b, (uintptr_t)tx_frame(&b, 0), 1514, 2);
	post_send(&b, (uintptr_t)tx_frame(&b, 1), 1515, 2);
	post_send(&b, (uintptr_t)tx_frame(&b, 2), 1518, 2);
	post_send(&b, (uintptr_t)tx_frame(&b, 0), 2 * SLOT_BYTES, 2);
	ring(&b);
	run_idle();
	ck_assert_int_eq(sn_test_take(b.dev, got, sizeof(got)), 1514);
	ck_assert_int_eq(sn_test_take(b.dev, got, sizeof(got)), 1518);
	ck_assert_uint_eq(stats(&b).tx_drop_too_long, 2);
	ck_assert(cqe_valid(&b, 1, 3));
	ck_assert_uint_eq(cqe_at(&b, 1, 3)->op_own >> 4, GIN_CQE_REQ);
	bench_close(&b);
}
END_TEST

START_TEST(short_frame_is_padded_with_zeros)
{
	struct bench b;
	uint8_t got[2048];
	uint32_t i;

	bench_open(&b, &plain);
	make_frame(tx_frame(&b, 0), other_mac, 60, 1);
	post_send(&b, (uintptr_t)tx_frame(&b, 0), 42, 2);
	ring(&b);
	run_idle();
	ck_assert_int_eq(sn_test_take(b.dev, got, sizeof(got)), 60);
	ck_assert_int_eq(memcmp(got, tx_frame(&b, 0), 42), 0);
	for (i = 42; i < 60; i++)
		ck_assert_uint_eq(got[i], 0);
	bench_close(&b);
}
END_TEST

/* Mistakes of table 3.7: change one thing of a good WQE, see syndrome and state. */

static void bad_wqe(struct bench *b, uint32_t syndrome, uint32_t n_dropped)
{
	const struct gin_err_cqe *e;
	struct gin_nic_queue_counters q;
	struct gin_nic_event event;
	uint32_t i, seen = 0;

	ring(b);
	run_idle();
	for (i = 0; i < N_SLOTS && !seen; i++)
		seen = cqe_at(b, 1, i)->op_own >> 4 == GIN_CQE_REQ_ERR;
	ck_assert(seen);
	e = (const struct gin_err_cqe *)(const void *)cqe_at(b, 1, i - 1);
	ck_assert_uint_eq(e->syndrome, syndrome);
	ck_assert_uint_eq(gin_from_be32(e->wqe_opcode_qpn) & 0xffffff, b->sqn);
	ck_assert_uint_eq(gin_from_be32(e->user_index), 0xabcde);
	ck_assert_int_eq(sn_queue_counters(b->ctx, b->sqn, 1, &q), 0);
	ck_assert_uint_eq(q.state, PRM_STATE_ERR);
	ck_assert_uint_eq(stats(b).tx_drop_queue_error, n_dropped);
	ck_assert_uint_eq(stats(b).tx_in_flight, 0);
	ck_assert_int_eq(sn_event_next(b->ctx, &event), 0);
	ck_assert_int_eq(event.kind, GIN_EV_SQ_FATAL);
	ck_assert_uint_eq(event.number, b->sqn);
	ck_assert_uint_eq(log_lines(), 1);
}

static void one_bad(uint32_t at, uint8_t xor, uint32_t syndrome)
{
	struct bench b;

	bench_open(&b, &plain);
	send_n(&b, 1);
	sq_wqe(&b, 0)[at] ^= xor;
	bad_wqe(&b, syndrome, 1);
	ck_assert_uint_eq(n_sent(&b), 0);
	bench_close(&b);
}

START_TEST(wqe_mistakes_are_local_qp_operation_errors)
{
	static const struct { uint32_t at; uint8_t xor; } bad[] = {
		{ 0x02, 0x01 }, /* index 1 */
		{ 0x06, 0x01 }, /* SQ number */
		{ 0x03, 0x08 }, /* opcode 0x02: unknown */
		{ 0x03, 0x02 }, /* 0x08: RDMA write, not for this queue */
		{ 0x03, 0x04 }, /* 0x0e: TSO, denied by max_lso_cap 0 */
		{ 0x07, 0x03 }, /* ds 0 */
		{ 0x07, 0x0b }, /* ds 8: two WQEBBs, one covered */
		{ 0x0b, 0x01 }, /* reserved bit of fm_ce_se */
		{ 0x09, 0x01 }, /* reserved byte */
		{ 0x16, 0x01 }, /* mss without TSO */
		{ 0x1d, 0x05 }, /* inline header of 5 bytes: not there */
	};

	one_bad(bad[_i].at, bad[_i].xor, 0x02);
}
END_TEST

START_TEST(wqe_below_minimum_inline_is_refused)
{
	struct bench_config cfg = plain;
	struct bench b;

	if (_i)
		cfg.min_inline = 1; /* by the queue */
	else
		cfg.name = "test,inline=l2"; /* by the card */
	bench_open(&b, &cfg);
	send_n(&b, 1);
	bad_wqe(&b, 0x02, 1);
	bench_close(&b);
}
END_TEST

START_TEST(inlined_header_is_sent_in_front)
{
	struct bench_config cfg = { .name = "test,inline=l2", .scq_oi = 1 };
	struct bench b;
	uint8_t *wqe, frame[100], got[2048];
	struct gin_wqe_data seg;

	bench_open(&b, &cfg);
	make_frame(frame, other_mac, 100, 9);
	memcpy(tx_frame(&b, 0), frame + 18, 82);
	wqe = sq_wqe(&b, 0);
	put_ctrl(&b, wqe, 0, 0x0a, 4, 2);
	wqe[0x1d] = 18;
	memcpy(wqe + 0x1e, frame, 18);
	seg.byte_count = gin_to_be32(82);
	seg.lkey = gin_to_be32(b.lkey);
	seg.addr = gin_to_be64((uintptr_t)tx_frame(&b, 0));
	memcpy(wqe + 0x30, &seg, 16);
	b.sq_pi = 1;
	ring(&b);
	run_idle();
	ck_assert_int_eq(sn_test_take(b.dev, got, sizeof(got)), 100);
	ck_assert_int_eq(memcmp(got, frame, 100), 0);
	bench_close(&b);
}
END_TEST

START_TEST(key_mistakes_are_local_protection_errors)
{
	struct gin_mem_ref ref = { .dmabuf_fd = -1, .len = 256 };
	uint32_t pdn, lkey, rkey;
	uint64_t addr;
	struct bench b;

	bench_open(&b, &plain);
	addr = (uintptr_t)b.buf + BUF_BYTES - 100;
	switch (_i) {
	case 0: /* unknown index */
		b.lkey ^= 0x80000000;
		break;
	case 1: /* variant */
		b.lkey ^= 0x01;
		break;
	case 2: /* passes the end by one byte */
		addr++;
		break;
	case 3: /* begins one byte before */
		addr = (uintptr_t)b.buf - 1;
		break;
	case 4: /* another PD's */
		ref.cpu = b.buf;
		ref.va = (uintptr_t)b.buf;
		ck_assert_int_eq(sn_pd_alloc(b.ctx, &pdn), 0);
		ck_assert_int_eq(sn_mr_reg(b.ctx, pdn, &ref, 1, &lkey, &rkey), 0);
		addr = (uintptr_t)b.buf;
		b.lkey = lkey;
		break;
	case 5: /* gone */
		ck_assert_int_eq(sn_mr_dereg(b.ctx, b.lkey), 0);
		break;
	case 6: /* end of the address space */
		addr = ~0ull - 10;
		break;
	}
	post_send(&b, addr, 100, 2);
	bad_wqe(&b, 0x04, 1);
	bench_close(&b);
}
END_TEST

START_TEST(range_is_good_to_its_last_byte)
{
	struct bench b;

	bench_open(&b, &plain);
	post_send(&b, (uintptr_t)b.buf + BUF_BYTES - 100, 100, 2);
	ring(&b);
	run_idle();
	ck_assert_uint_eq(n_sent(&b), 1);
	bench_close(&b);
}
END_TEST

START_TEST(key_that_died_is_not_used_from_the_cache)
{
	struct bench b;

	bench_open(&b, &plain);
	send_n(&b, 1);
	ring(&b);
	run_idle();
	ck_assert_int_eq(sn_mr_dereg(b.ctx, b.lkey), 0);
	send_n(&b, 1);
	bad_wqe(&b, 0x04, 1);
	bench_close(&b);
}
END_TEST

/* Good, bad, good, good under one doorbell. */
static void four(struct bench *b)
{
	send_n(b, 4);
	sq_wqe(b, 1)[0x03] = 0x02;
	bad_wqe(b, 0x02, 3);
	ck_assert_uint_eq(n_sent(b), 1);
	ck_assert_uint_eq(stats(b).tx_posted, 4);
}

START_TEST(behind_an_error_everything_is_flushed_if_asked)
{
	struct bench_config cfg = plain;
	struct bench b;
	uint32_t i;

	cfg.flush = 1;
	bench_open(&b, &cfg);
	four(&b);
	for (i = 2; i < 4; i++) {
		const struct gin_err_cqe *e = (const struct gin_err_cqe *)(const void *)cqe_at(&b, 1, i);

		ck_assert(cqe_valid(&b, 1, i));
		ck_assert_uint_eq(e->op_own >> 4, GIN_CQE_REQ_ERR);
		ck_assert_uint_eq(e->syndrome, 0x05);
		ck_assert_uint_eq(gin_from_be16(e->wqe_counter), i);
	}
	/* Later ones too. */
	send_n(&b, 1);
	ring(&b);
	run_idle();
	ck_assert(cqe_valid(&b, 1, 4));
	ck_assert_uint_eq(stats(&b).tx_drop_queue_error, 4);
	bench_close(&b);
}
END_TEST

START_TEST(first_error_stays_without_flush)
{
	struct bench b;

	bench_open(&b, &plain);
	four(&b);
	ck_assert(!cqe_valid(&b, 1, 2));
	send_n(&b, 1);
	ring(&b);
	run_idle();
	ck_assert_uint_eq(stats(&b).refused, 1); /* a doorbell for a queue in ERR */
	ck_assert_uint_eq(stats(&b).tx_posted, 4);
	ck_assert(log_has("ERR"));
	bench_close(&b);
}
END_TEST

START_TEST(queue_works_again_after_err_rst_rdy)
{
	struct bench b;
	uint8_t in[0x110], out[0x110];

	bench_open(&b, &plain);
	four(&b);
	prm_build_modify_sq(in, b.sqn, PRM_STATE_ERR, PRM_STATE_RST);
	ck_assert_uint_eq(cmd(&b, in, 0x110, out), PRM_OK);
	prm_build_modify_sq(in, b.sqn, PRM_STATE_RST, PRM_STATE_RDY);
	ck_assert_uint_eq(cmd(&b, in, 0x110, out), PRM_OK);
	b.sq_pi = 0;
	send_n(&b, 1);
	ring(&b);
	run_idle();
	ck_assert(take_seq(&b, 0));
	stats(&b);
	bench_close(&b);
}
END_TEST

START_TEST(doorbells_that_nobody_serves_are_refused_with_one_line)
{
	struct bench_config cfg = plain;
	struct bench b;
	uint32_t real, i;

	cfg.keep_rst = _i == 0;
	bench_open(&b, &cfg);
	real = b.sqn;
	send_n(&b, 1);
	set_record(&b, 1);
	for (i = 0; i < 3; i++) {
		if (_i == 1)
			b.sqn = real + 1; /* no such queue */
		if (_i == 2)
			b.sqn = b.rqn; /* a queue of another kind */
		ring_index(&b, _i == 3 ? 100 : 1); /* 3: far ahead of the ring */
		run_idle();
	}
	ck_assert_uint_eq(stats(&b).refused, 3);
	ck_assert_uint_eq(stats(&b).tx_posted, 0);
	ck_assert_uint_eq(log_lines(), 1);
	bench_close(&b);
}
END_TEST

START_TEST(shared_page_serves_every_queue_by_its_record)
{
	struct bench_config cfg = plain;
	struct bench b;
	struct prm_sq sq;
	struct prm_cq cq;
	uint8_t in[0x110], out[0x110], got[2048];
	uint32_t first, second, uar2;
	void *page;

	cfg.name = "test,uar=shared";
	bench_open(&b, &cfg);
	ck_assert_int_eq(sn_uar_alloc(b.ctx, &uar2, &page), 0);
	ck_assert_uint_eq(uar2, b.uar);
	ck_assert_ptr_eq(page, b.uar_page);
	fill_cq(&b, &cq, 1, &cfg);
	cq.ring.offset = AT_SCQ + 0x1000;
	cq.dbrec.offset = AT_SCQ_DBR + 8;
	prm_build_create_cq(in, &cq);
	fill_sq(&b, &sq);
	sq.cqn = create(&b, in, 0x110);
	sq.wq.ring.offset = AT_SQ + 0x800;
	sq.wq.dbrec.offset = AT_SQ_DBR + 8;
	prm_build_create_sq(in, &sq);
	second = create(&b, in, 0x110);
	prm_build_modify_sq(in, second, PRM_STATE_RST, PRM_STATE_RDY);
	ck_assert_uint_eq(cmd(&b, in, 0x110, out), PRM_OK);
	/* Both queues have one WQE and their record; only the last doorbell is left in the word. */
	send_n(&b, 1);
	set_record(&b, 1);
	ring_index(&b, 1);
	first = b.sqn;
	b.sqn = second;
	put_ctrl(&b, b.mem + AT_SQ + 0x800, 0, 0x0a, 3, 2);
	memcpy(b.mem + AT_SQ + 0x820, sq_wqe(&b, 0) + 0x20, 16);
	b.mem[AT_SQ_DBR + 15] = 1;
	ring_index(&b, 1);
	b.sqn = first;
	run_idle();
	ck_assert_int_eq(sn_test_take(b.dev, got, sizeof(got)), 100);
	ck_assert_int_eq(sn_test_take(b.dev, got, sizeof(got)), 100);
	ck_assert_int_eq(sn_uar_free(b.ctx, uar2), 0);
	ck_assert_int_eq(sn_uar_free(b.ctx, b.uar), -EBUSY);
	bench_close(&b);
}
END_TEST

START_TEST(vlan_tag_is_inserted)
{
	struct bench b;
	uint8_t got[2048], *wqe;

	bench_open(&b, &plain);
	send_n(&b, 1);
	wqe = sq_wqe(&b, 0);
	wqe[0x1c] = 0x80;
	wqe[0x1e] = 0x20;
	wqe[0x1f] = 0x07;
	ring(&b);
	run_idle();
	ck_assert_int_eq(sn_test_take(b.dev, got, sizeof(got)), 104);
	ck_assert_int_eq(memcmp(got, tx_frame(&b, 0), 12), 0);
	ck_assert_int_eq(memcmp(got + 12, "\x81\x00\x20\x07", 4), 0);
	ck_assert_int_eq(memcmp(got + 16, tx_frame(&b, 0) + 12, 88), 0);
	bench_close(&b);
}
END_TEST

/* The IPv4 header of RFC 1071's kind of example: sum worked out by hand below. */
START_TEST(checksum_is_filled_in)
{
	static const uint8_t ip[20] = { 0x45, 0, 0, 86, 0, 0, 0, 0, 64, 253, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 };
	struct bench b;
	uint8_t got[2048];

	bench_open(&b, &plain);
	send_n(&b, 1);
	tx_frame(&b, 0)[12] = 0x08;
	tx_frame(&b, 0)[13] = 0x00;
	memcpy(tx_frame(&b, 0) + 14, ip, 20);
	sq_wqe(&b, 0)[0x14] = 0x40;
	ring(&b);
	run_idle();
	ck_assert_int_eq(sn_test_take(b.dev, got, sizeof(got)), 100);
	/* 4500 + 0056 + 0000 + 0000 + 40fd + 0a00 + 0001 + 0a00 + 0002 = 9a56, inverted 65a9 */
	ck_assert_uint_eq(got[24], 0x65);
	ck_assert_uint_eq(got[25], 0xa9);
	ck_assert_uint_eq(tx_frame(&b, 0)[24], 0); /* the sender's memory is only read */
	bench_close(&b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, packet_leaves_unchanged_and_completes);
	tcase_add_test(tc, moved_record_alone_sends_nothing);
	tcase_add_test(tc, doorbell_before_record_and_again_sends_once);
	tcase_add_test(tc, doorbell_may_be_the_last_wqe_head);
	tcase_add_test(tc, completion_only_where_asked);
	tcase_add_test(tc, nop_completes_and_is_no_packet);
	tcase_add_test(tc, wqe_may_wrap_at_the_rings_end);
	tcase_add_test(tc, indices_wrap_at_65536);
	tcase_add_test(tc, full_wire_stops_fetching_and_loses_nothing);
	tcase_add_test(tc, waiting_packets_of_a_destroyed_queue_are_counted);
	tcase_add_test(tc, longer_than_the_mtu_is_dropped_and_completes);
	tcase_add_test(tc, short_frame_is_padded_with_zeros);
	tcase_add_loop_test(tc, wqe_mistakes_are_local_qp_operation_errors, 0, 11);
	tcase_add_loop_test(tc, wqe_below_minimum_inline_is_refused, 0, 2);
	tcase_add_test(tc, inlined_header_is_sent_in_front);
	tcase_add_loop_test(tc, key_mistakes_are_local_protection_errors, 0, 7);
	tcase_add_test(tc, range_is_good_to_its_last_byte);
	tcase_add_test(tc, key_that_died_is_not_used_from_the_cache);
	tcase_add_test(tc, behind_an_error_everything_is_flushed_if_asked);
	tcase_add_test(tc, first_error_stays_without_flush);
	tcase_add_test(tc, queue_works_again_after_err_rst_rdy);
	tcase_add_loop_test(tc, doorbells_that_nobody_serves_are_refused_with_one_line, 0, 4);
	tcase_add_test(tc, shared_page_serves_every_queue_by_its_record);
	tcase_add_test(tc, vlan_tag_is_inserted);
	tcase_add_test(tc, checksum_is_filled_in);
}

int main(void)
{
	return run_suite("softnic_sq", add);
}
