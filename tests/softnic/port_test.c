/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive filter, rules, self loopback, link. */
#include "fixture.h"
#include <errno.h>
#include <poll.h>
#include <string.h>

static const struct bench_config plain = { .scq_oi = 1, .rcq_oi = 1 };

static void put_to(struct bench *b, const uint8_t mac[6])
{
	uint8_t frame[100];

	make_frame(frame, mac, 100, 1);
	ck_assert_int_eq(sn_test_put(b->dev, frame, 100), 0);
	run_idle();
}

static void send_to(struct bench *b, const uint8_t mac[6])
{
	make_frame(tx_frame(b, 0), mac, 100, 1);
	post_send(b, (uintptr_t)tx_frame(b, 0), 100, 2);
	ring(b);
	run_idle();
}

START_TEST(filter_takes_own_group_and_all)
{
	struct bench b;

	bench_open(&b, &plain);
	post_recv(&b, 8);
	put_to(&b, b.profile.mac);
	put_to(&b, broadcast);
	put_to(&b, multicast);
	put_to(&b, other_mac);
	ck_assert_uint_eq(stats(&b).rx_delivered, 3);
	ck_assert_uint_eq(stats(&b).rx_drop_filter, 1);
	bench_close(&b);
}
END_TEST

START_TEST(promiscuous_is_held_by_a_context_and_gone_with_it)
{
	struct bench b;
	struct sn_ctx *ctx;

	bench_open(&b, &plain);
	post_recv(&b, 8);
	ck_assert_int_eq(sn_open(b.dev, &ctx), 0);
	ck_assert_int_eq(sn_port_promisc(ctx, 1), 0);
	put_to(&b, other_mac);
	ck_assert_uint_eq(stats(&b).rx_delivered, 1);
	ck_assert_int_eq(sn_port_promisc(b.ctx, 1), 0);
	ck_assert_int_eq(sn_port_promisc(b.ctx, 0), 0);
	put_to(&b, other_mac); /* the other one still holds it */
	ck_assert_uint_eq(stats(&b).rx_delivered, 2);
	sn_close(ctx);
	put_to(&b, other_mac);
	ck_assert_uint_eq(stats(&b).rx_drop_filter, 1);
	bench_close(&b);
}
END_TEST

START_TEST(promiscuous_needs_the_right)
{
	struct bench_config cfg = plain;
	struct bench b;

	cfg.name = "test,promisc=0";
	bench_open(&b, &cfg);
	ck_assert_int_eq(sn_port_promisc(b.ctx, 1), -EPERM);
	ck_assert_int_eq(sn_port_promisc(b.ctx, 0), 0);
	bench_close(&b);
}
END_TEST

START_TEST(bad_frames_are_counted_by_cause)
{
	struct bench b;
	uint8_t frame[2048];

	bench_open(&b, &plain);
	post_recv(&b, 8);
	arrive(&b, 13, 1);
	arrive(&b, 1515, 1); /* above the MTU without a tag */
	arrive(&b, 1514, 1);
	make_frame(frame, b.profile.mac, 1518, 1);
	memcpy(frame + 12, "\x81\x00\x00\x01", 4);
	ck_assert_int_eq(sn_test_put(b.dev, frame, 1518), 0);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_drop_bad_frame, 1);
	ck_assert_uint_eq(stats(&b).rx_drop_too_long, 1);
	ck_assert_uint_eq(stats(&b).rx_delivered, 2);
	ck_assert_uint_eq(gin_from_be32(cqe_at(&b, 0, 1)->byte_cnt), 1518);
	bench_close(&b);
}
END_TEST

START_TEST(no_rule_means_to_the_host)
{
	struct bench_config cfg = plain;
	struct bench b;

	cfg.no_rule = 1;
	bench_open(&b, &cfg);
	post_recv(&b, 8);
	arrive(&b, 100, 1);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_to_host, 1);
	ck_assert(!cqe_valid(&b, 0, 0));
	bench_close(&b);
}
END_TEST

/* Match on ethertype: mask and value at 0x04 15:0 of the outer headers. */
static uint32_t add_ethertype(struct bench *b, uint16_t type, enum gin_nic_to to, uint32_t priority, int expect)
{
	uint8_t mask[0x200] = { 0 }, value[0x200] = { 0 };
	struct gin_nic_rule_spec spec = { mask, value, priority, to, NULL, 0x11 };
	uint32_t id = 0;

	mask[6] = mask[7] = 0xff;
	value[6] = (uint8_t)(type >> 8);
	value[7] = (uint8_t)type;
	ck_assert_int_eq(sn_rule_add(b->ctx, &spec, b->tirn, &id), expect);
	return id;
}

