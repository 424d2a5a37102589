/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/device.h>
#include "mine.h"

GIN_KERNEL(mine, struct mine_args, a)
{
	struct gin_pkt pkt = { 0 };
	struct gin_run run;
	uint64_t ticket;

	pkt.data = (uint8_t *)a.frame.addr;
	pkt.lkey = a.frame.key;
	pkt.len = 100;
	if (gin_txq_send(&a.txq, &pkt, 0, GIN_UNTIL_STOP, &ticket) || gin_rxq_recv(&a.rxq, 1, GIN_UNTIL_STOP, &run))
		return;
	*a.len = gin_rxq_pkt(&a.rxq, run.first).len;
	gin_rxq_release(&a.rxq, &run);
}
