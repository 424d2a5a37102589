/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends a frame, counts what comes back, until there are 1000. */
#include <ginet/device.h>
#include "starter.h"

GIN_KERNEL(starter, struct starter_args, a)
{
	struct gin_pkt pkt = { 0 };
	struct gin_run run;
	uint64_t ticket;

	pkt.data = (uint8_t *)a.frame.addr;
	pkt.lkey = a.frame.key;
	pkt.len = 64;
	while (*a.packets < 1000) {
		if (gin_txq_send_own(&a.txq, &pkt, 0, GIN_UNTIL_STOP, &ticket) ||
		    gin_rxq_recv(&a.rxq, 32, GIN_UNTIL_STOP, &run))
			return; /* stop, or an error that the host reports */
		*a.packets += run.n;
		gin_rxq_release(&a.rxq, &run);
	}
}
