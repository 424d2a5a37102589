/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of the kernel that waits for packets, and when it looked at the clock. */
#ifndef TESTS_SEMANTICS_RECV_WAIT_H
#define TESTS_SEMANTICS_RECV_WAIT_H
#include "recv.h"

enum { WAIT_CALLS = 32 };

struct wait_call {
	uint64_t timeout_ns;
	uint64_t before, after; /* the clock around the call */
	uint32_t look, look_end; /* looks at the clock inside the call */
	int result;             /* the same in every lane, or 1 */
	uint32_t n;
};

struct wait_log {
	uint32_t n_calls;       /* moves while the kernel runs */
	struct wait_call calls[WAIT_CALLS];
};

struct wait_args {
	struct gin_dev_rxq rxq;
	struct wait_log *log;
	uint64_t seed;
	uint32_t scope, n_calls;
	uint32_t until_stop;    /* 1: the last call waits until stop */
};

uint32_t wait_looks(void); /* looks of the leader so far; in kernels and on the host */
GIN_KERNEL_DECLARE(recv_waits);
#endif
