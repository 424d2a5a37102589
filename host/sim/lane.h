/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes of kernels in the simulation: their stores to NIC-visible memory wait
 * in buffers, as on a GPU, until an order of sufficient scope or chance lets
 * them out. The kernel's side is declared in <ginet/cpu.h> (gin_sim_*).
 *
 * A store rises through levels: its lane, its block, the GPU, the system (=
 * memory, where NIC and host see it). A fence of scope S by a lane lifts every
 * store that the lane can see (its own, its block's, the GPU's) to S.
 */
#ifndef HOST_SIM_LANE_H
#define HOST_SIM_LANE_H
#include <ginet/cpu.h>

/* For the runner: who runs now (block counts all blocks of all launches), and how to give the processor back. */
void gin_sim_lane_enter(uint32_t block, uint32_t lane);
void gin_sim_lane_leave(void);
void gin_sim_lane_fence(uint32_t block, uint32_t lane, int scope); /* __syncwarp, __syncthreads: GIN_SCOPE_CTA */
/* The lane that runs has come to its end: yields until its stores are in memory, in an order that chance decides. */
void gin_sim_lane_end(void);
void gin_sim_on_yield(void (*yield)(void));

/*
 * For the adversary: called at every load, and at every acquire of system
 * scope, with the lane that made it (a number of its own). An acquire orders
 * what this lane loaded before, not what others did.
 */
void gin_sim_on_load(void (*loaded)(uint64_t lane, const void *p));
void gin_sim_on_acquire(void (*acquired)(uint64_t lane));

/*
 * For test kernels: load size bytes from p to "to" at any time from now on, as
 * a GPU may: at the latest when the lane says that it uses the value, makes a
 * release fence, or comes out of a barrier. Outside a kernel: at once.
 */
void gin_sim_load_late(const void *p, void *to, uint32_t size);
void gin_sim_load_use(void);
#endif
