/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/launch.h>

struct tiny_args {
	uint32_t *sum;
	uint32_t x;
};
GIN_KERNEL_DECLARE(tiny);
