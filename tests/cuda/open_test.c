/* SPDX-License-Identifier: BSD-3-Clause */
/* host/gpu/cuda.c over a made-up CUDA runtime: opening and closing. */
#include "setup.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int open_error(const char *rest)
{
	struct gin_gpu *gpu = (struct gin_gpu *)1;
	int err = gin_gpu_cuda.open(rest, &gpu);

	ck_assert_ptr_eq(gpu, (void *)1); /* untouched on failure */
	ck_assert_int_eq(count_lines(GIN_LOG_ERROR), 1);
	return err;
}

START_TEST(opens_by_number)
{
	struct gin_gpu *gpu = open_gpu("1");

	ck_assert_str_eq(gpu->name, "cuda:1");
	ck_assert_uint_eq(*gpu->stop, 0);
	ck_assert_ptr_eq(gpu->stop_gpu, (char *)gpu->stop + FAKE_DEVICE_OFFSET);
	ck_assert_int_eq(n_lines, 0);
	gin_gpu_cuda.close(gpu);
}
END_TEST

START_TEST(no_number_is_the_first)
{
	struct gin_gpu *gpu = open_gpu("");

	ck_assert_str_eq(gpu->name, "cuda:0");
	gin_gpu_cuda.close(gpu);
}
END_TEST

START_TEST(opens_by_pci_address)
{
	struct gin_gpu *gpu = open_gpu("0000:17:00.0");

	ck_assert_str_eq(gpu->name, "cuda:1");
	gin_gpu_cuda.close(gpu);
}
END_TEST

START_TEST(unknown_pci_address_is_named)
{
	ck_assert_int_eq(open_error("0000:18:00.0"), -ENODEV);
	ck_line_has("0000:18:00.0");
}
END_TEST

START_TEST(too_large_number_says_how_many_there_are)
{
	ck_assert_int_eq(open_error("2"), -ENODEV);
	ck_line_has("cuda:2: no such GPU: there are 2, cuda:0 to cuda:1");
	fake.n_devices = 1;
	n_lines = 0;
	ck_assert_int_eq(open_error("4294967296"), -ENODEV);
	ck_line_has("there is one, cuda:0");
}
END_TEST

START_TEST(what_is_no_number_is_refused)
{
	static const char *const bad[] = { "x", "0x", "-1", " 1", "1 " };

	ck_assert_int_eq(open_error(bad[_i]), -EINVAL);
	ck_line_has("PCI address");
}
END_TEST

START_TEST(no_driver_is_one_line_with_a_remedy)
{
	fake.fail[FAKE_GET_DEVICE_COUNT] = cudaErrorInsufficientDriver;
	fake.driver_version = 0;
	ck_assert_int_eq(gin_cuda_count(), 0);
	ck_assert_int_eq(n_lines, 0);
	ck_assert_int_eq(open_error("0"), -ENODEV);
	ck_line_has("cuda:0: no NVIDIA driver (cudaErrorInsufficientDriver)");
	ck_line_has("use cpu");
}
END_TEST

START_TEST(too_old_driver_names_both_versions)
{
	fake.fail[FAKE_GET_DEVICE_COUNT] = cudaErrorInsufficientDriver;
	fake.driver_version = 12020;
	ck_assert_int_eq(open_error("0"), -ENODEV);
	ck_line_has("it is for CUDA 12.2, this program is built with 13.1");
}
END_TEST

START_TEST(driver_without_gpu)
{
	fake.n_devices = 0;
	ck_assert_int_eq(gin_cuda_count(), 0);
	ck_assert_int_eq(open_error("0"), -ENODEV);
	ck_line_has("sees no GPU");
	fake.fail[FAKE_GET_DEVICE_COUNT] = cudaErrorNoDevice;
	n_lines = 0;
	ck_assert_int_eq(open_error("0"), -ENODEV);
	ck_line_has("sees no GPU");
	fake.fail[FAKE_GET_DEVICE_COUNT] = cudaErrorSystemNotReady;
	n_lines = 0;
	ck_assert_int_eq(open_error("0"), -ENODEV);
	ck_line_has("does not start");
}
END_TEST

START_TEST(too_old_gpu_is_refused)
{
	fake.major = 7;
	fake.minor = 0;
	ck_assert_int_eq(open_error("0"), -ENODEV);
	ck_line_has("compute capability 7.0, at least 7.5");
}
END_TEST

START_TEST(display_gpu_gets_one_warning)
{
	struct gin_gpu *gpu;

	fake.display = 1;
	gpu = open_gpu("0");
	ck_assert_int_eq(n_lines, 1);
	ck_assert_int_eq(count_lines(GIN_LOG_WARNING), 1);
	ck_line_has("drives a display");
	gin_gpu_cuda.close(gpu);
}
END_TEST

