/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive queues: delivery, what the CQE says, empty rings, mistakes in WQEs. */
#include "fixture.h"
#include <errno.h>
#include <string.h>

static const struct bench_config plain = { .scq_oi = 1, .rcq_oi = 1 };

START_TEST(frame_lands_in_its_slot_with_a_cqe)
{
	struct bench b;
	uint8_t want[200];
	const struct gin_cqe *cqe;

	bench_open(&b, &plain);
	post_recv(&b, 8);
	arrive(&b, 200, 7);
	ck_assert_uint_eq(stats(&b).rx_in_flight, 1);
	run_idle();
	make_frame(want, b.profile.mac, 200, 7);
	ck_assert_int_eq(memcmp(b.buf, want, 200), 0);
	ck_assert(cqe_valid(&b, 0, 0));
	cqe = cqe_at(&b, 0, 0);
	ck_assert_uint_eq(cqe->op_own, 0x20); /* RESP_SEND, owner 0 */
	ck_assert_uint_eq(gin_from_be32(cqe->byte_cnt), 200);
	ck_assert_uint_eq(gin_from_be32(cqe->user_index), 0x54321);
	ck_assert_uint_eq(gin_from_be32(cqe->sop_drop_qpn), 0x5a5a5a); /* the rule's tag */
	ck_assert_uint_eq(gin_from_be16(cqe->wqe_counter), 0);
	ck_assert_uint_eq(cqe->hds_ip_ext & GIN_CQE_L2_OK, GIN_CQE_L2_OK);
	ck_assert_uint_eq(cqe->l4_l3_hdr_type, 0);
	ck_assert_uint_lt(gin_from_be64(cqe->timestamp) & 0xffffffff, 1000000000);
	ck_assert_uint_eq(stats(&b).rx_delivered, 1);
	ck_assert_uint_eq(stats(&b).rx_wire_bytes, 200);
	bench_close(&b);
}
END_TEST

/* Ethernet, IPv4 (no options), UDP 8 + 4 bytes, both checksums right; worked out by hand. */
static const uint8_t udp4[46] = {
	0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0x08, 0x00,
	/* 4500+0020+0000+4000+4011+0a00+0001+0a00+0002 = d934, inverted 26cb */
	0x45, 0, 0, 32, 0, 0, 0x40, 0, 0x40, 17, 0x26, 0xcb, 10, 0, 0, 1, 10, 0, 0, 2,
	/* pseudo 0a00+0001+0a00+0002+0011+000c = 1420; 1000+2000+000c+0102+0304 = 3412; sum 4832, inverted b7cd */
	0x10, 0x00, 0x20, 0x00, 0, 12, 0xb7, 0xcd, 1, 2, 3, 4,
};

START_TEST(cqe_names_headers_and_verdicts)
{
	struct bench b;
	uint8_t frame[60] = { 0 };
	const struct gin_cqe *cqe;

	bench_open(&b, &plain);
	post_recv(&b, 8);
	memcpy(frame, udp4, sizeof(udp4));
	memcpy(frame, b.profile.mac, 6);
	if (_i == 1)
		frame[24] ^= 1; /* IP checksum */
	if (_i == 2)
		frame[45] ^= 1; /* payload */
	ck_assert_int_eq(sn_test_put(b.dev, frame, 60), 0);
	run_idle();
	cqe = cqe_at(&b, 0, 0);
	ck_assert(cqe_valid(&b, 0, 0));
	ck_assert_uint_eq(cqe->l4_l3_hdr_type, 2 << 2 | 2 << 4); /* IPv4, UDP */
	ck_assert_uint_eq(cqe->hds_ip_ext, _i == 0 ? 7 : _i == 1 ? 5 : 3);
	ck_assert_uint_eq(cqe->pkt_info, 0);
	/* A good IPv4 header sums to ffff; UDP 1000+2000+000c+b7cd+0102+0304 = ebdf; the rest of the padding is 0. */
	if (_i == 0)
		ck_assert_uint_eq(gin_from_be16(cqe->check_sum), 0xebdf);
	bench_close(&b);
}
END_TEST

