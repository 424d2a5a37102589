/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion queues: owner bits, overrun, collapsed, entries that were not initialised. */
#include "fixture.h"
#include <errno.h>
#include <string.h>

static void send_one(struct bench *b)
{
	uint8_t got[2048];

	make_frame(tx_frame(b, 0), other_mac, 100, b->sq_pi);
	post_send(b, (uintptr_t)tx_frame(b, 0), 100, 2);
	ring(b);
	run_idle();
	sn_test_take(b->dev, got, sizeof(got));
}

static uint32_t query(struct bench *b, uint32_t cqn, prm_field_t field)
{
	uint8_t in[16], out[0x110];

	prm_build_query(in, PRM_OP_QUERY_CQ, cqn);
	ck_assert_uint_eq(cmd(b, in, 16, out), PRM_OK);
	return (uint32_t)prm_get(out, PRM_AT_CQC, field);
}

START_TEST(owner_bit_toggles_each_lap)
{
	struct bench_config cfg = { .rcq_oi = 1 };
	struct bench b;
	uint32_t i;

	bench_open(&b, &cfg);
	for (i = 0; i < 40; i++) {
		ck_assert(!cqe_valid(&b, 1, i));
		send_one(&b);
		ck_assert(cqe_valid(&b, 1, i));
		ck_assert_uint_eq(cqe_at(&b, 1, i)->op_own & 1, i / 8 % 2);
		give_back(&b, 1, i + 1);
	}
	ck_assert_uint_eq(query(&b, b.scq, PRM_CQC_PRODUCER_COUNTER), 40);
	ck_assert_uint_eq(query(&b, b.scq, PRM_CQC_CONSUMER_COUNTER), 40);
	ck_assert_uint_eq(query(&b, b.scq, PRM_CQC_STATUS), 0);
	bench_close(&b);
}
END_TEST

START_TEST(overrun_puts_cq_and_its_queues_in_error)
{
	struct bench_config cfg = { .rcq_oi = 1 };
	struct gin_nic_queue_counters q;
	struct gin_nic_event event;
	struct bench b;
	uint8_t before[512];
	uint32_t i;

	bench_open(&b, &cfg);
	for (i = 0; i < 8; i++)
		send_one(&b);
	memcpy(before, b.mem + AT_SCQ, 512);
	ck_assert_uint_eq(query(&b, b.scq, PRM_CQC_STATUS), 0);
	send_one(&b);
	ck_assert_uint_eq(query(&b, b.scq, PRM_CQC_STATUS), 9);
	ck_assert_int_eq(memcmp(before, b.mem + AT_SCQ, 512), 0); /* nothing is overwritten */
	ck_assert_int_eq(sn_queue_counters(b.ctx, b.sqn, 1, &q), 0);
	ck_assert_uint_eq(q.state, PRM_STATE_ERR);
	ck_assert_int_eq(sn_queue_counters(b.ctx, b.rqn, 0, &q), 0);
	ck_assert_uint_eq(q.state, PRM_STATE_RDY); /* on another CQ */
	ck_assert_int_eq(sn_event_next(b.ctx, &event), 0);
	ck_assert_int_eq(event.kind, GIN_EV_CQ_ERROR);
	ck_assert_uint_eq(event.number, b.scq);
	ck_assert_int_eq(sn_event_next(b.ctx, &event), 0);
	ck_assert_int_eq(event.kind, GIN_EV_SQ_FATAL);
	ck_assert_int_eq(sn_event_next(b.ctx, &event), -EAGAIN);
	stats(&b);
	bench_close(&b);
}
END_TEST

/* A second queue on the same CQ, that did nothing. */
START_TEST(overrun_takes_the_other_queues_along)
{
	struct bench_config cfg = { .rcq_oi = 1 };
	struct bench b;
	struct prm_sq sq;
	struct gin_nic_queue_counters q;
	uint8_t in[0x110], out[0x110];
	uint32_t second, i;

	bench_open(&b, &cfg);
	fill_sq(&b, &sq);
	sq.wq.ring.offset = AT_SQ + 0x800;
	sq.wq.dbrec.offset = AT_SQ_DBR + 8;
	prm_build_create_sq(in, &sq);
	second = create(&b, in, PRM_CREATE_LEN);
	prm_build_modify_sq(in, second, PRM_STATE_RST, PRM_STATE_RDY);
	ck_assert_uint_eq(cmd(&b, in, PRM_MODIFY_LEN, out), PRM_OK);
	for (i = 0; i < 9; i++)
		send_one(&b);
	ck_assert_int_eq(sn_queue_counters(b.ctx, second, 1, &q), 0);
	ck_assert_uint_eq(q.state, PRM_STATE_ERR);
	bench_close(&b);
}
END_TEST

