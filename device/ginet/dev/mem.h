/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every access to words that a NIC, the host or another thread also touches.
 * This is the only device header with asm. Beside each wrapper: its PTX, the
 * minimum SM, and what stands for it on CPU threads; in simulation builds
 * (GINET_SIM) each is a schedule point of host/sim.
 *
 * Scopes are .sys throughout until a measurement on a card pays for less. No
 * pointer here is const __restrict__: nvcc would make ld.global.nc of it,
 * which may return stale data.
 */
#ifndef GINET_DEV_MEM_H
#define GINET_DEV_MEM_H
#include <ginet/dev/shim.h>
#include <ginet/hw/be.h>

struct GIN_ALIGN16 gin_u128 { uint32_t x, y, z, w; };

#if defined(__CUDACC__)

/* ld.relaxed.sys, sm_70. A word the NIC or the host writes; never kept in L1. */
GIN_FN uint32_t gin_load32(const void *p)
{
	uint32_t v;

	asm volatile("ld.relaxed.sys.global.L1::no_allocate.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
	return v;
}

/* ld.relaxed.gpu, sm_70. A word that other threads of this GPU write. */
GIN_FN uint64_t gin_load64_gpu(const void *p)
{
	uint64_t v;

	asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
	return v;
}

/* st.relaxed.gpu, sm_70. */
GIN_FN void gin_store64_gpu(void *p, uint64_t v)
{
	asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

/* atom.relaxed.gpu.cas, sm_70. Returns what was there. */
GIN_FN uint64_t gin_cas64_gpu(void *p, uint64_t expected, uint64_t v)
{
	uint64_t old;

	asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %2, %3;" : "=l"(old) : "l"(p), "l"(expected), "l"(v) : "memory");
	return old;
}

/* atom.acq_rel.gpu.exch, sm_70. Returns what was there. */
GIN_FN uint64_t gin_exchange64_gpu(void *p, uint64_t v)
{
	uint64_t old;

	asm volatile("atom.acq_rel.gpu.global.exch.b64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(v) : "memory");
	return old;
}

/* red.relaxed.gpu.add, sm_70. */
GIN_FN void gin_add64_gpu(void *p, uint64_t v)
{
	asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

/* red.release.gpu.max, sm_70. Signed: what is below 0 changes nothing. */
GIN_FN void gin_max64_gpu(void *p, uint64_t v)
{
	asm volatile("red.release.gpu.global.max.s64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

/*
 * The same on a field of a struct at p: given p and the distance, ptxas folds
 * them into [p+n]; given their sum, it keeps a second address.
 */
#ifdef __CUDA_ARCH__
#define gin_load64_field(p, type, field)                                                                               \
	({                                                                                                             \
		uint64_t gin_v;                                                                                        \
		asm volatile("ld.relaxed.gpu.global.b64 %0, [%1+%2];"                                                  \
			     : "=l"(gin_v)                                                                             \
			     : "l"(p), "n"(offsetof(type, field))                                                      \
			     : "memory");                                                                              \
		gin_v;                                                                                                 \
	})
#define gin_store64_field(p, type, field, v)                                                                           \
	asm volatile("st.relaxed.gpu.global.b64 [%0+%1], %2;" ::"l"(p), "n"(offsetof(type, field)), "l"((uint64_t)(v)) : "memory")

#define gin_add64_field(p, type, field, v)                                                                             \
	asm volatile("red.relaxed.gpu.global.add.u64 [%0+%1], %2;" ::"l"(p), "n"(offsetof(type, field)), "l"((uint64_t)(v)) : "memory")

#define gin_max64_field(p, type, field, v)                                                                             \
	asm volatile("red.release.gpu.global.max.s64 [%0+%1], %2;" ::"l"(p), "n"(offsetof(type, field)), "l"((uint64_t)(v)) : "memory")
#else /* nvcc's pass for the host, whose front end fails on the above (13.0: "check_for_and_take_source_seq_entry") */
#define gin_load64_field(p, type, field) gin_load64_gpu(&(p)->field)
#define gin_store64_field(p, type, field, v) gin_store64_gpu(&(p)->field, v)
#define gin_add64_field(p, type, field, v) gin_add64_gpu(&(p)->field, v)
#define gin_max64_field(p, type, field, v) gin_max64_gpu(&(p)->field, v)
#endif

/* Before a loop whose size counts more than its speed. */
#define GIN_NO_UNROLL _Pragma("unroll 1")

/* No instruction: a value that nvcc knows nothing about any more, so that it computes from it what is written here. */
GIN_FN uint32_t gin_opaque32(uint32_t v)
{
	asm volatile("" : "+r"(v));
	return v;
}

GIN_FN uint64_t gin_opaque64(uint64_t v)
{
	asm volatile("" : "+l"(v));
	return v;
}

GIN_FN uint8_t *gin_opaque_ptr(uint8_t *v)
{
	asm volatile("" : "+l"(v));
	return v;
}

/* st.global.b8, any SM. A byte of a WQE. */
GIN_FN void gin_store8(void *p, uint32_t v)
{
	asm volatile("st.global.b8 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

/* st.global.v4, any SM. 16 bytes of a WQE in one store. */
GIN_FN void gin_store128(void *p, struct gin_u128 v)
{
	asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

/* st.relaxed.sys, sm_70. A doorbell record. */
GIN_FN void gin_store32(void *p, uint32_t v)
{
	asm volatile("st.relaxed.sys.global.b32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

/* st.mmio.relaxed.sys, sm_70, PTX 8.2. A NIC register: one store, never split, merged or repeated. */
GIN_FN void gin_mmio_write64(void *p, uint64_t v)
{
	asm volatile("st.mmio.relaxed.sys.global.b64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

/* fence.acq_rel.sys, sm_70. What was stored before it is seen by NIC and host before what is stored after it. */
GIN_FN void gin_fence_to_nic(void)
{
	asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/* fence.acquire.sys (sm_90, PTX 8.6), else fence.acq_rel.sys. What is read after it is no older than what was read before. */
GIN_FN void gin_fence_from_nic(void)
{
#if __CUDA_ARCH__ >= 900
	asm volatile("fence.acquire.sys;" ::: "memory");
#else
	asm volatile("fence.acq_rel.sys;" ::: "memory");
#endif
}

/* ld.global, any SM. A byte, half-word or word of a CQE behind gin_fence_from_nic(). */
GIN_FN uint32_t gin_read32(const void *p)
{
	uint32_t v;

	asm volatile("ld.global.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
	return v;
}

/* mov %globaltimer, sm_30. Nanoseconds; its step can be up to a microsecond. */
GIN_FN uint64_t gin_time_ns(void)
{
	uint64_t t;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
	return t;
}

/* nanosleep, sm_70. Belongs into every loop that waits. */
GIN_FN void gin_pause(void)
{
	asm volatile("nanosleep.u32 64;" ::: "memory");
}

#elif defined(GINET_SIM)

GIN_FN uint32_t gin_load32(const void *p)
{
	uint32_t v;

	gin_sim_load(p, &v, sizeof(v));
	return v;
}

GIN_FN uint64_t gin_load64_gpu(const void *p)
{
	uint64_t v;

	gin_sim_load(p, &v, sizeof(v));
	return v;
}

GIN_FN void gin_store64_gpu(void *p, uint64_t v)
{
	gin_sim_store(p, &v, sizeof(v));
}

GIN_FN uint64_t gin_cas64_gpu(void *p, uint64_t expected, uint64_t v)
{
	return gin_sim_cas64(p, expected, v);
}

GIN_FN uint64_t gin_exchange64_gpu(void *p, uint64_t v)
{
	return gin_sim_exch64(p, v);
}

GIN_FN void gin_add64_gpu(void *p, uint64_t v)
{
	gin_sim_add64(p, v);
}

GIN_FN void gin_store8(void *p, uint32_t v)
{
	uint8_t byte = (uint8_t)v;

	gin_sim_store(p, &byte, sizeof(byte));
}

GIN_FN void gin_store128(void *p, struct gin_u128 v)
{
	gin_sim_store(p, &v, sizeof(v));
}

GIN_FN void gin_store32(void *p, uint32_t v)
{
	gin_sim_store(p, &v, sizeof(v));
}

GIN_FN void gin_mmio_write64(void *p, uint64_t v)
{
	gin_sim_store(p, &v, sizeof(v));
}

GIN_FN void gin_fence_to_nic(void)
{
	gin_sim_fence(GIN_FENCE_ACQ_REL, GIN_SCOPE_SYS);
}

GIN_FN void gin_fence_from_nic(void)
{
	gin_sim_fence(GIN_FENCE_ACQUIRE, GIN_SCOPE_SYS);
}

GIN_FN uint32_t gin_read32(const void *p)
{
	uint32_t v;

	gin_sim_load(p, &v, sizeof(v));
	return v;
}

GIN_FN uint64_t gin_time_ns(void)
{
	return gin_cpu_time_ns();
}

#define gin_pause() gin_cpu_pause(GIN_HERE)

#else

/* Acquire, and release for the stores: the fences below are nothing on a CPU, and TSan sees the pairs. */
GIN_FN uint32_t gin_load32(const void *p)
{
	return __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
}

GIN_FN uint64_t gin_load64_gpu(const void *p)
{
	return __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE);
}

GIN_FN void gin_store64_gpu(void *p, uint64_t v)
{
	__atomic_store_n((uint64_t *)p, v, __ATOMIC_RELEASE);
}

GIN_FN uint64_t gin_cas64_gpu(void *p, uint64_t expected, uint64_t v)
{
	__atomic_compare_exchange_n((uint64_t *)p, &expected, v, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	return expected;
}

GIN_FN uint64_t gin_exchange64_gpu(void *p, uint64_t v)
{
	return __atomic_exchange_n((uint64_t *)p, v, __ATOMIC_ACQ_REL);
}

GIN_FN void gin_add64_gpu(void *p, uint64_t v)
{
	__atomic_fetch_add((uint64_t *)p, v, __ATOMIC_RELAXED);
}

GIN_FN void gin_store8(void *p, uint32_t v)
{
	*(uint8_t *)p = (uint8_t)v;
}

GIN_FN void gin_store128(void *p, struct gin_u128 v)
{
	*(struct gin_u128 *)p = v;
}

GIN_FN void gin_store32(void *p, uint32_t v)
{
	__atomic_store_n((uint32_t *)p, v, __ATOMIC_RELEASE);
}

/* Sequentially consistent, with the look at "asleep" behind it: else a sleeping engine could miss the doorbell. */
GIN_FN void gin_mmio_write64(void *p, uint64_t v)
{
	__atomic_store_n((uint64_t *)p, v, __ATOMIC_SEQ_CST);
	gin_cpu_rang();
}

GIN_FN void gin_fence_to_nic(void)
{
}

GIN_FN void gin_fence_from_nic(void)
{
}

GIN_FN uint32_t gin_read32(const void *p)
{
	return *(const uint32_t *)p;
}

GIN_FN uint64_t gin_time_ns(void)
{
	return gin_cpu_time_ns();
}

#define gin_pause() gin_cpu_pause(GIN_HERE)

#endif

#ifndef __CUDACC__
/* atomic max, signed, release. */
GIN_FN void gin_max64_gpu(void *p, uint64_t v)
{
	uint64_t old = gin_load64_gpu(p), seen;

	while ((int64_t)old < (int64_t)v && (seen = gin_cas64_gpu(p, old, v)) != old)
		old = seen;
}

#define gin_load64_field(p, type, field) gin_load64_gpu(&(p)->field)
#define gin_store64_field(p, type, field, v) gin_store64_gpu(&(p)->field, v)
#define gin_add64_field(p, type, field, v) gin_add64_gpu(&(p)->field, v)
#define gin_max64_field(p, type, field, v) gin_max64_gpu(&(p)->field, v)
#define GIN_NO_UNROLL
#define gin_opaque32(v) (v)
#define gin_opaque64(v) (v)
#define gin_opaque_ptr(v) (v)
#endif

/* The stop word is the host's. */
GIN_FN int gin_stopped(const uint32_t *stop)
{
	return gin_load32(stop) != 0;
}
#endif
