/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands for the CUDA back end in builds without CUDA. */
#include "gpu/gpu_priv.h"
#include "log.h"
#include <errno.h>

static int open_none(const char *rest, struct gin_gpu **out)
{
	(void)out;
	gin_error("cuda:%s: built without CUDA; install the CUDA toolkit (nvcc) and build again, or use cpu", rest);
	return -ENOTSUP;
}

const struct gin_gpu_ops gin_gpu_cuda = { .kind = "cuda", .open = open_none };

int gin_cuda_count(void)
{
	return 0;
}
