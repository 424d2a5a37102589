/* SPDX-License-Identifier: BSD-3-Clause */
/* host/gpu/cuda_launch.c over a made-up CUDA runtime: launches, and what runs. */
#include "setup.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct gin_gpu *gpu;
static unsigned char args[64];

/* The fake GPU has 4 multiprocessors and fake.per_sm blocks of any kernel on each. */
static void setup_gpu(void)
{
	setup();
	gpu = open_gpu("0");
}

static void end_all(void)
{
	int i;

	for (i = 0; i < fake.n_launches; i++)
		fake_end(i);
}

static void teardown_gpu(void)
{
	end_all();
	gin_gpu_cuda.close(gpu);
	teardown();
}

static int launch(const struct gin_kernel *kernel, uint32_t blocks, struct gin_stream *stream)
{
	struct gin_launch_config cfg = { .grid = { .x = blocks }, .block = { .x = 32 }, .stream = stream };

	return gin_gpu_cuda.launch(gpu, kernel, &cfg, args);
}

START_TEST(launch_hands_over_shape_and_arguments)
{
	struct gin_launch_config cfg = { .grid = { 2, 3, 0 }, .block = { 32, 0, 2 }, .shared_bytes = 100 };

	memset(args, 0x5a, sizeof(args));
	ck_assert_int_eq(gin_gpu_cuda.launch(gpu, &kernel_b, &cfg, args), 0);
	ck_assert_ptr_eq(fake.launches[0].function, kernel_b.cuda());
	ck_assert_uint_eq(fake.launches[0].grid.x, 2);
	ck_assert_uint_eq(fake.launches[0].grid.y, 3);
	ck_assert_uint_eq(fake.launches[0].grid.z, 1);
	ck_assert_uint_eq(fake.launches[0].block.x, 32);
	ck_assert_uint_eq(fake.launches[0].block.y, 1);
	ck_assert_uint_eq(fake.launches[0].block.z, 2);
	ck_assert_uint_eq(fake.launches[0].shared, 100);
	ck_assert_mem_eq(fake.launches[0].args, args, sizeof(args));
}
END_TEST

/* CUDA shows what kernels printed only when something synchronises; that must not wait for a kernel. */
START_TEST(what_kernels_printed_is_shown_once_all_ended)
{
	ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
	ck_assert_int_eq(launch(&kernel_b, 1, NULL), 0);
	fake_end(0);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), -EAGAIN);
	ck_assert_int_eq(fake.syncs, 0);
	fake_end(1);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), 0);
	ck_assert_int_eq(fake.syncs, 1);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), 0);
	ck_assert_int_eq(fake.syncs, 1);
}
END_TEST

START_TEST(more_streams_than_work_queues_are_told_once)
{
	int i;

	for (i = 0; i < 40; i++) {
		fake.per_sm = 100;
		ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
	}
	ck_assert_int_eq(count_lines(GIN_LOG_WARNING), 1);
	ck_assert_ptr_nonnull(strstr(last_line(), "32 streams"));
}
END_TEST

START_TEST(poll_tells_when_all_ended)
{
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), 0);
	ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
	ck_assert_int_eq(launch(&kernel_b, 1, NULL), 0);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), -EAGAIN);
	fake_end(1);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), -EAGAIN);
	fake_end(0);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), 0);
}
END_TEST

START_TEST(running_names_what_this_handle_started)
{
	struct gin_gpu *again = open_gpu("0");
	char names[64], few[4];

	ck_assert_str_eq(gin_gpu_cuda.running(gpu, names, sizeof(names)), "");
	ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
	ck_assert_int_eq(launch(&kernel_b, 1, NULL), 0);
	gin_gpu_cuda.running(gpu, names, sizeof(names));
	ck_assert_ptr_nonnull(strstr(names, "kernel_a"));
	ck_assert_ptr_nonnull(strstr(names, "kernel_b"));
	ck_assert_uint_eq(strlen(gin_gpu_cuda.running(gpu, few, sizeof(few))), 3);
	ck_assert_str_eq(gin_gpu_cuda.running(again, names, sizeof(names)), "");
	fake_end(0);
	ck_assert_str_eq(gin_gpu_cuda.running(gpu, names, sizeof(names)), "kernel_b");
	fake_end(1);
	gin_gpu_cuda.close(again);
}
END_TEST

