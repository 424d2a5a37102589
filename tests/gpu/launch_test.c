/* SPDX-License-Identifier: BSD-3-Clause */
/* gin_gpu_*, gin_launch(), streams and memory on CPU threads. */
#include "launch_rig.h"
#include "gpu/runner.h"
#include "proc.h"

#include <ginet/cpu.h>
#include <time.h>
#include <unistd.h>

/* --- running --- */

START_TEST(launches_run_side_by_side)
{
	launch(&gin_kernel_wait_for_word, 1, 32, NULL); /* A spins */
	ck_assert_int_eq(gin_gpu_wait(run_gpu, GIN_TRY), -EAGAIN);
	launch(&gin_kernel_set_word, 1, 1, NULL); /* B frees it */
	await_all();
	ck_assert_uint_eq(word(0), 32);
}
END_TEST

START_TEST(one_stream_keeps_its_order)
{
	struct gin_stream *stream;
	uint32_t i;

	ck_assert_int_eq(gin_stream_create(run_gpu, &stream), 0);
	for (i = 0; i < 20; i++)
		launch(&gin_kernel_append, 1, 1, stream);
	ck_assert_int_eq(gin_stream_wait(stream, run_limit_ns), 0);
	ck_assert_uint_eq(word(0), 20);
	for (i = 0; i < 20; i++)
		ck_assert_uint_eq(word(1 + (int)i), i);
	gin_stream_destroy(stream);
}
END_TEST

START_TEST(streams_do_not_wait_for_each_other)
{
	struct gin_stream *a, *b;
	int i;

	ck_assert_int_eq(gin_stream_create(run_gpu, &a), 0);
	ck_assert_int_eq(gin_stream_create(run_gpu, &b), 0);
	launch(&gin_kernel_wait_for_word, 1, 1, a);
	launch(&gin_kernel_count_up, 1, 1, a);
	for (i = 0; i < 20; i++) { /* time enough for the one behind it, if it did not wait */
		launch(&gin_kernel_count_up, 1, 32, b);
		ck_assert_int_eq(gin_stream_wait(b, run_limit_ns), 0);
	}
	ck_assert_uint_eq(word(0), 20 * 32);
	ck_assert_int_eq(gin_stream_wait(a, 1000000), -EAGAIN);
	launch(&gin_kernel_set_word, 1, 1, b);
	gin_stream_destroy(a); /* waits */
	ck_assert_uint_eq(word(0), 20 * 32 + 2);
	gin_stream_destroy(b);
	gin_stream_destroy(NULL);
}
END_TEST

/* Two launches of a stream never run together: they need the room of one. */
START_TEST(a_stream_holds_the_room_of_its_largest_launch)
{
	struct gin_launch_config cfg = { .grid.x = 3, .block.x = 32 };

	reopen("cpu:lanes=128");
	ck_assert_int_eq(gin_stream_create(run_gpu, &cfg.stream), 0);
	ck_assert_int_eq(try_launch(&gin_kernel_wait_for_word, &cfg), 0);
	ck_assert_int_eq(try_launch(&gin_kernel_count_up, &cfg), 0);
	cfg.grid.x = 4;
	ck_assert_int_eq(try_launch(&gin_kernel_count_up, &cfg), 0); /* now all is promised */
	cfg.grid.x = 1;
	ck_assert_int_eq(try_launch(&gin_kernel_count_up, &cfg), 0); /* and stays so */
	cfg.block.x = 1;
	struct gin_stream *stream = cfg.stream;

	cfg.stream = NULL;
	ck_assert_int_eq(try_launch(&gin_kernel_set_word, &cfg), -E2BIG);
	__atomic_store_n(&words[1], 1, __ATOMIC_RELEASE);
	await_all();
	ck_assert_uint_eq(word(0), (3 + 3 + 4 + 1) * 32);
	ck_assert_int_eq(try_launch(&gin_kernel_set_word, &cfg), 0);
	await_all();
	gin_stream_destroy(stream);
}
END_TEST

