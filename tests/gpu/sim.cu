/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/device.h>
#include "sim.h"

/* words[i]: the thread that came i-th to a shared counter, over several turns. */
GIN_KERNEL(sim_order, struct sim_args, a)
{
	uint32_t i, t = blockIdx.x * blockDim.x + threadIdx.x;

	for (i = 0; i < 4; i++) {
		gin_load32(a.stop);
		a.words[1 + atomicAdd(a.words, 1u)] = t;
	}
}

GIN_KERNEL(sim_wait, struct sim_args, a)
{
	while (!gin_stopped(a.stop))
		gin_pause();
}

/* words[0]: data, words[1]: what lane 1 saw. */
GIN_KERNEL(sim_pass_on, struct sim_args, a)
{
	if (threadIdx.x == 0)
		gin_store32(a.words, 7);
	__syncwarp();
	if (threadIdx.x == 1)
		a.words[1] = gin_load32(a.words);
}

/* The vote makes lane 1 come later, but a vote orders no memory. */
GIN_KERNEL(sim_pass_on_unsynced, struct sim_args, a)
{
	if (threadIdx.x == 0)
		gin_store32(a.words, 7);
	__ballot_sync(0xffffffffu, 1);
	if (threadIdx.x == 1)
		a.words[1] = gin_load32(a.words);
}

/* Blocks, barriers, shuffles and shared memory together. */
GIN_KERNEL(sim_meet, struct sim_args, a)
{
	GIN_SHARED(uint32_t, sums, 2);
	uint32_t v = threadIdx.x, i;

	for (i = 16; i; i /= 2)
		v += __shfl_xor_sync(0xffffffffu, v, (int)i);
	if (threadIdx.x % 32 == 0)
		sums[threadIdx.x / 32] = v;
	__syncthreads();
	if (threadIdx.x == 0)
		gin_store32(a.words + blockIdx.x, sums[0] + sums[1]);
}

GIN_KERNEL(sim_ring, struct sim_args, a)
{
	gin_load32(a.stop);
	if (threadIdx.x < 3)
		__syncwarp(threadIdx.x == 0 ? 0x3u : threadIdx.x == 1 ? 0x6u : 0x5u);
}
