/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/cpu.h>
#include <time.h>

#ifdef GINET_SIM
#include "sim/sim.h"
#endif

uint64_t gin_cpu_time_ns(void)
{
	struct timespec t;

#ifdef GINET_SIM
	if (gin_sim_current())
		return gin_env_now(gin_sim_env(gin_sim_current()));
#endif
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