START_TEST(rules_match_by_priority_then_age)
{
	struct bench_config cfg = plain;
	struct bench b;
	uint64_t packets, bytes;
	uint32_t drop, tir;

	cfg.no_rule = 1;
	bench_open(&b, &cfg);
	post_recv(&b, 8);
	tir = add_ethertype(&b, 0x88b5, GIN_NIC_TO_TIR, 1, 0);
	arrive(&b, 100, 1);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_delivered, 1);
	ck_assert_uint_eq(gin_from_be32(cqe_at(&b, 0, 0)->sop_drop_qpn), 0x11);
	drop = add_ethertype(&b, 0x88b5, GIN_NIC_TO_DROP, 0, 0); /* before it */
	add_ethertype(&b, 0x88b5, GIN_NIC_TO_HOST, 2, 0);
	arrive(&b, 100, 1);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_drop_by_rule, 1);
	ck_assert_int_eq(sn_rule_count(b.ctx, drop, &packets, &bytes), 0);
	ck_assert_uint_eq(packets, 1);
	ck_assert_uint_eq(bytes, 100);
	ck_assert_int_eq(sn_rule_del(b.ctx, drop), 0);
	ck_assert_int_eq(sn_rule_del(b.ctx, drop), -EINVAL);
	ck_assert_int_eq(sn_rule_del(b.ctx, tir), 0);
	arrive(&b, 100, 1);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_to_host, 1);
	bench_close(&b);
}
END_TEST

START_TEST(rules_are_checked)
{
	struct gin_nic_rule_spec spec = { .to = GIN_NIC_TO_TIR };
	struct bench b;
	uint8_t mask[0x200] = { 0 };
	uint32_t id;

	bench_open(&b, &plain);
	ck_assert_int_eq(sn_rule_add(b.ctx, &spec, b.tirn, &id), -EEXIST); /* the fixture's */
	add_ethertype(&b, 0x0800, GIN_NIC_TO_TIR, 0, 0);
	add_ethertype(&b, 0x0800, GIN_NIC_TO_DROP, 0, -EEXIST);
	add_ethertype(&b, 0x0800, GIN_NIC_TO_DROP, 1, 0);
	spec.priority = 1;
	ck_assert_int_eq(sn_rule_add(b.ctx, &spec, b.rqn, &id), -EINVAL); /* no TIR */
	spec.priority = 16;
	ck_assert_int_eq(sn_rule_add(b.ctx, &spec, b.tirn, &id), -EINVAL);
	spec.priority = 1;
	spec.tag = 0x1000000;
	ck_assert_int_eq(sn_rule_add(b.ctx, &spec, b.tirn, &id), -EINVAL);
	spec.tag = 0;
	mask[0x80] = 1; /* inner headers */
	spec.mask = mask;
	ck_assert_int_eq(sn_rule_add(b.ctx, &spec, b.tirn, &id), -EINVAL);
	bench_close(&b);
}
END_TEST

/* bit 0 blocks unicast, bit 1 groups */
START_TEST(self_loopback_unless_blocked)
{
	static const uint32_t want_own[] = { 1, 0, 1, 0 }, want_group[] = { 2, 2, 0, 0 };
	struct bench_config cfg = plain;
	struct bench b;

	cfg.self_lb_block = (uint8_t)_i;
	bench_open(&b, &cfg);
	post_recv(&b, 8);
	send_to(&b, other_mac);
	ck_assert_uint_eq(stats(&b).rx_duplicated, 0);
	send_to(&b, b.profile.mac);
	ck_assert_uint_eq(stats(&b).rx_duplicated, want_own[_i]);
	send_to(&b, broadcast);
	send_to(&b, multicast);
	ck_assert_uint_eq(stats(&b).rx_duplicated, want_own[_i] + want_group[_i]);
	ck_assert_uint_eq(stats(&b).rx_delivered, want_own[_i] + want_group[_i]);
	ck_assert_uint_eq(stats(&b).rx_wire, 0);
	ck_assert_uint_eq(stats(&b).tx_wire, 4); /* and the wire has them all */
	bench_close(&b);
}
END_TEST

START_TEST(self_loopback_stays_in_its_transport_domain)
{
	struct bench_config cfg = plain;
	struct gin_nic_rule_spec spec = { .to = GIN_NIC_TO_TIR };
	struct bench b;
	uint8_t in[0x110];
	uint32_t td, tirn, id;

	cfg.no_rule = 1;
	bench_open(&b, &cfg);
	post_recv(&b, 8);
	prm_build_alloc_td(in);
	td = create(&b, in, 16);
	prm_build_create_tir(in, b.rqn, td, 0);
	tirn = create(&b, in, 0x110);
	ck_assert_int_eq(sn_rule_add(b.ctx, &spec, tirn, &id), 0);
	send_to(&b, broadcast);
	ck_assert_uint_eq(stats(&b).rx_duplicated, 0);
	put_to(&b, broadcast);
	ck_assert_uint_eq(stats(&b).rx_delivered, 1);
	bench_close(&b);
}
END_TEST

