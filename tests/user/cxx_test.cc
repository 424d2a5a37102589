/* SPDX-License-Identifier: BSD-3-Clause */
/* Host and kernel in C++. */
#include <check.h>
#include <cstdlib>
#include <cstring>
#include "cxx.h"

static gin_gpu *gpu;
static gin_nic *nic;

static void setup()
{
	ck_assert_int_eq(gin_gpu_open("cpu", &gpu), 0);
	ck_assert_int_eq(gin_nic_open("soft:loop", &nic), 0);
}

static void teardown()
{
	gin_nic_close(nic);
	gin_gpu_close(gpu);
}

START_TEST(templates_and_lambdas_count_what_comes)
{
	cxx_args args = {};
	gin_launch_config cfg = {};
	gin_mem frame, results;
	gin_rxq *rxq;
	gin_txq *txq;
	gin_flow *flow;
	gin_mr *mr;

	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, 512, &frame), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, sizeof(cxx_results), &results), 0);
	ck_assert_int_eq(gin_mr_create(nic, gpu, frame.gpu, frame.size, 0, &mr), 0);
	ck_assert_int_eq(gin_rxq_create(nic, gpu, nullptr, &rxq), 0);
	ck_assert_int_eq(gin_txq_create(nic, gpu, nullptr, &txq), 0);
	ck_assert_int_eq(gin_flow_all(nic, &rxq, 1, &flow), 0);
	memset(frame.cpu, 0xff, 6); /* to all */
	args.rxq = gin_rxq_dev(rxq);
	args.txq = gin_txq_dev(txq);
	args.frame = gin_mr_local(mr);
	args.results = static_cast<cxx_results *>(results.gpu);
	cfg.block.x = 32;
	ck_assert_int_eq(gin_launch(gpu, &gin_kernel_sizes, &cfg, &args, sizeof(args)), 0);
	ck_assert_int_eq(gin_gpu_wait(gpu, 10000000000ull), 0);

	/* Lengths are 60, 68, ... 308: 32 of them, 184 on average. */
	const auto *is = static_cast<const cxx_results *>(results.cpu);
	ck_assert_uint_eq(is->packets, 32);
	ck_assert_uint_eq(is->bytes, 32 * 184);
	ck_assert_float_eq(is->half_bytes, 16.0f * 184);
	ck_assert_int_eq(is->smallest, 60);
	ck_assert_uint_eq(is->bins[0], 5);  /* 60 to 92 */
	ck_assert_uint_eq(is->bins[1], 13); /* 100 to 196 */
	ck_assert_uint_eq(is->bins[2], 12); /* 204 to 292 */
	ck_assert_uint_eq(is->bins[3], 2);  /* 300, 308 */
}
END_TEST

int main()
{
	Suite *s = suite_create("C++");
	TCase *tc = tcase_create("C++");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, templates_and_lambdas_count_what_comes);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
