/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One kernel source, two compilers. nvcc gets a few words of ours; a C or C++
 * compiler also gets the words of CUDA (shim_cpu.h), which lead to the runner
 * of CPU threads.
 *
 * Both:
 *   GIN_FN                        before a helper function
 *   GIN_KERNEL(name, args_t, a)   opens a kernel's definition
 *   GIN_CONST                     before a table of constants
 *   GIN_SHARED(type, name, n)     an array of n in shared memory; name is a pointer
 *   GIN_DYN_SHARED(type, name)    the launch's shared_bytes of shared memory
 *   gin_atomic_*64()              on uint64_t; relaxed, return what was there
 */
#ifndef GINET_DEV_SHIM_H
#define GINET_DEV_SHIM_H
#include <ginet/error.h>
#include <ginet/launch.h>
#include <stddef.h>
#include <stdint.h>

/*
 * GIN_NO_INLINE, see dev/txq.h, is asked here and nowhere else: send and the kernel's descriptor must agree. The name
 * of the CUDA half says it too, so that two halves which differ do not link.
 */
#ifdef GIN_NO_INLINE
#define GIN_MAY_INLINE 0
#define GIN_KERNEL_FLAGS GIN_KERNEL_NO_INLINE
#define GIN_CUDA_HALF_OF(name) gin_cuda_no_inline_##name
#else
#define GIN_MAY_INLINE 1
#define GIN_KERNEL_FLAGS 0
#define GIN_CUDA_HALF_OF(name) gin_cuda_##name
#endif

#ifdef __CUDACC__

#define GIN_FN static __device__ __forceinline__
#define GIN_ALIGN16 __align__(16)
#define GIN_CONST static __constant__ const

#define GIN_SHARED(type, name, n)                                                                                      \
	__shared__ type name##_shared[n];                                                                              \
	type *const name = name##_shared

/* At file scope: declared in a kernel, which is extern "C", and in a helper, which is not, it would be two things. */
extern __shared__ __align__(16) unsigned char gin_dyn_shared[];
#define GIN_DYN_SHARED(type, name) type *const name = (type *)gin_dyn_shared

/*
 * A kernel as the driver knows it. nvcc's stub is known only to the CUDA runtime that this object is linked with, and
 * libginet.so has one of its own: cuda_runtime_api.h says that its calls take a cudaKernel_t for a stub.
 */
static inline const void *gin_cuda_handle(const void *stub)
{
	cudaKernel_t handle;

	if (cudaGetKernel(&handle, stub) == cudaSuccess)
		return (const void *)handle;
	cudaGetLastError(); /* gin_gpu_open() or gin_launch() will say it */
	return stub;
}

/* The C half of the kernel file points to GIN_CUDA_HALF_OF(NAME)(), in the host part of this object. */
#define GIN_KERNEL(name, args_t, a)                                                                                    \
	extern "C" __global__ void name(const __grid_constant__ args_t a);                                             \
	extern "C" const void *GIN_CUDA_HALF_OF(name)(void);                                                           \
	extern "C" const void *GIN_CUDA_HALF_OF(name)(void)                                                            \
	{                                                                                                              \
		return gin_cuda_handle((const void *)name);                                                            \
	}                                                                                                              \
	static_assert(sizeof(args_t) <= GIN_ARGS_MAX, "a kernel takes at most 4096 bytes of arguments");               \
	extern "C" __global__ void name(const __grid_constant__ args_t a)

#define GIN_ATOMIC64(op, call)                                                                                         \
	GIN_FN uint64_t gin_atomic_##op##64(uint64_t *p, uint64_t v)                                                   \
	{                                                                                                              \
		return call((unsigned long long *)p, (unsigned long long)v);                                           \
	}
GIN_ATOMIC64(add, atomicAdd)
GIN_ATOMIC64(exchange, atomicExch)
GIN_ATOMIC64(min, atomicMin)
GIN_ATOMIC64(max, atomicMax)
GIN_ATOMIC64(and, atomicAnd)
GIN_ATOMIC64(or, atomicOr)
GIN_ATOMIC64(xor, atomicXor)
#undef GIN_ATOMIC64

GIN_FN uint64_t gin_atomic_cas64(uint64_t *p, uint64_t expected, uint64_t v)
{
	return atomicCAS((unsigned long long *)p, (unsigned long long)expected, (unsigned long long)v);
}

#else
#include <ginet/dev/shim_cpu.h>
#endif

#define GIN_ARGS_MAX 4096 /* CUDA's limit of all GPUs before sm_70's large-argument launches */
#endif
