/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels built with GINET_CHECK: runs are given back once each, in the order they were taken, or the kernel traps. */
#include "check_order.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static char last_error[1024];

static void keep_error(enum gin_log_level level, const char *line, void *arg)
{
	(void)arg;
	if (level == GIN_LOG_ERROR)
		snprintf(last_error, sizeof(last_error), "%s", line);
}

static int run(enum check_how how, struct gin_rxq_stats *stats)
{
	struct check_order_args args = { .how = how };
	struct gin_flow *flow;
	struct gin_gpu *gpu;
	struct gin_nic *nic;
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	struct gin_mem mem;
	struct gin_mr *mr;
	int err;

	gin_log_to(keep_error, NULL);
	last_error[0] = 0;
	ck_assert_int_eq(gin_gpu_open("cpu", &gpu), 0);
	ck_assert_int_eq(gin_nic_open("soft:loop", &nic), 0);
	ck_assert_int_eq(gin_rxq_create(nic, gpu, NULL, &rxq), 0);
	ck_assert_int_eq(gin_txq_create(nic, gpu, NULL, &txq), 0);
	ck_assert_int_eq(gin_flow_all(nic, &rxq, 1, &flow), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, 60, &mem), 0);
	ck_assert_int_eq(gin_mr_create(nic, gpu, mem.gpu, mem.size, 0, &mr), 0);
	memset(mem.cpu, 0xff, 6);
	args.rxq = gin_rxq_dev(rxq);
	args.txq = gin_txq_dev(txq);
	args.frame = gin_mr_local(mr);
	ck_assert_int_eq(gin_launch(gpu, &gin_kernel_check_order, NULL, &args, sizeof(args)), 0);
	err = gin_gpu_wait(gpu, GIN_UNTIL_STOP);
	ck_assert_int_eq(gin_rxq_stats(rxq, stats), 0);
	gin_nic_close(nic);
	gin_gpu_close(gpu);
	gin_log_to(NULL, NULL);
	return err;
}

START_TEST(the_order_they_were_taken_in_is_fine)
{
	struct gin_rxq_stats stats;

	ck_assert_int_eq(run(CHECK_IN_ORDER, &stats), 0);
	ck_assert_str_eq(last_error, "");
	ck_assert_uint_eq(stats.taken, 2);
	ck_assert_uint_eq(stats.released, 1); /* the other waits for its send until the next receive */
}
END_TEST

START_TEST(any_other_way_traps)
{
	struct gin_rxq_stats stats;

	ck_assert_int_eq(run((enum check_how)_i, &stats), -EIO);
	ck_assert_ptr_nonnull(strstr(last_error, "rxq.h:"));
	ck_assert_ptr_nonnull(strstr(last_error, "__trap()"));
	ck_assert_uint_le(stats.released, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("check_order");
	TCase *tcase = tcase_create("releases");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, the_order_they_were_taken_in_is_fine);
	tcase_add_loop_test(tcase, any_other_way_traps, CHECK_SECOND_FIRST, CHECK_BEFORE_TAKEN + 1);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
