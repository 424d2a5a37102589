/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive: nothing twice, nothing missing, whole, in order; in all scopes and ring sizes. */
#include "world.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "recv.h"
#include "sim/mix.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SEEDS(n) ((n) / 5 + 1)
#else
#define SEEDS(n) (n)
#endif

static const uint32_t ring_sizes[] = { 1, 2, 8, 64 };

struct recv {
	struct world w;
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	struct gin_flow *flow;
	struct gin_mem log_mem;
	struct recv_log *log;
	struct recv_args args;
	uint32_t threads;
	uint64_t rng;
};

static uint32_t draw(struct recv *r, uint32_t below)
{
	return (uint32_t)gin_mix_below(gin_mix_next(&r->rng), below);
}

static void start(struct recv *r, uint64_t seed, enum recv_scope scope, const char *options)
{
	struct gin_rxq_config cfg = { 0 };

	memset(r, 0, sizeof(*r));
	r->rng = seed;
	world_open(&r->w, seed, options);
	cfg.n_slots = ring_sizes[draw(r, 4)];
	cfg.headroom = draw(r, 2) * 64;
	ck_assert_int_eq(gin_rxq_create(r->w.nic, r->w.gpu, &cfg, &r->rxq), 0);
	ck_assert_int_eq(gin_mem_alloc(r->w.gpu, GIN_MEM_GPU, sizeof(struct recv_log), &r->log_mem), 0);
	r->log = r->log_mem.cpu;
	r->args.rxq = gin_rxq_dev(r->rxq);
	r->args.log = r->log;
	r->args.first = r->args.rxq.state->ci;
	r->args.seed = gin_mix_next(&r->rng);
	r->args.scope = scope;
	r->args.hold = draw(r, 2) ? draw(r, 200) : 0;
	r->threads = scope == RECV_THREAD ? 1 : scope == RECV_WARP ? 32 : 64 + 32 * draw(r, 2);
}

static void launch(struct recv *r)
{
	struct gin_launch_config cfg = { .block = { r->threads, 1, 1 } };

	ck_assert_int_eq(gin_launch(r->w.gpu, &gin_kernel_recv_all, &cfg, &r->args, sizeof(r->args)), 0);
}

static int all_taken(void *arg)
{
	struct recv *r = arg;
	struct gin_nic_stats s;

	if (r->w.put < r->w.n_frames)
		return 0;
	gin_nic_stats(r->w.nic, &s);
	return !s.rx_in_flight && !s.tx_in_flight && r->log->taken == s.rx_delivered;
}

static void check_runs(struct recv *r)
{
	const struct recv_log *log = r->log;
	uint64_t next = r->args.first;
	uint32_t i;

	ck_assert_uint_eq(log->lanes_differ, 0);
	ck_assert_uint_le(log->n_runs, RECV_RUNS);
	for (i = 0; i < log->n_runs; i++) {
		ck_assert_uint_eq(log->runs[i].first, next);
		ck_assert_uint_ge(log->runs[i].n, 1);
		ck_assert_uint_le(log->runs[i].n, log->runs[i].max);
		ck_assert_uint_le(log->runs[i].n, r->args.rxq.mask + 1);
		next += log->runs[i].n;
	}
	ck_assert_uint_eq(next - r->args.first, log->taken);
}

static void check_pkts(struct recv *r, uint32_t tag)
{
	const struct recv_pkt *p, *before = NULL;
	uint32_t i;

	for (i = 0; i < r->log->taken; i++, before = p) {
		p = &r->log->pkts[i];
		ck_assert_uint_eq(p->times, 1);
		ck_assert_msg(p->whole, "packet %u", i);
		ck_assert_msg(p->still_whole, "packet %u", i);
		ck_assert_uint_eq(p->len, world_frame_len(p->seq));
		ck_assert_uint_eq(p->tag, tag);
		ck_assert_uint_lt(p->seq, r->w.n_frames);
		if (before) {
			ck_assert_uint_gt(p->seq, before->seq);
			ck_assert_uint_gt(p->time_ns, before->time_ns);
		}
	}
}

static void check_counts(struct recv *r)
{
	struct gin_nic_stats s;

	world_check_quiet(&r->w);
	gin_nic_stats(r->w.nic, &s);
	ck_assert_uint_eq(s.rx_wire, r->w.n_frames);
	ck_assert_uint_eq(s.rx_delivered, r->log->taken);
	ck_assert_uint_eq(s.rx_delivered + s.rx_drop_no_buffer, r->w.n_frames);
	ck_assert_uint_eq(s.refused, 0);
}

static void every_packet_once(uint64_t seed, enum recv_scope scope, uint64_t *hash)
{
	struct gin_flow_config rule = { .match = GIN_MATCH_ETHERTYPE, .ethertype = 0x88b5, .tag = 0xabcdef & (uint32_t)seed * 77,
					.action = GIN_FLOW_QUEUES, .n_rxqs = 1 };
	struct recv r;

	start(&r, seed, scope, "");
	rule.rxqs = &r.rxq;
	ck_assert_int_eq(gin_flow_create(r.w.nic, &rule, &r.flow), 0);
	r.w.n_frames = 20 + draw(&r, 80);
	launch(&r);
	world_run_until(&r.w, all_taken, &r);
	gin_gpu_stop(r.w.gpu);
	world_run(&r.w);
	ck_assert_int_eq(r.log->last, -ECANCELED);
	check_runs(&r);
	check_pkts(&r, rule.tag);
	check_counts(&r);
	*hash = world_close(&r.w);
}

static void by_thread(uint64_t seed, uint64_t *hash)
{
	every_packet_once(seed, RECV_THREAD, hash);
}

static void by_warp(uint64_t seed, uint64_t *hash)
{
	every_packet_once(seed, RECV_WARP, hash);
}

static void by_block(uint64_t seed, uint64_t *hash)
{
	every_packet_once(seed, RECV_BLOCK, hash);
}

START_TEST(a_thread_takes_every_packet_once)
{
	world_property(by_thread, 1, SEEDS(60));
}
END_TEST

START_TEST(a_warp_takes_every_packet_once)
{
	world_property(by_warp, 1000, SEEDS(40));
}
END_TEST

START_TEST(a_block_takes_every_packet_once)
{
	world_property(by_block, 2000, SEEDS(20));
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
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
