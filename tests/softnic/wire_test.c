/* SPDX-License-Identifier: BSD-3-Clause */
/* Cables between devices of one process, and what the adversary may do. */
#include "fixture.h"
#include <errno.h>
#include <string.h>

static const struct bench_config left = { .name = "cable=x", .scq_oi = 1, .rcq_oi = 1 };

static void send_to(struct bench *b, const uint8_t mac[6], uint32_t seq)
{
	make_frame(tx_frame(b, 0), mac, 100, seq);
	post_send(b, (uintptr_t)tx_frame(b, 0), 100, 2);
	ring(b);
	run_idle();
}

START_TEST(cable_carries_frames_both_ways)
{
	struct bench a, b;
	uint8_t want[100];

	bench_open(&a, &left);
	bench_open(&b, &left);
	post_recv(&a, 8);
	post_recv(&b, 8);
	send_to(&a, b.profile.mac, 1);
	send_to(&b, a.profile.mac, 2);
	send_to(&b, other_mac, 3);
	make_frame(want, b.profile.mac, 100, 1);
	ck_assert_int_eq(memcmp(b.buf, want, 100), 0);
	make_frame(want, a.profile.mac, 100, 2);
	ck_assert_int_eq(memcmp(a.buf, want, 100), 0);
	ck_assert_uint_eq(stats(&a).rx_drop_filter, 1);
	ck_assert_uint_eq(stats(&a).rx_wire, 2);
	ck_assert_uint_eq(stats(&b).tx_wire, 2);
	bench_close(&a);
	bench_close(&b);
}
END_TEST

START_TEST(cable_with_one_end_has_no_link)
{
	struct bench a, b;
	struct gin_nic_port port;
	struct gin_nic_event event;

	bench_open(&a, &left);
	ck_assert_int_eq(sn_port_query(a.dev, &port), 0);
	ck_assert_uint_eq(port.up, 0);
	send_to(&a, broadcast, 1);
	ck_assert_uint_eq(stats(&a).tx_drop_link_down, 1);
	bench_open(&b, &left);
	ck_assert_int_eq(sn_event_next(a.ctx, &event), 0);
	ck_assert_int_eq(event.kind, GIN_EV_PORT_UP);
	sn_port_set_link(b.dev, 0); /* pulled at the other end */
	ck_assert_int_eq(sn_event_next(a.ctx, &event), 0);
	ck_assert_int_eq(event.kind, GIN_EV_PORT_DOWN);
	sn_port_set_link(b.dev, 1);
	ck_assert_int_eq(sn_event_next(a.ctx, &event), 0);
	bench_close(&b);
	ck_assert_int_eq(sn_event_next(a.ctx, &event), 0);
	ck_assert_int_eq(event.kind, GIN_EV_PORT_DOWN);
	bench_open(&b, &left); /* the free end can be taken again */
	ck_assert_int_eq(sn_port_query(b.dev, &port), 0);
	ck_assert_uint_eq(port.up, 1);
	bench_close(&a);
	bench_close(&b);
}
END_TEST

START_TEST(third_end_is_busy)
{
	struct bench a, b;
	struct sn_device *dev;

	bench_open(&a, &left);
	bench_open(&b, &left);
	log_clear();
	ck_assert_int_eq(sn_device_create(&a.profile, gin_env_real(), &dev), -EBUSY);
	ck_assert_uint_eq(log_lines(), 1);
	ck_assert(log_has("cable=x"));
	bench_close(&a);
	bench_close(&b);
}
END_TEST

/* Adversary */

static const struct bench_config evil = { .name = "test,adversary=1", .scq_oi = 1, .rcq_oi = 1 };

static void deliver_one(struct bench *b)
{
	arrive(b, 100, 9);
	sn_engine_step(NULL, 0); /* the frame; what is held back stays */
}

