/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Big-endian numbers, as the NIC stores them. Each width is a type of its own:
 * mixing one with a host number does not compile.
 */
#ifndef GINET_HW_BE_H
#define GINET_HW_BE_H
#include <stdint.h>

#ifdef __CUDACC__
#define GIN_HW_FN static __host__ __device__ __forceinline__
#else
#define GIN_HW_FN static inline
#endif

#if !defined(__CUDACC__) && (!defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
#error "ginet supports little-endian machines only: device code hands pre-swapped words to the NIC"
#endif

#ifdef __cplusplus
#define GIN_STATIC_ASSERT(cond, why) static_assert(cond, why)
#else
#define GIN_STATIC_ASSERT(cond, why) _Static_assert(cond, why)
#endif

struct gin_be16 { uint16_t raw; };
struct gin_be32 { uint32_t raw; };
struct gin_be64 { uint64_t raw; };

/* Shifts: C compilers turn them into one byte swap. nvcc does only for sm_100 and newer, so there by the instruction. */
GIN_HW_FN uint16_t gin_swap16(uint16_t v)
{
	return (uint16_t)(v << 8 | v >> 8);
}

GIN_HW_FN uint32_t gin_swap32(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return __byte_perm(v, 0, 0x0123);
#else
	return v << 24 | (v & 0xff00u) << 8 | (v >> 8 & 0xff00u) | v >> 24;
#endif
}

/* The low half swapped, in the low half: what is above it does not matter. */
GIN_HW_FN uint32_t gin_swap16_low(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return __byte_perm(v, 0, 0x4401);
#else
	return gin_swap16((uint16_t)v);
#endif
}

/* The low half swapped, in the high half. */
GIN_HW_FN uint32_t gin_swap16_high(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return __byte_perm(v, 0, 0x0144);
#else
	return (uint32_t)gin_swap16((uint16_t)v) << 16;
#endif
}

GIN_HW_FN uint64_t gin_swap64(uint64_t v)
{
	return (uint64_t)gin_swap32((uint32_t)v) << 32 | gin_swap32((uint32_t)(v >> 32));
}

GIN_HW_FN struct gin_be16 gin_to_be16(uint16_t v)
{
	struct gin_be16 r;

	r.raw = gin_swap16(v);
	return r;
}

GIN_HW_FN struct gin_be32 gin_to_be32(uint32_t v)
{
	struct gin_be32 r;

	r.raw = gin_swap32(v);
	return r;
}

GIN_HW_FN struct gin_be64 gin_to_be64(uint64_t v)
{
	struct gin_be64 r;

	r.raw = gin_swap64(v);
	return r;
}

GIN_HW_FN uint16_t gin_from_be16(struct gin_be16 v)
{
	return gin_swap16(v.raw);
}

GIN_HW_FN uint32_t gin_from_be32(struct gin_be32 v)
{
	return gin_swap32(v.raw);
}

GIN_HW_FN uint64_t gin_from_be64(struct gin_be64 v)
{
	return gin_swap64(v.raw);
}
#endif
