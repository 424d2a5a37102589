/* SPDX-License-Identifier: BSD-3-Clause */
/* Open, create, launch, close, a thousand times: nothing is left and nothing grows. */
#include "input/lines.h"
#include "kernels.h"
#include "left.h"
#include <string.h>

#if LEFT_PLAIN
enum { EARLY = 100, LATE = 1000 };
#else
enum { EARLY = 20, LATE = 100 };
#endif
enum { FRAMES = 3, FRAME_LEN = 100 };

static void wait_until(struct gin_gpu *gpu, const void *counter, uint64_t value)
{
	uint64_t now = 0;

	while (now < value) {
		ck_assert_int_eq(gin_gpu_wait(gpu, 100000), -EAGAIN); /* 0.1 ms */
		ck_assert_int_eq(gin_mem_copy(gpu, &now, counter, sizeof(now)), 0);
	}
}

static void cycle(void)
{
	struct gin_launch_config one = { .block.x = 1 };
	struct bounce_args args = { .len = FRAME_LEN, .n = FRAMES };
	struct gin_nic_info info;
	struct gin_mem frame, bounced;
	struct gin_gpu *gpu;
	struct gin_nic *nic;
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	struct gin_flow *flow;
	struct gin_mr *mr;

	ck_assert_int_eq(gin_gpu_open("cpu", &gpu), 0);
	ck_assert_int_eq(gin_nic_open("soft:loop", &nic), 0);
	ck_assert_int_eq(gin_nic_info(nic, &info), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, FRAME_LEN, &frame), 0);
	ck_assert_int_eq(gin_mem_alloc(gpu, GIN_MEM_GPU, sizeof(uint64_t), &bounced), 0);
	ck_assert_int_eq(gin_mr_create(nic, gpu, frame.cpu, FRAME_LEN, 0, &mr), 0);
	ck_assert_int_eq(gin_rxq_create(nic, gpu, NULL, &rxq), 0);
	ck_assert_int_eq(gin_txq_create(nic, gpu, NULL, &txq), 0);
	ck_assert_int_eq(gin_flow_all(nic, &rxq, 1, &flow), 0);
	memcpy(frame.cpu, info.mac, 6);
	args.rxq = gin_rxq_dev(rxq);
	args.txq = gin_txq_dev(txq);
	args.frame = frame.gpu;
	args.lkey = gin_mr_local(mr).key;
	args.bounced = bounced.gpu;
	ck_assert_int_eq(gin_launch(gpu, &gin_kernel_bounce, &one, &args, sizeof(args)), 0);
	wait_until(gpu, bounced.gpu, FRAMES);
	gin_nic_close(nic); /* stops the kernel, and takes queues, rule and MR along */
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_TRY), 0);
	gin_gpu_close(gpu);
}

START_TEST(nothing_grows)
{
	struct left early = { 0 }, late;
	int i;

	left_prepare();
	lines_keep();
	for (i = 1; i <= LATE; i++) {
		cycle();
		if (i == EARLY)
			early = left_now();
	}
	late = left_now();
	ck_no_error();
	ck_same(early, late);
	if (LEFT_PLAIN)
		ck_assert_msg(late.rss_bytes - early.rss_bytes <= 1 << 20, "resident: %ld bytes after %d cycles, %ld after %d",
			      early.rss_bytes, EARLY, late.rss_bytes, LATE);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cycles");
	TCase *tc = tcase_create("cycles");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, nothing_grows);
	tcase_set_timeout(tc, 240);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
