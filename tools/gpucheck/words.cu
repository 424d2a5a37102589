/* SPDX-License-Identifier: BSD-3-Clause */
/* Every word that the two compilers share, written down for the host to judge. */
#include <ginet/device.h>
#include "kernels.h"

#define ALL 0xffffffffu

GIN_CONST uint32_t primes[4] = { 2, 3, 5, 7 };

GIN_FN void place(uint64_t *w)
{
	w[W_THREAD_X] = threadIdx.x;
	w[W_THREAD_Y] = threadIdx.y;
	w[W_THREAD_Z] = threadIdx.z;
	w[W_BLOCK_X] = blockIdx.x;
	w[W_BLOCK_Y] = blockIdx.y;
	w[W_BLOCK_DIM] = blockDim.x * 10000 + blockDim.y * 100 + blockDim.z;
	w[W_GRID_DIM] = gridDim.x * 10000 + gridDim.y * 100 + gridDim.z;
	w[W_WARP_SIZE] = warpSize;
}

GIN_FN void shuffles(uint64_t *w, int t)
{
	w[W_SHFL] = (uint64_t)__shfl_sync(ALL, t * 10, 5);
	w[W_SHFL_WIDTH] = (uint64_t)__shfl_sync(ALL, t, 11, 8);
	w[W_UP] = (uint64_t)__shfl_up_sync(ALL, t, 3);
	w[W_UP_WIDTH] = (uint64_t)__shfl_up_sync(ALL, t, 1, 4);
	w[W_DOWN] = (uint64_t)__shfl_down_sync(ALL, t, 3);
	w[W_DOWN_WIDTH] = (uint64_t)__shfl_down_sync(ALL, t, 1, 4);
	w[W_XOR] = (uint64_t)__shfl_xor_sync(ALL, t, 31);
	w[W_SHFL_LL] = (uint64_t)__shfl_sync(ALL, -(long long)t - (1ll << 40), 1);
	w[W_SHFL_FLOAT] = (uint64_t)(__shfl_sync(ALL, (float)t + 0.5f, 4) * 2.0f);
	w[W_SHFL_DOUBLE] = (uint64_t)(__shfl_sync(ALL, (double)t + 0.25, 6) * 4.0);
}

GIN_FN void votes(uint64_t *w, int t)
{
	w[W_BALLOT] = __ballot_sync(ALL, t % 3 == 0);
	w[W_ANY] = __any_sync(ALL, t == 17) != 0;
	w[W_NONE] = __any_sync(ALL, t < 0) != 0;
	w[W_ALL] = __all_sync(ALL, t >= 0) != 0;
	w[W_NOT_ALL] = __all_sync(ALL, t != 5) != 0;
	w[W_MATCH] = __match_any_sync(ALL, t & 3);
	w[W_MATCH_LL] = __match_any_sync(ALL, (long long)(t & 1) << 40);
}

GIN_FN void reductions(uint64_t *w, int t)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800 /* CUDA has them from sm_80 on */
	w[W_REDUCE_ADD] = __reduce_add_sync(ALL, (unsigned)t % 32);
	w[W_REDUCE_ADD_INT] = (uint64_t)__reduce_add_sync(ALL, -(t % 32));
	w[W_REDUCE_MIN_U] = __reduce_min_sync(ALL, 100u + (unsigned)t % 32);
	w[W_REDUCE_MAX_U] = __reduce_max_sync(ALL, 0x80000000u + (unsigned)t % 32);
	w[W_REDUCE_MIN] = (uint64_t)__reduce_min_sync(ALL, t % 32 - 7);
	w[W_REDUCE_MAX] = (uint64_t)__reduce_max_sync(ALL, -1 - t % 32);
	w[W_HAS_REDUCE] = 1;
#else
	w[W_HAS_REDUCE] = (uint64_t)(t * 0);
#endif
}

