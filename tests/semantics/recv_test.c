/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive: nothing twice, nothing missing, whole, in order, with its own metadata; slots go back when they may. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "recv_rig.h"

enum { SEQ_AT = 14 };

static void lead(struct recv *r, struct gin_flow_config *rule)
{
	struct gin_flow *flow;

	rule->rxqs = &r->rxq;
	rule->n_rxqs = 1;
	world_eq(gin_flow_create(r->w.nic, rule, &flow), 0);
}

/* Frames that were sent out of their slots arrive whole at the other end of the wire, in order. */
struct sent { uint32_t n, next; };

static void on_frame(struct world *w, const uint8_t *frame, uint32_t len)
{
	struct sent *sent = w->arg;

	world_ok(world_frame_ok(frame, len));
	world_ok(world_seq(frame) >= sent->next);
	sent->next = world_seq(frame) + 1;
	sent->n++;
}

static void every_packet_once(uint64_t seed, enum recv_scope scope, enum recv_back back, uint64_t *hash)
{
	struct gin_flow_config rule = { .match = GIN_MATCH_ETHERTYPE, .ethertype = 0x88b5, .action = GIN_FLOW_QUEUES };
	struct gin_rxq_stats q;
	struct gin_nic_stats s;
	struct sent sent = { 0, 0 };
	struct recv r;
	uint32_t i;

	recv_open(&r, seed, scope, back);
	rule.tag = recv_choose(&r, 0x1000000);
	lead(&r, &rule);
	r.w.n_frames = 20 + recv_choose(&r, 80);
	r.w.arg = &sent;
	r.w.on_frame = on_frame;
	recv_launch(&r);
	world_run_until(&r.w, recv_all_taken, &r);
	recv_stop(&r);

	world_eq(r.log->last, -ECANCELED);
	world_eq(r.log->again[0], -ECANCELED); /* GIN_TRY too: a stop goes before "not yet" */
	world_eq(r.log->again[1], -ECANCELED);
	recv_check_runs(&r);
	recv_check_pkts(&r, SEQ_AT);
	for (i = 0; i < r.log->taken; i++)
		world_eq(r.log->pkts[i].tag, rule.tag);
	world_check_quiet(&r.w);
	world_eq(gin_nic_stats(r.w.nic, &s), 0);
	world_eq(s.rx_wire, r.w.n_frames);
	world_eq(s.rx_delivered, r.log->taken);
	world_eq(s.rx_delivered + s.rx_drop_no_buffer, r.w.n_frames);
	world_eq(s.tx_wire, r.log->sent);
	world_eq(sent.n, r.log->sent);
	world_eq(s.refused, 0);
	world_eq(gin_rxq_stats(r.rxq, &q), 0);
	world_eq(q.taken, r.log->taken);
	world_eq(q.drop_no_buffer, s.rx_drop_no_buffer);
	world_eq(q.waiting, 0);
	if (back == RECV_RELEASE)
		world_eq(q.released, q.taken);
	*hash = world_close(&r.w);
}

#define EVERY_PACKET_ONCE(name, scope, back, first, n)                                                                 \
	static void name##_with(uint64_t seed, uint64_t *hash)                                                         \
	{                                                                                                              \
		every_packet_once(seed, scope, back, hash);                                                            \
	}                                                                                                              \
	START_TEST(name)                                                                                               \
	{                                                                                                              \
		world_property(name##_with, first, RECV_SEEDS(n));                                                     \
	}                                                                                                              \
	END_TEST

EVERY_PACKET_ONCE(a_thread_takes_every_packet_once, RECV_THREAD, RECV_RELEASE, 1, 30)
EVERY_PACKET_ONCE(a_warp_takes_every_packet_once, RECV_WARP, RECV_RELEASE, 1000, 16)
EVERY_PACKET_ONCE(a_block_takes_every_packet_once, RECV_BLOCK, RECV_RELEASE, 2000, 8)
EVERY_PACKET_ONCE(a_thread_sends_every_packet_once, RECV_THREAD, RECV_AFTER, 3000, 16)
EVERY_PACKET_ONCE(a_warp_sends_every_packet_once, RECV_WARP, RECV_AFTER, 4000, 10)
EVERY_PACKET_ONCE(a_block_sends_every_packet_once, RECV_BLOCK, RECV_AFTER, 5000, 6)
EVERY_PACKET_ONCE(a_thread_mixes_both, RECV_THREAD, RECV_MIXED, 6000, 16)
EVERY_PACKET_ONCE(a_warp_mixes_both, RECV_WARP, RECV_MIXED, 7000, 10)
EVERY_PACKET_ONCE(a_block_mixes_both, RECV_BLOCK, RECV_MIXED, 8000, 6)

/* Frames of six kinds, to two tags, to no queue, and to the host. */
enum { PORT_A = 1000, PORT_B = 2000, PORT_DROP = 3000, PORT_HOST = 4000, TAG_A = 0xabcdef, TAG_B = 0x000001, TAG_C = 0xffffff };
enum kind { UDP_A, UDP_B, BAD_L3, BAD_L4, NO_IP, DROPPED, TO_HOST, KINDS };
enum { IP_AT = 14, UDP_AT = 34, NUMBER_AT = 42 };

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

/* RFC 1071, worked here on its own: the sum of big-endian words, folded. */
static uint32_t sum_words(uint32_t sum, const uint8_t *at, uint32_t len)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		sum += i & 1 ? at[i] : (uint32_t)at[i] << 8;
	return sum;
}

