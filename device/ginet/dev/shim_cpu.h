/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words of CUDA for C and C++ compilers. Those that take part in a
 * collective, and those that wait, call the runner (<ginet/cpu.h>) and say
 * where they stand; the rest is plain code. What CUDA refuses is refused
 * here too, and what is not offered is a compile error that names it.
 */
#ifndef GINET_DEV_SHIM_CPU_H
#define GINET_DEV_SHIM_CPU_H
#include <ginet/cpu.h>
#include <ginet/hw/queue.h>
#include <stdio.h>

#define GIN_STR_(x) #x
#define GIN_STR(x) GIN_STR_(x)
#define GIN_HERE __FILE__ ":" GIN_STR(__LINE__)

#define GIN_FN static inline
#define GIN_ALIGN16 __attribute__((aligned(16)))
#define GIN_CONST static const

/* Function and variable kinds. */
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static __thread /* a block is one CPU thread */

#if defined(__SANITIZE_ADDRESS__)
#define GIN_SHIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GIN_SHIM_ASAN 1
#endif
#endif

#ifdef GIN_SHIM_ASAN
/* AddressSanitizer does not look at thread-local arrays: red zones of our own. */
GIN_EXTERN_C void __asan_poison_memory_region(const volatile void *addr, size_t size);
#define GIN_SHARED(type, name, n)                                                                                      \
	static __thread struct {                                                                                       \
		__attribute__((aligned(32))) unsigned char before[32];                                                 \
		type array[n];                                                                                         \
		__attribute__((aligned(8))) unsigned char after[64];                                                   \
	} name##_shared;                                                                                               \
	type *const name = (__asan_poison_memory_region(name##_shared.before, sizeof(name##_shared.before)),           \
			    __asan_poison_memory_region(name##_shared.after, sizeof(name##_shared.after)),             \
			    name##_shared.array)
#else
#define GIN_SHARED(type, name, n)                                                                                      \
	static __thread type name##_shared[n];                                                                         \
	type *const name = name##_shared
#endif

#define GIN_DYN_SHARED(type, name) type *const name = (type *)gin_cpu_self->dyn_shared

/* Where a thread is. */
#define threadIdx (gin_cpu_self->thread)
#define blockIdx (gin_cpu_self->block)
#define blockDim (gin_cpu_self->block_dim)
#define gridDim (gin_cpu_self->grid_dim)
#define warpSize 32

/*
 * Collectives. A last argument that may be left out: the usual width stands
 * behind the given ones, and the macro takes whichever comes first; the mask
 * of __syncwarp() is all lanes when there is no text.
 */
#define __syncwarp(...)                                                                                                \
	((void)gin_cpu_collective(GIN_CPU_SYNCWARP,                                                                    \
				  sizeof(#__VA_ARGS__) == 1 ? 0xffffffffu : (uint32_t)(__VA_ARGS__ + 0), 0, 0, 32,     \
				  GIN_HERE))
#define __syncthreads() ((void)gin_cpu_syncthreads(0, 0, GIN_HERE))
#define __syncthreads_count(p) gin_cpu_syncthreads(1, !!(p), GIN_HERE)
#define __syncthreads_and(p) gin_cpu_syncthreads(2, !!(p), GIN_HERE)
#define __syncthreads_or(p) gin_cpu_syncthreads(3, !!(p), GIN_HERE)
#define __ballot_sync(mask, p) gin_shim_vote(GIN_CPU_BALLOT, mask, !!(p), GIN_HERE)
#define __any_sync(mask, p) gin_shim_vote_int(GIN_CPU_ANY, mask, !!(p), GIN_HERE)
#define __all_sync(mask, p) gin_shim_vote_int(GIN_CPU_ALL, mask, !!(p), GIN_HERE)
#define __match_any_sync(mask, v) GIN_BY_TYPE(gin_shim_match, v)(mask, v, GIN_HERE)
#define __reduce_add_sync(mask, v) GIN_BY_TYPE32(gin_shim_reduce_add, v)(mask, v, GIN_HERE)
#define __reduce_min_sync(mask, v) GIN_BY_TYPE32(gin_shim_reduce_min, v)(mask, v, GIN_HERE)
#define __reduce_max_sync(mask, v) GIN_BY_TYPE32(gin_shim_reduce_max, v)(mask, v, GIN_HERE)
#define __shfl_sync(...) GIN_SHFL(GIN_CPU_SHFL, __VA_ARGS__, 32, 0)
#define __shfl_up_sync(...) GIN_SHFL(GIN_CPU_SHFL_UP, __VA_ARGS__, 32, 0)
#define __shfl_down_sync(...) GIN_SHFL(GIN_CPU_SHFL_DOWN, __VA_ARGS__, 32, 0)
#define __shfl_xor_sync(...) GIN_SHFL(GIN_CPU_SHFL_XOR, __VA_ARGS__, 32, 0)
#define GIN_SHFL(kind, mask, v, arg, width, ...)                                                                       \
	GIN_BY_TYPE(gin_shim_shfl, v)(kind, mask, v, (uint32_t)(arg), (uint32_t)(width), GIN_HERE)

/* The types that CUDA shuffles; smaller integers become int, as there. C chooses by _Generic, C++ by overload. */
#ifdef __cplusplus
#define GIN_BY_TYPE(fn, v) fn
#define GIN_BY_TYPE32(fn, v) fn
#define GIN_BY_POINTER(fn, p) fn
#define GIN_TYPED(fn, suffix) fn
#else
#define GIN_BY_TYPE(fn, v)                                                                                             \
	_Generic((v) + 0,                                                                                              \
		int: fn##_int,                                                                                         \
		unsigned: fn##_unsigned,                                                                               \
		long: fn##_long,                                                                                       \
		unsigned long: fn##_ulong,                                                                             \
		long long: fn##_llong,                                                                                 \
		unsigned long long: fn##_ullong,                                                                       \
		float: fn##_float,                                                                                     \
		double: fn##_double)
#define GIN_BY_TYPE32(fn, v) _Generic((v) + 0, int: fn##_int, unsigned: fn##_unsigned)
#define GIN_BY_POINTER(fn, p) _Generic((p) + 0, int *: fn##_int, unsigned *: fn##_unsigned)
#define GIN_TYPED(fn, suffix) fn##_##suffix
#endif

/* Functions, since their value may be left unused. */
GIN_FN unsigned gin_shim_vote(enum gin_cpu_collective kind, uint32_t mask, int p, const char *where)
{
	return (unsigned)gin_cpu_collective(kind, mask, (uint64_t)p, 0, 32, where);
}

GIN_FN int gin_shim_vote_int(enum gin_cpu_collective kind, uint32_t mask, int p, const char *where)
{
	return (int)gin_shim_vote(kind, mask, p, where);
}

/* By the value's bits, so that floats travel too. */
#define GIN_SHIM_SHUFFLES(type, suffix)                                                                                \
	GIN_FN type GIN_TYPED(gin_shim_shfl, suffix)(enum gin_cpu_collective kind, uint32_t mask, type v,              \
						     uint32_t arg, uint32_t width, const char *where)                  \
	{                                                                                                              \
		uint64_t bits = 0;                                                                                     \
                                                                                                                       \
		__builtin_memcpy(&bits, &v, sizeof(v));                                                                \
		bits = gin_cpu_collective(kind, mask, bits, arg, width, where);                                        \
		__builtin_memcpy(&v, &bits, sizeof(v));                                                                \
		return v;                                                                                              \
	}                                                                                                              \
                                                                                                                       \
	GIN_FN unsigned GIN_TYPED(gin_shim_match, suffix)(uint32_t mask, type v, const char *where)                    \
	{                                                                                                              \
		uint64_t bits = 0;                                                                                     \
                                                                                                                       \
		__builtin_memcpy(&bits, &v, sizeof(v));                                                                \
		return (unsigned)gin_cpu_collective(GIN_CPU_MATCH_ANY, mask, bits, 0, 32, where);                      \
	}
GIN_SHIM_SHUFFLES(int, int)
GIN_SHIM_SHUFFLES(unsigned, unsigned)
GIN_SHIM_SHUFFLES(long, long)
GIN_SHIM_SHUFFLES(unsigned long, ulong)
GIN_SHIM_SHUFFLES(long long, llong)
GIN_SHIM_SHUFFLES(unsigned long long, ullong)
GIN_SHIM_SHUFFLES(float, float)
GIN_SHIM_SHUFFLES(double, double)
#undef GIN_SHIM_SHUFFLES

/* flip: the sign bit turned over puts negative numbers below the others in unsigned order. */
#define GIN_SHIM_REDUCE(op, kind, type, suffix, flip)                                                                  \
	GIN_FN type GIN_TYPED(gin_shim_reduce_##op, suffix)(uint32_t mask, type v, const char *where)                  \
	{                                                                                                              \
		return (type)((uint32_t)gin_cpu_collective(kind, mask, (uint32_t)v ^ (flip), 0, 32, where) ^ (flip));  \
	}
GIN_SHIM_REDUCE(add, GIN_CPU_REDUCE_ADD, int, int, 0u)
GIN_SHIM_REDUCE(add, GIN_CPU_REDUCE_ADD, unsigned, unsigned, 0u)
GIN_SHIM_REDUCE(min, GIN_CPU_REDUCE_MIN, int, int, 0x80000000u)
GIN_SHIM_REDUCE(min, GIN_CPU_REDUCE_MIN, unsigned, unsigned, 0u)
GIN_SHIM_REDUCE(max, GIN_CPU_REDUCE_MAX, int, int, 0x80000000u)
GIN_SHIM_REDUCE(max, GIN_CPU_REDUCE_MAX, unsigned, unsigned, 0u)
#undef GIN_SHIM_REDUCE

/* Atomics: relaxed, as CUDA's; they return what was there.. */
#define GIN_SHIM_FETCH(fn, type, call)                                                                                 \
	GIN_FN type fn(type *p, type v)                                                                                \
	{                                                                                                              \
		return call(p, v, __ATOMIC_RELAXED);                                                                   \
	}
#define GIN_SHIM_STORE_IF(fn, type, op)                                                                                \
	GIN_FN type fn(type *p, type v)                                                                                \
	{                                                                                                              \
		type old = __atomic_load_n(p, __ATOMIC_RELAXED);                                                       \
                                                                                                                       \
		while (v op old) {                                                                                     \
			if (__atomic_compare_exchange_n(p, &old, v, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))            \
				break;                                                                                 \
		}                                                                                                      \
		return old;                                                                                            \
	}
#define GIN_SHIM_ATOMICS(type, name)                                                                                   \
	GIN_SHIM_FETCH(name(add), type, __atomic_fetch_add)                                                            \
	GIN_SHIM_FETCH(name(and), type, __atomic_fetch_and)                                                            \
	GIN_SHIM_FETCH(name(or), type, __atomic_fetch_or)                                                              \
	GIN_SHIM_FETCH(name(xor), type, __atomic_fetch_xor)                                                            \
	GIN_SHIM_FETCH(name(exchange), type, __atomic_exchange_n)                                                      \
	GIN_SHIM_STORE_IF(name(min), type, <)                                                                          \
	GIN_SHIM_STORE_IF(name(max), type, >)                                                                          \
	GIN_FN type name(cas)(type * p, type expected, type v)                                                         \
	{                                                                                                              \
		__atomic_compare_exchange_n(p, &expected, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                   \
		return expected;                                                                                       \
	}
#define GIN_SHIM_NAME_INT(op) GIN_TYPED(gin_shim_##op, int)
#define GIN_SHIM_NAME_UNSIGNED(op) GIN_TYPED(gin_shim_##op, unsigned)
#define GIN_SHIM_NAME_64(op) gin_atomic_##op##64
GIN_SHIM_ATOMICS(int, GIN_SHIM_NAME_INT)
GIN_SHIM_ATOMICS(unsigned, GIN_SHIM_NAME_UNSIGNED)
GIN_SHIM_ATOMICS(uint64_t, GIN_SHIM_NAME_64)
GIN_SHIM_FETCH(GIN_TYPED(gin_shim_sub, int), int, __atomic_fetch_sub)
GIN_SHIM_FETCH(GIN_TYPED(gin_shim_sub, unsigned), unsigned, __atomic_fetch_sub)
#undef GIN_SHIM_NAME_INT
#undef GIN_SHIM_NAME_UNSIGNED
#undef GIN_SHIM_NAME_64
#undef GIN_SHIM_ATOMICS
#undef GIN_SHIM_STORE_IF
#undef GIN_SHIM_FETCH

#define atomicAdd(p, v) GIN_BY_POINTER(gin_shim_add, p)(p, v)
#define atomicSub(p, v) GIN_BY_POINTER(gin_shim_sub, p)(p, v)
#define atomicExch(p, v) GIN_BY_POINTER(gin_shim_exchange, p)(p, v)
#define atomicMin(p, v) GIN_BY_POINTER(gin_shim_min, p)(p, v)
#define atomicMax(p, v) GIN_BY_POINTER(gin_shim_max, p)(p, v)
#define atomicAnd(p, v) GIN_BY_POINTER(gin_shim_and, p)(p, v)
#define atomicOr(p, v) GIN_BY_POINTER(gin_shim_or, p)(p, v)
#define atomicXor(p, v) GIN_BY_POINTER(gin_shim_xor, p)(p, v)
#define atomicCAS(p, expected, v) GIN_BY_POINTER(gin_shim_cas, p)(p, expected, v)

/* Order, time, waiting. */
#define __threadfence_block() gin_cpu_threadfence(GIN_SCOPE_CTA)
#define __threadfence() gin_cpu_threadfence(GIN_SCOPE_GPU)
#define __threadfence_system() gin_cpu_threadfence(GIN_SCOPE_SYS)
#define __nanosleep(ns) ((void)(ns), gin_cpu_pause(GIN_HERE))
#define __trap() gin_cpu_trap(GIN_HERE)
#define printf gin_cpu_printf

GIN_FN long long clock64(void)
{
	return (long long)gin_cpu_time_ns();
}

/* Bits. */
GIN_FN int __popc(unsigned v)
{
	return __builtin_popcount(v);
}

GIN_FN int __popcll(unsigned long long v)
{
	return __builtin_popcountll(v);
}

GIN_FN int __ffs(int v)
{
	return __builtin_ffs(v);
}

GIN_FN int __ffsll(long long v)
{
	return __builtin_ffsll(v);
}

GIN_FN int __clz(int v)
{
	return v ? __builtin_clz((unsigned)v) : 32;
}

GIN_FN int __clzll(long long v)
{
	return v ? __builtin_clzll((unsigned long long)v) : 64;
}

GIN_FN unsigned __brev(unsigned v)
{
	v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
	v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(v);
}

/* Byte i of the result is byte (selector >> 4 * i & 7) of y:x. */
GIN_FN unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
	uint64_t both = (uint64_t)y << 32 | x;
	unsigned i, v = 0;

	for (i = 0; i < 4; i++)
		v |= (unsigned)(both >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
	return v;
}

#ifdef __cplusplus
template <typename A, typename B> static inline auto min(A a, B b) -> decltype(a + b)
{
	typedef decltype(a + b) both;

	return (both)a < (both)b ? (both)a : (both)b;
}

template <typename A, typename B> static inline auto max(A a, B b) -> decltype(a + b)
{
	typedef decltype(a + b) both;

	return (both)a > (both)b ? (both)a : (both)b;
}
#else
#define GIN_PICK(a, op, b)                                                                                             \
	__extension__({                                                                                                \
		__typeof__((a) + (b)) gin_pick_a = (a), gin_pick_b = (b);                                              \
		gin_pick_a op gin_pick_b ? gin_pick_a : gin_pick_b;                                                    \
	})
#define min(a, b) GIN_PICK(a, <, b)
#define max(a, b) GIN_PICK(a, >, b)
#endif

/* CUDA's words that kernels here do without. __ldg: it may return stale data. __activemask: says little of who will come. */
#pragma GCC poison __ldg __ldca __ldcg __ldcs __ldcv __ldlu __stcg __stcs __stwb __stwt
#pragma GCC poison __activemask __match_all_sync __reduce_and_sync __reduce_or_sync __reduce_xor_sync
#pragma GCC poison __shfl __shfl_up __shfl_down __shfl_xor __ballot __any __all
#pragma GCC poison __constant__ __managed__ __cluster_dims__ __mul24 __umul24 __mulhi __umulhi __brevll __dp4a
#pragma GCC poison __funnelshift_l __funnelshift_r __cvta_generic_to_shared __isGlobal __isShared
#pragma GCC poison atomicInc atomicDec atomicAdd_block atomicAdd_system atomicCAS_block atomicCAS_system
#pragma GCC poison atomicExch_block atomicExch_system

#ifdef GIN_CUDA
/* A strong reference: a weak one would silently be NULL when the CUDA half stands in a static library. */
#define GIN_CUDA_HALF(name) GIN_EXTERN_C const void *GIN_CUDA_HALF_OF(name)(void);
#define GIN_CUDA_STUB(name) GIN_CUDA_HALF_OF(name)
#else
#define GIN_CUDA_HALF(name)
#define GIN_CUDA_STUB(name) NULL
#endif

#define GIN_KERNEL(name, args_t, a)                                                                                    \
	static void name(const args_t a);                                                                              \
	GIN_CUDA_HALF(name)                                                                                            \
	GIN_STATIC_ASSERT(sizeof(args_t) <= GIN_ARGS_MAX, "a kernel takes at most 4096 bytes of arguments");           \
	static void gin_enter_##name(const void *args)                                                                   \
	{                                                                                                              \
		name(*(const args_t *)args);                                                                           \
	}                                                                                                              \
	GIN_KERNEL_DECLARE(name);                                                                                      \
	struct gin_kernel gin_kernel_##name = { #name, GINET_VERSION, sizeof(struct gin_dev_rxq),                      \
						sizeof(struct gin_dev_txq), sizeof(args_t), GIN_KERNEL_FLAGS,          \
						gin_enter_##name,                                                      \
						GIN_CUDA_STUB(name), NULL };                                           \
	__attribute__((constructor)) static void gin_register_##name(void)                                             \
	{                                                                                                              \
		gin_kernel_register(&gin_kernel_##name);                                                               \
	}                                                                                                              \
	__attribute__((noinline)) static void name(const args_t a)
#endif
