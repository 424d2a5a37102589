/* SPDX-License-Identifier: BSD-3-Clause */
/* A mistake in a kernel is named, with file, line and lane; the launch ends, the process goes on. */
#include "reports.h"
#include "run.h"
#include "gpu/gpu_priv.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t log_grew = PTHREAD_COND_INITIALIZER;
static char log_text[16384];
static int n_errors;
static int line;
static uint32_t word;

static void keep(enum gin_log_level level, const char *text, void *arg)
{
	size_t used;

	(void)arg;
	if (level > GIN_LOG_WARNING)
		return;
	pthread_mutex_lock(&log_lock);
	used = strlen(log_text);
	snprintf(log_text + used, sizeof(log_text) - used, "%s\n", text);
	n_errors += level == GIN_LOG_ERROR;
	pthread_cond_broadcast(&log_grew);
	pthread_mutex_unlock(&log_lock);
}

static void set_up(void)
{
	log_text[0] = 0;
	n_errors = 0;
	line = 0;
	word = 0;
	gin_log_to(keep, NULL);
	open_gpu();
}

static void tear_down(void)
{
	close_gpu();
	gin_log_to(NULL, NULL);
}

static void expect(const char *part)
{
	pthread_mutex_lock(&log_lock);
	ck_assert_msg(strstr(log_text, part) != NULL, "the log lacks \"%s\":\n%s", part, log_text);
	pthread_mutex_unlock(&log_lock);
}

static void expect_place(void)
{
	char place[64];

	snprintf(place, sizeof(place), "reports.cu:%d", __atomic_load_n(&line, __ATOMIC_RELAXED));
	expect(place);
}

static void launch(const struct gin_kernel *kernel, uint32_t blocks, uint32_t threads)
{
	struct gin_launch_config cfg = { .grid.x = blocks, .block.x = threads };
	struct report_args args = { &line, &word };

	ck_assert_int_eq(gin_launch(run_gpu, kernel, &cfg, &args, sizeof(args)), 0);
}

/* -EIO comes at once; the other blocks of the launch end a little later. */
static void await_end(void)
{
	char names[64];

	while (*gin_gpu_running(run_gpu, names, sizeof(names)))
		sched_yield();
}

/* The launch fails with one line, and the next one works. */
static void fails(const struct gin_kernel *kernel, uint32_t blocks, uint32_t threads)
{
	int made;

	launch(kernel, blocks, threads);
	ck_assert_int_eq(gin_gpu_wait(run_gpu, run_limit_ns), -EIO);
	await_end();
	ck_assert_msg(n_errors == 1, "%d errors:\n%s", n_errors, log_text);
	made = line;
	launch(&gin_kernel_good, 1, 64);
	ck_assert_int_eq(gin_gpu_wait(run_gpu, run_limit_ns), 0);
	ck_assert_int_eq(line, -1);
	line = made;
}

START_TEST(caller_is_not_in_its_mask)
{
	fails(&gin_kernel_not_in_mask, 1, 32);
	expect_place();
	expect("kernel not_in_mask, block 0, thread 5 (lane 5) calls __ballot_sync with mask 0x0000000f");
}
END_TEST

START_TEST(lanes_of_one_mask_are_in_different_collectives)
{
	fails(&gin_kernel_two_collectives, 1, 32);
	expect("reports.cu:");
	expect("__any_sync");
	expect("__all_sync");
	expect("for this one");
}
END_TEST

START_TEST(one_lane_is_at_the_barrier_the_rest_in_a_collective)
{
	fails(&gin_kernel_collective_and_barrier, 1, 32);
	expect("__syncthreads");
	expect("__syncwarp");
}
END_TEST

START_TEST(shuffle_reads_a_lane_outside_of_the_mask)
{
	fails(&gin_kernel_shuffle_from_outside, 1, 32);
	expect_place();
	expect("calls __shfl_sync from lane 8, which is outside of its mask 0x000000ff");
}
END_TEST

START_TEST(shuffle_reads_a_lane_that_has_ended)
{
	fails(&gin_kernel_shuffle_from_ended, 1, 32);
	expect_place();
	expect("from lane 9, which has ended");
}
END_TEST

START_TEST(shuffle_with_an_impossible_width)
{
	fails(&gin_kernel_shuffle_width, 1, 32);
	expect_place();
	expect("width 12");
}
END_TEST

START_TEST(deadlock_lists_who_stands_where)
{
	fails(&gin_kernel_ring_of_three, 1, 32);
	expect_place();
	expect("deadlock in kernel ring_of_three, block 0");
	expect("(mask 0x00000003)");
	expect("warp 0 lanes 0x");
}
END_TEST

