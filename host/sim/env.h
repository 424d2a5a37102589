/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What code below the seam may know of the world: a clock and random numbers.
 * Real runs use gin_env_real(); the deterministic simulation passes its own.
 * Nothing in host/softnic reads a clock or calls rand() otherwise.
 */
#ifndef HOST_SIM_ENV_H
#define HOST_SIM_ENV_H
#include <stdint.h>

/* Independent random streams, so that a change in one does not shift the others. */
enum gin_rng { GIN_RNG_SCHEDULE, GIN_RNG_FAULTS, GIN_RNG_TRAFFIC, GIN_RNG_ADVERSARY, GIN_RNG_NUMBERS, GIN_RNG_COUNT };

struct gin_env {
	uint64_t (*now_ns)(void *ctx); /* monotonic */
	uint64_t (*random)(void *ctx, enum gin_rng stream);
	void *ctx;
};

static inline uint64_t gin_env_now(const struct gin_env *env)
{
	return env->now_ns(env->ctx);
}

static inline uint64_t gin_env_random(const struct gin_env *env, enum gin_rng stream)
{
	return env->random(env->ctx, stream);
}

/* The machine's clock, and random numbers seeded by the system. Thread-safe. */
const struct gin_env *gin_env_real(void);
#endif
