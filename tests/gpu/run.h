/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of CPU kernels share: a GPU, its log, one launch. */
#ifndef TESTS_GPU_RUN_H
#define TESTS_GPU_RUN_H
#include <check.h>
#include <errno.h>
#include <ginet/ginet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t run_limit_ns = 120000000000; /* a hang ends the test, not the machine */
static struct gin_gpu *run_gpu;

static inline void open_gpu(void)
{
	ck_assert_int_eq(gin_gpu_open("cpu", &run_gpu), 0);
}

static inline void close_gpu(void)
{
	gin_gpu_close(run_gpu);
	run_gpu = NULL;
}

static inline void run_kernel(const struct gin_kernel *kernel, const struct gin_launch_config *cfg, const void *args,
			      size_t args_size)
{
	ck_assert_int_eq(gin_launch(run_gpu, kernel, cfg, args, args_size), 0);
	ck_assert_int_eq(gin_gpu_wait(run_gpu, run_limit_ns), 0);
}

static inline int run_cases(TCase *tc)
{
	Suite *suite = suite_create("gpu");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, 240);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
#endif