START_TEST(short_frames_are_padded_to_60)
{
	struct bench b;
	uint32_t i;

	bench_open(&b, &plain);
	memset(b.buf, 0xee, 64);
	post_recv(&b, 1);
	arrive(&b, 42, 1);
	run_idle();
	ck_assert_uint_eq(gin_from_be32(cqe_at(&b, 0, 0)->byte_cnt), 60);
	for (i = 42; i < 60; i++)
		ck_assert_uint_eq(b.buf[i], 0);
	ck_assert_uint_eq(b.buf[60], 0xee);
	bench_close(&b);
}
END_TEST

START_TEST(vlan_tag_is_stripped_if_the_queue_says_so)
{
	struct bench_config cfg = plain;
	struct bench b;
	uint8_t frame[100];
	const struct gin_cqe *cqe;

	cfg.vlan_strip = _i == 1;
	bench_open(&b, &cfg);
	post_recv(&b, 1);
	make_frame(frame, b.profile.mac, 100, 3);
	memcpy(frame + 12, "\x81\x00\x60\x05", 4);
	ck_assert_int_eq(sn_test_put(b.dev, frame, 100), 0);
	run_idle();
	cqe = cqe_at(&b, 0, 0);
	ck_assert_uint_eq(cqe->l4_l3_hdr_type & 1, _i);
	ck_assert_uint_eq(gin_from_be16(cqe->vlan_info), _i ? 0x6005 : 0);
	ck_assert_uint_eq(gin_from_be32(cqe->byte_cnt), _i ? 96 : 100);
	ck_assert_int_eq(memcmp(b.buf, frame, 12), 0);
	ck_assert_int_eq(memcmp(b.buf + 12, frame + (_i ? 16 : 12), _i ? 84 : 88), 0);
	bench_close(&b);
}
END_TEST

START_TEST(unreleased_slots_are_never_overwritten)
{
	struct bench b;
	uint8_t want[100];
	struct gin_nic_queue_counters q;
	uint32_t i;

	bench_open(&b, &plain);
	post_recv(&b, 8);
	for (i = 0; i < 11; i++) {
		arrive(&b, 100, i);
		run_idle();
	}
	for (i = 0; i < 8; i++) {
		make_frame(want, b.profile.mac, 100, i);
		ck_assert_int_eq(memcmp(b.buf + i * SLOT_BYTES, want, 100), 0);
	}
	ck_assert_uint_eq(stats(&b).rx_drop_no_buffer, 3);
	ck_assert_uint_eq(stats(&b).rx_delivered, 8);
	ck_assert_int_eq(sn_queue_counters(b.ctx, b.rqn, 0, &q), 0);
	ck_assert_uint_eq(q.drops, 3);
	ck_assert_uint_eq(q.packets, 8);
	ck_assert_uint_eq(q.in_flight, 0);
	post_recv(&b, 2);
	ck_assert_int_eq(sn_queue_counters(b.ctx, b.rqn, 0, &q), 0);
	ck_assert_uint_eq(q.in_flight, 2);
	arrive(&b, 100, 20);
	run_idle();
	make_frame(want, b.profile.mac, 100, 20);
	ck_assert_int_eq(memcmp(b.buf, want, 100), 0);
	ck_assert_uint_eq(gin_from_be16(cqe_at(&b, 0, 8)->wqe_counter), 8);
	bench_close(&b);
}
END_TEST

