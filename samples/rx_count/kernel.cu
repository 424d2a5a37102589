/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts what arrives: by one thread, one warp or one block, as the host asks. */
#include <ginet/device.h>
#include "rx_count.h"

GIN_FN void count(const struct rx_count_args *a, uint64_t i)
{
	struct gin_pkt pkt = gin_rxq_pkt(&a->rxq, i);

	gin_atomic_add64(&a->sums->packets, 1);
	gin_atomic_add64(&a->sums->bytes, pkt.len);
}

GIN_FN void by_thread(const struct rx_count_args *a)
{
	struct gin_run run;
	uint32_t i;

	while (!gin_rxq_recv(&a->rxq, 64, GIN_UNTIL_STOP, &run)) {
		for (i = 0; i < run.n; i++)
			count(a, run.first + i);
		gin_rxq_release(&a->rxq, &run);
	}
}

GIN_FN void by_warp(const struct rx_count_args *a)
{
	struct gin_run run;

	while (!gin_rxq_recv_warp(&a->rxq, 32, GIN_UNTIL_STOP, &run)) {
		if (threadIdx.x < run.n)
			count(a, run.first + threadIdx.x);
		gin_rxq_release_warp(&a->rxq, &run);
	}
}

GIN_FN void by_block(const struct rx_count_args *a)
{
	struct gin_run run;

	while (!gin_rxq_recv_block(&a->rxq, blockDim.x, GIN_UNTIL_STOP, &run)) {
		if (threadIdx.x < run.n)
			count(a, run.first + threadIdx.x);
		gin_rxq_release_block(&a->rxq, &run);
	}
}

GIN_KERNEL(rx_count, struct rx_count_args, a)
{
	if (a.scope == RX_THREAD)
		by_thread(&a);
	else if (a.scope == RX_WARP)
		by_warp(&a);
	else
		by_block(&a);
}
