/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/device.h>
#include "kernels.h"

GIN_KERNEL(bounce, struct bounce_args, a)
{
	struct gin_pkt pkt = { 0 };
	struct gin_run run;
	uint64_t ticket;
	uint32_t i;

	pkt.data = (uint8_t *)a.frame;
	pkt.len = a.len;
	pkt.lkey = a.lkey;
	for (i = 0; i < a.n; i++) {
		if (gin_txq_send_own(&a.txq, &pkt, 0, GIN_UNTIL_STOP, &ticket) || gin_rxq_recv(&a.rxq, 1, GIN_UNTIL_STOP, &run))
			return;
		gin_rxq_release(&a.rxq, &run);
		gin_atomic_add64(a.bounced, 1);
	}
	while (!gin_rxq_recv(&a.rxq, 1, GIN_UNTIL_STOP, &run))
		gin_rxq_release(&a.rxq, &run);
}

GIN_KERNEL(listen_only, struct listen_args, a)
{
	struct gin_run run;

	while (!gin_rxq_recv_block(&a.rxq, 1, GIN_UNTIL_STOP, &run))
		gin_rxq_release_block(&a.rxq, &run);
}

GIN_KERNEL(defer_one, struct defer_args, a)
{
	struct gin_pkt pkt = { 0 };
	struct gin_run run;
	uint64_t ticket;

	pkt.data = (uint8_t *)a.first.frame;
	pkt.len = a.first.len;
	pkt.lkey = a.first.lkey;
	if (gin_txq_send(&a.first.txq, &pkt, 0, GIN_UNTIL_STOP, &ticket) ||
	    gin_rxq_recv(&a.first.rxq, 1, GIN_UNTIL_STOP, &run))
		return;
	pkt = gin_rxq_pkt(&a.first.rxq, run.first);
	pkt.lkey = a.lkey;
	if (!gin_txq_send(&a.txq, &pkt, 0, GIN_UNTIL_STOP, &ticket))
		gin_rxq_release_after(&a.first.rxq, &run, &a.txq, ticket);
}

GIN_KERNEL(stubborn, struct stubborn_args, a)
{
	while (!gin_load32(a.go))
		gin_pause();
}