START_TEST(launches_run_side_by_side)
{
	int i;

	for (i = 0; i < 6; i++) /* more than there are spare streams */
		ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
	ck_assert_ptr_ne(fake.launches[0].stream, fake.launches[1].stream);
	ck_assert_ptr_ne(fake.launches[0].stream, fake.launches[5].stream);
}
END_TEST

START_TEST(streams_are_used_again)
{
	int i, streams = fake.calls[FAKE_STREAM_CREATE];

	for (i = 0; i < 20; i++) {
		ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
		fake_end(i);
	}
	ck_assert_int_eq(fake.calls[FAKE_STREAM_CREATE], streams);
}
END_TEST

START_TEST(streams_of_the_user_are_used_again)
{
	int i, streams = fake.calls[FAKE_STREAM_CREATE];
	struct gin_stream *stream;

	for (i = 0; i < 20; i++) {
		ck_assert_int_eq(gin_gpu_cuda.stream_create(gpu, &stream), 0);
		ck_assert_int_eq(launch(&kernel_a, 1, stream), 0);
		fake_end(i);
		gin_gpu_cuda.stream_destroy(stream);
	}
	ck_assert_int_eq(fake.calls[FAKE_STREAM_CREATE], streams);
}
END_TEST

START_TEST(a_launch_without_stream_leaves_the_users_alone)
{
	struct gin_stream *stream;
	int i;

	ck_assert_int_eq(gin_gpu_cuda.stream_create(gpu, &stream), 0);
	ck_assert_int_eq(launch(&kernel_a, 1, stream), 0);
	fake_end(0);
	for (i = 1; i < 6; i++) {
		ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
		ck_assert_ptr_ne(fake.launches[i].stream, fake.launches[0].stream);
	}
}
END_TEST

START_TEST(a_stream_of_the_user_keeps_order_and_is_polled_alone)
{
	struct gin_stream *stream;

	ck_assert_int_eq(gin_gpu_cuda.stream_create(gpu, &stream), 0);
	ck_assert_ptr_eq(stream->gpu, gpu);
	ck_assert_int_eq(launch(&kernel_a, 1, stream), 0);
	ck_assert_int_eq(launch(&kernel_b, 1, stream), 0);
	ck_assert_int_eq(launch(&kernel_b, 1, NULL), 0);
	ck_assert_ptr_eq(fake.launches[0].stream, fake.launches[1].stream);
	ck_assert_ptr_ne(fake.launches[0].stream, fake.launches[2].stream);
	fake_end(0);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, stream), -EAGAIN);
	fake_end(1);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, stream), 0);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), -EAGAIN);
	gin_gpu_cuda.stream_destroy(stream); /* while launch 2 runs */
}
END_TEST

START_TEST(grid_that_does_not_fit_is_refused_with_both_numbers)
{
	ck_assert_int_eq(launch(&kernel_a, 8, NULL), 0); /* 4 x 2 */
	end_all();
	ck_assert_int_eq(launch(&kernel_a, 9, NULL), -E2BIG);
	ck_line_has("kernel_a needs 9 blocks at once; 8 of 8 are free");
	ck_assert_int_eq(fake.n_launches, 1);
}
END_TEST

START_TEST(may_queue_takes_any_grid)
{
	struct gin_launch_config cfg = { .grid = { .x = 100 }, .may_queue = 1 };

	ck_assert_int_eq(gin_gpu_cuda.launch(gpu, &kernel_a, &cfg, args), 0);
	ck_assert_int_eq(launch(&kernel_b, 1, NULL), -E2BIG);
	ck_line_has("; 0 of 8 are free");
}
END_TEST

START_TEST(running_blocks_take_room)
{
	ck_assert_int_eq(launch(&kernel_a, 3, NULL), 0);
	ck_assert_int_eq(launch(&kernel_b, 6, NULL), -E2BIG); /* 8 - 3 */
	ck_line_has("; 5 of 8 are free");
	ck_assert_int_eq(launch(&kernel_b, 5, NULL), 0);
	fake_end(0);
	ck_assert_int_eq(launch(&kernel_a, 4, NULL), -E2BIG); /* 8 - 5 */
	ck_assert_int_eq(launch(&kernel_a, 3, NULL), 0);
}
END_TEST

