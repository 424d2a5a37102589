/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GPU_SIM_H
#define TESTS_GPU_SIM_H
#include <ginet/launch.h>

struct sim_args {
	uint32_t *words;
	const uint32_t *stop;
};
GIN_KERNEL_DECLARE(sim_order);
GIN_KERNEL_DECLARE(sim_wait);
GIN_KERNEL_DECLARE(sim_pass_on);
GIN_KERNEL_DECLARE(sim_pass_on_unsynced);
GIN_KERNEL_DECLARE(sim_meet);
GIN_KERNEL_DECLARE(sim_ring);
#endif
