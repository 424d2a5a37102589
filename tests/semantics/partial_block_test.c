/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks whose last warp is not full: no packet of theirs is forgotten, none is sent twice. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "partial_block.h"

static const uint32_t sizes[] = { 1, 16, 31, 32, 33, 48, 64, 100, 1000, 1024 };
#define N_SIZES (int)(sizeof(sizes) / sizeof(sizes[0]))

START_TEST(every_thread_sends_and_all_comes_back)
{
	uint32_t threads = sizes[_i / 2], i;
	struct gin_launch_config cfg = { .block.x = threads };
	struct partial_block_args args = { .own = _i & 1 };
	struct gin_mem packets, seen;
	struct gin_nic_stats stats;
	struct gin_flow *flow;
	struct gin_gpu *gpu;
	struct gin_nic *nic;
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	struct gin_mr *mr;

	ck_assert_int_eq(gin_gpu_open("cpu", &gpu), 0);
	ck_assert_int_eq(gin_nic_open("soft:loop", &nic), 0);
	ck_assert_int_eq(gin_rxq_create(nic, gpu, NULL, &rxq), 0);
	ck_assert_int_eq(gin_txq_create(nic, gpu, NULL, &txq), 0);
	ck_assert_int_eq(gin_flow_all(nic, &rxq, 1, &flow), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, 1024 * 64, &packets), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, 65536 + 4, &seen), 0);
	ck_assert_int_eq(gin_mr_create(nic, gpu, packets.gpu, packets.size, 0, &mr), 0);
	for (i = 0; i < 1024; i++)
		memset((char *)packets.cpu + i * 64, 0xff, 6); /* to all */
	args.rxq = gin_rxq_dev(rxq);
	args.txq = gin_txq_dev(txq);
	args.packets = gin_mr_local(mr);
	args.seen = seen.gpu;
	args.err = (int32_t *)(void *)((char *)seen.gpu + 65536);
	ck_assert_int_eq(gin_launch(gpu, &gin_kernel_partial_block, &cfg, &args, sizeof(args)), 0);
	ck_assert_int_eq(gin_gpu_wait(gpu, 60000000000ull), 0);
	ck_assert_int_eq(*(int32_t *)(void *)((char *)seen.cpu + 65536), 0);
	for (i = 0; i < 65536; i++)
		if (((uint8_t *)seen.cpu)[i] != (i < threads))
			ck_abort_msg("packet of thread %u came %u times", i, ((uint8_t *)seen.cpu)[i]);
	ck_assert_int_eq(gin_nic_stats(nic, &stats), 0);
	ck_assert_uint_eq(stats.tx_posted, threads);
	ck_assert_uint_eq(stats.rx_delivered, threads);
	gin_nic_close(nic);
	gin_gpu_close(gpu);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("partial_block");
	TCase *tcase = tcase_create("blocks of any size");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tcase, every_thread_sends_and_all_comes_back, 0, 2 * N_SIZES);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
