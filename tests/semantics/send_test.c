/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send: each packet leaves once, whole, in the order of the ring, from any
 * number of threads, warps and blocks, through rings from one WQEBB up.
 */
#include <stdio.h>
#include <stdlib.h>
#include "send_rig.h"

static const uint32_t depths[] = {1, 2, 4, 32, 64};

static void run(struct rig_cfg *cfg, uint64_t *hash)
{
	const char *why = rig_run(cfg, hash);

	ck_assert_msg(!why, "seed %llu (ring %u, scope %d, %s, %u blocks of %u, \"%s\"): %s",
		      (unsigned long long)cfg->seed, cfg->depth, cfg->scope, cfg->own ? "own" : "shared", cfg->blocks,
		      cfg->threads, cfg->options, why);
}

/* A plan over all sizes, scopes and modes that flags allow. */
static void any_send(uint64_t seed, uint32_t flags, const char *options, uint64_t *hash)
{
	uint64_t rng = ~seed;
	struct rig_cfg cfg = {.seed = seed, .options = options, .flags = flags};

	cfg.depth = depths[rig_draw(&rng, 5)];
	cfg.scope = flags & (RIG_SEGS | RIG_RAW) ? SEND_THREAD : (enum send_scope)rig_draw(&rng, 3);
	cfg.own = flags & (RIG_SEGS | RIG_RAW) ? 0 : rig_draw(&rng, 2);
	rig_geometry(&cfg, &rng);
	cfg.n_calls = cfg.scope == SEND_THREAD ? 4 + rig_draw(&rng, 20) : 2 + rig_draw(&rng, 3);
	run(&cfg, hash);
}

static void plain(uint64_t seed, uint64_t *hash)
{
	any_send(seed, RIG_REFUSED | RIG_WAIT, "", hash);
}

static void waited(uint64_t seed, uint64_t *hash)
{
	any_send(seed, RIG_WAIT_ALL, seed % 2 ? "" : "uar=shared", hash);
}

static void waited_by_others(uint64_t seed, uint64_t *hash)
{
	any_send(seed, RIG_OTHERS | (seed % 3 ? 0 : RIG_SEGS | RIG_RAW), "", hash);
}

static void timed(uint64_t seed, uint64_t *hash)
{
	any_send(seed, RIG_TIMED | (seed % 2 ? RIG_CLOGGED : RIG_WAIT), "", hash);
}

static void stopped(uint64_t seed, uint64_t *hash)
{
	any_send(seed, RIG_STOP | RIG_WAIT | RIG_TIMED | (seed % 3 ? 0 : RIG_CLOGGED), "", hash);
}

static void failed(uint64_t seed, uint64_t *hash)
{
	any_send(seed, RIG_BAD_KEY | RIG_WAIT | RIG_REFUSED, "", hash);
}

static void with_inline(uint64_t seed, uint64_t *hash)
{
	any_send(seed, RIG_REFUSED | RIG_WAIT | (seed % 2 ? RIG_SEGS | RIG_RAW : 0), "inline=l2", hash);
}

static void segments(uint64_t seed, uint64_t *hash)
{
	any_send(seed, RIG_SEGS | RIG_RAW | RIG_WAIT | RIG_REFUSED, "", hash);
}

static void sums(uint64_t seed, uint64_t *hash)
{
	any_send(seed, RIG_CSUM | RIG_WAIT | (seed % 3 ? 0 : RIG_SEGS), seed % 2 ? "" : "inline=l2", hash);
}

static void wrap_16(uint64_t seed, uint64_t *hash)
{
	any_send(seed, RIG_WAIT | RIG_REFUSED | (seed % 3 ? 0 : RIG_SEGS | RIG_RAW), "first_index=65530", hash);
}

/* Where 24-bit counters wrap: CQ indices, and what a NIC reports of a queue. */
static void wrap_24(uint64_t seed, uint64_t *hash)
{
	any_send(seed, RIG_WAIT | RIG_REFUSED | (seed % 3 ? 0 : RIG_SEGS | RIG_RAW), "first_index=16777210", hash);
}

/* Threads of many warps and blocks press into one or two WQEBBs. */
static void crowd(uint64_t seed, uint64_t *hash)
{
	struct rig_cfg cfg = {.seed = seed,
			      .depth = 1u << seed % 3,
			      .options = "",
			      .scope = SEND_THREAD,
			      .blocks = 2,
			      .threads = 16,
			      .n_calls = 3,
			      .flags = RIG_DENSE};

	run(&cfg, hash);
}

START_TEST(packets_leave_once_and_whole_and_in_order)
{
	world_property(plain, 1, SEEDS(12));
}
END_TEST

START_TEST(memory_is_free_after_wait)
{
	world_property(waited, 10000, SEEDS(8));
}
END_TEST

START_TEST(any_thread_may_wait_for_any_ticket)
{
	world_property(waited_by_others, 15000, SEEDS(8));
}
END_TEST

START_TEST(a_full_ring_answers_in_time_and_leaves_no_hole)
{
	world_property(timed, 20000, SEEDS(8));
}
END_TEST

START_TEST(a_stop_ends_every_wait)
{
	world_property(stopped, 30000, SEEDS(8));
}
END_TEST

START_TEST(an_error_stays_and_says_why)
{
	world_property(failed, 40000, SEEDS(8));
}
END_TEST

START_TEST(headers_are_inlined_where_the_nic_wants_them)
{
	world_property(with_inline, 50000, SEEDS(6));
}
END_TEST

START_TEST(packets_of_one_and_more_wqebbs_mix)
{
	world_property(segments, 60000, SEEDS(10));
}
END_TEST

START_TEST(the_nic_fills_in_checksums)
{
	world_property(sums, 70000, SEEDS(6));
}
END_TEST

START_TEST(indices_wrap_at_16_bits)
{
	world_property(wrap_16, 80000, SEEDS(6));
}
END_TEST

START_TEST(indices_wrap_at_24_bits)
{
	world_property(wrap_24, 85000, SEEDS(6));
}
END_TEST

START_TEST(a_crowd_shares_a_tiny_ring)
{
	world_property(crowd, 90000, SEEDS(2));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("send");
	TCase *tcase = tcase_create("properties");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_set_timeout(tcase, 240);
	tcase_add_test(tcase, packets_leave_once_and_whole_and_in_order);
	tcase_add_test(tcase, memory_is_free_after_wait);
	tcase_add_test(tcase, any_thread_may_wait_for_any_ticket);
	tcase_add_test(tcase, a_full_ring_answers_in_time_and_leaves_no_hole);
	tcase_add_test(tcase, a_stop_ends_every_wait);
	tcase_add_test(tcase, an_error_stays_and_says_why);
	tcase_add_test(tcase, headers_are_inlined_where_the_nic_wants_them);
	tcase_add_test(tcase, packets_of_one_and_more_wqebbs_mix);
	tcase_add_test(tcase, the_nic_fills_in_checksums);
	tcase_add_test(tcase, indices_wrap_at_16_bits);
	tcase_add_test(tcase, indices_wrap_at_24_bits);
	tcase_add_test(tcase, a_crowd_shares_a_tiny_ring);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
