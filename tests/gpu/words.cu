/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled as C, as C++ and by nvcc. */
#include <ginet/device.h>
#include "words.h"

#define ALL 0xffffffffu

static __device__ __forceinline__ void put_dim(uint32_t *to, uint32_t x, uint32_t y, uint32_t z)
{
	to[0] = x;
	to[1] = y;
	to[2] = z;
}

GIN_FN void shuffles(struct words_lane *me, int t)
{
	me->shfl = __shfl_sync(ALL, t * 10, 5);
	me->shfl_width = __shfl_sync(ALL, t, 11, 8);
	me->up = __shfl_up_sync(ALL, t, 3);
	me->up_width = __shfl_up_sync(ALL, t, 1, 4);
	me->down = __shfl_down_sync(ALL, t, 3);
	me->down_width = __shfl_down_sync(ALL, t, 1, 4);
	me->xor_all = __shfl_xor_sync(ALL, t, 31);
	me->xor_width = __shfl_xor_sync(ALL, t, 4, 4);
	me->shfl_u = __shfl_sync(ALL, 0xfffffff0u + (uint32_t)t % 8, 7);
	me->shfl_ll = __shfl_sync(ALL, -(long long)t - (1ll << 40), 1);
	me->shfl_long = __shfl_sync(ALL, -(long)t, 2);
	me->shfl_ull = __shfl_sync(ALL, (unsigned long long)t << 40, 3);
	me->shfl_float = __shfl_sync(ALL, (float)t + 0.5f, 4);
	me->shfl_double = __shfl_sync(ALL, (double)t + 0.25, 6);
}

