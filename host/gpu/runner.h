/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the CPU runner offers to the rest of the host: someone to help while
 * kernels wait, someone to wake when a doorbell is written.
 */
#ifndef HOST_GPU_RUNNER_H
#define HOST_GPU_RUNNER_H

struct gin_runner_helper {
	int (*help)(void *ctx);  /* called on a block's thread after a round in which every lane paused; 1: did something */
	void (*rang)(void *ctx); /* called behind a doorbell store of a CPU kernel */
	void (*gpu_active)(int delta); /* +1/-1 when a CUDA kernel starts and ends: both or neither */
	void *ctx;
};

/* One per process, set by host/nic/soft.c when the first software NIC opens; NULL takes it away. */
void gin_runner_set_helper(const struct gin_runner_helper *helper);
const struct gin_runner_helper *gin_runner_get_helper(void); /* NULL: none */
/* Something that a sleeping kernel may wait for: a NIC did something, a stop. Any thread, also in a signal handler. */
void gin_runner_happened(void);
#endif
