/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GPU_LAUNCH_H
#define TESTS_GPU_LAUNCH_H
#include <ginet/launch.h>

struct launch_args {
	uint32_t *words;      /* zeroed memory of the GPU */
	const uint32_t *stop; /* NULL, or wait for the host's gin_gpu_stop() */
};
GIN_KERNEL_DECLARE(count_up);
GIN_KERNEL_DECLARE(wait_for_word);
GIN_KERNEL_DECLARE(wait_for_stop);
GIN_KERNEL_DECLARE(set_word);
GIN_KERNEL_DECLARE(append);
GIN_KERNEL_DECLARE(all_meet);
GIN_KERNEL_DECLARE(every_thread);
GIN_KERNEL_DECLARE(early_exits);
GIN_KERNEL_DECLARE(who_is_first);
GIN_KERNEL_DECLARE(crash);
GIN_KERNEL_DECLARE(signal_mask);
#endif
