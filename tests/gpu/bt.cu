/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/device.h>
#include "bt.h"

static __device__ __attribute__((noinline)) void stop_here(uint32_t *word)
{
	atomicAdd(word, 1u);
}

GIN_KERNEL(bt_kernel, struct bt_args, a)
{
	__syncwarp();
	stop_here(a.word);
	__syncwarp(); /* else the call is the kernel's last act, and its frame gone */
}
