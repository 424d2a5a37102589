/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/device.h>
#include "partial_block.h"

GIN_KERNEL(partial_block, struct partial_block_args, me)
{
	uint32_t thread = gin_block_thread(), left = gin_block_size();
	struct gin_pkt p = { 0 };
	struct gin_run run;
	uint64_t ticket;
	int err;

	p.data = (uint8_t *)me.packets.addr + thread * 64;
	p.lkey = me.packets.key;
	p.len = 64;
	gin_put16(p.data + 60, thread);
	if (me.own)
		err = gin_txq_send_own_block(&me.txq, &p, 0, GIN_UNTIL_STOP, &ticket);
	else
		err = gin_txq_send_block(&me.txq, &p, 0, GIN_UNTIL_STOP, &ticket);
	while (!err && left) {
		err = gin_rxq_recv_block(&me.rxq, gin_block_size(), 1000000000u, &run);
		if (err)
			break;
		if (thread < run.n) {
			p = gin_rxq_pkt(&me.rxq, run.first + thread);
			me.seen[gin_get16(p.data + 60)]++;
		}
		gin_rxq_release_block(&me.rxq, &run);
		left -= run.n;
		if (!run.n)
			err = -EINVAL; /* 0 promises at least one */
	}
	if (thread == 0)
		*me.err = err;
}