START_TEST(stop_ends_waits_and_is_cleared_by_the_next_launch)
{
	launch(&gin_kernel_wait_for_stop, 2, 32, NULL);
	await_word(0, 64);
	gin_gpu_stop(run_gpu);
	launch(&gin_kernel_count_up, 1, 1, NULL); /* does not clear it: others may still run */
	await_all();
	launch(&gin_kernel_wait_for_stop, 1, 1, NULL); /* does */
	await_word(0, 66);
	ck_assert_int_eq(gin_gpu_wait(run_gpu, 20000000), -EAGAIN);
	gin_gpu_stop(run_gpu);
	await_all();
}
END_TEST

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

START_TEST(wait_is_never_shorter_than_asked)
{
	uint64_t start;

	launch(&gin_kernel_wait_for_stop, 1, 1, NULL);
	ck_assert_int_eq(gin_gpu_wait(run_gpu, GIN_TRY), -EAGAIN);
	start = now_ns();
	ck_assert_int_eq(gin_gpu_wait(run_gpu, 30000000), -EAGAIN);
	ck_assert_uint_ge(now_ns() - start, 30000000);
	gin_gpu_stop(run_gpu);
	ck_assert_int_eq(gin_gpu_wait(run_gpu, GIN_UNTIL_STOP), 0);
}
END_TEST

START_TEST(crash_is_told_while_others_run)
{
	char names[64];

	launch(&gin_kernel_wait_for_stop, 1, 1, NULL);
	await_word(0, 1);
	words[512] = 0;
	struct launch_args args = { words + 512, NULL };

	ck_assert_int_eq(gin_launch(run_gpu, &gin_kernel_crash, NULL, &args, sizeof(args)), 0);
	ck_assert_int_eq(gin_gpu_wait(run_gpu, GIN_UNTIL_STOP), -EIO);
	ck_assert_str_eq(gin_gpu_running(run_gpu, names, sizeof(names)), "wait_for_stop");
	gin_gpu_stop(run_gpu);
	while (*gin_gpu_running(run_gpu, names, sizeof(names)))
		sched_yield();
	launch(&gin_kernel_count_up, 1, 1, NULL); /* afresh */
	await_all();
}
END_TEST

static int say_failed(struct gin_gpu_watch *watch)
{
	(void)watch;
	return -EIO;
}

static int n_launches;

static void count_launch(struct gin_gpu_watch *watch)
{
	(void)watch;
	n_launches++;
}

START_TEST(a_failed_queue_ends_the_wait)
{
	struct gin_gpu_watch good = { .at_launch = count_launch }, bad = { .failed = say_failed };

	gin_gpu_watch_add(run_gpu, &good);
	launch(&gin_kernel_wait_for_stop, 1, 1, NULL);
	ck_assert_int_eq(n_launches, 1);
	gin_gpu_watch_add(run_gpu, &bad);
	ck_assert_int_eq(gin_gpu_wait(run_gpu, GIN_UNTIL_STOP), -EIO);
	gin_gpu_watch_del(run_gpu, &bad);
	gin_gpu_watch_del(run_gpu, &good);
	gin_gpu_watch_del(run_gpu, &good); /* again is fine */
	gin_gpu_stop(run_gpu);
	await_all();
}
END_TEST

static int refuse_count_up(struct gin_gpu_watch *watch, const struct gin_kernel *kernel)
{
	(void)watch;
	return kernel == &gin_kernel_count_up ? -ENOTSUP : 0;
}

/* Also one that was added last, and is asked first. */
START_TEST(a_watch_refuses_a_launch_before_any_begins_something)
{
	struct gin_gpu_watch first = { .at_launch = count_launch }, picky = { .may_launch = refuse_count_up },
			     last = { .at_launch = count_launch };

	n_launches = 0;
	gin_gpu_watch_add(run_gpu, &first);
	gin_gpu_watch_add(run_gpu, &picky);
	gin_gpu_watch_add(run_gpu, &last);
	ck_assert_int_eq(try_launch(&gin_kernel_count_up, NULL), -ENOTSUP);
	ck_assert_int_eq(n_launches, 0);
	await_all();
	ck_assert_uint_eq(word(0), 0);
	launch(&gin_kernel_set_word, 1, 1, NULL);
	ck_assert_int_eq(n_launches, 2);
	await_all();
	ck_assert_uint_eq(word(1), 1);
	gin_gpu_watch_del(run_gpu, &last);
	gin_gpu_watch_del(run_gpu, &picky);
	gin_gpu_watch_del(run_gpu, &first);
}
END_TEST