/* The upper and the lower half of a warp meet apart from each other. */
GIN_FN void halves(uint64_t *w, int t)
{
	if (t % 32 < 16) {
		w[W_HALF_BALLOT] = __ballot_sync(0x0000ffffu, t & 1);
		w[W_HALF_SHFL] = (uint64_t)__shfl_sync(0x0000ffffu, t, 3);
		__syncwarp(0x0000ffffu);
	} else {
		w[W_HALF_BALLOT] = __ballot_sync(0xffff0000u, 1);
		__syncwarp(0xffff0000u);
		w[W_HALF_SHFL] = (uint64_t)__shfl_down_sync(0xffff0000u, t, 2, 4);
	}
	__syncwarp();
}

GIN_FN void barriers(uint64_t *w, int t)
{
	w[W_COUNT] = (uint64_t)__syncthreads_count(t % 4 == 0);
	w[W_AND] = __syncthreads_and(t >= 0) != 0;
	w[W_AND_NOT] = __syncthreads_and(t != 40) != 0;
	w[W_OR] = __syncthreads_or(t == 40) != 0;
	w[W_OR_NONE] = __syncthreads_or(0) != 0;
}

GIN_FN void shared(uint64_t *w, uint32_t t)
{
	GIN_SHARED(uint32_t, array, CHK_LANES);
	__shared__ uint32_t word;
	GIN_DYN_SHARED(uint32_t, dynamic);
	uint32_t i, sum;

	array[t] = t * 2;
	dynamic[t] = t * 3;
	if (t == 0)
		word = 42;
	__syncthreads();
	w[W_STATIC_SHARED] = array[CHK_LANES - 1 - t];
	w[W_DYN_SHARED] = dynamic[CHK_LANES - 1 - t];
	w[W_SHARED_WORD] = word;
	w[W_TABLE] = primes[t & 3];
	/* Prefix sums: a barrier before and after each step. */
	for (i = 1; i < CHK_LANES; i *= 2) {
		__syncthreads();
		sum = array[t] + (t >= i ? array[t - i] : 0);
		__syncthreads();
		array[t] = sum;
	}
	__syncthreads();
	w[W_PREFIX_SUM] = array[t];
}

GIN_FN void bits(uint64_t *w)
{
	long long clock = clock64();
	uint64_t time_ns = gin_time_ns();

	w[W_POPC] = (uint64_t)__popc(0xf0f00001u);
	w[W_POPCLL] = (uint64_t)__popcll(0xf000000000000001ull);
	w[W_FFS] = (uint64_t)__ffs(0x50);
	w[W_FFS_0] = (uint64_t)__ffs(0);
	w[W_FFSLL] = (uint64_t)__ffsll(1ll << 40);
	w[W_CLZ] = (uint64_t)__clz(1);
	w[W_CLZ_0] = (uint64_t)__clz(0);
	w[W_CLZLL] = (uint64_t)__clzll(1ll << 40);
	w[W_BREV] = __brev(0x00000016u);
	w[W_PERM] = __byte_perm(0x11223344u, 0x55667788u, 0x7054);
	w[W_MIN] = (uint64_t)min(-3, 2);
	w[W_MAX] = (uint64_t)max(-3, 2);
	w[W_MIN_U] = min(7u, 9u);
	w[W_MAX_FLOAT] = (uint64_t)(max(1.5f, -2.5f) * 2.0f);
	__nanosleep(100);
	gin_pause();
	w[W_TIME_MOVES] = time_ns != 0 && gin_time_ns() >= time_ns;
	w[W_CLOCK_MOVES] = clock64() >= clock;
}

GIN_KERNEL(chk_words, struct chk_words_args, a)
{
	uint32_t t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	uint64_t *w = a.out + (uint64_t)((blockIdx.x + gridDim.x * blockIdx.y) * CHK_LANES + t) * W_N;

	place(w);
	shuffles(w, (int)t);
	votes(w, (int)t);
	reductions(w, (int)t);
	halves(w, (int)t);
	barriers(w, (int)t);
	shared(w, t);
	bits(w);
}

