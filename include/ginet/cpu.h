/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a kernel compiled for CPU threads calls in the library. The words of
 * CUDA in <ginet/dev/shim.h> lead here; programs do not call these.
 */
#ifndef GINET_CPU_H
#define GINET_CPU_H
#include <ginet/launch.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread of a kernel. */
struct gin_cpu_lane {
	struct gin_dim3 thread, block, block_dim, grid_dim; /* threadIdx, blockIdx, blockDim, gridDim */
	uint32_t lane;                                      /* 0 to 31, in its warp */
	void *dyn_shared;                                   /* the block's dynamic shared memory */
};

/* The thread that runs now. Outside a kernel: NULL. */
extern __thread struct gin_cpu_lane *gin_cpu_self; /* not thread_local: C++ would call an initialiser at each use */

enum gin_cpu_collective {
	GIN_CPU_SYNCWARP,
	GIN_CPU_SHFL,      /* value of lane arg */
	GIN_CPU_SHFL_UP,   /* of lane - arg */
	GIN_CPU_SHFL_DOWN, /* of lane + arg */
	GIN_CPU_SHFL_XOR,  /* of lane ^ arg */
	GIN_CPU_BALLOT,
	GIN_CPU_ANY,
	GIN_CPU_ALL,
	GIN_CPU_MATCH_ANY, /* mask of lanes with the same value */
	GIN_CPU_REDUCE_ADD, GIN_CPU_REDUCE_MIN, GIN_CPU_REDUCE_MAX, /* unsigned 32 bit */
};

/* A rendezvous of the lanes in mask. width: 1 to 32, power of two, for shuffles. where: "file:line". */
uint64_t gin_cpu_collective(enum gin_cpu_collective kind, uint32_t mask, uint64_t value, uint32_t arg, uint32_t width,
			    const char *where);
/* kind: 0 __syncthreads, 1 _count, 2 _and, 3 _or. */
int gin_cpu_syncthreads(int kind, int predicate, const char *where);
void gin_cpu_pause(const char *where); /* this lane waits: let others run */
uint64_t gin_cpu_time_ns(void);        /* the runner's clock; virtual in the simulation */
void gin_cpu_rang(void);               /* a doorbell was stored by this thread */
void gin_cpu_trap(const char *where);  /* __trap(): ends the launch with -EIO */
void gin_cpu_threadfence(int scope);   /* __threadfence() and its kin; scope: GIN_SCOPE_* */
int gin_cpu_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

enum gin_scope { GIN_SCOPE_LANE, GIN_SCOPE_CTA, GIN_SCOPE_GPU, GIN_SCOPE_SYS };

#ifdef GINET_SIM
/*
 * In builds of the deterministic simulation, every access of <ginet/dev/mem.h>.
 * Each is a schedule point. See host/sim/lane.h for what they mean.
 */
enum gin_fence { GIN_FENCE_ACQUIRE = 1, GIN_FENCE_RELEASE = 2, GIN_FENCE_ACQ_REL = 3 };
void gin_sim_store(void *p, const void *value, uint32_t size);
void gin_sim_load(const void *p, void *value, uint32_t size);
void gin_sim_fence(int kind, int scope);
uint64_t gin_sim_cas64(void *p, uint64_t expected, uint64_t value); /* relaxed */
uint64_t gin_sim_add64(void *p, uint64_t value);                    /* relaxed */
uint64_t gin_sim_exch64(void *p, uint64_t value);                   /* acq_rel, GPU scope */
#endif

#ifdef __cplusplus
}
#endif
#endif
