/* SPDX-License-Identifier: BSD-3-Clause */
/* planted.sh and gdb.sh find the lines by the words in the comments behind them. */
#include <ginet/device.h>
#include "planted.h"

/* A packet goes out and comes back, to slot 0 of the queue. */
GIN_FN int one_packet(const struct planted_args *a, struct gin_run *run, struct gin_pkt *pkt)
{
	uint64_t ticket;
	int err;

	pkt->data = (uint8_t *)(uintptr_t)a->frame.addr;
	pkt->lkey = a->frame.key;
	pkt->len = 100;
	err = gin_txq_send(&a->txq, pkt, 0, GIN_UNTIL_STOP, &ticket);
	if (!err)
		err = gin_rxq_recv(&a->rxq, 1, GIN_UNTIL_STOP, run);
	if (!err)
		*pkt = gin_rxq_pkt(&a->rxq, run->first);
	return err;
}

/* All that is allowed: the whole slot, up to its release, and the whole array. */
GIN_KERNEL(good, struct planted_args, a)
{
	GIN_SHARED(uint32_t, array, 8);
	struct gin_run run;
	struct gin_pkt pkt;
	uint32_t lap;

	for (lap = 0; lap < 5; lap++) { /* the queue has 2 slots */
		if (one_packet(&a, &run, &pkt))
			return;
		pkt.data[0] = pkt.data[a.slot_bytes - 1] = 1;
		array[a.eight - 1] = pkt.len;
		gin_rxq_release(&a.rxq, &run);
	}
	*a.out = array[a.eight - 1];
}

GIN_KERNEL(slot_overrun, struct planted_args, a)
{
	struct gin_run run;
	struct gin_pkt pkt;

	if (!one_packet(&a, &run, &pkt))
		pkt.data[a.slot_bytes] = 1; /* planted: slot_overrun */
}

GIN_KERNEL(slot_after_release, struct planted_args, a)
{
	struct gin_run run;
	struct gin_pkt pkt;

	if (one_packet(&a, &run, &pkt))
		return;
	gin_rxq_release(&a.rxq, &run);
	*a.out = pkt.data[12]; /* planted: slot_after_release */
}

GIN_KERNEL(slot_too_early, struct planted_args, a)
{
	*a.out = a.rxq.slots[12]; /* planted: slot_too_early */
}

/* Sent out of a slot that is the NIC's already: gin_rxq_release_after() was meant. */
GIN_KERNEL(sent_after_release, struct planted_args, a)
{
	struct gin_run run;
	struct gin_pkt pkt;
	uint64_t ticket;

	if (one_packet(&a, &run, &pkt))
		return;
	gin_rxq_release(&a.rxq, &run);
	if (!gin_txq_send(&a.txq, &pkt, 0, GIN_UNTIL_STOP, &ticket))
		gin_txq_wait(&a.txq, ticket, GIN_UNTIL_STOP);
}

/* Keeps both slots; 1 s later a third packet comes. */
GIN_KERNEL(no_release, struct planted_args, a)
{
	struct gin_run run;
	struct gin_pkt pkt;
	uint64_t ticket;

	if (one_packet(&a, &run, &pkt) || one_packet(&a, &run, &pkt) ||
	    gin_rxq_recv(&a.rxq, 1, 1000000000ull, &run) != -EAGAIN || gin_txq_send(&a.txq, &pkt, 0, GIN_UNTIL_STOP, &ticket))
		return;
	*a.out = gin_rxq_recv(&a.rxq, 1, 4000000000ull, &run) == -EAGAIN;
}

GIN_KERNEL(shared_overrun, struct planted_args, a)
{
	GIN_SHARED(uint32_t, array, 8);

	array[a.eight] = 1; /* planted: shared_overrun */
	*a.out = array[0];
}

/* The __syncwarp() between the two lines was forgotten. */
GIN_KERNEL(race, struct planted_args, a)
{
	GIN_SHARED(uint32_t, left, 32);

	left[threadIdx.x] = threadIdx.x;                              /* planted: race, written */
	atomicAdd(a.out, left[(threadIdx.x + 1) & 31]); /* planted: race, read */
}

/* To look at in gdb. */
GIN_KERNEL(look_inside, struct planted_args, a)
{
	uint32_t twice = threadIdx.x * 2;
	uint32_t lane = threadIdx.x;

	__syncwarp(); /* planted: look_inside, barrier */
	twice += 100;
	atomicAdd(a.out, twice);
	__syncwarp();
	if (lane == a.eight)
		*a.out = 0;
}
