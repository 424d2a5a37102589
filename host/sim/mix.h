/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one random generator of this folder: a counter run through a mixer
 * (SplitMix64; Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014). Its state is one word, so a stream is one word.
 */
#ifndef HOST_SIM_MIX_H
#define HOST_SIM_MIX_H
#include <stdint.h>

#define GIN_MIX_STEP 0x9e3779b97f4a7c15ull /* 2^64 / golden ratio, odd: the counter visits every value */

/* Variant 13 of the paper's finalizers. A bijection. */
static inline uint64_t gin_mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

static inline uint64_t gin_mix_next(uint64_t *state)
{
	*state += GIN_MIX_STEP;
	return gin_mix64(*state);
}

/* A number below n out of a random one, without the bias of the low bits that % shows for large n. */
static inline uint64_t gin_mix_below(uint64_t random, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)random * n) >> 64);
}
#endif
