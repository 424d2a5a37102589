/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each lane looks at packets that other lanes saw arrive, and uses what it read
 * only after it has given the run back, as far as a GPU may delay a load.
 */
#include <ginet/device.h>
#include "recv_order.h"
#include "recv_scope.h"
#include "sim/lane.h"
#include "world.h"

#define ORDER_KERNEL(name) GIN_KERNEL(name, struct recv_order_args, a)

GIN_KERNEL_DECLARE(recv_order);

GIN_FN int same(const uint8_t *x, const uint8_t *y, uint32_t n)
{
	while (n && x[n - 1] == y[n - 1])
		n--;
	return !n;
}

ORDER_KERNEL(recv_order)
{
	uint64_t rng = a.seed, ticket = 0;
	uint8_t seen[18], late[18];
	uint32_t max, i;
	struct gin_run run;
	struct gin_pkt pkt;
	int err;

	if (a.scope == RECV_THREAD && threadIdx.x)
		return;
	for (;;) {
		max = 1 + recv_draw(&rng, recv_lanes(a.scope));
		err = recv_take(&a.rxq, a.scope, max, recv_draw(&rng, 2) ? GIN_UNTIL_STOP : GIN_TRY, &run);
		if (err == -EAGAIN)
			continue;
		if (err || !run.n)
			break;
		pkt = gin_rxq_pkt(&a.rxq, run.first + (threadIdx.x * 7 + recv_draw(&rng, 32)) % run.n);
		if (!world_frame_ok(pkt.data, pkt.len))
			a.log->stale++;
		gin_copy(seen, pkt.data, sizeof(seen));
		if (a.after)
			err = recv_send(&a.rxq, a.scope, &run, &a.txq, ~0ull, &ticket);
		if (err)
			break;
		for (i = recv_draw(&rng, 4); i; i--)
			gin_pause();
		gin_sim_load_late(pkt.data, late, sizeof(late));
		if (a.after)
			recv_release_after(&a.rxq, a.scope, &run, &a.txq, ticket);
		else
			recv_release(&a.rxq, a.scope, &run);
		gin_sim_load_use();
		if (!same(seen, late, sizeof(seen)))
			a.log->overwritten++;
		if (threadIdx.x == 0) {
			a.log->taken += run.n;
			a.log->runs++;
		}
	}
	if (threadIdx.x == 0)
		a.log->last = err;
}
