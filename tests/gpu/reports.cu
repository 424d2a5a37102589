/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/device.h>
#include "reports.h"

#define ALL 0xffffffffu
#define MISTAKE_BELOW atomicExch(a.line, __LINE__ + 1)

GIN_KERNEL(not_in_mask, struct report_args, a)
{
	MISTAKE_BELOW;
	__ballot_sync(threadIdx.x == 5 ? 0x0000000fu : 0xffffffdfu, 1);
}

GIN_KERNEL(two_collectives, struct report_args, a)
{
	if (threadIdx.x < 16) {
		__any_sync(ALL, 1);
	} else {
		MISTAKE_BELOW;
		__all_sync(ALL, 1);
	}
}

GIN_KERNEL(collective_and_barrier, struct report_args, a)
{
	if (threadIdx.x == 7)
		__syncthreads();
	else
		__syncwarp();
	atomicExch(a.line, 0);
}

GIN_KERNEL(shuffle_from_outside, struct report_args, a)
{
	if (threadIdx.x < 8) {
		MISTAKE_BELOW;
		__shfl_sync(0x000000ffu, (int)threadIdx.x, 8);
	}
}

GIN_KERNEL(shuffle_from_ended, struct report_args, a)
{
	if (threadIdx.x == 9)
		return;
	MISTAKE_BELOW;
	__shfl_sync(ALL, (int)threadIdx.x, 9);
}

GIN_KERNEL(shuffle_width, struct report_args, a)
{
	MISTAKE_BELOW;
	__shfl_sync(ALL, (int)threadIdx.x, 0, 12);
}

/* 0 waits for 1, 1 for 2, 2 for 0: no two of them for each other. */
GIN_KERNEL(ring_of_three, struct report_args, a)
{
	if (threadIdx.x > 2)
		return;
	MISTAKE_BELOW;
	__syncwarp(threadIdx.x == 0 ? 0x3u : threadIdx.x == 1 ? 0x6u : 0x5u);
}

GIN_KERNEL(barrier_in_branch, struct report_args, a)
{
	if (threadIdx.x & 1) {
		__syncthreads();
	} else {
		__syncthreads();
	}
	atomicExch(a.line, 0);
}

/* Whole warps, but not the same barrier. */
GIN_KERNEL(two_barriers, struct report_args, a)
{
	if (threadIdx.x < 32)
		__syncthreads();
	else
		__syncthreads_or(1);
	atomicExch(a.line, 0);
}

GIN_KERNEL(trap, struct report_args, a)
{
	if (threadIdx.x == 3 && blockIdx.x == 0) {
		MISTAKE_BELOW;
		__trap();
	}
	for (;;) /* the other threads end with the launch */
		gin_pause();
}

GIN_KERNEL(spin, struct report_args, a)
{
	if (threadIdx.x != 6)
		return;
	MISTAKE_BELOW;
	gin_pause();
	while (!atomicAdd(a.word, 0u))
		;
}

static __device__ __attribute__((noinline)) uint32_t deeper(uint32_t n, volatile uint32_t *below)
{
	volatile uint32_t frame[256];

	frame[n % 256] = n + *below;
	return n ? deeper(n - 1, frame) + frame[n % 256] : 0;
}

/* 1 KiB a call: through any stack, and far below. */
GIN_KERNEL(deep_stack, struct report_args, a)
{
	uint32_t zero = 0;

	if (threadIdx.x == 17)
		*a.word = deeper(4096, &zero);
}

GIN_KERNEL(array_overrun, struct report_args, a)
{
	GIN_SHARED(uint32_t, array, 8);

	array[threadIdx.x < 8 ? threadIdx.x : 0] = 1;
	if (threadIdx.x == 0)
		*a.word = array[*a.word];
}

GIN_KERNEL(dynamic_overrun, struct report_args, a)
{
	GIN_DYN_SHARED(uint32_t, array);

	if (threadIdx.x == 0)
		*a.word = array[*a.word];
}

GIN_KERNEL(good, struct report_args, a)
{
	__syncthreads();
	if (threadIdx.x == 0)
		*a.line = -1;
}
