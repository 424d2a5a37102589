/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A forgotten barrier shows: in some of a few orders as a wrong value, and
 * under ThreadSanitizer as a race whatever the order.
 */
#include "race.h"
#include "run.h"

#include <sys/wait.h>
#include <unistd.h>

enum { SEEDS = 16 };

/* How many of the seeds give a wrong value. */
static int n_wrong(const struct gin_kernel *kernel, uint32_t threads)
{
	struct gin_launch_config cfg = { .block.x = threads };
	int wrong = 0, seed;
	uint32_t t;

	for (seed = 1; seed <= SEEDS; seed++) {
		uint32_t out[64] = { 0 };
		struct race_args args = { out };
		char name[32];
		int bad = 0;

		snprintf(name, sizeof(name), "cpu:seed=%d", seed);
		ck_assert_int_eq(gin_gpu_open(name, &run_gpu), 0);
		run_kernel(kernel, &cfg, &args, sizeof(args));
		for (t = 0; t < threads; t++)
			bad |= out[t] != (t + (threads == 64 ? 32 : 1)) % threads + 1;
		close_gpu();
		wrong += bad;
	}
	return wrong;
}

#if defined(__SANITIZE_THREAD__)
/* What ThreadSanitizer says of the kernel: races reported by a child. */
static int is_racy(const struct gin_kernel *kernel, uint32_t threads)
{
	char text[65536];
	size_t used = 0;
	ssize_t n;
	int fds[2], status;
	pid_t pid;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		n_wrong(kernel, threads);
		exit(0); /* by exit(): ThreadSanitizer sets the status there */
	}
	close(fds[1]);
	while ((n = read(fds[0], text + used, sizeof(text) - 1 - used)) > 0)
		used = used + (size_t)n < sizeof(text) - 4096 ? used + (size_t)n : used; /* the first reports are enough */
	text[used] = 0;
	close(fds[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status))
		ck_assert_ptr_nonnull(strstr(text, "data race"));
	return WEXITSTATUS(status) != 0;
}
#endif

START_TEST(synced_threads_are_always_right)
{
	ck_assert_int_eq(n_wrong(&gin_kernel_pass_on, 32), 0);
	ck_assert_int_eq(n_wrong(&gin_kernel_block_pass_on, 64), 0);
}
END_TEST

#if !defined(__SANITIZE_THREAD__)
START_TEST(forgotten_barrier_shows_as_a_wrong_value)
{
	ck_assert_int_gt(n_wrong(&gin_kernel_pass_on_unsynced, 32), 0);
	ck_assert_int_gt(n_wrong(&gin_kernel_block_pass_on_by_syncwarp, 64), 0);
}
END_TEST
#else
START_TEST(only_barriers_order_memory)
{
	ck_assert(!is_racy(&gin_kernel_pass_on, 32));
	ck_assert(!is_racy(&gin_kernel_block_pass_on, 64));
	ck_assert(is_racy(&gin_kernel_pass_on_unsynced, 32));
	ck_assert(is_racy(&gin_kernel_pass_on_by_shuffle, 32));
	ck_assert(is_racy(&gin_kernel_block_pass_on_by_syncwarp, 64));
}
END_TEST
#endif

int main(void)
{
	TCase *tc = tcase_create("race");

	tcase_add_test(tc, synced_threads_are_always_right);
#if !defined(__SANITIZE_THREAD__)
	tcase_add_test(tc, forgotten_barrier_shows_as_a_wrong_value);
#else
	tcase_add_test(tc, only_barriers_order_memory);
#endif
	return run_cases(tc);
}