/* --- sizes, exits, orders --- */

START_TEST(full_blocks_of_1024_threads)
{
#if defined(__SANITIZE_THREAD__)
	const uint32_t blocks = 4; /* 4,096 threads are the most under ThreadSanitizer */
#else
	const uint32_t blocks = 64;
#endif
	uint32_t i;

	launch(&gin_kernel_every_thread, blocks, 1024, NULL);
	await_all();
	/* 3 x (0 + ... + 1023) + 1024 x (0 + 1 + 2) */
	for (i = 0; i < blocks * 1024; i++)
		ck_assert_uint_eq(words[i], 3 * 523776 + 3 * 1024);
	memset(words, 0, 4);
	launch(&gin_kernel_all_meet, blocks, 1024, NULL); /* resident, all of them */
	await_all();
}
END_TEST

START_TEST(ended_threads_are_not_waited_for)
{
	uint32_t i;

	launch(&gin_kernel_early_exits, 1, 64, NULL);
	await_all();
	for (i = 0; i < 64; i++)
		ck_assert_uint_eq(word((int)i), i < 63 ? 64 - i : 1);
	/* Thread 31 left in round 32: it last met 32 in round 31; thread 0 is alone at the end. */
	ck_assert_uint_eq(word(64 + 31), 32);
	ck_assert_uint_eq(word(64 + 1), 2);
	ck_assert_uint_eq(word(64 + 0), 1);
}
END_TEST

static void order_of(const char *name, uint32_t *order)
{
	reopen(name);
	launch(&gin_kernel_who_is_first, 1, 64, NULL);
	await_all();
	memcpy(order, words, 64 * sizeof(*order));
}

START_TEST(seed_decides_the_order_of_threads)
{
	uint32_t a[64], b[64], c[64];

	order_of("cpu:seed=1", a);
	order_of("cpu:seed=1", b);
	order_of("cpu:seed=2", c);
	ck_assert_mem_eq(a, b, sizeof(a));
	ck_assert_mem_ne(a, c, sizeof(a));
}
END_TEST

START_TEST(signals_are_left_to_the_program)
{
	launch(&gin_kernel_signal_mask, 1, 1, NULL);
	await_all();
	ck_assert_uint_eq(word(0), 1);
	ck_assert_uint_eq(word(1), 1);
	ck_assert_uint_eq(word(2), 0); /* a fault must reach its handler */
}
END_TEST

/* --- the helper --- */

static int n_helped, n_rang;

static int help(void *ctx)
{
	ck_assert_ptr_eq(ctx, &n_helped);
	ck_assert_ptr_null(gin_cpu_self); /* on no lane's stack */
	if (__atomic_add_fetch(&n_helped, 1, __ATOMIC_RELAXED) == 100)
		__atomic_store_n(&words[1], 1, __ATOMIC_RELEASE);
	return 1;
}

static void rang(void *ctx)
{
	(void)ctx;
	__atomic_fetch_add(&n_rang, 1, __ATOMIC_RELAXED);
}

START_TEST(waiting_threads_help)
{
	const struct gin_runner_helper helper = { .help = help, .rang = rang, .ctx = &n_helped };

	ck_assert_ptr_null(gin_runner_get_helper());
	gin_cpu_rang(); /* nobody to tell */
	gin_runner_set_helper(&helper);
	ck_assert_ptr_eq(gin_runner_get_helper(), &helper);
	launch(&gin_kernel_wait_for_word, 1, 32, NULL);
	await_all();
	ck_assert_int_ge(n_helped, 100);
	gin_cpu_rang();
	gin_runner_set_helper(NULL);
	ck_assert_int_eq(n_rang, 1);
}
END_TEST