START_TEST(first_drop_is_kept_until_it_is_read)
{
	struct bench b;
	struct gin_nic_counters c;

	bench_open(&b, &plain);
	arrive(&b, 300, 1);
	arrive(&b, 100, 2);
	run_idle();
	ck_assert_int_eq(sn_counters(b.dev, &c), 0);
	ck_assert_str_eq(c.first_drop.cause, "rx_drop_no_buffer");
	ck_assert_uint_eq(c.first_drop.len, 300);
	ck_assert_int_eq(memcmp(c.first_drop.head, b.profile.mac, 6), 0);
	ck_assert_int_eq(sn_counters(b.dev, &c), 0);
	ck_assert_ptr_null(c.first_drop.cause);
	bench_close(&b);
}
END_TEST

START_TEST(record_before_rdy_is_ignored)
{
	struct bench_config cfg = plain;
	struct bench b;

	cfg.keep_rst = 1;
	bench_open(&b, &cfg);
	post_recv(&b, 8);
	arrive(&b, 100, 1);
	run_idle();
	ck_assert(!cqe_valid(&b, 0, 0));
	ck_assert_uint_eq(stats(&b).rx_drop_no_buffer, 1);
	bench_close(&b);
}
END_TEST

START_TEST(indices_wrap_at_65536)
{
	struct bench_config cfg = plain;
	struct bench b;
	uint32_t i;

	cfg.name = "test,first_index=65530";
	bench_open(&b, &cfg);
	for (i = 0; i < 40; i++) {
		post_recv(&b, 1);
		arrive(&b, 100, i);
		run_idle();
		ck_assert(cqe_valid(&b, 0, i));
		ck_assert_uint_eq(gin_from_be16(cqe_at(&b, 0, i)->wqe_counter), (65530 + i) & 0xffff);
	}
	ck_assert_uint_eq(stats(&b).rx_delivered, 40);
	bench_close(&b);
}
END_TEST

/* The record is memory far away: it is looked at only when no known slot is left. */
START_TEST(record_is_read_only_without_credit)
{
	struct bench b;

	bench_open(&b, &plain);
	post_recv(&b, 3);
	arrive(&b, 100, 1);
	run_idle();
	b.rq_pi = 0; /* a record that says 0 posted, which would be impossible */
	post_recv(&b, 0);
	arrive(&b, 100, 2);
	arrive(&b, 100, 3);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_delivered, 3);
	ck_assert_uint_eq(stats(&b).refused, 0);
	arrive(&b, 100, 4);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_drop_no_buffer, 1);
	ck_assert_uint_eq(stats(&b).refused, 1);
	bench_close(&b);
}
END_TEST

START_TEST(impossible_record_gives_no_slots)
{
	struct bench b;

	bench_open(&b, &plain);
	b.rq_pi = 9; /* 9 posted into a ring of 8 */
	post_recv(&b, 0);
	arrive(&b, 100, 1);
	arrive(&b, 100, 1);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_drop_no_buffer, 2);
	ck_assert_uint_eq(stats(&b).refused, 2);
	ck_assert_uint_eq(log_lines(), 1);
	bench_close(&b);
}
END_TEST

static void dies(struct bench *b, uint32_t syndrome)
{
	const struct gin_err_cqe *e = (const struct gin_err_cqe *)(const void *)cqe_at(b, 0, 0);
	struct gin_nic_queue_counters q;
	struct gin_nic_event event;

	ck_assert(cqe_valid(b, 0, 0));
	ck_assert_uint_eq(e->op_own >> 4, GIN_CQE_RESP_ERR);
	ck_assert_uint_eq(e->syndrome, syndrome);
	ck_assert_uint_eq(gin_from_be32(e->wqe_opcode_qpn), b->rqn);
	ck_assert_int_eq(sn_queue_counters(b->ctx, b->rqn, 0, &q), 0);
	ck_assert_uint_eq(q.state, PRM_STATE_ERR);
	ck_assert_int_eq(sn_event_next(b->ctx, &event), 0);
	ck_assert_int_eq(event.kind, GIN_EV_RQ_FATAL);
	ck_assert_uint_eq(event.number, b->rqn);
	ck_assert_uint_eq(log_lines(), 1);
}

