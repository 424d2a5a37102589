/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits for packets with one time-out after the other. */
#include <ginet/device.h>
#include "recv_scope.h"
#include "recv_wait.h"

GIN_FN void wait_once(const struct wait_args *a, uint64_t timeout_ns)
{
	struct wait_call *call = &a->log->calls[a->log->n_calls % WAIT_CALLS];
	struct gin_run run;
	int err, leader_err;

	if (threadIdx.x == 0) {
		call->timeout_ns = timeout_ns;
		call->before = gin_time_ns();
		call->look = wait_looks();
	}
	err = recv_take(&a->rxq, a->scope, 32, timeout_ns, &run);
	if (threadIdx.x == 0) {
		call->look_end = wait_looks();
		call->after = gin_time_ns();
		call->result = err;
		call->n = run.n;
	}
	if (a->scope != RECV_THREAD) {
		leader_err = __shfl_sync(0xffffffffu, err, 0);
		if (err != leader_err)
			call->result = 1;
	}
	if (run.n)
		recv_release(&a->rxq, a->scope, &run);
	if (a->scope == RECV_BLOCK)
		__syncthreads(); /* all have found their call by n_calls */
	if (a->scope == RECV_WARP)
		__syncwarp();
	if (threadIdx.x == 0)
		a->log->n_calls++;
	if (a->scope == RECV_BLOCK)
		__syncthreads();
	if (a->scope == RECV_WARP)
		__syncwarp();
}

GIN_KERNEL(recv_waits, struct wait_args, a)
{
	uint64_t rng = a.seed, timeout_ns;
	uint32_t i;

	if (a.scope == RECV_THREAD && threadIdx.x)
		return;
	for (i = 0; i < a.n_calls; i++) {
		timeout_ns = recv_draw(&rng, 4) ? recv_draw(&rng, 1u << recv_draw(&rng, 16)) : GIN_TRY;
		wait_once(&a, timeout_ns);
	}
	if (a.until_stop)
		wait_once(&a, GIN_UNTIL_STOP);
}
