/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each barrier and fence of the receiving device header has its reason: without
 * it some seed shows a packet that is not there yet or is gone too early. The
 * kernels are those of recv_order.cu, each behind a header in which one line is
 * missing; the first is the header as it is.
 */
#include "world.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "gpu/gpu_priv.h"
#include "recv_order.h"
#include "recv_order_list.h" /* by CMake: a declaration and ORDER_BROKEN() for each kernel */
#include "sim/mix.h"

/* ThreadSanitizer reports what is broken on purpose, and would fail the test for it. */
#ifdef __SANITIZE_THREAD__
#define TSAN 1
#else
#define TSAN 0
#endif

enum { GOOD_SEEDS = 12, SEEDS = 600, STEPS = 400000 };

struct order {
	struct world w;
	struct gin_mem mem;
	struct recv_order_log *log;
};

static int all_taken(void *arg)
{
	struct order *o = arg;
	struct gin_nic_stats s;

	if (o->w.put < o->w.n_frames)
		return 0;
	gin_nic_stats(o->w.nic, &s);
	return !s.rx_in_flight && !s.tx_in_flight && o->log->taken == s.rx_delivered;
}

static int ended(void *arg)
{
	struct order *o = arg;

	return o->w.gpu->ops->poll(o->w.gpu, NULL) != -EAGAIN;
}

static void open_queues(struct order *o, uint32_t scope, uint32_t after, uint64_t *rng, struct recv_order_args *args)
{
	struct gin_rxq_config cfg = { .n_slots = 1u << gin_mix_below(gin_mix_next(rng), 5) };
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	struct gin_flow *flow;

	ck_assert_int_eq(gin_rxq_create(o->w.nic, o->w.gpu, &cfg, &rxq), 0);
	ck_assert_int_eq(gin_txq_create(o->w.nic, o->w.gpu, NULL, &txq), 0);
	ck_assert_int_eq(gin_flow_all(o->w.nic, &rxq, 1, &flow), 0);
	ck_assert_int_eq(gin_mem_alloc(o->w.gpu, GIN_MEM_GPU, sizeof(*o->log), &o->mem), 0);
	o->log = o->mem.cpu;
	memset(args, 0, sizeof(*args));
	args->rxq = gin_rxq_dev(rxq);
	args->txq = gin_txq_dev(txq);
	args->log = o->log;
	args->seed = gin_mix_next(rng);
	args->scope = scope;
	args->after = after;
}

/* 1: something was wrong, and the world stays open as it is. */
static int goes_wrong(struct gin_kernel *kernel, uint32_t scope, uint32_t after, uint64_t seed)
{
	static const uint32_t threads[] = { 1, 32, 64 };
	struct gin_launch_config cfg = { .block = { threads[scope], 1, 1 } };
	struct recv_order_args args;
	struct order o;
	uint64_t rng = seed;

	memset(&o, 0, sizeof(o));
	world_open(&o.w, seed, "");
	open_queues(&o, scope, after, &rng, &args);
	o.w.n_frames = 40;
	ck_assert_int_eq(gin_launch(o.w.gpu, kernel, &cfg, &args, sizeof(args)), 0);
	if (gin_sim_run(o.w.sim, all_taken, &o, STEPS))
		return 1;
	gin_gpu_stop(o.w.gpu);
	if (gin_sim_run(o.w.sim, ended, &o, STEPS))
		return 1;
	if (o.log->stale || o.log->overwritten || o.log->last != -ECANCELED)
		return 1;
	world_close(&o.w);
	return 0;
}

static void shows(const char *name, struct gin_kernel *kernel, uint32_t scope, uint32_t after)
{
	uint64_t seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		if (goes_wrong(kernel, scope, after, seed)) {
			fprintf(stderr, "without %s: seed %u shows it\n", name, (unsigned)seed);
			return;
		}
	}
	ck_abort_msg("without %s nothing goes wrong in %d seeds", name, SEEDS);
}

#define ORDER_TEST(name, scope, after)                                                                                 \
	START_TEST(name)                                                                                               \
	{                                                                                                              \
		shows(#name, &gin_kernel_recv_order_##name, scope, after);                                         \
	}                                                                                                              \
	END_TEST
ORDER_LIST(ORDER_TEST)

START_TEST(as_it_is_nothing_goes_wrong)
{
	uint64_t seed;
	uint32_t scope, after;

	for (seed = 1; seed <= GOOD_SEEDS; seed++)
		for (scope = RECV_THREAD; scope <= RECV_BLOCK; scope++)
			for (after = 0; after < 2; after++)
				ck_assert_msg(!goes_wrong(&gin_kernel_recv_order_nothing, scope, after, seed),
					      "seed %u, scope %u, after %u", (unsigned)seed, scope, after);
}
END_TEST

#define ORDER_ADD(name, scope, after) tcase_add_test(tcase, name);

int main(void)
{
	Suite *suite = suite_create("recv_order");
	TCase *tcase = tcase_create("what is taken out of rxq.h");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 240);
	tcase_add_test(tcase, as_it_is_nothing_goes_wrong);
	if (!TSAN) {
		ORDER_LIST(ORDER_ADD)
	}
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
