/* SPDX-License-Identifier: BSD-3-Clause */
/* The words that kernels are written in. Expected values follow from CUDA's guide, by hand. */
#include "rig.h"
#include <stdlib.h>
#include <string.h>

enum { GRID_X = 2, GRID_Y = 3, BLOCKS = GRID_X * GRID_Y };

static int run_one(const struct setting *s, struct result *r, const struct gin_kernel *k,
		   const struct gin_launch_config *cfg, const void *args, size_t size)
{
	int err = gin_launch(s->gpu, k, cfg, args, size);

	return err ? bad(r, "%s: %s", gin_strerror(err), last_error_line()) : rig_wait(s->gpu, r, 10000);
}

static uint64_t minus(int64_t v) /* as an int made 64 bits long */
{
	return (uint64_t)v;
}

/* Thread t of a block of 8 x 4 x 2, block b of a grid of 2 x 3. */
/* clang-format off */
static uint64_t expected(enum chk_word word, int b, int t, int has_reduce)
{
	static const uint64_t primes[] = { 2, 3, 5, 7 };
	int w = t / 32 * 32, lane = t % 32; /* first thread of the warp */

	switch (word) {
	case W_THREAD_X: return (uint64_t)(t % 8);
	case W_THREAD_Y: return (uint64_t)(t / 8 % 4);
	case W_THREAD_Z: return (uint64_t)(t / 32);
	case W_BLOCK_X: return (uint64_t)(b % GRID_X);
	case W_BLOCK_Y: return (uint64_t)(b / GRID_X);
	case W_BLOCK_DIM: return 80402;
	case W_GRID_DIM: return 20301;
	case W_WARP_SIZE: return 32;
	case W_SHFL: return (uint64_t)(w + 5) * 10;
	case W_SHFL_WIDTH: return (uint64_t)(t / 8 * 8 + 3); /* 11 modulo 8 */
	case W_UP: return (uint64_t)(lane < 3 ? t : t - 3);
	case W_UP_WIDTH: return (uint64_t)(t % 4 ? t - 1 : t);
	case W_DOWN: return (uint64_t)(lane > 28 ? t : t + 3);
	case W_DOWN_WIDTH: return (uint64_t)(t % 4 == 3 ? t : t + 1);
	case W_XOR: return (uint64_t)(w + 31 - lane);
	case W_SHFL_LL: return minus(-(int64_t)(w + 1) - (1ll << 40));
	case W_SHFL_FLOAT: return (uint64_t)(w + 4) * 2 + 1;
	case W_SHFL_DOUBLE: return (uint64_t)(w + 6) * 4 + 1;
	case W_BALLOT: return t < 32 ? 0x49249249u : 0x92492492u; /* 0, 3, ... 30; 33, ... 63 */
	case W_ANY: return t < 32;
	case W_NONE: return 0;
	case W_ALL: return 1;
	case W_NOT_ALL: return t >= 32;
	case W_MATCH: return 0x11111111u << (t & 3);
	case W_MATCH_LL: return 0x55555555u << (t & 1);
	case W_REDUCE_ADD: return has_reduce ? 496 : 0; /* 0 + ... + 31 */
	case W_REDUCE_ADD_INT: return has_reduce ? minus(-496) : 0;
	case W_REDUCE_MIN_U: return has_reduce ? 100 : 0;
	case W_REDUCE_MAX_U: return has_reduce ? 0x8000001fu : 0;
	case W_REDUCE_MIN: return has_reduce ? minus(-7) : 0;
	case W_REDUCE_MAX: return has_reduce ? minus(-1) : 0;
	case W_HAS_REDUCE: return (uint64_t)has_reduce;
	case W_HALF_BALLOT: return lane < 16 ? 0xaaaau : 0xffff0000u;
	case W_HALF_SHFL: return (uint64_t)(lane < 16 ? w + 3 : t % 4 < 2 ? t + 2 : t);
	case W_COUNT: return 16;
	case W_AND: return 1;
	case W_AND_NOT: return 0;
	case W_OR: return 1;
	case W_OR_NONE: return 0;
	case W_STATIC_SHARED: return (uint64_t)(63 - t) * 2;
	case W_DYN_SHARED: return (uint64_t)(63 - t) * 3;
	case W_SHARED_WORD: return 42;
	case W_TABLE: return primes[t % 4];
	case W_PREFIX_SUM: return (uint64_t)(t * (t + 1)); /* 2 x (0 + ... + t) */
	case W_POPC: return 9;
	case W_POPCLL: return 5;
	case W_FFS: return 5;
	case W_FFS_0: return 0;
	case W_FFSLL: return 41;
	case W_CLZ: return 31;
	case W_CLZ_0: return 32;
	case W_CLZLL: return 23;
	case W_BREV: return 0x68000000u; /* ...00010110 read backwards */
	case W_PERM: return 0x55447788u; /* bytes 7, 0, 5, 4 of 55667788 11223344 */
	case W_MIN: return minus(-3);
	case W_MAX: return 2;
	case W_MIN_U: return 7;
	case W_MAX_FLOAT: return 3;
	case W_TIME_MOVES: return 1;
	case W_CLOCK_MOVES: return 1;
	case W_N: break;
	}
	return 0;
}
/* clang-format on */