START_TEST(a_warp_splits_over_two_barriers)
{
	fails(&gin_kernel_barrier_in_branch, 1, 32);
	expect("of its warp is in the one at");
}
END_TEST

START_TEST(warps_are_in_different_barriers)
{
	fails(&gin_kernel_two_barriers, 1, 64);
	expect("__syncthreads_or");
	expect("while others of its block are in");
}
END_TEST

START_TEST(trap_ends_all_blocks_of_the_launch)
{
	fails(&gin_kernel_trap, 4, 64);
	expect_place();
	expect("thread 3 (lane 3) called __trap()");
}
END_TEST

START_TEST(lane_that_spins_is_named_after_two_seconds)
{
	launch(&gin_kernel_spin, 1, 32);
	pthread_mutex_lock(&log_lock);
	while (!strstr(log_text, "spins without gin_pause()"))
		pthread_cond_wait(&log_grew, &log_lock);
	pthread_mutex_unlock(&log_lock);
	expect_place();
	expect("thread 6 (lane 6)");
	ck_assert_int_eq(gin_gpu_wait(run_gpu, 0), -EAGAIN); /* it can only be named, not stopped */
	__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
	ck_assert_int_eq(gin_gpu_wait(run_gpu, run_limit_ns), 0);
}
END_TEST

/* The status of a child that runs the kernel and would exit with 0. */
static int status_of_child(const struct gin_kernel *kernel, const char *gpu, uint32_t shared_bytes)
{
	struct gin_launch_config cfg = { .block.x = 32, .shared_bytes = shared_bytes };
	struct report_args args = { &line, &word };
	int status;
	pid_t pid = fork();

	if (!pid) {
		int err = gin_gpu_open(gpu, &run_gpu);

		fclose(stderr); /* a sanitizer's report is expected */
		if (!err)
			err = gin_launch(run_gpu, kernel, &cfg, &args, sizeof(args));
		if (!err)
			err = gin_gpu_wait(run_gpu, run_limit_ns);
		_exit(err ? 99 : 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(stack_overflow_hits_the_guard)
{
	int status;

	tear_down();
	status = status_of_child(&gin_kernel_deep_stack, "cpu", 0);
	/* SIGSEGV, or a sanitizer that catches it. */
	ck_assert_msg(status && !(WIFEXITED(status) && WEXITSTATUS(status) == 99), "status 0x%x", status);
	status = status_of_child(&gin_kernel_deep_stack, "cpu:stack=20000", 0);
	ck_assert_msg(!status, "a stack of 20,000 KiB does not hold 4,097 frames: status 0x%x", status);
	set_up();
}
END_TEST

#if defined(__SANITIZE_ADDRESS__)
START_TEST(overrun_of_shared_memory_is_found)
{
	tear_down();
	word = 7;
	ck_assert_int_eq(status_of_child(&gin_kernel_array_overrun, "cpu", 0), 0);
	word = 8;
	ck_assert_int_ne(status_of_child(&gin_kernel_array_overrun, "cpu", 0), 0);
	word = 24;
	ck_assert_int_eq(status_of_child(&gin_kernel_dynamic_overrun, "cpu", 100), 0);
	word = 25;
	ck_assert_int_ne(status_of_child(&gin_kernel_dynamic_overrun, "cpu", 100), 0);
	set_up();
}
END_TEST
#endif

int main(void)
{
	TCase *tc = tcase_create("reports");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, caller_is_not_in_its_mask);
	tcase_add_test(tc, lanes_of_one_mask_are_in_different_collectives);
	tcase_add_test(tc, one_lane_is_at_the_barrier_the_rest_in_a_collective);
	tcase_add_test(tc, shuffle_reads_a_lane_outside_of_the_mask);
	tcase_add_test(tc, shuffle_reads_a_lane_that_has_ended);
	tcase_add_test(tc, shuffle_with_an_impossible_width);
	tcase_add_test(tc, deadlock_lists_who_stands_where);
	tcase_add_test(tc, a_warp_splits_over_two_barriers);
	tcase_add_test(tc, warps_are_in_different_barriers);
	tcase_add_test(tc, trap_ends_all_blocks_of_the_launch);
	tcase_add_test(tc, lane_that_spins_is_named_after_two_seconds);
	tcase_add_test(tc, stack_overflow_hits_the_guard);
#if defined(__SANITIZE_ADDRESS__)
	tcase_add_test(tc, overrun_of_shared_memory_is_found);
#endif
	return run_cases(tc);
}
