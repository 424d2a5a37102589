/* SPDX-License-Identifier: BSD-3-Clause */
/* The world outside the simulation: the machine's clock, numbers seeded by the system. */
#include "env.h"
#include "mix.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/random.h>
#include <time.h>

static pthread_once_t seeded = PTHREAD_ONCE_INIT;
static uint64_t streams[GIN_RNG_COUNT];

static uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void seed_streams(void)
{
	/* Fails only before the kernel has any entropy, or without the call: then time and addresses must do. */
	if (getrandom(streams, sizeof(streams), GRND_NONBLOCK) == (ssize_t)sizeof(streams))
		return;
	for (size_t i = 0; i < GIN_RNG_COUNT; i++)
		streams[i] = gin_mix64(clock_ns() + (uint64_t)(uintptr_t)&streams[i]);
}

static uint64_t real_now(void *ctx)
{
	(void)ctx;
	return clock_ns();
}

/* The generator's state is a counter, so one atomic addition gives each caller its own number. */
static uint64_t real_random(void *ctx, enum gin_rng stream)
{
	(void)ctx;
	return gin_mix64(__atomic_add_fetch(&streams[stream], GIN_MIX_STEP, __ATOMIC_RELAXED));
}

static const struct gin_env real_env = { .now_ns = real_now, .random = real_random };

const struct gin_env *gin_env_real(void)
{
	pthread_once(&seeded, seed_streams);
	return &real_env;
}
