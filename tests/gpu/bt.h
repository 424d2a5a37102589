/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GPU_BT_H
#define TESTS_GPU_BT_H
#include <ginet/launch.h>

struct bt_args {
	uint32_t *word;
};
GIN_KERNEL_DECLARE(bt_kernel);
#endif