/* 3 running blocks of which 2 fit on a multiprocessor; of ours 7 fit: each running one takes up to 3.5, so 4, of 28. */
START_TEST(blocks_of_another_size_take_room_rounded_up)
{
	ck_assert_int_eq(launch(&kernel_a, 3, NULL), 0);
	fake.per_sm = 7;
	ck_assert_int_eq(launch(&kernel_b, 17, NULL), -E2BIG);
	ck_line_has("; 16 of 28 are free");
	ck_assert_int_eq(launch(&kernel_b, 16, NULL), 0);
}
END_TEST

/* 8 small blocks of which 32 fit on one: spread over the GPU each can still cost one of our big ones. */
START_TEST(a_small_block_can_cost_a_big_one)
{
	fake.per_sm = 32;
	ck_assert_int_eq(launch(&kernel_a, 5, NULL), 0);
	fake.per_sm = 2;
	ck_assert_int_eq(launch(&kernel_b, 4, NULL), -E2BIG);
	ck_line_has("; 3 of 8 are free");
}
END_TEST

START_TEST(of_a_stream_only_the_largest_launch_counts_and_ours_not)
{
	struct gin_stream *stream;

	ck_assert_int_eq(gin_gpu_cuda.stream_create(gpu, &stream), 0);
	ck_assert_int_eq(launch(&kernel_a, 5, stream), 0);
	ck_assert_int_eq(launch(&kernel_b, 8, stream), 0); /* behind the first */
	ck_assert_int_eq(launch(&kernel_a, 1, NULL), -E2BIG);
	fake_end(0);
	fake_end(1);
	ck_assert_int_eq(launch(&kernel_a, 3, stream), 0);
	ck_assert_int_eq(launch(&kernel_a, 2, stream), 0);
	ck_assert_int_eq(launch(&kernel_b, 5, NULL), 0); /* 8 - 3 */
}
END_TEST

START_TEST(kernels_of_another_handle_take_room)
{
	struct gin_gpu *again = open_gpu("0"), *other = open_gpu("1");
	struct gin_launch_config cfg = { .grid = { .x = 8 } };

	ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
	ck_assert_int_eq(gin_gpu_cuda.launch(again, &kernel_b, &cfg, args), -E2BIG);
	ck_line_has("; 7 of 8 are free");
	ck_assert_int_eq(gin_gpu_cuda.launch(other, &kernel_b, &cfg, args), 0);
	ck_assert_int_eq(fake.launches[1].device, 1);
	end_all();
	gin_gpu_cuda.close(again);
	gin_gpu_cuda.close(other);
}
END_TEST

START_TEST(kernel_without_cuda_half_is_named)
{
	ck_assert_int_eq(launch(&kernel_cpu_only, 1, NULL), -ENOEXEC);
	ck_line_has("cpu_only");
	ck_line_has("nvcc");
}
END_TEST

START_TEST(kernel_built_for_other_gpus_is_named)
{
	static const cudaError_t errors[] = { cudaErrorInvalidDeviceFunction, cudaErrorNoKernelImageForDevice,
					      cudaErrorUnsupportedPtxVersion };
	struct gin_gpu *other;
	struct gin_launch_config cfg = { .grid = { .x = 1 } };

	fake.fail[FAKE_FUNC_ATTRIBUTES] = errors[_i];
	other = open_gpu("1"); /* others of its kernels may do */
	fake.fail[FAKE_FUNC_ATTRIBUTES] = cudaSuccess;
	ck_assert_int_eq(n_lines, 0);
	ck_assert_int_eq(gin_gpu_cuda.launch(other, &kernel_a, &cfg, args), -ENOEXEC);
	ck_line_has("kernel_a is not built for this GPU");
	gin_gpu_cuda.close(other);
}
END_TEST

START_TEST(kernel_that_came_late_is_loaded_only_when_nothing_runs)
{
	struct gin_kernel late = kernel_b;

	late.name = "late";
	ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
	ck_assert_int_eq(launch(&late, 1, NULL), -EBUSY);
	ck_line_has("late");
	ck_line_has("kernel_a");
	fake_end(0);
	ck_assert_int_eq(launch(&late, 1, NULL), 0);
	fake_end(1);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), 0);
}
END_TEST