/* --- memory, names --- */

START_TEST(memory_of_each_kind)
{
	struct gin_mem m[3];
	uint8_t text[13] = "hello, there", back[13];
	int kind;

	for (kind = 0; kind < 3; kind++) {
		ck_assert_int_eq(gin_mem_alloc(run_gpu, (enum gin_mem_kind)kind, 5000, &m[kind]), 0);
		ck_assert_uint_eq((uintptr_t)m[kind].gpu % 4096, 0);
		ck_assert_ptr_eq(m[kind].cpu, m[kind].gpu); /* on "cpu" all kinds are the same memory */
		ck_assert_uint_eq(m[kind].size, 5000);
		ck_assert_int_eq((int)m[kind].kind, kind);
		ck_assert_uint_eq(((uint8_t *)m[kind].gpu)[4999], 0);
		ck_assert_int_eq(gin_mem_copy(run_gpu, (uint8_t *)m[kind].gpu + 3, text, sizeof(text)), 0);
		ck_assert_int_eq(gin_mem_copy(run_gpu, back, (uint8_t *)m[kind].gpu + 3, sizeof(text)), 0);
		ck_assert_mem_eq(back, text, sizeof(text));
	}
	struct gin_mem copy = m[0];

	gin_mem_free(run_gpu, &m[0]);
	ck_assert_ptr_null(m[0].gpu);
	gin_mem_free(run_gpu, &m[0]); /* empty: fine */
	gin_mem_free(run_gpu, &copy); /* twice: said, not done */
	expect_line("was freed before");
	ck_assert_int_eq(gin_mem_alloc(run_gpu, GIN_MEM_GPU, 0, &copy), -EINVAL);
	/* m[1], m[2] go with the GPU; LeakSanitizer looks. */
}
END_TEST

START_TEST(copy_works_while_a_kernel_runs)
{
	uint32_t value = 1;

	launch(&gin_kernel_wait_for_word, 1, 1, NULL);
	ck_assert_int_eq(gin_mem_copy(run_gpu, (uint32_t *)mem.gpu + 1, &value, sizeof(value)), 0);
	await_all();
	ck_assert_int_eq(gin_mem_copy(run_gpu, &value, mem.gpu, sizeof(value)), 0);
	ck_assert_uint_eq(value, 1);
}
END_TEST

START_TEST(names_of_gpus)
{
	static const char *const bad[] = { "", "gpu", "cpux", "cpu:lanes=0", "cpu:lanes=x", "cpu:lanes=-1", "cpu:seed=",
					   "cpu:stack=1", "cpu:what=1", "cpu:seed=1,lanes", "00:17:0", "0000:17:00.g" };
	struct gin_gpu *gpu = NULL;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		last_line[0] = 0;
		ck_assert_msg(gin_gpu_open(bad[i], &gpu) == -EINVAL, "'%s' was taken", bad[i]);
		ck_assert_ptr_null(gpu);
		ck_assert_msg(last_line[0], "no line says what is wrong with '%s'", bad[i]);
	}
	ck_assert_int_eq(gin_gpu_open("cpu:what=1", &gpu), -EINVAL);
	expect_line("seed=N, lanes=N, stack=KiB, help=0|1, sim"); /* the known ones */
	ck_assert_int_eq(gin_gpu_open("cpu:sim", &gpu), -ENOTSUP);
	expect_line("ginet_sim");
	ck_assert_int_eq(gin_gpu_open("cpu:seed=3,lanes=32,stack=32", &gpu), 0);
	ck_assert_str_eq(gin_gpu_name(gpu), "cpu");
	gin_gpu_close(gpu);
	setenv("GINET_GPU", "cpu:lanes=7", 1);
	ck_assert_int_eq(gin_gpu_open(NULL, &gpu), 0);
	struct gin_launch_config cfg = { .block.x = 8 };
	struct launch_args args = { words, NULL };

	ck_assert_int_eq(gin_launch(gpu, &gin_kernel_count_up, &cfg, &args, sizeof(args)), -E2BIG);
	gin_gpu_close(gpu);
	gin_gpu_close(NULL);
	gin_gpu_stop(NULL);
}
END_TEST

