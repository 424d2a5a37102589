/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/device.h>
#include "launch.h"

#define ALL 0xffffffffu

GIN_KERNEL(count_up, struct launch_args, a)
{
	atomicAdd(a.words, 1u);
}

GIN_KERNEL(wait_for_word, struct launch_args, a)
{
	while (!atomicAdd(a.words + 1, 0u))
		gin_pause();
	atomicAdd(a.words, 1u);
}

GIN_KERNEL(set_word, struct launch_args, a)
{
	atomicExch(a.words + 1, 1u);
}

GIN_KERNEL(wait_for_stop, struct launch_args, a)
{
	atomicAdd(a.words, 1u);
	while (!gin_stopped(a.stop))
		gin_pause();
}

/* words[0]: place; words[1 ...]: numbers in the order of launch. */
GIN_KERNEL(append, struct launch_args, a)
{
	uint32_t i;

	for (i = 0; i < 50; i++)
		gin_pause();
	a.words[1 + a.words[0]] = a.words[0];
	a.words[0]++;
}

/* Ends only if all blocks run at once. */
GIN_KERNEL(all_meet, struct launch_args, a)
{
	if (threadIdx.x == 0)
		atomicAdd(a.words, 1u);
	while (atomicAdd(a.words, 0u) < gridDim.x)
		gin_pause();
}

/* Sums over a block by shuffles, shared memory and barriers, again and again. */
GIN_KERNEL(every_thread, struct launch_args, a)
{
	GIN_SHARED(uint32_t, sums, 32);
	uint32_t round, i, sum = 0, v, t = threadIdx.x;

	for (round = 0; round < 3; round++) {
		v = t + round;
		for (i = 16; i; i /= 2)
			v += __shfl_xor_sync(ALL, v, (int)i);
		if (t % 32 == 0)
			sums[t / 32] = v;
		__syncthreads();
		for (i = 0; i < blockDim.x / 32; i++)
			sum += sums[i];
		__syncthreads();
	}
	a.words[blockIdx.x * blockDim.x + t] = sum;
}

/* Threads leave one by one; the rest goes on meeting in barriers, votes and shuffles. */
GIN_KERNEL(early_exits, struct launch_args, a)
{
	uint32_t t = threadIdx.x, round, left;

	for (round = 0; round < 64; round++) {
		left = (uint32_t)__syncthreads_count(1);
		if (t == 0)
			a.words[round] = left;
		if (t == 63 - round && t)
			return;
		if (t < 32)
			a.words[64 + t] = (uint32_t)__popc(__ballot_sync(ALL, 1));
		__syncwarp();
	}
}

/* words[t]: place of thread t in the order in which they ran first. */
GIN_KERNEL(who_is_first, struct launch_args, a)
{
	a.words[threadIdx.x] = atomicAdd(a.words + blockDim.x, 1u);
}

GIN_KERNEL(crash, struct launch_args, a)
{
	if (a.words[0] == 0)
		__trap();
}
