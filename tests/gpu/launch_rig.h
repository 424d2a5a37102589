/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of gin_launch() share: a GPU with words that kernels and test see, the last lines of the log. */
#ifndef TESTS_GPU_LAUNCH_RIG_H
#define TESTS_GPU_LAUNCH_RIG_H
#include "launch.h"
#include "run.h"
#include "gpu/gpu_priv.h"

#include <sched.h>

static char last_line[1024], last_info[1024];

static inline void keep_line(enum gin_log_level level, const char *text, void *arg)
{
	(void)arg;
	if (level == GIN_LOG_ERROR)
		snprintf(last_line, sizeof(last_line), "%s", text);
	if (level == GIN_LOG_INFO)
		snprintf(last_info, sizeof(last_info), "%s", text);
}

static struct gin_mem mem;
static uint32_t *words;

static inline void set_up_gpu(const char *name)
{
	last_line[0] = 0;
	gin_log_to(keep_line, NULL);
	ck_assert_int_eq(gin_gpu_open(name, &run_gpu), 0);
	ck_assert_int_eq(gin_mem_alloc(run_gpu, GIN_MEM_GPU_CPU, 1 << 20, &mem), 0);
	words = mem.cpu;
}

static inline void set_up(void)
{
	set_up_gpu("cpu");
}

static inline void tear_down(void)
{
	close_gpu();
	gin_log_to(NULL, NULL);
}

static inline void reopen(const char *name)
{
	close_gpu();
	set_up_gpu(name);
}

static inline void expect_line(const char *part)
{
	ck_assert_msg(strstr(last_line, part) != NULL, "\"%s\" lacks \"%s\"", last_line, part);
}

static inline int try_launch(struct gin_kernel *kernel, const struct gin_launch_config *cfg)
{
	struct launch_args args = { mem.gpu, run_gpu->stop_gpu };

	return gin_launch(run_gpu, kernel, cfg, &args, sizeof(args));
}

static inline void launch(struct gin_kernel *kernel, uint32_t blocks, uint32_t threads, struct gin_stream *stream)
{
	struct gin_launch_config cfg = { .grid.x = blocks, .block.x = threads, .stream = stream };

	ck_assert_int_eq(try_launch(kernel, &cfg), 0);
}

static inline uint32_t word(int i)
{
	return __atomic_load_n(&words[i], __ATOMIC_ACQUIRE);
}

static inline void await_word(int i, uint32_t value)
{
	while (word(i) != value)
		sched_yield();
}

static inline void await_all(void)
{
	ck_assert_int_eq(gin_gpu_wait(run_gpu, run_limit_ns), 0);
}
#endif
