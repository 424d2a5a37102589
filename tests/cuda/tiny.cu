/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest kernel, for what its two halves make of each other. */
#include <ginet/device.h>
#include "tiny.h"

GIN_KERNEL(tiny, struct tiny_args, a)
{
	*a.sum = a.x + threadIdx.x;
}
