/* SPDX-License-Identifier: BSD-3-Clause */
#include "setup.h"
#include <stdio.h>
#include <string.h>

static const char handle_a, handle_b; /* as CUDA would give them */

static const void *cuda_a(void)
{
	return &handle_a;
}

static const void *cuda_b(void)
{
	return &handle_b;
}

struct gin_kernel kernel_cpu_only = { .name = "cpu_only", .args_size = 64 };
struct gin_kernel kernel_b = { .name = "kernel_b", .args_size = 64, .cuda = cuda_b, .next = &kernel_cpu_only };
struct gin_kernel kernel_a = { .name = "kernel_a", .args_size = 64, .cuda = cuda_a, .next = &kernel_b };
const struct gin_runner_helper *runner_helper;

struct gin_kernel *gin_kernel_list(void)
{
	return &kernel_a;
}

const struct gin_runner_helper *gin_runner_get_helper(void)
{
	return runner_helper;
}

char lines[N_LINES][1024];
int n_lines;
static enum gin_log_level levels[N_LINES];

static void keep_line(enum gin_log_level level, const char *line, void *arg)
{
	(void)arg;
	if (n_lines == N_LINES)
		return;
	levels[n_lines] = level;
	snprintf(lines[n_lines++], sizeof(lines[0]), "%s", line);
}

const char *last_line(void)
{
	return n_lines ? lines[n_lines - 1] : "(nothing)";
}

int count_lines(enum gin_log_level level)
{
	int i, n = 0;

	for (i = 0; i < n_lines; i++)
		n += levels[i] == level;
	return n;
}

void setup(void)
{
	fake_reset();
	memset(&fake_gdr, 0, sizeof(fake_gdr));
	runner_helper = NULL;
	n_lines = 0;
	gin_log_to(keep_line, NULL);
}

void teardown(void)
{
	ck_assert_int_eq(fake.live, 0);
	ck_assert_int_eq(fake.would_wait, 0);
	ck_assert_int_eq(fake.device, 0);
	ck_assert_int_eq(fake.last_error, cudaSuccess);
	ck_assert_int_eq(fake_gdr.live, 0);
}

struct gin_gpu *open_gpu(const char *rest)
{
	struct gin_gpu *gpu = NULL;

	ck_assert_int_eq(gin_gpu_cuda.open(rest, &gpu), 0);
	ck_assert_ptr_nonnull(gpu);
	return gpu;
}