START_TEST(block_that_the_registers_do_not_allow_is_refused)
{
	struct gin_launch_config cfg = { .grid = { .x = 1 }, .block = { 513, 1, 1 } };
	struct gin_gpu *other;

	fake.cuda_threads = 512;
	other = open_gpu("1");
	ck_assert_int_eq(gin_gpu_cuda.launch(other, &kernel_a, &cfg, args), -EINVAL);
	ck_line_has("block of 513 threads, at most 512");
	cfg.block.x = cfg.block.y = 65536; /* 0 in 32 bits */
	ck_assert_int_eq(gin_gpu_cuda.launch(other, &kernel_a, &cfg, args), -EINVAL);
	gin_gpu_cuda.close(other);
}
END_TEST

START_TEST(much_shared_memory_is_asked_for_and_too_much_refused)
{
	struct gin_launch_config cfg = { .grid = { .x = 1 }, .shared_bytes = 49152 };

	ck_assert_int_eq(gin_gpu_cuda.launch(gpu, &kernel_a, &cfg, args), 0);
	ck_assert_int_eq(fake.calls[FAKE_FUNC_SET], 0);
	cfg.shared_bytes = 232448;
	ck_assert_int_eq(gin_gpu_cuda.launch(gpu, &kernel_a, &cfg, args), 0);
	ck_assert_uint_eq(fake.set_shared, 232448);
	ck_assert_int_eq(gin_gpu_cuda.launch(gpu, &kernel_a, &cfg, args), 0);
	ck_assert_int_eq(fake.calls[FAKE_FUNC_SET], 1);
	cfg.shared_bytes = 232449;
	ck_assert_int_eq(gin_gpu_cuda.launch(gpu, &kernel_a, &cfg, args), -E2BIG);
	ck_line_has("232449 bytes of shared memory");
}
END_TEST

START_TEST(launch_that_fails_leaves_nothing_running)
{
	static const struct {
		enum fake_call call;
		cudaError_t err;
		int rc;
	} cases[] = {
		{ FAKE_EVENT_CREATE, cudaErrorMemoryAllocation, -ENOMEM },
		{ FAKE_LAUNCH, cudaErrorInvalidConfiguration, -EINVAL },
		{ FAKE_LAUNCH, cudaErrorLaunchOutOfResources, -ENOMEM },
		{ FAKE_LAUNCH, cudaErrorNoKernelImageForDevice, -ENOEXEC },
		{ FAKE_EVENT_RECORD, cudaErrorIllegalAddress, -EIO },
		{ FAKE_OCCUPANCY, cudaErrorInvalidValue, -EINVAL },
	};
	int live = fake.live;

	fake.fail[cases[_i].call] = cases[_i].err;
	ck_assert_int_eq(launch(&kernel_a, 1, NULL), cases[_i].rc);
	fake.fail[cases[_i].call] = cudaSuccess;
	ck_assert_int_eq(count_lines(GIN_LOG_ERROR), 1);
	ck_assert_int_eq(fake.live, live);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), 0);
}
END_TEST

START_TEST(a_crash_is_told_once_and_for_good)
{
	ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
	ck_assert_int_eq(launch(&kernel_b, 1, NULL), 0);
	end_all(); /* a crash ends them all */
	fake.crash = cudaErrorIllegalAddress;
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), -EIO);
	ck_assert_int_eq(count_lines(GIN_LOG_ERROR), 1);
	ck_line_has("kernel_a");
	ck_line_has("kernel_b");
	ck_line_has("cudaErrorIllegalAddress");
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), -EIO);
	ck_assert_int_eq(count_lines(GIN_LOG_ERROR), 1);
	ck_assert_int_eq(launch(&kernel_a, 1, NULL), -EIO);
	ck_line_has("an earlier kernel crashed");
	ck_assert_int_eq(fake.n_launches, 2);
}
END_TEST

static int active, told;

static void on_active(int delta)
{
	active += delta;
	told++;
}

START_TEST(the_software_nic_hears_of_start_and_end)
{
	static const struct gin_runner_helper helper = { .gpu_active = on_active };

	active = told = 0;
	runner_helper = &helper;
	ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
	ck_assert_int_eq(launch(&kernel_b, 1, NULL), 0);
	ck_assert_int_eq(active, 2);
	fake_end(0);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), -EAGAIN);
	ck_assert_int_eq(active, 1);
	fake.crash = cudaErrorIllegalAddress;
	fake_end(1);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), -EIO);
	ck_assert_int_eq(active, 0);
	ck_assert_int_eq(told, 4);
}
END_TEST

