/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A source that numbers frames and a sink that checks each number: two threads
 * of one block, or two kernels of one thread each. The source never has more
 * frames under way than the sink has slots, so none may be lost.
 */
#include <ginet/device.h>
#include "stream.h"

/* Until n more frames fit into the sink's ring. 0 or -ECANCELED. */
GIN_FN int await_room(const struct stream_args *a, uint64_t end)
{
	uint64_t deadline = 0;
	int err = 0;

	while (!err && end - gin_load64_gpu(&a->words->taken) > STREAM_SLOTS)
		err = gin_wait_more(a->txq.sq.stop, GIN_UNTIL_STOP, &deadline);
	return err;
}

/* Frame i stands in the buffer of its WQE: that one is done before its index is given out again. */
GIN_FN void put(const struct stream_args *a, uint64_t i, uint32_t seq, uint32_t ce)
{
	struct gin_pkt pkt;

	pkt.data = a->frames + ((uint32_t)i & (STREAM_SLOTS - 1)) * STREAM_FRAME;
	pkt.len = STREAM_FRAME;
	pkt.lkey = a->lkey;
	gin_put32(pkt.data + STREAM_SEQ, seq);
	gin_txq_put_pkt(&a->txq, i, &pkt, 0, ce);
}

GIN_FN void source(const struct stream_args *a)
{
	uint64_t sent = 0, first;
	uint32_t n, i;

	for (; sent < a->n; sent += n) {
		n = a->n - sent < STREAM_BURST ? (uint32_t)(a->n - sent) : STREAM_BURST;
		if (await_room(a, sent + n) || gin_txq_reserve(&a->txq, n, GIN_UNTIL_STOP, &first))
			return;
		for (i = 0; i < n; i++)
			put(a, first + i, (uint32_t)(sent + i), i == n - 1 ? GIN_CE_ALWAYS : 0);
		gin_txq_submit(&a->txq, first, n);
	}
}

GIN_FN void sink(const struct stream_args *a)
{
	uint64_t seen = 0, bad = 0;
	struct gin_run run;
	struct gin_pkt pkt;
	uint32_t i;

	while (seen < a->n && !gin_rxq_recv(&a->rxq, STREAM_BURST, GIN_UNTIL_STOP, &run)) {
		for (i = 0; i < run.n; i++, seen++) {
			pkt = gin_rxq_pkt(&a->rxq, run.first + i);
			bad += pkt.len != STREAM_FRAME || gin_get32(pkt.data + STREAM_SEQ) != (uint32_t)seen;
		}
		gin_rxq_release(&a->rxq, &run);
		gin_store64_gpu(&a->words->taken, seen);
	}
	a->words->seen = seen;
	a->words->bad = bad;
}

GIN_KERNEL(stream, struct stream_args, a)
{
	if ((threadIdx.x ^ a.first) & 1)
		sink(&a);
	else
		source(&a);
}