START_TEST(modified_tir_blocks_from_then_on)
{
	struct bench b;
	uint8_t in[0x110] = { 0 }, out[0x110];

	bench_open(&b, &plain);
	post_recv(&b, 8);
	send_to(&b, broadcast);
	prm_set(in, 0, PRM_IN_OPCODE, PRM_OP_MODIFY_TIR);
	prm_set(in, 0, PRM_MODIFY_TIR_TIRN, b.tirn);
	prm_set(in, 0, PRM_MODIFY_TIR_MODIFY_BITMASK, 0x10);
	prm_set(in, PRM_AT_CTX, PRM_TIRC_SELF_LB_BLOCK, 3);
	ck_assert_uint_eq(cmd(&b, in, 0x110, out), 0);
	send_to(&b, broadcast);
	ck_assert_uint_eq(stats(&b).rx_duplicated, 1);
	bench_close(&b);
}
END_TEST

/* Everything that the plug brings back is from outside: filtered and counted so. */
START_TEST(loop_wire_is_outside)
{
	struct bench_config cfg = plain;
	struct bench b;

	cfg.name = "loop";
	cfg.self_lb_block = 3;
	bench_open(&b, &cfg);
	post_recv(&b, 8);
	send_to(&b, b.profile.mac);
	send_to(&b, broadcast);
	send_to(&b, other_mac);
	ck_assert_uint_eq(stats(&b).rx_wire, 3);
	ck_assert_uint_eq(stats(&b).rx_delivered, 2);
	ck_assert_uint_eq(stats(&b).rx_drop_filter, 1);
	ck_assert_uint_eq(stats(&b).rx_duplicated, 0);
	bench_close(&b);
}
END_TEST

static int readable(struct bench *b)
{
	struct pollfd p = { .fd = sn_event_fd(b->ctx), .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

START_TEST(link_down_drops_are_counted_and_told)
{
	struct gin_nic_event event;
	struct gin_nic_port port;
	struct bench b;

	bench_open(&b, &plain);
	post_recv(&b, 8);
	ck_assert(!readable(&b));
	sn_port_set_link(b.dev, 0);
	sn_port_set_link(b.dev, 0);
	ck_assert(readable(&b));
	ck_assert_int_eq(sn_event_next(b.ctx, &event), 0);
	ck_assert_int_eq(event.kind, GIN_EV_PORT_DOWN);
	ck_assert_int_eq(sn_event_next(b.ctx, &event), -EAGAIN);
	ck_assert(!readable(&b));
	ck_assert_int_eq(sn_port_query(b.dev, &port), 0);
	ck_assert_uint_eq(port.up, 0);
	arrive(&b, 100, 1);
	send_to(&b, other_mac);
	ck_assert_uint_eq(stats(&b).rx_drop_link_down, 1);
	ck_assert_uint_eq(stats(&b).tx_drop_link_down, 1);
	ck_assert(cqe_valid(&b, 1, 0)); /* it completes all the same */
	ck_assert_uint_eq(cqe_at(&b, 1, 0)->op_own >> 4, GIN_CQE_REQ);
	sn_port_set_link(b.dev, 1);
	ck_assert_int_eq(sn_event_next(b.ctx, &event), 0);
	ck_assert_int_eq(event.kind, GIN_EV_PORT_UP);
	arrive(&b, 100, 1);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_delivered, 1);
	bench_close(&b);
}
END_TEST

START_TEST(last_event_says_how_the_link_is)
{
	struct gin_nic_event event;
	struct bench b;
	uint32_t i;

	bench_open(&b, &plain);
	for (i = 0; i < 1001; i++) /* the last one is down */
		sn_port_set_link(b.dev, (int)(i & 1));
	ck_assert_int_eq(sn_event_next(b.ctx, &event), 0);
	ck_assert_int_eq(event.kind, GIN_EV_PORT_UP);
	ck_assert_int_eq(sn_event_next(b.ctx, &event), 0);
	ck_assert_int_eq(event.kind, GIN_EV_PORT_DOWN);
	ck_assert_int_eq(sn_event_next(b.ctx, &event), -EAGAIN);
	ck_assert(!readable(&b));
	bench_close(&b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, filter_takes_own_group_and_all);
	tcase_add_test(tc, promiscuous_is_held_by_a_context_and_gone_with_it);
	tcase_add_test(tc, promiscuous_needs_the_right);
	tcase_add_test(tc, bad_frames_are_counted_by_cause);
	tcase_add_test(tc, no_rule_means_to_the_host);
	tcase_add_test(tc, rules_match_by_priority_then_age);
	tcase_add_test(tc, rules_are_checked);
	tcase_add_loop_test(tc, self_loopback_unless_blocked, 0, 4);
	tcase_add_test(tc, self_loopback_stays_in_its_transport_domain);
	tcase_add_test(tc, modified_tir_blocks_from_then_on);
	tcase_add_test(tc, loop_wire_is_outside);
	tcase_add_test(tc, link_down_drops_are_counted_and_told);
	tcase_add_test(tc, last_event_says_how_the_link_is);
}

int main(void)
{
	return run_suite("softnic_port", add);
}