START_TEST(a_software_nic_that_came_later_does_not_hear_of_the_end_alone)
{
	static const struct gin_runner_helper helper = { .gpu_active = on_active };

	active = told = 0;
	ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
	runner_helper = &helper;
	fake_end(0);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), 0);
	ck_assert_int_eq(told, 0);
}
END_TEST

START_TEST(wait_some_ends_with_a_kernel)
{
	ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
	ck_assert_int_eq(launch(&kernel_b, 1, NULL), 0);
	fake.end_after_queries = 5;
	ck_assert_int_eq(gin_gpu_cuda.wait_some(gpu, ~0ull), 0);
	ck_assert_int_eq(fake.launches[0].ended, 1);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), -EAGAIN);
}
END_TEST

START_TEST(wait_some_ends_with_its_time)
{
	ck_assert_int_eq(gin_gpu_cuda.wait_some(gpu, ~0ull), 0); /* nothing runs */
	ck_assert_int_eq(launch(&kernel_a, 1, NULL), 0);
	ck_assert_int_eq(gin_gpu_cuda.wait_some(gpu, 100000), 0);
	ck_assert_int_eq(gin_gpu_cuda.poll(gpu, NULL), -EAGAIN);
}
END_TEST

START_TEST(close_while_a_kernel_runs_says_which_and_frees_nothing)
{
	struct gin_gpu *other = open_gpu("1");
	struct gin_launch_config cfg = { .grid = { .x = 1 } };
	int live;

	ck_assert_int_eq(gin_gpu_cuda.launch(other, &kernel_b, &cfg, args), 0);
	live = fake.live;
	gin_gpu_cuda.close(other);
	ck_line_has("kernel_b");
	ck_assert_int_eq(fake.live, live);
	ck_assert_uint_eq(*other->stop, 0); /* still there */
	fake_end(0);
	gin_gpu_cuda.close(other); /* for teardown(): now it goes */
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cuda launch");
	TCase *tc = tcase_create("launch");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup_gpu, teardown_gpu);
	tcase_add_test(tc, launch_hands_over_shape_and_arguments);
	tcase_add_test(tc, what_kernels_printed_is_shown_once_all_ended);
	tcase_add_test(tc, more_streams_than_work_queues_are_told_once);
	tcase_add_test(tc, poll_tells_when_all_ended);
	tcase_add_test(tc, running_names_what_this_handle_started);
	tcase_add_test(tc, launches_run_side_by_side);
	tcase_add_test(tc, streams_are_used_again);
	tcase_add_test(tc, streams_of_the_user_are_used_again);
	tcase_add_test(tc, a_launch_without_stream_leaves_the_users_alone);
	tcase_add_test(tc, a_stream_of_the_user_keeps_order_and_is_polled_alone);
	tcase_add_test(tc, grid_that_does_not_fit_is_refused_with_both_numbers);
	tcase_add_test(tc, may_queue_takes_any_grid);
	tcase_add_test(tc, running_blocks_take_room);
	tcase_add_test(tc, blocks_of_another_size_take_room_rounded_up);
	tcase_add_test(tc, a_small_block_can_cost_a_big_one);
	tcase_add_test(tc, of_a_stream_only_the_largest_launch_counts_and_ours_not);
	tcase_add_test(tc, kernels_of_another_handle_take_room);
	tcase_add_test(tc, kernel_without_cuda_half_is_named);
	tcase_add_loop_test(tc, kernel_built_for_other_gpus_is_named, 0, 3);
	tcase_add_test(tc, kernel_that_came_late_is_loaded_only_when_nothing_runs);
	tcase_add_test(tc, block_that_the_registers_do_not_allow_is_refused);
	tcase_add_test(tc, much_shared_memory_is_asked_for_and_too_much_refused);
	tcase_add_loop_test(tc, launch_that_fails_leaves_nothing_running, 0, 6);
	tcase_add_test(tc, a_crash_is_told_once_and_for_good);
	tcase_add_test(tc, the_software_nic_hears_of_start_and_end);
	tcase_add_test(tc, a_software_nic_that_came_later_does_not_hear_of_the_end_alone);
	tcase_add_test(tc, wait_some_ends_with_a_kernel);
	tcase_add_test(tc, wait_some_ends_with_its_time);
	tcase_add_test(tc, close_while_a_kernel_runs_says_which_and_frees_nothing);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
