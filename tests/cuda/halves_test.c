/* SPDX-License-Identifier: BSD-3-Clause */
/* ginet_add_kernel() and the real CUDA runtime: both halves of a kernel are there, with or without a driver. */
#include "gpu/gpu_priv.h"
#include "tiny.h"
#include <check.h>
#include <errno.h>
#include <ginet/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1024];

static void keep_line(enum gin_log_level level, const char *text, void *arg)
{
	(void)arg;
	if (level == GIN_LOG_ERROR)
		snprintf(line, sizeof(line), "%s", text);
}

static uint32_t run_tiny(const char *name)
{
	struct gin_gpu *gpu;
	struct gin_mem mem;
	struct tiny_args args = { .x = 40 };
	uint32_t sum = 0;

	ck_assert_int_eq(gin_gpu_open(name, &gpu), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_GPU, sizeof(sum), &mem), 0);
	args.sum = mem.gpu;
	ck_assert_int_eq(gin_launch(gpu, &gin_kernel_tiny, NULL, &args, sizeof(args)), 0);
	ck_assert_int_eq(gin_gpu_wait(gpu, 10000000000ull), 0);
	ck_assert_int_eq(gin_mem_copy(gpu, &sum, mem.gpu, sizeof(sum)), 0);
	gin_gpu_close(gpu);
	return sum;
}

/* cudaGetKernel() of the CUDA half comes here (--wrap): without a driver nobody could answer it. */
int __wrap_cudaGetKernel(void **handle, const void *stub);
int __real_cudaGetKernel(void **handle, const void *stub);
static enum { REAL, KNOWN, UNKNOWN } answer;
static char driver_handle;
static const void *asked_for;

int __wrap_cudaGetKernel(void **handle, const void *stub)
{
	asked_for = stub;
	if (answer == REAL)
		return __real_cudaGetKernel(handle, stub);
	*handle = &driver_handle;
	return answer == KNOWN ? 0 : 98; /* cudaErrorInvalidDeviceFunction */
}

/* libginet.so has a CUDA runtime of its own, which knows no stub of this program; the driver's handle it takes. */
START_TEST(the_cuda_half_gives_the_drivers_handle)
{
	ck_assert_ptr_nonnull(gin_kernel_tiny.cuda);
	answer = KNOWN;
	ck_assert_ptr_eq(gin_kernel_tiny.cuda(), &driver_handle);
	ck_assert_ptr_nonnull(asked_for);
	answer = UNKNOWN;
	ck_assert_ptr_eq(gin_kernel_tiny.cuda(), asked_for); /* the stub: CUDA's next call will say what is wrong */
	answer = REAL;
}
END_TEST

START_TEST(the_cpu_half_runs)
{
	ck_assert_uint_eq(run_tiny("cpu"), 40);
}
END_TEST

/* A program with CUDA halves starts on a machine without a driver, and says so. */
START_TEST(without_a_driver_it_is_one_clear_line)
{
	struct gin_gpu *gpu;

	gin_log_to(keep_line, NULL);
	ck_assert_int_eq(gin_gpu_open("cuda:0", &gpu), -ENODEV);
	ck_assert_ptr_nonnull(strstr(line, "cuda:0: "));
	ck_assert_ptr_nonnull(strstr(line, "use cpu"));
}
END_TEST

START_TEST(the_cuda_half_runs)
{
	ck_assert_uint_eq(run_tiny("cuda:0"), 40);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("kernel halves");
	TCase *tc = tcase_create("halves");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, the_cuda_half_gives_the_drivers_handle);
	tcase_add_test(tc, the_cpu_half_runs);
	if (gin_cuda_count())
		tcase_add_test(tc, the_cuda_half_runs);
	else
		tcase_add_test(tc, without_a_driver_it_is_one_clear_line);
	suite_add_tcase(s, tc);
	srunner_set_fork_status(sr, CK_NOFORK); /* CUDA does not survive fork() */
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