static int judge_words(struct result *r, const uint64_t *out)
{
	int i, b, t, has_reduce = out[W_HAS_REDUCE] == 1;

	for (i = 0; i < BLOCKS * CHK_LANES * W_N; i++) {
		b = i / W_N / CHK_LANES;
		t = i / W_N % CHK_LANES;
		if (out[i] != expected((enum chk_word)(i % W_N), b, t, has_reduce))
			return bad(r, "word %d, block %d, thread %d: 0x%llx, expected 0x%llx", i % W_N, b, t,
				   (unsigned long long)out[i],
				   (unsigned long long)expected((enum chk_word)(i % W_N), b, t, has_reduce));
	}
	note(r, "%d words, %d threads%s", (int)W_N, BLOCKS * CHK_LANES,
	     has_reduce ? "" : "; no __reduce_*_sync() before sm_80");
	return 0;
}

int row_words(const struct setting *s, struct result *r, int arg)
{
	struct gin_launch_config cfg = {
	    .grid = {GRID_X, GRID_Y, 1}, .block = {8, 4, 2}, .shared_bytes = CHK_LANES * sizeof(uint32_t)};
	size_t size = sizeof(uint64_t) * BLOCKS * CHK_LANES * W_N;
	struct gin_mem mem = {0};
	struct chk_words_args args;
	uint64_t *out = malloc(size);
	int err;

	(void)arg;
	if (!out || gin_mem_alloc(s->gpu, GIN_MEM_GPU, size, &mem)) {
		free(out);
		return bad(r, "no memory: %s", last_error_line());
	}
	args.out = mem.gpu;
	err = run_one(s, r, &gin_kernel_chk_words, &cfg, &args, sizeof(args));
	if (!err && gin_mem_copy(s->gpu, out, mem.gpu, size))
		err = bad(r, "cannot read GPU memory: %s", last_error_line());
	if (!err)
		err = judge_words(r, out);
	gin_mem_free(s->gpu, &mem);
	free(out);
	return err;
}

/* 4 blocks of 64 threads: 0 to 255. */
static int judge_atomics(struct result *r, const struct chk_atomics *at)
{
	return want(r, "atomicAdd int", at->i_add, -256) || want(r, "atomicAdd", at->u_add, 256) ||
	       want(r, "sum of what atomicAdd found", at->old_sum, 255 * 256 / 2) ||
	       want(r, "atomicSub int", at->i_sub, -512) || want(r, "atomicSub", at->u_sub, 744) ||
	       want(r, "atomicMin int", at->i_min, -250) || want(r, "atomicMax int", at->i_max, 250) ||
	       want(r, "atomicMin", at->u_min, 745) || want(r, "atomicMax", at->u_max, 0x800000ffu) ||
	       want(r, "atomicAnd int", at->i_and, 0xf00) || want(r, "atomicAnd", at->u_and, 0) ||
	       want(r, "atomicOr int", at->i_or, 0xff) || want(r, "atomicOr", at->u_or, 0xffff) ||
	       want(r, "atomicXor int", at->i_xor, 0) || want(r, "atomicXor", at->u_xor, 0) ||
	       want(r, "atomicExch int", at->i_exch, 1) || want(r, "atomicExch", at->u_exch, 77) ||
	       want(r, "atomicCAS", at->u_cas, 256) || want(r, "atomicCAS int", at->i_cas, -6) ||
	       want(r, "gin_atomic_add64", (int64_t)at->add64, 1ll << 41) ||
	       want(r, "gin_atomic_min64", (int64_t)at->min64, (1ll << 40) - 255) ||
	       want(r, "gin_atomic_max64", (int64_t)at->max64, (1ll << 40) + 255) ||
	       want(r, "gin_atomic_and64", (int64_t)at->and64, 0) ||
	       want(r, "gin_atomic_or64", (int64_t)at->or64, -1) ||
	       want(r, "gin_atomic_xor64", (int64_t)at->xor64, 0) ||
	       want(r, "gin_atomic_cas64", (int64_t)at->cas64, 1ll << 50) ||
	       want(r, "gin_atomic_exchange64", (int64_t)at->exchange64, 1ll << 60) ||
	       want(r, "threads that saw what a fence published", at->seen, 255);
}

