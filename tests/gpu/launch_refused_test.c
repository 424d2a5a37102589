/* SPDX-License-Identifier: BSD-3-Clause */
/* What gin_launch() refuses, and what is at the edge of that. */
#include "launch_rig.h"

START_TEST(no_config_is_one_thread)
{
	ck_assert_int_eq(try_launch(&gin_kernel_count_up, NULL), 0);
	await_all();
	ck_assert_uint_eq(word(0), 1);
}
END_TEST

START_TEST(other_argument_size_is_refused)
{
	struct launch_args args = { words, NULL };

	ck_assert_int_eq(gin_launch(run_gpu, &gin_kernel_count_up, NULL, &args, sizeof(args) - 8), -EINVAL);
	expect_line("count_up takes 16 bytes of arguments, 8 were given");
	ck_assert_int_eq(gin_launch(run_gpu, &gin_kernel_count_up, NULL, NULL, sizeof(args)), -EINVAL);
	await_all();
	ck_assert_uint_eq(word(0), 0);
}
END_TEST

START_TEST(block_of_1025_threads_is_refused)
{
	struct gin_launch_config cfg = { .block.x = 1025 };

	ck_assert_int_eq(try_launch(&gin_kernel_count_up, &cfg), -EINVAL);
	expect_line("1025 x 1 x 1");
	cfg.block = (struct gin_dim3){ 32, 32, 2 };
	ck_assert_int_eq(try_launch(&gin_kernel_count_up, &cfg), -EINVAL);
	/* 2^33 x 2^31 would be 0 in 64 bits. */
	cfg.block = (struct gin_dim3){ UINT32_MAX, UINT32_MAX, UINT32_MAX };
	ck_assert_int_eq(try_launch(&gin_kernel_count_up, &cfg), -EINVAL);
	cfg.block = (struct gin_dim3){ 32, 16, 2 };
	ck_assert_int_eq(try_launch(&gin_kernel_count_up, &cfg), 0);
	await_all();
	ck_assert_uint_eq(word(0), 1024);
}
END_TEST

START_TEST(grid_that_does_not_fit_names_both_numbers)
{
	struct gin_launch_config cfg = { .grid.x = 9, .block.x = 128 };

	reopen("cpu:lanes=1024");
	ck_assert_int_eq(try_launch(&gin_kernel_all_meet, &cfg), -E2BIG);
	expect_line("1152");
	expect_line("1024");
	cfg.grid.x = 8;
	ck_assert_int_eq(try_launch(&gin_kernel_all_meet, &cfg), 0);
	await_all();
	cfg.grid = (struct gin_dim3){ 65536, 65535, 65535 };
	ck_assert_int_eq(try_launch(&gin_kernel_all_meet, &cfg), -E2BIG);
}
END_TEST

START_TEST(what_runs_counts_against_the_room)
{
	struct gin_launch_config cfg = { .grid.x = 1, .block.x = 64 };

	reopen("cpu:lanes=128");
	ck_assert_int_eq(try_launch(&gin_kernel_wait_for_word, &cfg), 0);
	cfg.grid.x = 2;
	ck_assert_int_eq(try_launch(&gin_kernel_count_up, &cfg), -E2BIG);
	expect_line("needs 128 threads at once; 64 of 128 are free");
	cfg.grid.x = 1;
	ck_assert_int_eq(try_launch(&gin_kernel_set_word, &cfg), 0);
	await_all();
	cfg.grid.x = 2;
	ck_assert_int_eq(try_launch(&gin_kernel_count_up, &cfg), 0);
	await_all();
	ck_assert_uint_eq(word(0), 64 + 128);
}
END_TEST

START_TEST(may_queue_runs_blocks_as_room_comes)
{
	struct gin_launch_config cfg = { .grid.x = 300, .block.x = 32, .may_queue = 1 };

	reopen("cpu:lanes=64");
	ck_assert_int_eq(try_launch(&gin_kernel_count_up, &cfg), 0);
	await_all();
	ck_assert_uint_eq(word(0), 300 * 32);
	cfg.block.x = 96;
	ck_assert_int_eq(try_launch(&gin_kernel_count_up, &cfg), -E2BIG); /* not even one block */
}
END_TEST

START_TEST(kernel_of_another_version_is_refused)
{
	struct gin_kernel other = gin_kernel_count_up;

	other.version = 900;
	ck_assert_int_eq(try_launch(&other, NULL), -ESTALE);
	expect_line("0.9.0");
	expect_line("0.1.0");
	other = gin_kernel_count_up;
	other.rxq_size = 56;
	ck_assert_int_eq(try_launch(&other, NULL), -ESTALE);
	expect_line("56");
	other = gin_kernel_count_up;
	other.cpu = NULL;
	ck_assert_int_eq(try_launch(&other, NULL), -ENOEXEC);
}
END_TEST

START_TEST(kernel_of_another_patch_level_runs)
{
	struct gin_kernel other = gin_kernel_count_up;

	other.version = GINET_VERSION + 7;
	ck_assert_int_eq(try_launch(&other, NULL), 0);
	await_all();
	ck_assert_uint_eq(word(0), 1);
}
END_TEST

/* What comes behind version and sizes may be something else there. */
START_TEST(kernel_of_another_version_is_not_written_to)
{
	static struct gin_kernel other;
	struct gin_kernel *first = gin_kernel_list();

	other = gin_kernel_count_up;
	other.version = GINET_VERSION + 100;
	other.next = &other;
	gin_kernel_register(&other);
	ck_assert_ptr_eq(other.next, &other);
	ck_assert_ptr_eq(gin_kernel_list(), first);
}
END_TEST

START_TEST(stream_of_another_gpu_is_refused)
{
	struct gin_launch_config cfg = { 0 };
	struct gin_gpu *other;

	ck_assert_int_eq(gin_gpu_open("cpu", &other), 0);
	ck_assert_int_eq(gin_stream_create(other, &cfg.stream), 0);
	ck_assert_int_eq(try_launch(&gin_kernel_count_up, &cfg), -EINVAL);
	gin_stream_destroy(cfg.stream);
	gin_gpu_close(other);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("refused");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, no_config_is_one_thread);
	tcase_add_test(tc, other_argument_size_is_refused);
	tcase_add_test(tc, block_of_1025_threads_is_refused);
	tcase_add_test(tc, grid_that_does_not_fit_names_both_numbers);
	tcase_add_test(tc, what_runs_counts_against_the_room);
	tcase_add_test(tc, may_queue_runs_blocks_as_room_comes);
	tcase_add_test(tc, kernel_of_another_version_is_refused);
	tcase_add_test(tc, kernel_of_another_patch_level_runs);
	tcase_add_test(tc, kernel_of_another_version_is_not_written_to);
	tcase_add_test(tc, stream_of_another_gpu_is_refused);
	return run_cases(tc);
}