START_TEST(default_gpu_says_why_it_is_the_cpu)
{
	struct gin_gpu *gpu, *cuda;
	int err;

	unsetenv("GINET_GPU");
	ck_assert_int_eq(gin_gpu_open(NULL, &gpu), 0);
	if (strcmp(gin_gpu_name(gpu), "cpu") == 0) {
		err = gin_gpu_open("cuda:0", &cuda); /* what that says tells which build this is */
		ck_assert_int_ne(err, 0);
		ck_assert_str_eq(last_info, err == -ENOTSUP ? "GPU: cpu, since ginet was built without CUDA" :
						"GPU: cpu, since CUDA sees none");
	}
	gin_gpu_close(gpu);
}
END_TEST

START_TEST(close_names_kernels_that_do_not_end)
{
	struct gin_gpu *gpu = run_gpu;

	launch(&gin_kernel_wait_for_word, 1, 1, NULL); /* does not look at the stop */
	gin_gpu_close(gpu);
	expect_line("kernels did not end within 2 s of the stop: wait_for_word");
	__atomic_store_n(&words[1], 1, __ATOMIC_RELEASE); /* its memory is still there */
	ck_assert_int_eq(gin_gpu_wait(gpu, run_limit_ns), 0);
	/* tear_down() closes it, and now that works: LeakSanitizer looks. */
}
END_TEST

START_TEST(a_thousand_times_leaves_nothing_behind)
{
#if defined(__SANITIZE_THREAD__)
	const int rounds = 150; /* 0.2 s each */
#else
	const int rounds = 1000;
#endif
	int fds = 0, threads = 0, maps = 0, i;

	for (i = 0; i < rounds; i++) {
		reopen("cpu");
		launch(&gin_kernel_count_up, 2, 32, NULL);
		await_all();
		close_gpu();
		if (i == 99) { /* allocators have settled */
			fds = proc_n_fds();
			threads = proc_n_threads();
			maps = proc_n_maps();
		}
	}
	ck_assert_int_eq(proc_n_fds(), fds);
	ck_assert_int_eq(proc_n_threads(), threads);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they keep what is freed, and map as they go */
	ck_assert_int_le(proc_n_maps(), maps + 5);
#endif
	(void)maps;
	open_gpu();
}
END_TEST

static void add_tests(TCase *tc)
{
	tcase_add_test(tc, launches_run_side_by_side);
	tcase_add_test(tc, one_stream_keeps_its_order);
	tcase_add_test(tc, streams_do_not_wait_for_each_other);
	tcase_add_test(tc, a_stream_holds_the_room_of_its_largest_launch);
	tcase_add_test(tc, stop_ends_waits_and_is_cleared_by_the_next_launch);
	tcase_add_test(tc, wait_is_never_shorter_than_asked);
	tcase_add_test(tc, crash_is_told_while_others_run);
	tcase_add_test(tc, a_failed_queue_ends_the_wait);
	tcase_add_test(tc, a_watch_refuses_a_launch_before_any_begins_something);
	tcase_add_test(tc, full_blocks_of_1024_threads);
	tcase_add_test(tc, ended_threads_are_not_waited_for);
	tcase_add_test(tc, seed_decides_the_order_of_threads);
	tcase_add_test(tc, signals_are_left_to_the_program);
	tcase_add_test(tc, waiting_threads_help);
	tcase_add_test(tc, memory_of_each_kind);
	tcase_add_test(tc, copy_works_while_a_kernel_runs);
	tcase_add_test(tc, names_of_gpus);
	tcase_add_test(tc, default_gpu_says_why_it_is_the_cpu);
	tcase_add_test(tc, close_names_kernels_that_do_not_end);
	tcase_add_test(tc, a_thousand_times_leaves_nothing_behind);
}

int main(void)
{
	TCase *tc = tcase_create("launch");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	add_tests(tc);
	return run_cases(tc);
}
