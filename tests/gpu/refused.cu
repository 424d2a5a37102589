/* SPDX-License-Identifier: BSD-3-Clause */
/* What does not compile for CPU threads, one REFUSED_ at a time; with none it does. See CMakeLists.txt. */
#include <ginet/device.h>

struct refused_args {
	uint32_t *word;
	uint64_t *word64;
	uint8_t *byte;
	float *real;
};

GIN_KERNEL(refused, struct refused_args, a)
{
	uint32_t v = threadIdx.x;

#if defined(REFUSED_ldg)
	v = __ldg(a.word);
#elif defined(REFUSED_activemask)
	v = __activemask();
#elif defined(REFUSED_old_shuffle)
	v = __shfl(v, 0);
#elif defined(REFUSED_atomic_inc)
	atomicInc(a.word, 5);
#elif defined(REFUSED_atomic_64)
	atomicAdd(a.word64, 1);
#elif defined(REFUSED_atomic_byte)
	atomicExch(a.byte, 1);
#elif defined(REFUSED_atomic_float)
	atomicMax(a.real, 1.0f);
#elif defined(REFUSED_shuffle_pointer)
	a.word = __shfl_sync(0xffffffffu, a.word, 0);
#elif defined(REFUSED_reduce_64)
	*a.word64 = __reduce_add_sync(0xffffffffu, *a.word64);
#elif defined(REFUSED_constant)
	static __constant__ int table[2];
#endif
	atomicAdd(a.word, v);
}

#if defined(REFUSED_big_args)
struct big_args { uint8_t bytes[4097]; };
GIN_KERNEL(big, struct big_args, b)
{
	(void)b;
}
#endif