int row_atomics(const struct setting *s, struct result *r, int arg)
{
	struct gin_launch_config cfg = {.grid.x = 4, .block.x = 64};
	struct chk_atomics at = {.u_sub = 1000,
				 .i_and = 0xfff,
				 .u_and = 0xfff,
				 .u_min = UINT32_MAX,
				 .i_cas = -5,
				 .min64 = UINT64_MAX,
				 .and64 = UINT64_MAX,
				 .cas64 = 3};
	struct gin_mem mem = {0};
	struct chk_atomics_args args;
	int err;

	(void)arg;
	if (gin_mem_alloc(s->gpu, GIN_MEM_GPU, sizeof(at), &mem) || gin_mem_copy(s->gpu, mem.gpu, &at, sizeof(at)))
		return bad(r, "no memory: %s", last_error_line());
	args.at = mem.gpu;
	err = run_one(s, r, &gin_kernel_chk_atomics, &cfg, &args, sizeof(args));
	if (!err && gin_mem_copy(s->gpu, &at, mem.gpu, sizeof(at)))
		err = bad(r, "cannot read GPU memory: %s", last_error_line());
	if (!err && judge_atomics(r, &at))
		err = -1;
	gin_mem_free(s->gpu, &mem);
	return err;
}

static int judge_mem(struct result *r, const struct chk_mem_out *host, const struct chk_mem_out *gpu)
{
	return want(r, "gin_load32", gpu->load32, 0xcafe0001) || want(r, "gin_read32", gpu->read32, 0xcafe0002) ||
	       want(r, "gin_store32", host->store32, 0x01020304) || want(r, "gin_store128", host->store128[0], 1) ||
	       want(r, "gin_store128", host->store128[1], 2) || want(r, "gin_store128", host->store128[2], 3) ||
	       want(r, "gin_store128", host->store128[3], 0x80000004) ||
	       want(r, "gin_mmio_write64", (int64_t)host->register64, 0x1122334455667788) ||
	       want(r, "gin_load64_gpu", (int64_t)gpu->load64, 41) ||
	       want(r, "gin_store64_gpu", (int64_t)gpu->store64, INT64_MIN) ||
	       want(r, "gin_cas64_gpu, before", (int64_t)gpu->cas_old, 5) ||
	       want(r, "gin_cas64_gpu", (int64_t)gpu->cas_new, 6) ||
	       want(r, "gin_exchange64_gpu, before", (int64_t)gpu->exchange_old, 7) ||
	       want(r, "gin_exchange64_gpu", (int64_t)gpu->exchange_new, 8) ||
	       want(r, "gin_add64_gpu", (int64_t)gpu->add, (1ll << 40) + 1) ||
	       want(r, "gin_max64_gpu", (int64_t)gpu->max, 1ll << 50);
}

int row_mem(const struct setting *s, struct result *r, int arg)
{
	struct chk_mem_out gpu = {.load64 = 40, .cas_new = 5, .exchange_new = 7, .add = 1, .max = 9}, *host;
	struct gin_mem pinned = {0}, mem = {0};
	struct chk_mem_args args;
	int err = 0;

	(void)arg;
	if (gin_mem_alloc(s->gpu, GIN_MEM_CPU_GPU, sizeof(*host), &pinned) ||
	    gin_mem_alloc(s->gpu, GIN_MEM_GPU, sizeof(gpu), &mem) || gin_mem_copy(s->gpu, mem.gpu, &gpu, sizeof(gpu)))
		err = bad(r, "no memory: %s", last_error_line());
	host = pinned.cpu;
	if (!err) {
		host->load32 = 0xcafe0001;
		host->read32 = 0xcafe0002;
		args.host = pinned.gpu;
		args.gpu = mem.gpu;
		err = run_one(s, r, &gin_kernel_chk_mem, NULL, &args, sizeof(args));
	}
	if (!err && gin_mem_copy(s->gpu, &gpu, mem.gpu, sizeof(gpu)))
		err = bad(r, "cannot read GPU memory: %s", last_error_line());
	if (!err && judge_mem(r, host, &gpu))
		err = -1;
	gin_mem_free(s->gpu, &mem);
	gin_mem_free(s->gpu, &pinned);
	return err;
}

