/* SPDX-License-Identifier: BSD-3-Clause */
/* Every word of CUDA that kernels may use: what kernels in words.cu report, and words_test.c knows by hand. */
#ifndef TESTS_GPU_WORDS_H
#define TESTS_GPU_WORDS_H
#include <ginet/launch.h>

enum { LANES = 64 }; /* two warps */

struct words_lane { /* of each thread */
	uint32_t thread[3], block[3], block_dim[3], grid_dim[3];
	int32_t shfl, shfl_width, up, up_width, down, down_width, xor_all, xor_width;
	uint32_t shfl_u;
	int64_t shfl_ll, shfl_long;
	uint64_t shfl_ull;
	float shfl_float;
	double shfl_double;
	uint32_t ballot, match, match_ll, reduce_add, reduce_min_u, reduce_max_u;
	int32_t any, none, all, not_all, reduce_min, reduce_max, reduce_add_int;
	int32_t count, and_all, and_not, or_one, or_none;
	uint32_t half_ballot, half_shfl, half_reduce;
};
struct words_args {
	struct words_lane *lanes;
};
GIN_KERNEL_DECLARE(words_collective);

struct words_bits_out { /* of one thread */
	int32_t popc, popcll, ffs, ffs_0, ffsll, clz, clz_0, clzll, clzll_0;
	uint32_t brev, perm_swap, perm_mix, warp_size;
	int32_t min_int, max_int;
	uint32_t min_mixed;
	float max_float;
	uint64_t time_ns, waited_ns;
	int64_t clock_step;
};
struct words_bits_args {
	struct words_bits_out *out;
};
GIN_KERNEL_DECLARE(words_bits);

struct words_atomics_out { /* of all threads */
	int32_t i_add, i_sub, i_exch, i_cas, i_min, i_max, i_and, i_or, i_xor;
	uint32_t u_add, u_sub, u_exch, u_cas, u_min, u_max, u_and, u_or, u_xor;
	uint64_t add64, exchange64, cas64, min64, max64, and64, or64, xor64;
	uint32_t old[LANES * 4]; /* what an add of 1 found, for each thread */
};
struct words_atomics_args {
	struct words_atomics_out *at;
};
GIN_KERNEL_DECLARE(words_atomics);

struct words_shared_out {
	uint32_t from_array[LANES], from_word[LANES], from_dynamic[LANES], from_table[LANES];
	uint32_t sums[LANES];
};
struct words_shared_args {
	struct words_shared_out *out;
};
GIN_KERNEL_DECLARE(words_shared);

struct words_fence_out { uint32_t data, flag, seen[LANES]; };
struct words_fence_args {
	struct words_fence_out *at;
};
GIN_KERNEL_DECLARE(words_fence);
#endif