static uint32_t folded(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void put_ip(uint8_t *ip, uint32_t len, enum kind kind)
{
	memcpy(ip, "\x45\x00\x00\x00\x00\x00\x00\x00\x40\x11\x00\x00\x0a\x00\x00\x01\x0a\x00\x00\x02", 20);
	put16(ip + 2, len);
	put16(ip + 10, ~folded(sum_words(0, ip, 20)));
	ip[10] ^= kind == BAD_L3;
}

static void put_udp(const uint8_t *ip, uint8_t *udp, uint32_t len, enum kind kind)
{
	static const uint32_t ports[] = { PORT_A, PORT_B, PORT_A, PORT_B, 0, PORT_DROP, PORT_HOST };

	put16(udp, 53);
	put16(udp + 2, ports[kind]);
	put16(udp + 4, len);
	put16(udp + 6, 0);
	/* Pseudo header: addresses, protocol 17, length. */
	put16(udp + 6, ~folded(sum_words(sum_words(17 + len, ip + 12, 8), udp, len)));
	udp[7] ^= kind == BAD_L4;
}

static uint32_t make_udp(const struct world *w, uint32_t seq, uint8_t *buf)
{
	enum kind kind = (enum kind)(seq % KINDS);
	uint32_t len = world_frame(w, seq, buf);

	memcpy(buf + NUMBER_AT, (uint8_t[]){ 0, 0, (uint8_t)(seq >> 8), (uint8_t)seq }, 4);
	if (kind == NO_IP)
		return len;
	put16(buf + 12, 0x0800);
	put_ip(buf + IP_AT, len - IP_AT, kind);
	put_udp(buf + IP_AT, buf + UDP_AT, len - UDP_AT, kind);
	return len;
}

static void check_verdict(const struct recv_pkt *p)
{
	/* By the CQE's layout: bits 25 and 26: L3 and L4 are right; 19:18 L3 type, 22:20 L4 type. */
	uint32_t l3_ok = p->verdict >> 25 & 1, l4_ok = p->verdict >> 26 & 1, l3 = p->verdict >> 18 & 3, l4 = p->verdict >> 20 & 7;

	switch (recv_seq(p, NUMBER_AT) % KINDS) {
	case UDP_A:
	case UDP_B:
		world_ok(l3_ok && l4_ok && l3 == 2 && l4 == 2);
		break;
	case BAD_L3:
		world_ok(!l3_ok && l3 == 2);
		break;
	case BAD_L4:
		world_ok(l3_ok && !l4_ok && l3 == 2 && l4 == 2);
		break;
	case NO_IP:
		world_ok(!l3_ok && !l4_ok && l3 == 0 && l4 == 0);
		break;
	default:
		ck_abort_msg("a packet that no rule leads here");
	}
}

static void add_rules(struct recv *r)
{
	struct gin_flow_config udp = { .match = GIN_MATCH_PROTO | GIN_MATCH_DPORT, .proto = 17, .action = GIN_FLOW_QUEUES };
	struct gin_flow_config other = { .match = GIN_MATCH_ETHERTYPE, .ethertype = 0x88b5, .tag = TAG_C,
					 .action = GIN_FLOW_QUEUES };
	struct gin_flow *flow;

	udp.dport = PORT_A;
	udp.tag = TAG_A;
	lead(r, &udp);
	udp.dport = PORT_B;
	udp.tag = TAG_B;
	lead(r, &udp);
	lead(r, &other);
	udp.dport = PORT_DROP;
	udp.action = GIN_FLOW_DROP;
	udp.n_rxqs = 0;
	world_eq(gin_flow_create(r->w.nic, &udp, &flow), 0);
}

static void metadata(uint64_t seed, uint64_t *hash)
{
	static const uint32_t tags[] = { TAG_A, TAG_B, TAG_A, TAG_B, TAG_C };
	struct gin_nic_stats s;
	struct recv r;
	uint32_t i;

	recv_open(&r, seed, (enum recv_scope)(seed % 3), RECV_RELEASE);
	add_rules(&r);
	r.w.make = make_udp;
	r.w.n_frames = KINDS * (3 + recv_choose(&r, 8));
	recv_launch(&r);
	world_run_until(&r.w, recv_all_taken, &r);
	recv_stop(&r);
	recv_check_runs(&r);
	recv_check_pkts(&r, NUMBER_AT);
	for (i = 0; i < r.log->taken; i++) {
		check_verdict(&r.log->pkts[i]);
		world_eq(r.log->pkts[i].tag, tags[recv_seq(&r.log->pkts[i], NUMBER_AT) % KINDS]);
	}
	world_check_quiet(&r.w);
	gin_nic_stats(r.w.nic, &s);
	world_eq(s.rx_drop_by_rule, r.w.n_frames / KINDS);
	world_eq(s.rx_to_host, r.w.n_frames / KINDS);
	world_eq(s.rx_delivered + s.rx_drop_no_buffer, r.w.n_frames / KINDS * 5);
	*hash = world_close(&r.w);
}

START_TEST(metadata_belongs_to_its_packet)
{
	world_property(metadata, 9000, RECV_SEEDS(20));
}
END_TEST

/*
 * What the NIC may have again, by the record that the kernel moved: nothing that
 * was to be sent first and that the NIC has still to read. The record is read from
 * memory, as the NIC does; 16 bits are enough for these few packets.
 */
static uint32_t given_back(const struct recv *r)
{
	uint16_t posted = (uint16_t)gin_from_be32(r->args.rxq.dbrec->rcv);

	return (uint16_t)(posted - (uint16_t)(r->args.first + r->args.rxq.mask + 1));
}

static void nothing_goes_back_before_it_was_sent(struct world *w)
{
	struct recv *r = (struct recv *)w;
	uint64_t end = r->args.first + given_back(r), to_send = 0;
	struct gin_nic_stats s;
	uint32_t i;

	if (given_back(r) > RECV_PKTS)
		ck_abort_msg("the record went backwards");
	for (i = 0; i < r->log->n_runs && r->log->runs[i].first < end; i++)
		to_send += r->log->runs[i].after ? r->log->runs[i].n : 0;
	gin_nic_stats(w->nic, &s);
	/* The adversary may have read one packet, told so, and not sent it yet. */
	if (to_send > s.tx_wire + 1)
		ck_abort_msg("slots below %llu went back, only %llu packets of %llu before them have left",
			     (unsigned long long)end, (unsigned long long)s.tx_wire, (unsigned long long)to_send);
}

static int ring_is_used_up(void *arg)
{
	struct recv *r = arg;
	struct gin_nic_stats s;

	if (r->w.put < r->w.n_frames)
		return 0;
	gin_nic_stats(r->w.nic, &s);
	return !s.rx_in_flight && r->log->taken == s.rx_delivered;
}

/* The wire takes 16 frames and is then shut: what waits for it stays away from the NIC, and nobody is blocked by it. */
static void release_after(uint64_t seed, uint64_t *hash)
{
	struct gin_flow_config rule = { .match = GIN_MATCH_ETHERTYPE, .ethertype = 0x88b5, .action = GIN_FLOW_QUEUES };
	struct recv r;

	recv_open_64(&r, seed, (enum recv_scope)(seed % 3), seed / 3 % 2 ? RECV_MIXED : RECV_AFTER);
	lead(&r, &rule);
	r.w.n_frames = 40 + recv_choose(&r, 60);
	r.w.on_witness = nothing_goes_back_before_it_was_sent;
	r.w.sink_shut = 1;
	recv_launch(&r);
	world_run_until(&r.w, ring_is_used_up, &r);
	r.w.sink_shut = 0;
	world_run_until(&r.w, recv_all_taken, &r);
	recv_stop(&r);
	recv_check_runs(&r);
	recv_check_pkts(&r, SEQ_AT);
	world_check_quiet(&r.w);
	*hash = world_close(&r.w);
}

START_TEST(slots_go_back_only_when_they_were_sent)
{
	world_property(release_after, 10000, RECV_SEEDS(24));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("recv");
	TCase *tcase = tcase_create("every packet once");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 240);
	tcase_add_test(tcase, a_thread_takes_every_packet_once);
	tcase_add_test(tcase, a_warp_takes_every_packet_once);
	tcase_add_test(tcase, a_block_takes_every_packet_once);
	tcase_add_test(tcase, a_thread_sends_every_packet_once);
	tcase_add_test(tcase, a_warp_sends_every_packet_once);
	tcase_add_test(tcase, a_block_sends_every_packet_once);
	tcase_add_test(tcase, a_thread_mixes_both);
	tcase_add_test(tcase, a_warp_mixes_both);
	tcase_add_test(tcase, a_block_mixes_both);
	tcase_add_test(tcase, metadata_belongs_to_its_packet);
	tcase_add_test(tcase, slots_go_back_only_when_they_were_sent);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