/* The WQE of slot 0 is made shorter than the packet by one byte. */
START_TEST(packet_longer_than_the_wqe_is_a_length_error)
{
	struct bench b;

	bench_open(&b, &plain);
	post_recv(&b, 8);
	b.mem[AT_RQ + 2] = 0;
	b.mem[AT_RQ + 3] = 199;
	arrive(&b, 200, 1);
	run_idle();
	dies(&b, 0x01);
	ck_assert_uint_eq(stats(&b).rx_drop_too_long, 1);
	arrive(&b, 60, 1);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_drop_queue_error, 1);
	bench_close(&b);
}
END_TEST

START_TEST(exact_length_fits)
{
	struct bench b;

	bench_open(&b, &plain);
	post_recv(&b, 8);
	b.mem[AT_RQ + 2] = 0;
	b.mem[AT_RQ + 3] = 200;
	arrive(&b, 200, 1);
	run_idle();
	ck_assert_uint_eq(cqe_at(&b, 0, 0)->op_own >> 4, GIN_CQE_RESP_SEND);
	bench_close(&b);
}
END_TEST

START_TEST(key_mistakes_are_protection_errors)
{
	struct bench_config cfg = plain;
	struct bench b;

	if (_i == 3)
		cfg.access = ~0u; /* registered without local write */
	bench_open(&b, &cfg);
	post_recv(&b, 8);
	switch (_i) {
	case 0:
		b.mem[AT_RQ + 7] ^= 1; /* variant */
		break;
	case 1:
		b.mem[AT_RQ + 4] ^= 0x80; /* unknown */
		break;
	case 2: /* the whole segment counts, not only what the packet fills */
		b.mem[AT_RQ + 1] = 0x10;
		break;
	}
	arrive(&b, 100, 1);
	run_idle();
	dies(&b, 0x04);
	ck_assert_uint_eq(stats(&b).rx_drop_queue_error, 1);
	bench_close(&b);
}
END_TEST

START_TEST(posted_wqes_are_flushed_if_asked)
{
	struct bench_config cfg = plain;
	struct bench b;
	uint32_t i;

	cfg.flush = 1;
	bench_open(&b, &cfg);
	post_recv(&b, 4);
	b.mem[AT_RQ + 7] ^= 1;
	arrive(&b, 100, 1);
	run_idle();
	for (i = 1; i < 4; i++) {
		const struct gin_err_cqe *e = (const struct gin_err_cqe *)(const void *)cqe_at(&b, 0, i);

		ck_assert(cqe_valid(&b, 0, i));
		ck_assert_uint_eq(e->syndrome, 0x05);
		ck_assert_uint_eq(gin_from_be16(e->wqe_counter), i);
	}
	ck_assert(!cqe_valid(&b, 0, 4));
	bench_close(&b);
}
END_TEST

START_TEST(queue_works_again_after_err_rst_rdy)
{
	struct bench b;
	uint8_t in[0x110], out[0x110];

	bench_open(&b, &plain);
	post_recv(&b, 2);
	prm_build_modify_rq(in, b.rqn, PRM_STATE_RDY, PRM_STATE_ERR);
	ck_assert_uint_eq(cmd(&b, in, 0x110, out), PRM_OK);
	prm_build_modify_rq(in, b.rqn, PRM_STATE_ERR, PRM_STATE_RST);
	ck_assert_uint_eq(cmd(&b, in, 0x110, out), PRM_OK);
	b.rq_pi = 0;
	post_recv(&b, 0);
	prm_build_modify_rq(in, b.rqn, PRM_STATE_RST, PRM_STATE_RDY);
	ck_assert_uint_eq(cmd(&b, in, 0x110, out), PRM_OK);
	post_recv(&b, 1);
	arrive(&b, 100, 1);
	run_idle();
	ck_assert_uint_eq(stats(&b).rx_delivered, 1);
	ck_assert_uint_eq(gin_from_be16(cqe_at(&b, 0, 0)->wqe_counter), 0);
	bench_close(&b);
}
END_TEST