GIN_FN void atomics_32(struct chk_atomics *at, uint32_t t)
{
	int i = (int)t;
	uint32_t mine;

	atomicAdd(&at->i_add, -1);
	atomicAdd(&at->old_sum, atomicAdd(&at->u_add, 1u));
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
	/* A lock by compare-and-swap: in turn, until each thread had it once. */
	do {
		mine = atomicCAS(&at->u_cas, t, t + 1u);
		if (mine != t)
			gin_pause();
	} while (mine != t);
	atomicCAS(&at->i_cas, -5, -6);
}

GIN_FN void atomics_64(struct chk_atomics *at, uint32_t t)
{
	gin_atomic_add64(&at->add64, 1ull << 33);
	gin_atomic_min64(&at->min64, (1ull << 40) - t);
	gin_atomic_max64(&at->max64, (1ull << 40) + t);
	gin_atomic_and64(&at->and64, ~(1ull << (t % 64)));
	gin_atomic_or64(&at->or64, 1ull << (t % 64));
	gin_atomic_xor64(&at->xor64, (uint64_t)t << 32);
	if (gin_atomic_cas64(&at->cas64, 3, 1ull << 50) == 3)
		gin_atomic_exchange64(&at->exchange64, 1ull << 60);
}

/* Thread 0 publishes; the others may only see data once they see the flag. */
GIN_FN void fence(struct chk_atomics *at, uint32_t t)
{
	if (t == 0) {
		at->data = 1234;
		__threadfence();
		atomicExch(&at->flag, 1u);
		__threadfence_block();
		__threadfence_system();
		return;
	}
	while (!atomicAdd(&at->flag, 0u))
		gin_pause();
	__threadfence();
	if (at->data == 1234)
		atomicAdd(&at->seen, 1u);
}

GIN_KERNEL(chk_atomics, struct chk_atomics_args, a)
{
	uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;

	atomics_32(a.at, t);
	atomics_64(a.at, t);
	fence(a.at, t);
}

GIN_KERNEL(chk_mem, struct chk_mem_args, a)
{
	struct chk_mem_out *host = a.host, *gpu = a.gpu;
	struct gin_u128 v;

	gpu->load32 = gin_load32(&host->load32);
	gpu->read32 = gin_read32(&host->read32);
	gin_store32(&host->store32, 0x01020304u);
	v.x = 1;
	v.y = 2;
	v.z = 3;
	v.w = 0x80000004u;
	gin_store128(host->store128, v);
	gin_fence_to_nic();
	gin_mmio_write64(&host->register64, 0x1122334455667788ull);
	gin_fence_from_nic();
	gpu->load64 = gin_load64_gpu(&gpu->load64) + 1;
	gin_store64_gpu(&gpu->store64, 1ull << 63);
	gpu->cas_old = gin_cas64_gpu(&gpu->cas_new, 5, 6);
	gpu->exchange_old = gin_exchange64_gpu(&gpu->exchange_new, 8);
	gin_add64_gpu(&gpu->add, 1ull << 40);
	gin_max64_gpu(&gpu->max, 1ull << 50);
	gin_max64_gpu(&gpu->max, 1);
}

/* More shared memory than CUDA gives without being asked; every word of it is written and read by another thread. */
GIN_FN uint64_t fill_and_add(uint32_t n)
{
	GIN_DYN_SHARED(uint32_t, words);
	uint64_t sum = 0;
	uint32_t i;

	for (i = threadIdx.x; i < n; i += blockDim.x)
		words[i] = i;
	__syncthreads();
	for (i = threadIdx.x; i < n; i += blockDim.x)
		sum += words[n - 1 - i];
	return sum;
}

GIN_KERNEL(chk_big, struct chk_big_args, a)
{
	gin_atomic_add64(a.sum, fill_and_add(a.n));
}
