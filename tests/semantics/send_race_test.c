/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On CPU threads ThreadSanitizer sees the order that send makes, and misses
 * the barrier that is taken out: the NIC then reads WQEs that other lanes
 * wrote, ordered by nothing. Each kernel runs in a child of its own.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ginet/ginet.h>
#include "send.h"
#include "send_race_list.h"

enum { LANES = 64, CALLS = 8, FRAME = 64 };

static int send_all(const struct gin_kernel *kernel, enum send_scope scope)
{
	struct gin_launch_config cfg = {.block = {scope == SEND_WARP ? 32 : LANES, 1, 1}};
	struct gin_mem calls = {0}, frames = {0};
	struct send_args args = {.n_calls = CALLS, .scope = scope};
	struct gin_gpu *gpu = NULL;
	struct gin_nic *nic = NULL;
	struct gin_txq *txq;
	struct gin_mr *mr;
	uint32_t i;
	int err;

	err = gin_gpu_open("cpu:seed=1", &gpu);
	if (!err)
		err = gin_nic_open("soft:loop", &nic);
	if (!err)
		err = gin_txq_create(nic, gpu, NULL, &txq);
	if (!err)
		err = gin_mem_alloc(gpu, GIN_MEM_GPU, LANES * CALLS * sizeof(struct send_call), &calls);
	if (!err)
		err = gin_mem_alloc(gpu, GIN_MEM_GPU, LANES * CALLS * FRAME, &frames);
	if (!err)
		err = gin_mr_create(nic, gpu, frames.gpu, frames.size, 0, &mr);
	if (err)
		return err;
	args.q = gin_txq_dev(txq);
	args.calls = calls.gpu;
	for (i = 0; i < LANES * CALLS; i++) {
		struct send_call *c = &args.calls[i];

		c->n_pkts = 1;
		c->pkt[0].data = (uint8_t *)frames.gpu + i * FRAME;
		c->pkt[0].len = FRAME;
		c->pkt[0].lkey = gin_mr_local(mr).key;
		c->timeout_ns = GIN_UNTIL_STOP;
		c->wait = 1;
	}
	err = gin_launch(gpu, kernel, &cfg, &args, sizeof(args));
	if (!err)
		err = gin_gpu_wait(gpu, 60000000000ull);
	gin_nic_close(nic);
	gin_gpu_close(gpu);
	return err;
}

/* Does ThreadSanitizer report a race? The WQEs of a missing barrier may also be refused by the NIC. */
static int is_racy(const struct gin_kernel *kernel, enum send_scope scope)
{
	static char text[1 << 16];
	size_t used = 0;
	ssize_t n;
	int fds[2], status;
	pid_t pid;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		exit(send_all(kernel, scope) != 0); /* by exit(): ThreadSanitizer sets the status there */
	}
	close(fds[1]);
	while ((n = read(fds[0], text + used, sizeof(text) - 1 - used)) > 0)
		used =
		    used + (size_t)n < sizeof(text) - 4096 ? used + (size_t)n : used; /* the first reports are enough */
	text[used] = 0;
	close(fds[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	if (!strstr(text, "data race")) {
		ck_assert_msg(!WEXITSTATUS(status), "%s", text);
		return 0;
	}
	ck_assert_ptr_nonnull(strstr(text, "gin_store128"));
	return 1;
}

START_TEST(send_has_no_race)
{
	ck_assert(!is_racy(&gin_kernel_send_plan, SEND_WARP));
	ck_assert(!is_racy(&gin_kernel_send_plan, SEND_BLOCK));
}
END_TEST

START_TEST(a_missing_syncwarp_is_a_race)
{
	ck_assert(is_racy(&gin_kernel_send_race_warp, SEND_WARP));
}
END_TEST

START_TEST(a_missing_block_barrier_is_a_race)
{
	ck_assert(is_racy(&gin_kernel_send_race_block, SEND_BLOCK));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("send_race");
	TCase *tcase = tcase_create("race");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 240);
	tcase_add_test(tcase, send_has_no_race);
	tcase_add_test(tcase, a_missing_syncwarp_is_a_race);
	tcase_add_test(tcase, a_missing_block_barrier_is_a_race);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