START_TEST(adversary_shows_the_cqe_before_the_packet)
{
	struct bench b;
	uint8_t want[100];

	bench_open(&b, &evil);
	post_recv(&b, 8);
	deliver_one(&b);
	ck_assert(cqe_valid(&b, 0, 0));
	ck_assert_uint_eq(gin_from_be32(cqe_at(&b, 0, 0)->byte_cnt), 0);
	ck_assert_uint_eq(b.buf[0] | b.buf[1] | b.buf[20], 0);
	make_frame(want, b.profile.mac, 100, 9);
	if (_i == 0) {
		/* The reader that saw the last dword makes its acquire. */
		sn_engine_loaded(1, (const uint8_t *)cqe_at(&b, 0, 0) + GIN_CQE_TAIL);
		sn_engine_acquired(2);
		ck_assert_uint_eq(b.buf[20], 0); /* another's acquire does nothing for this one */
		sn_engine_acquired(1);
	} else {
		run_idle(); /* or time passes */
	}
	ck_assert_uint_eq(gin_from_be32(cqe_at(&b, 0, 0)->byte_cnt), 100);
	ck_assert_int_eq(memcmp(b.buf, want, 100), 0);
	bench_close(&b);
}
END_TEST

START_TEST(nothing_is_written_after_a_queue_is_gone)
{
	struct bench b;

	bench_open(&b, &evil);
	post_recv(&b, 8);
	deliver_one(&b);
	ck_assert_uint_eq(sn_engine_n_ready(NULL), 1); /* something is held back */
	bench_close_ctx(&b);
	ck_assert_uint_eq(sn_engine_n_ready(NULL), 0);
	sn_device_destroy(b.dev);
}
END_TEST

/* A record that trails its doorbell: seen once or never, after the next doorbell always once. */
START_TEST(adversary_may_read_the_record_again)
{
	uint32_t lost = 0, seen = 0, i;

	for (i = 0; i < 200 && !(lost && seen); i++) {
		struct bench b;
		uint64_t n;

		bench_open(&b, &evil);
		make_frame(tx_frame(&b, 0), other_mac, 100, 1);
		post_send(&b, (uintptr_t)tx_frame(&b, 0), 100, 2);
		ring_index(&b, 1);
		run_idle();
		n = stats(&b).tx_wire;
		ck_assert_uint_le(n, 1);
		seen += n == 1;
		lost += n == 0;
		ring(&b);
		run_idle();
		ck_assert_uint_eq(stats(&b).tx_wire, 1);
		bench_close(&b);
	}
	ck_assert(lost && seen);
}
END_TEST

START_TEST(wqe_changed_in_flight_is_found)
{
	struct bench b;
	struct gin_nic_queue_counters q;

	bench_open(&b, &evil);
	make_frame(tx_frame(&b, 0), other_mac, 100, 1);
	post_send(&b, (uintptr_t)tx_frame(&b, 0), 100, 2);
	ring(&b);
	sn_engine_step(NULL, 0); /* the doorbell: the WQE is the NIC's now */
	sq_wqe(&b, 0)[0x23] = 99; /* a shorter packet */
	run_idle();
	ck_assert_int_eq(sn_queue_counters(b.ctx, b.sqn, 1, &q), 0);
	ck_assert_uint_eq(q.state, PRM_STATE_ERR);
	ck_assert(log_has("changed"));
	bench_close(&b);
}
END_TEST

START_TEST(receive_wqe_changed_in_flight_is_found)
{
	struct bench b;

	bench_open(&b, &evil);
	post_recv(&b, 2);
	arrive(&b, 100, 1);
	run_idle(); /* both entries are known */
	b.mem[AT_RQ + 16 + 3] = 1;
	arrive(&b, 100, 2);
	run_idle();
	ck_assert_uint_eq(stats(&b).refused, 1);
	ck_assert(log_has("changed"));
	bench_close(&b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, cable_carries_frames_both_ways);
	tcase_add_test(tc, cable_with_one_end_has_no_link);
	tcase_add_test(tc, third_end_is_busy);
	tcase_add_loop_test(tc, adversary_shows_the_cqe_before_the_packet, 0, 2);
	tcase_add_test(tc, nothing_is_written_after_a_queue_is_gone);
	tcase_add_test(tc, adversary_may_read_the_record_again);
	tcase_add_test(tc, wqe_changed_in_flight_is_found);
	tcase_add_test(tc, receive_wqe_changed_in_flight_is_found);
}

int main(void)
{
	return run_suite("softnic_wire", add);
}
