/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels as lanes of the deterministic simulation. */
#include "sim.h"
#include "run.h"
#include "gpu/gpu_priv.h"
#include "sim/sim.h"

#include <ginet/cpu.h>

enum { SEEDS = 60 };

static uint32_t words[512];

static void open_sim(uint64_t seed)
{
	char name[64];

	memset(words, 0, sizeof(words));
	snprintf(name, sizeof(name), "cpu:sim,seed=%llu", (unsigned long long)seed);
	ck_assert_int_eq(gin_gpu_open(name, &run_gpu), 0);
}

static int launch(const struct gin_kernel *kernel, uint32_t blocks, uint32_t threads)
{
	struct gin_launch_config cfg = { .grid.x = blocks, .block.x = threads };
	struct sim_args args = { words, run_gpu->stop_gpu };

	return gin_launch(run_gpu, kernel, &cfg, &args, sizeof(args));
}

static void run(const struct gin_kernel *kernel, uint32_t blocks, uint32_t threads)
{
	ck_assert_int_eq(launch(kernel, blocks, threads), 0);
	ck_assert_int_eq(gin_gpu_wait(run_gpu, GIN_UNTIL_STOP), 0);
}

/* Hash over all steps; the order of lanes is in words[]. */
static uint64_t order_of(uint64_t seed)
{
	uint64_t trace;

	open_sim(seed);
	run(&gin_kernel_sim_order, 2, 32);
	trace = gin_sim_trace(gin_sim_current());
	close_gpu();
	return trace;
}

START_TEST(a_seed_is_an_order)
{
	uint32_t first[512];
	uint64_t trace;
	int seed, other = 0;

	for (seed = 1; seed <= 5; seed++) {
		trace = order_of((uint64_t)seed);
		ck_assert_uint_eq(words[0], 2 * 32 * 4);
		memcpy(first, words, sizeof(first));
		ck_assert_uint_eq(order_of((uint64_t)seed), trace);
		ck_assert_mem_eq(words, first, sizeof(first));
		order_of((uint64_t)seed + 1);
		other += memcmp(words, first, sizeof(first)) != 0;
	}
	ck_assert_int_eq(other, 5);
}
END_TEST

START_TEST(time_is_virtual)
{
	uint64_t start;

	open_sim(1);
	ck_assert_int_eq(launch(&gin_kernel_sim_wait, 1, 2), 0);
	start = gin_cpu_time_ns();
	ck_assert_uint_lt(start, 1000000); /* a simulation starts near 0, machines do not */
	ck_assert_int_eq(gin_gpu_wait(run_gpu, 3000000), -EAGAIN);
	ck_assert_uint_ge(gin_cpu_time_ns() - start, 3000000);
	gin_gpu_stop(run_gpu);
	ck_assert_int_eq(gin_gpu_wait(run_gpu, GIN_UNTIL_STOP), 0);
	close_gpu();
}
END_TEST

/* Over the seeds: how often did lane 1 miss what lane 0 had stored? */
static int n_missed(const struct gin_kernel *kernel)
{
	int seed, n = 0;

	for (seed = 1; seed <= SEEDS; seed++) {
		open_sim((uint64_t)seed);
		run(kernel, 1, 32);
		ck_assert_uint_eq(words[0], 7); /* an ended kernel has written all */
		n += words[1] != 7;
		close_gpu();
	}
	return n;
}

START_TEST(only_barriers_order_stores)
{
	ck_assert_int_eq(n_missed(&gin_kernel_sim_pass_on), 0);
	ck_assert_int_gt(n_missed(&gin_kernel_sim_pass_on_unsynced), 0);
}
END_TEST

START_TEST(blocks_keep_their_own_shared_memory)
{
	int i;

	open_sim(3);
	run(&gin_kernel_sim_meet, 4, 64);
	for (i = 0; i < 4; i++)
		ck_assert_uint_eq(words[i], 63 * 64 / 2);
	close_gpu();
}
END_TEST

static char log_text[2048];

static void keep(enum gin_log_level level, const char *text, void *arg)
{
	(void)arg;
	if (level <= GIN_LOG_WARNING)
		snprintf(log_text, sizeof(log_text), "%s", text);
}

START_TEST(deadlock_is_told)
{
	open_sim(5);
	gin_log_to(keep, NULL);
	ck_assert_int_eq(launch(&gin_kernel_sim_ring, 1, 32), 0);
	ck_assert_int_eq(gin_gpu_wait(run_gpu, GIN_UNTIL_STOP), -EIO);
	ck_assert_ptr_nonnull(strstr(log_text, "deadlock in kernel sim_ring"));
	run(&gin_kernel_sim_meet, 1, 64);
	gin_log_to(NULL, NULL);
	close_gpu();
}
END_TEST

START_TEST(one_simulation_at_a_time)
{
	struct gin_gpu *other = NULL;

	open_sim(1);
	gin_log_to(keep, NULL);
	ck_assert_int_eq(gin_gpu_open("cpu:sim", &other), -EBUSY);
	gin_log_to(NULL, NULL);
	close_gpu();
	ck_assert_ptr_null(gin_sim_current());
	open_sim(1);
	close_gpu();
}
END_TEST

/* The library for simulations runs kernels on real threads too. */
START_TEST(without_the_key_threads_are_real)
{
	memset(words, 0, sizeof(words));
	open_gpu();
	run(&gin_kernel_sim_meet, 4, 64);
	ck_assert_uint_eq(words[3], 63 * 64 / 2);
	close_gpu();
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("sim");

	tcase_add_test(tc, a_seed_is_an_order);
	tcase_add_test(tc, time_is_virtual);
	tcase_add_test(tc, only_barriers_order_stores);
	tcase_add_test(tc, blocks_keep_their_own_shared_memory);
	tcase_add_test(tc, deadlock_is_told);
	tcase_add_test(tc, one_simulation_at_a_time);
	tcase_add_test(tc, without_the_key_threads_are_real);
	return run_cases(tc);
}