START_TEST(receive_overrun_drops_and_counts)
{
	struct bench_config cfg = { .scq_oi = 1, .rcq_log = 1 };
	struct bench b;
	uint32_t i;

	bench_open(&b, &cfg);
	post_recv(&b, 8);
	for (i = 0; i < 4; i++)
		arrive(&b, 100, i);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_delivered, 2);
	ck_assert_uint_eq(stats(&b).rx_drop_queue_error, 2);
	bench_close(&b);
}
END_TEST

START_TEST(overrun_ignore_overwrites_the_oldest)
{
	struct bench_config cfg = { .scq_oi = 1, .rcq_oi = 1 };
	struct bench b;
	uint32_t i;

	bench_open(&b, &cfg);
	for (i = 0; i < 12; i++)
		send_one(&b);
	ck_assert_uint_eq(gin_from_be16(cqe_at(&b, 1, 3)->wqe_counter), 11);
	ck_assert_uint_eq(gin_from_be16(cqe_at(&b, 1, 4)->wqe_counter), 4);
	ck_assert_uint_eq(query(&b, b.scq, PRM_CQC_STATUS), 0);
	bench_close(&b);
}
END_TEST

START_TEST(collapsed_cq_writes_entry_0_only)
{
	struct bench_config cfg = { .scq_oi = 1, .rcq_oi = 1, .scq_collapsed = 1 };
	struct bench b;
	uint32_t i;

	bench_open(&b, &cfg);
	for (i = 0; i < 20; i++) {
		send_one(&b);
		ck_assert_uint_eq(gin_from_be16(cqe_at(&b, 1, 0)->wqe_counter), i);
		ck_assert_uint_eq(cqe_at(&b, 1, 0)->op_own, i / 8 % 2); /* owner: a lap is 2^log_cq_size */
	}
	for (i = 1; i < 8; i++)
		ck_assert_uint_eq(cqe_at(&b, 1, i)->op_own, 0xf1);
	bench_close(&b);
}
END_TEST

START_TEST(entries_that_were_not_initialised_are_told_once)
{
	struct bench_config cfg = { .scq_oi = 1, .rcq_oi = 1, .scq_collapsed = _i == 1 };
	struct bench b;

	bench_open(&b, &cfg);
	b.mem[AT_SCQ + 64 * 5 + 0x3f] = 0;
	send_one(&b);
	send_one(&b);
	ck_assert_uint_eq(stats(&b).refused, _i == 0); /* a collapsed CQ has only entry 0 */
	ck_assert_uint_eq(log_lines(), _i == 0);
	ck_assert(_i == 1 || log_has("entry 5"));
	ck_assert(_i == 1 || cqe_valid(&b, 1, 1)); /* it goes on */
	bench_close(&b);
}
END_TEST

START_TEST(overrun_ignore_can_be_switched_later)
{
	struct bench_config cfg = { .rcq_oi = 1 };
	struct bench b;
	uint8_t in[0x110] = { 0 }, out[0x110];
	uint32_t i;

	bench_open(&b, &cfg);
	prm_set(in, 0, PRM_IN_OPCODE, PRM_OP_MODIFY_CQ);
	prm_set(in, 0, PRM_MODIFY_CQ_CQN, b.scq);
	prm_set(in, 0, PRM_MODIFY_CQ_FIELD_SELECT, 4);
	prm_set(in, PRM_AT_CQC, PRM_CQC_OI, 1);
	ck_assert_uint_eq(cmd(&b, in, 0x110, out), PRM_OK);
	for (i = 0; i < 12; i++)
		send_one(&b);
	ck_assert_uint_eq(query(&b, b.scq, PRM_CQC_STATUS), 0);
	bench_close(&b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, owner_bit_toggles_each_lap);
	tcase_add_test(tc, overrun_puts_cq_and_its_queues_in_error);
	tcase_add_test(tc, overrun_takes_the_other_queues_along);
	tcase_add_test(tc, receive_overrun_drops_and_counts);
	tcase_add_test(tc, overrun_ignore_overwrites_the_oldest);
	tcase_add_test(tc, collapsed_cq_writes_entry_0_only);
	tcase_add_loop_test(tc, entries_that_were_not_initialised_are_told_once, 0, 2);
	tcase_add_test(tc, overrun_ignore_can_be_switched_later);
}

int main(void)
{
	return run_suite("softnic_cq", add);
}
