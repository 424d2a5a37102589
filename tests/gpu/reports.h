/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels with a mistake each. */
#ifndef TESTS_GPU_REPORTS_H
#define TESTS_GPU_REPORTS_H
#include <ginet/launch.h>

struct report_args {
	int *line;      /* where the mistake is; written before it is made */
	uint32_t *word;
};
GIN_KERNEL_DECLARE(not_in_mask);
GIN_KERNEL_DECLARE(two_collectives);
GIN_KERNEL_DECLARE(collective_and_barrier);
GIN_KERNEL_DECLARE(shuffle_from_outside);
GIN_KERNEL_DECLARE(shuffle_from_ended);
GIN_KERNEL_DECLARE(shuffle_width);
GIN_KERNEL_DECLARE(ring_of_three);
GIN_KERNEL_DECLARE(barrier_in_branch);
GIN_KERNEL_DECLARE(two_barriers);
GIN_KERNEL_DECLARE(trap);
GIN_KERNEL_DECLARE(spin);
GIN_KERNEL_DECLARE(deep_stack);
GIN_KERNEL_DECLARE(array_overrun);
GIN_KERNEL_DECLARE(dynamic_overrun);
GIN_KERNEL_DECLARE(good);
#endif