GIN_FN void votes(struct words_lane *me, int t)
{
	me->ballot = __ballot_sync(ALL, t % 3 == 0);
	me->any = __any_sync(ALL, t == 17);
	me->none = __any_sync(ALL, t < 0);
	me->all = __all_sync(ALL, t >= 0);
	me->not_all = __all_sync(ALL, t != 5);
	me->match = __match_any_sync(ALL, t & 3);
	me->match_ll = __match_any_sync(ALL, (long long)(t & 1) << 40);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800 /* CUDA has them from sm_80 on */
GIN_FN void reductions(struct words_lane *me, int t)
{
	me->reduce_add = __reduce_add_sync(ALL, (unsigned)t % 32);
	me->reduce_add_int = __reduce_add_sync(ALL, -(t % 32));
	me->reduce_min_u = __reduce_min_sync(ALL, 100u + (unsigned)t % 32);
	me->reduce_max_u = __reduce_max_sync(ALL, 0x80000000u + (unsigned)t % 32);
	me->reduce_min = __reduce_min_sync(ALL, t % 32 - 7);
	me->reduce_max = __reduce_max_sync(ALL, -1 - t % 32);
}
#else
GIN_FN void reductions(struct words_lane *me, int t)
{
	me->reduce_add = (uint32_t)t;
}
#endif

/* The upper and the lower half of a warp meet apart from each other. */
GIN_FN void halves(struct words_lane *me, int t)
{
	if (t % 32 < 16) {
		me->half_ballot = __ballot_sync(0x0000ffffu, t & 1);
		me->half_shfl = (uint32_t)__shfl_sync(0x0000ffffu, t, 3);
		__syncwarp(0x0000ffffu);
	} else {
		me->half_ballot = __ballot_sync(0xffff0000u, 1);
		__syncwarp(0xffff0000u);
		me->half_shfl = (uint32_t)__shfl_down_sync(0xffff0000u, t, 2, 4);
	}
	__syncwarp();
}

GIN_KERNEL(words_collective, struct words_args, a)
{
	int t = (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
	struct words_lane *me = a.lanes + (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) * LANES + t;

	put_dim(me->thread, threadIdx.x, threadIdx.y, threadIdx.z);
	put_dim(me->block, blockIdx.x, blockIdx.y, blockIdx.z);
	put_dim(me->block_dim, blockDim.x, blockDim.y, blockDim.z);
	put_dim(me->grid_dim, gridDim.x, gridDim.y, gridDim.z);
	shuffles(me, t);
	votes(me, t);
	reductions(me, t);
	halves(me, t);
	__syncthreads();
	me->count = __syncthreads_count(t % 4 == 0);
	me->and_all = __syncthreads_and(t >= 0);
	me->and_not = __syncthreads_and(t != 40);
	me->or_one = __syncthreads_or(t == 40);
	me->or_none = __syncthreads_or(0);
}

GIN_KERNEL(words_bits, struct words_bits_args, a)
{
	struct words_bits_out *o = a.out;
	long long clock = clock64();

	o->popc = __popc(0xf0f00001u);
	o->popcll = __popcll(0xf000000000000001ull);
	o->ffs = __ffs(0x50);
	o->ffs_0 = __ffs(0);
	o->ffsll = __ffsll(1ll << 40);
	o->clz = __clz(1);
	o->clz_0 = __clz(0);
	o->clzll = __clzll(1ll << 40);
	o->clzll_0 = __clzll(0);
	o->brev = __brev(0x00000016u);
	o->perm_swap = __byte_perm(0x11223344u, 0, 0x0123);
	o->perm_mix = __byte_perm(0x11223344u, 0x55667788u, 0x7054);
	o->warp_size = warpSize;
	o->min_int = min(-3, 2);
	o->max_int = max(-3, 2);
	o->min_mixed = min(7u, 9u);
	o->max_float = max(1.5f, -2.5f);
	o->time_ns = gin_time_ns();
	__nanosleep(100);
	gin_pause();
	o->waited_ns = gin_time_ns();
	o->clock_step = clock64() - clock;
}

GIN_KERNEL(words_atomics, struct words_atomics_args, a)
{
	struct words_atomics_out *at = a.at;
	uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, free_lane;
	int i = (int)t;

	atomicAdd(&at->i_add, -1);
	at->old[t] = atomicAdd(&at->u_add, 1u);
	atomicSub(&at->i_sub, 2);
	atomicSub(&at->u_sub, 1u);
	atomicMin(&at->i_min, 5 - i);
	atomicMax(&at->i_max, i - 5);
	atomicMin(&at->u_min, 1000u - t);
	atomicMax(&at->u_max, 0x80000000u + t);
	atomicAnd(&at->i_and, ~(1 << (i % 8)));
	atomicAnd(&at->u_and, ~(1u << (t % 16)));
	atomicOr(&at->i_or, 1 << (i % 8));
	atomicOr(&at->u_or, 1u << (t % 16));
	atomicXor(&at->i_xor, i);
	atomicXor(&at->u_xor, t);
	if (atomicExch(&at->i_exch, 1) == 0)
		atomicExch(&at->u_exch, 77u);
	/* A lock by compare-and-swap, tried until each thread had it once. */
	do {
		free_lane = atomicCAS(&at->u_cas, t, t + 1u);
		if (free_lane != t)
			gin_pause();
	} while (free_lane != t);
	atomicCAS(&at->i_cas, -5, -6);
	gin_atomic_add64(&at->add64, 1ull << 33);
	gin_atomic_min64(&at->min64, (1ull << 40) - t);
	gin_atomic_max64(&at->max64, (1ull << 40) + t);
	gin_atomic_and64(&at->and64, ~(1ull << (t % 64)));
	gin_atomic_or64(&at->or64, 1ull << (t % 64));
	gin_atomic_xor64(&at->xor64, (uint64_t)t << 32);
	if (gin_atomic_cas64(&at->cas64, 3, 1ull << 50) == 3)
		gin_atomic_exchange64(&at->exchange64, 1ull << 60);
}

GIN_CONST uint32_t primes[4] = { 2, 3, 5, 7 };

GIN_KERNEL(words_shared, struct words_shared_args, a)
{
	GIN_SHARED(uint32_t, array, LANES);
	__shared__ uint32_t word;
	GIN_DYN_SHARED(uint32_t, dynamic);
	uint32_t t = threadIdx.x, i, sum;

	array[t] = t * 2;
	dynamic[t] = t * 3;
	if (t == 0)
		word = 42;
	__syncthreads();
	a.out->from_array[t] = array[LANES - 1 - t];
	a.out->from_dynamic[t] = dynamic[LANES - 1 - t];
	a.out->from_word[t] = word;
	a.out->from_table[t] = primes[t & 3];
	/* Prefix sums: a barrier before and after each step. */
	for (i = 1; i < LANES; i *= 2) {
		__syncthreads();
		sum = array[t] + (t >= i ? array[t - i] : 0);
		__syncthreads();
		array[t] = sum;
	}
	__syncthreads();
	a.out->sums[t] = array[t];
}

/* Thread 0 publishes; the others may only see data once they see the flag. */
GIN_KERNEL(words_fence, struct words_fence_args, a)
{
	if (threadIdx.x == 0) {
		a.at->data = 1234;
		__threadfence();
		atomicExch(&a.at->flag, 1u);
		__threadfence_block();
		__threadfence_system();
		return;
	}
	while (!atomicAdd(&a.at->flag, 0u))
		gin_pause();
	__threadfence();
	a.at->seen[threadIdx.x] = a.at->data;
}