/* Two segments of 64 bytes each; a stride of 32. */
START_TEST(packet_is_scattered_over_segments)
{
	struct bench b;
	struct prm_rq rq;
	uint8_t in[0x110], out[0x110], want[128];
	struct gin_nic_rule_spec spec = { .to = GIN_NIC_TO_TIR };
	uint32_t rqn, tirn, id;
	struct gin_wqe_data seg[2];
	struct bench_config cfg = plain;

	cfg.no_rule = 1;
	bench_open(&b, &cfg);
	fill_rq(&b, &rq);
	rq.wq.log_stride = 5;
	rq.wq.ring.offset = AT_RQ + 0x800;
	rq.wq.dbrec.offset = AT_RQ_DBR + 8;
	prm_build_create_rq(in, &rq);
	rqn = create(&b, in, 0x110);
	prm_build_modify_rq(in, rqn, PRM_STATE_RST, PRM_STATE_RDY);
	ck_assert_uint_eq(cmd(&b, in, 0x110, out), PRM_OK);
	prm_build_create_tir(in, rqn, b.td, 0);
	tirn = create(&b, in, 0x110);
	ck_assert_int_eq(sn_rule_add(b.ctx, &spec, tirn, &id), 0);
	seg[0].byte_count = seg[1].byte_count = gin_to_be32(64);
	seg[0].lkey = seg[1].lkey = gin_to_be32(b.lkey);
	seg[0].addr = gin_to_be64((uintptr_t)b.buf + 1000);
	seg[1].addr = gin_to_be64((uintptr_t)b.buf);
	if (_i) { /* the list ends behind the first */
		memset(&seg[1], 0, 16);
		seg[1].lkey = gin_to_be32(0x100);
	}
	memcpy(b.mem + AT_RQ + 0x800, seg, 32);
	b.mem[AT_RQ_DBR + 8 + 3] = 1;
	arrive(&b, 100, 5);
	run_idle();
	make_frame(want, b.profile.mac, 100, 5);
	if (_i) {
		ck_assert_uint_eq(stats(&b).rx_drop_too_long, 1);
	} else {
		ck_assert_int_eq(memcmp(b.buf + 1000, want, 64), 0);
		ck_assert_int_eq(memcmp(b.buf, want + 64, 36), 0);
		ck_assert_uint_eq(b.buf[36], 0);
	}
	bench_close(&b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, frame_lands_in_its_slot_with_a_cqe);
	tcase_add_loop_test(tc, cqe_names_headers_and_verdicts, 0, 3);
	tcase_add_test(tc, short_frames_are_padded_to_60);
	tcase_add_loop_test(tc, vlan_tag_is_stripped_if_the_queue_says_so, 0, 2);
	tcase_add_test(tc, unreleased_slots_are_never_overwritten);
	tcase_add_test(tc, first_drop_is_kept_until_it_is_read);
	tcase_add_test(tc, record_before_rdy_is_ignored);
	tcase_add_test(tc, indices_wrap_at_65536);
	tcase_add_test(tc, record_is_read_only_without_credit);
	tcase_add_test(tc, impossible_record_gives_no_slots);
	tcase_add_test(tc, packet_longer_than_the_wqe_is_a_length_error);
	tcase_add_test(tc, exact_length_fits);
	tcase_add_loop_test(tc, key_mistakes_are_protection_errors, 0, 4);
	tcase_add_test(tc, posted_wqes_are_flushed_if_asked);
	tcase_add_test(tc, queue_works_again_after_err_rst_rdy);
	tcase_add_loop_test(tc, packet_is_scattered_over_segments, 0, 2);
}

int main(void)
{
	return run_suite("softnic_rq", add);
}