/* Launches that must be refused, and one at the edge: 1,024 threads, 96 KiB of dynamic shared memory (2 x 48). */
int row_launch(const struct setting *s, struct result *r, int arg)
{
	enum { WORDS = 15 * 1024 }; /* 60 KiB: above 48 KiB CUDA must be asked, and sm_75 has 64 KiB */
	struct gin_launch_config cfg = {.block.x = 1024, .shared_bytes = WORDS * 4}, too_big = cfg, too_many = cfg;
	struct gin_mem mem = {0};
	struct chk_big_args args = {.n = WORDS};
	uint64_t sum = 0;
	int err = 0;

	(void)arg;
	too_big.shared_bytes = 1 << 20;
	too_many.grid.x = 1 << 20;
	if (gin_mem_alloc(s->gpu, GIN_MEM_GPU, sizeof(sum), &mem))
		return bad(r, "no memory: %s", last_error_line());
	args.sum = mem.gpu;
	if (want(r, "a block with 1 MiB of shared memory",
		 gin_launch(s->gpu, &gin_kernel_chk_big, &too_big, &args, sizeof(args)), -E2BIG) ||
	    want(r, "a million blocks at once", gin_launch(s->gpu, &gin_kernel_chk_big, &too_many, &args, sizeof(args)),
		 -E2BIG) ||
	    want(r, "arguments of another size", gin_launch(s->gpu, &gin_kernel_chk_big, &cfg, &args, sizeof(args) - 1),
		 -EINVAL))
		err = -1;
	if (!err)
		err = run_one(s, r, &gin_kernel_chk_big, &cfg, &args, sizeof(args));
	if (!err && gin_mem_copy(s->gpu, &sum, mem.gpu, sizeof(sum)))
		err = bad(r, "cannot read GPU memory: %s", last_error_line());
	if (!err)
		err = want(r, "sum over shared memory", (int64_t)sum, (int64_t)WORDS * (WORDS - 1) / 2);
	gin_mem_free(s->gpu, &mem);
	return err;
}

static int copies(const struct setting *s, struct result *r, const struct gin_mem *mem, uint8_t *there, uint8_t *back)
{
	size_t i;

	for (i = 0; i < mem->size; i++)
		there[i] = (uint8_t)(i * 7 + i / 251);
	if (gin_mem_copy(s->gpu, mem->gpu, there, mem->size) || gin_mem_copy(s->gpu, back, mem->gpu, mem->size))
		return bad(r, "cannot copy: %s", last_error_line());
	return memcmp(there, back, mem->size) ? bad(r, "copied there and back, %zu bytes changed on the way", mem->size)
					      : 0;
}

/* While a kernel runs: copies work and end; asking for memory is refused on a GPU, which could wait for ever. */
int row_copy(const struct setting *s, struct result *r, int arg)
{
	struct rig_config cfg = {.near = "soft:loop", .frame_bytes = 4096};
	struct gin_launch_config warp = {.block.x = 32};
	struct chk_idle_args args;
	struct gin_mem mem = {0}, more = {0};
	uint8_t *bytes = malloc(2 << 20);
	struct rig g;
	uint32_t before = 0, after = 0;
	int err = rig_open(&g, s, r, &cfg), refused;

	(void)arg;
	if (!err && (!bytes || gin_mem_alloc(s->gpu, GIN_MEM_GPU, 1 << 20, &mem)))
		err = bad(r, "no memory: %s", last_error_line());
	if (!err) {
		args.rxq = gin_rxq_dev(g.end[0].rxq);
		args.ready = g.host.gpu;
		args.beats = g.words.gpu;
		err = gin_launch(s->gpu, &gin_kernel_chk_idle, &warp, &args, sizeof(args))
			  ? bad(r, "%s", last_error_line())
			  : 0;
	}
	if (!err && (rig_read(&g, r, &before, 0, 4) || copies(s, r, &mem, bytes, bytes + (1 << 20))))
		err = -1;
	if (!err) {
		refused = gin_mem_alloc(s->gpu, GIN_MEM_GPU, 4096, &more);
		err = want(r, "memory asked for while a kernel runs", refused,
			   strncmp(gin_gpu_name(s->gpu), "cuda", 4) ? 0 : -EBUSY);
		gin_mem_free(s->gpu, &more);
	}
	/* The kernel went on meanwhile: it had 20 us between two beats. */
	while (!err && after <= before) {
		err = gin_gpu_wait(s->gpu, 1000000) == -EAGAIN ? rig_read(&g, r, &after, 0, 4)
							       : bad(r, "the kernel ended by itself");
	}
	gin_gpu_stop(s->gpu);
	if (!err)
		err = rig_wait(s->gpu, r, 2000);
	rig_close(&g);
	gin_mem_free(s->gpu, &mem);
	free(bytes);
	return err;
}