START_TEST(all_kernels_are_loaded_at_open)
{
	struct gin_gpu *gpu = open_gpu("0");

	ck_assert_int_eq(fake.calls[FAKE_FUNC_ATTRIBUTES], 2); /* kernel_a, kernel_b; the third has no CUDA half */
	gin_gpu_cuda.close(gpu);
}
END_TEST

START_TEST(the_threads_own_device_stays)
{
	struct gin_gpu *gpu = open_gpu("1");
	struct gin_mem mem;

	ck_assert_int_eq(fake.device, 0);
	ck_assert_int_eq(gin_gpu_cuda.mem_alloc(gpu, GIN_MEM_GPU, 1, &mem), 0);
	ck_assert_int_eq(fake.device, 0);
	gin_gpu_cuda.close(gpu);
}
END_TEST

/* A copy must not stand behind a kernel that runs for days, in one of few work queues. */
START_TEST(as_many_work_queues_as_there_are_unless_the_user_chose)
{
	struct gin_gpu *gpu;

	ck_assert_int_eq(unsetenv("CUDA_DEVICE_MAX_CONNECTIONS"), 0);
	if (_i)
		ck_assert_int_eq(setenv("CUDA_DEVICE_MAX_CONNECTIONS", "8", 1), 0);
	gpu = open_gpu("0");
	ck_assert_str_eq(getenv("CUDA_DEVICE_MAX_CONNECTIONS"), _i ? "8" : "32");
	gin_gpu_cuda.close(gpu);
}
END_TEST

/* Growing them at a launch would wait for the kernels that run. */
START_TEST(stacks_grow_at_open)
{
	struct gin_gpu *gpu;

	fake.local_bytes = 1024; /* as much as there is */
	gpu = open_gpu("0");
	ck_assert_int_eq(fake.calls[FAKE_SET_LIMIT], 0);
	gin_gpu_cuda.close(gpu);
	fake.local_bytes = 1040;
	gpu = open_gpu("0");
	ck_assert_uint_eq(fake.stack_limit, 1040);
	ck_assert_int_eq(fake.calls[FAKE_SET_LIMIT], 1);
	gin_gpu_cuda.close(gpu);
}
END_TEST

START_TEST(stacks_that_cannot_grow_are_the_launchs_business)
{
	struct gin_gpu *gpu;

	fake.local_bytes = 1 << 20;
	fake.fail[FAKE_SET_LIMIT] = cudaErrorMemoryAllocation;
	gpu = open_gpu("0");
	ck_assert_uint_eq(fake.stack_limit, 1024);
	gin_gpu_cuda.close(gpu);
}
END_TEST

/* Every call that open makes fails once, after 0, 1, 2... good ones. teardown() finds what was left behind. */
START_TEST(open_that_fails_leaves_nothing)
{
	static const enum fake_call calls[] = { FAKE_GET_ATTRIBUTE, FAKE_STREAM_CREATE, FAKE_EVENT_CREATE,
						FAKE_HOST_ALLOC, FAKE_GET_POINTER };
	enum fake_call call = calls[_i];
	struct gin_gpu *gpu = NULL;
	int after, err = -1;

	for (after = 0; err; after++) {
		fake_reset();
		n_lines = 0;
		fake.fail[call] = cudaErrorMemoryAllocation;
		fake.fail_after[call] = after;
		err = gin_gpu_cuda.open("0", &gpu);
		if (err) {
			ck_assert_int_eq(fake.live, 0);
			ck_assert_int_eq(count_lines(GIN_LOG_ERROR), 1);
		}
	}
	ck_assert_int_gt(after, 1); /* open does make this call */
	fake.fail[call] = cudaSuccess;
	gin_gpu_cuda.close(gpu);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cuda open");
	TCase *tc = tcase_create("open");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, opens_by_number);
	tcase_add_test(tc, no_number_is_the_first);
	tcase_add_test(tc, opens_by_pci_address);
	tcase_add_test(tc, unknown_pci_address_is_named);
	tcase_add_test(tc, too_large_number_says_how_many_there_are);
	tcase_add_loop_test(tc, what_is_no_number_is_refused, 0, 5);
	tcase_add_test(tc, no_driver_is_one_line_with_a_remedy);
	tcase_add_test(tc, too_old_driver_names_both_versions);
	tcase_add_test(tc, driver_without_gpu);
	tcase_add_test(tc, too_old_gpu_is_refused);
	tcase_add_test(tc, display_gpu_gets_one_warning);
	tcase_add_test(tc, all_kernels_are_loaded_at_open);
	tcase_add_test(tc, the_threads_own_device_stays);
	tcase_add_loop_test(tc, as_many_work_queues_as_there_are_unless_the_user_chose, 0, 2);
	tcase_add_test(tc, stacks_grow_at_open);
	tcase_add_test(tc, stacks_that_cannot_grow_are_the_launchs_business);
	tcase_add_loop_test(tc, open_that_fails_leaves_nothing, 0, 5);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
