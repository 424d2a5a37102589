/* SPDX-License-Identifier: BSD-3-Clause */
/* Each thread leaves a number in shared memory for its neighbour. */
#include <ginet/device.h>
#include "race.h"

GIN_KERNEL(pass_on, struct race_args, a)
{
	GIN_SHARED(uint32_t, left, 32);

	left[threadIdx.x] = threadIdx.x + 1;
	__syncwarp();
	a.out[threadIdx.x] = left[(threadIdx.x + 1) % 32];
}

/* The same, and the __syncwarp() was forgotten. */
GIN_KERNEL(pass_on_unsynced, struct race_args, a)
{
	GIN_SHARED(uint32_t, left, 32);

	left[threadIdx.x] = threadIdx.x + 1;
	a.out[threadIdx.x] = left[(threadIdx.x + 1) % 32];
}

/* A vote lets all lanes meet, but orders no memory: still wrong. */
GIN_KERNEL(pass_on_by_shuffle, struct race_args, a)
{
	GIN_SHARED(uint32_t, left, 32);

	left[threadIdx.x] = threadIdx.x + 1;
	__ballot_sync(0xffffffffu, 1);
	a.out[threadIdx.x] = left[(threadIdx.x + 1) % 32];
}

GIN_KERNEL(block_pass_on, struct race_args, a)
{
	GIN_SHARED(uint32_t, left, 64);

	left[threadIdx.x] = threadIdx.x + 1;
	__syncthreads();
	a.out[threadIdx.x] = left[(threadIdx.x + 32) % 64];
}

/* To the other warp: __syncwarp() is not enough. */
GIN_KERNEL(block_pass_on_by_syncwarp, struct race_args, a)
{
	GIN_SHARED(uint32_t, left, 64);

	left[threadIdx.x] = threadIdx.x + 1;
	__syncwarp();
	a.out[threadIdx.x] = left[(threadIdx.x + 32) % 64];
}
