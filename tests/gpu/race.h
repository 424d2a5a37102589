/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GPU_RACE_H
#define TESTS_GPU_RACE_H
#include <ginet/launch.h>

struct race_args {
	uint32_t *out;
};
GIN_KERNEL_DECLARE(pass_on);
GIN_KERNEL_DECLARE(pass_on_unsynced);
GIN_KERNEL_DECLARE(pass_on_by_shuffle);
GIN_KERNEL_DECLARE(block_pass_on);
GIN_KERNEL_DECLARE(block_pass_on_by_syncwarp);
#endif
