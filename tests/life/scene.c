/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene.h"
#include "input/lines.h"
#include "kernels.h"
#include "left.h"
#include <errno.h>

__thread int scene_outside;

static void ck_failed(const char *what, int got, int err, struct left before)
{
	struct left after = left_now();

	ck_assert_msg(got == err || (!err && (got == -ENOMEM || got == -EREMOTEIO)), "%s returned %d, not %d", what, got, err);
	ck_assert_msg(lines_count(GIN_LOG_ERROR) == 1, "%s: %d error lines:\n%s", what, lines_count(GIN_LOG_ERROR),
		      lines_text(GIN_LOG_ERROR));
	/* Not threads: a GPU keeps its watchdog from the first launch on, also from one that failed. */
	ck_assert_msg(before.fds == after.fds, "%s left something: %d fds, then %d", what, before.fds, after.fds);
}

#define INSIDE(call)               \
	do {                       \
		scene_outside = 0; \
		call;              \
		scene_outside = 1; \
	} while (0)

#define STEP(call)                                          \
	do {                                                \
		struct left before = left_now();            \
		int got;                                    \
                                                            \
		INSIDE(got = (call));                       \
		if (got) {                                  \
			n_failed++;                         \
			disarm();                           \
			ck_failed(#call, got, err, before); \
			lines_keep();                       \
			INSIDE(got = (call));               \
			ck_assert_int_eq(got, 0);           \
		}                                           \
	} while (0)

int scene_run(int err, void (*disarm)(void))
{
	struct gin_launch_config one = { .block.x = 32, .shared_bytes = 64 };
	struct gin_flow_config drop = { .match = GIN_MATCH_ETHERTYPE, .ethertype = 0x0806, .action = GIN_FLOW_DROP };
	struct listen_args args;
	struct gin_be32 lkey;
	struct gin_mem mem;
	struct gin_gpu *gpu;
	struct gin_nic *nic, *other;
	struct gin_stream *stream;
	struct gin_rxq *rxq;
	struct gin_txq *txq;
	struct gin_flow *flow, *none;
	struct gin_mr *mr;
	int n_failed = 0;

	scene_outside = 1;
	lines_keep();
	STEP(gin_gpu_open("cpu", &gpu));
	STEP(gin_nic_open("soft:loop", &nic));
	STEP(gin_nic_open("soft:cable=a,inline=l2,adversary=1", &other));
	STEP(gin_mem_alloc(gpu, GIN_MEM_CPU_GPU, 4096, &mem));
	STEP(gin_mr_create(nic, gpu, mem.cpu, mem.size, 0, &mr));
	STEP(gin_rxq_create(nic, gpu, NULL, &rxq));
	STEP(gin_rxq_share(rxq, other, &lkey));
	STEP(gin_txq_create(nic, gpu, NULL, &txq));
	STEP(gin_flow_all(nic, &rxq, 1, &flow));
	STEP(gin_flow_create(nic, &drop, &none));
	STEP(gin_stream_create(gpu, &stream));
	args.rxq = gin_rxq_dev(rxq);
	one.stream = stream;
	STEP(gin_launch(gpu, &gin_kernel_listen_only, &one, &args, sizeof(args)));
	ck_assert_int_eq(gin_gpu_wait(gpu, GIN_TRY), -EAGAIN);
	INSIDE(gin_nic_close(nic));
	INSIDE(gin_nic_close(other));
	INSIDE(gin_stream_destroy(stream));
	INSIDE(gin_gpu_close(gpu));
	ck_no_error();
	return n_failed;
}
