/* SPDX-License-Identifier: BSD-3-Clause */
/* A program to stop in; see bt.sh. */
#include "bt.h"
#include <ginet/error.h>

int main(void)
{
	struct gin_launch_config cfg = { .block.x = 32 };
	uint32_t word = 0;
	struct bt_args args = { &word };
	struct gin_gpu *gpu;
	int err = gin_gpu_open("cpu", &gpu);

	if (!err)
		err = gin_launch(gpu, &gin_kernel_bt_kernel, &cfg, &args, sizeof(args));
	if (!err)
		err = gin_gpu_wait(gpu, GIN_UNTIL_STOP);
	gin_gpu_close(gpu);
	return err || word != 32;
}
