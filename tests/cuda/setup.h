/* SPDX-License-Identifier: BSD-3-Clause */
/* Around the CUDA back end in tests: the rest of the library that it asks, and its log. */
#ifndef TESTS_CUDA_SETUP_H
#define TESTS_CUDA_SETUP_H
#include "fake_cudart.h"
#include "gpu/gpu_priv.h"
#include "gpu/runner.h"
#include <check.h>
#include <ginet/log.h>

extern struct gin_kernel kernel_a, kernel_b; /* with CUDA halves */
extern struct gin_kernel kernel_cpu_only;
extern const struct gin_runner_helper *runner_helper; /* what gin_runner_get_helper() says */

#define N_LINES 32
extern char lines[N_LINES][1024]; /* what was logged since setup() */
extern int n_lines;
const char *last_line(void);
int count_lines(enum gin_log_level level);

void setup(void);
void teardown(void); /* nothing was left behind, and nothing could have waited for a kernel */
struct gin_gpu *open_gpu(const char *rest);
#define ck_line_has(text) ck_assert_msg(strstr(last_line(), text), "'%s' is not in: %s", text, last_line())
#endif
