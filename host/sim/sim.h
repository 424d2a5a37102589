/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deterministic simulation: one scheduler draws which actor takes the next
 * step. Lanes of kernels, the software NIC, pending stores and host tasks are
 * actors. Everything runs on one thread at a time, so nothing here locks.
 */
#ifndef HOST_SIM_SIM_H
#define HOST_SIM_SIM_H
#include "env.h"
#include <stddef.h>

struct gin_sim;

#define GIN_SIM_NEVER (~0ull)

struct gin_actor {
	const char *name;
	uint32_t (*n_ready)(void *ctx);              /* steps that could be taken now */
	void (*step)(void *ctx, uint32_t which);     /* take one, which < n_ready() */
	uint64_t (*next_ns)(void *ctx);              /* virtual time at which more may be ready, or GIN_SIM_NEVER */
	void *ctx;
	struct gin_actor *next;                      /* the scheduler's */
};

/* At most one simulation per process at a time: -EBUSY. */
int gin_sim_create(uint64_t seed, struct gin_sim **out);
void gin_sim_destroy(struct gin_sim *sim);
struct gin_sim *gin_sim_current(void);           /* NULL outside a simulation */
const struct gin_env *gin_sim_env(struct gin_sim *sim);
void gin_sim_add(struct gin_sim *sim, struct gin_actor *actor);
void gin_sim_remove(struct gin_sim *sim, struct gin_actor *actor);

/*
 * Draw steps until done(arg) is non-zero (0), max_steps are used up (-ETIME)
 * or nothing can ever run again (-EDEADLK). When nothing is ready now the
 * clock jumps to the earliest next_ns.
 */
int gin_sim_run(struct gin_sim *sim, int (*done)(void *arg), void *arg, uint64_t max_steps);

/* What a failing test prints, and what two runs of one seed must share. */
uint64_t gin_sim_seed(const struct gin_sim *sim);
uint64_t gin_sim_steps(const struct gin_sim *sim);
uint64_t gin_sim_trace(const struct gin_sim *sim);              /* hash over all steps so far */
void gin_sim_note(struct gin_sim *sim, uint64_t what);           /* feed the hash */
void gin_sim_now_add(struct gin_sim *sim, uint64_t ns);          /* let time pass: each step costs a little */
#endif
