/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls answer when there is nothing, when the ring is full, after a stop and after an error. */
#include <ginet/device.h>
#include "kernels.h"

GIN_FN struct gin_pkt plain(uint8_t *frame, uint32_t len, struct gin_be32 lkey)
{
	struct gin_pkt pkt = { 0 };

	pkt.data = frame;
	pkt.len = len;
	pkt.lkey = lkey;
	return pkt;
}

GIN_FN void empty_queue(const struct chk_answers_args *a)
{
	struct gin_run run;
	uint64_t start;

	a->out[A_TRY] = gin_rxq_recv(&a->rxq, 1, GIN_TRY, &run);
	start = gin_time_ns();
	a->out[A_SHORT] = gin_rxq_recv(&a->rxq, 1, a->short_ns, &run);
	a->out[A_SHORT_NS] = (int64_t)(gin_time_ns() - start);
	a->out[A_MAX_0] = gin_rxq_recv(&a->rxq, 0, GIN_UNTIL_STOP, &run);
}

/* The whole ring is reserved and not submitted: so it is full, whatever the NIC does. */
GIN_FN void full_ring(const struct chk_answers_args *a)
{
	struct gin_pkt pkt = plain(a->frame, CHK_PADDED, a->lkey);
	uint64_t first = 0, ticket, start, i;

	a->out[A_TAKE_ALL] = gin_txq_reserve(&a->txq, a->depth, GIN_TRY, &first);
	a->out[A_FULL_TRY] = gin_txq_send(&a->txq, &pkt, NULL, GIN_TRY, &ticket);
	start = gin_time_ns();
	a->out[A_FULL_SHORT] = gin_txq_send(&a->txq, &pkt, NULL, a->short_ns, &ticket);
	a->out[A_FULL_SHORT_NS] = (int64_t)(gin_time_ns() - start);
	a->out[A_TOO_MANY] = gin_txq_reserve(&a->txq, a->depth + 1, GIN_TRY, &ticket);
	ticket = first + a->depth;
	a->out[A_UNSENT_TEST] = gin_txq_test(&a->txq, ticket);
	start = gin_time_ns();
	a->out[A_UNSENT_WAIT] = gin_txq_wait(&a->txq, ticket, a->short_ns);
	a->out[A_UNSENT_WAIT_NS] = (int64_t)(gin_time_ns() - start);
	for (i = first; i < ticket; i++)
		gin_txq_put_pkt(&a->txq, i, &pkt, 0, i + 1 == ticket ? GIN_CE_ALWAYS : 0);
	gin_txq_submit(&a->txq, first, a->depth);
	a->out[A_SENT_WAIT] = gin_txq_wait(&a->txq, ticket, GIN_UNTIL_STOP);
	a->out[A_SENT_TEST] = gin_txq_test(&a->txq, ticket);
}

GIN_FN void take_all(const struct chk_answers_args *a)
{
	struct gin_run run;

	a->out[A_GOT] = 0;
	while (a->out[A_GOT] < a->depth && !gin_rxq_recv(&a->rxq, 16, GIN_UNTIL_STOP, &run)) {
		a->out[A_GOT] += run.n;
		gin_rxq_release(&a->rxq, &run);
	}
}

GIN_FN void odd_frames(const struct chk_answers_args *a)
{
	struct gin_pkt pkt = plain(a->frame, 13, a->lkey);
	uint64_t ticket = 0;

	a->out[A_SHORT_FRAME] = gin_txq_send(&a->txq, &pkt, NULL, GIN_TRY, &ticket);
	pkt.len = a->txq.max_frame + 1u;
	a->out[A_LONG_FRAME] = gin_txq_send(&a->txq, &pkt, NULL, GIN_TRY, &ticket);
	pkt.len = 0;
	a->out[A_NO_FRAME] = gin_txq_send(&a->txq, &pkt, NULL, GIN_TRY, &ticket);
	a->out[A_NO_FRAME_TICKET] = gin_txq_test(&a->txq, ticket);
	a->out[A_OLD_TICKET] = gin_txq_wait(&a->txq, ticket - a->depth, GIN_TRY);
}

/* One frame out of ten pieces, and what the NIC says of it. */
GIN_FN void pieces(const struct chk_answers_args *a)
{
	struct gin_seg segs[GIN_TXQ_SEGS_MAX];
	struct gin_run run;
	uint64_t ticket = 0, h = 0xcbf29ce484222325ull;
	struct gin_pkt pkt;
	uint32_t i;

	for (i = 0; i < GIN_TXQ_SEGS_MAX; i++) {
		segs[i].data = a->frame + (i ? 18 + (i - 1) * 4 : 0);
		segs[i].len = i == 0 ? 18 : i + 1 < GIN_TXQ_SEGS_MAX ? 4 : CHK_PADDED - 18 - 8 * 4;
		segs[i].lkey = a->lkey;
	}
	a->out[A_SEGS] = gin_txq_send_segs(&a->txq, segs, GIN_TXQ_SEGS_MAX, NULL, GIN_UNTIL_STOP, &ticket);
	a->out[A_SEGS_WAIT] = gin_txq_wait(&a->txq, ticket, GIN_UNTIL_STOP);
	if (gin_rxq_recv(&a->rxq, 1, GIN_UNTIL_STOP, &run))
		return;
	pkt = gin_rxq_pkt(&a->rxq, run.first);
	for (i = 0; i < pkt.len; i++)
		h = (h ^ pkt.data[i]) * 0x100000001b3ull;
	a->out[A_SEGS_LEN] = pkt.len;
	a->out[A_SEGS_HASH] = (int64_t)h;
	a->out[A_L3_TYPE] = gin_pkt_l3_type(&pkt);
	a->out[A_TIME] = (int64_t)gin_pkt_time_ns(&pkt);
	a->out[A_TAG] = gin_pkt_tag(&pkt);
	gin_rxq_release(&a->rxq, &run);
}

GIN_KERNEL(chk_answers, struct chk_answers_args, a)
{
	empty_queue(&a);
	full_ring(&a);
	take_all(&a);
	odd_frames(&a);
	pieces(&a);
}

/* A ring that is reserved and never submitted. */
GIN_FN int wait_for_room(const struct chk_stop_args *a, uint64_t timeout_ns)
{
	uint64_t first;

	return gin_txq_reserve(&a->txq, 1, timeout_ns, &first);
}

GIN_FN int wait_by(const struct chk_stop_args *a, uint64_t timeout_ns)
{
	struct gin_run run;

	if (blockIdx.x == 0)
		return gin_rxq_recv(&a->rxq[0], 1, timeout_ns, &run);
	if (blockIdx.x == 1)
		return gin_rxq_recv_warp(&a->rxq[1], 32, timeout_ns, &run);
	if (blockIdx.x == 2)
		return gin_rxq_recv_block(&a->rxq[2], blockDim.x, timeout_ns, &run);
	if (blockIdx.x == 3)
		return wait_for_room(a, timeout_ns);
	return gin_txq_wait(&a->txq, a->depth, timeout_ns);
}

GIN_KERNEL(chk_stop, struct chk_stop_args, a)
{
	uint64_t first;
	int err, again;

	/* Blocks 0, 3 and 4 are one thread, block 1 one warp. */
	if (threadIdx.x >= (blockIdx.x == 2 ? blockDim.x : blockIdx.x == 1 ? 32u : 1u))
		return;
	if (threadIdx.x == 0) {
		if (blockIdx.x == 3)
			gin_txq_reserve(&a.txq, a.depth, GIN_UNTIL_STOP, &first);
		atomicAdd(a.ready, 1u);
	}
	err = wait_by(&a, GIN_UNTIL_STOP);
	again = wait_by(&a, GIN_TRY);
	if (threadIdx.x)
		return;
	a.out[blockIdx.x] = err;
	a.again[blockIdx.x] = again;
}

GIN_KERNEL(chk_error, struct chk_error_args, a)
{
	struct gin_pkt pkt = plain(a.frame, CHK_PADDED, a.lkey);
	struct gin_run run;
	uint64_t ticket = 0;
	int err;

	gin_txq_send(&a.txq, &pkt, NULL, GIN_UNTIL_STOP, &ticket);
	a.out[E_GOOD] = gin_rxq_recv(&a.rxq, 1, GIN_UNTIL_STOP, &run);
	if (a.out[E_GOOD])
		return;
	pkt = gin_rxq_pkt(&a.rxq, run.first);
	pkt.lkey.raw ^= 0xffffffffu; /* a key that the NIC does not know */
	a.out[E_BAD_SEND] = gin_txq_send(&a.txq, &pkt, NULL, GIN_UNTIL_STOP, &ticket);
	gin_rxq_release_after(&a.rxq, &run, &a.txq, ticket);
	a.out[E_BAD_WAIT] = gin_txq_wait(&a.txq, ticket, GIN_UNTIL_STOP);
	a.out[E_BAD_TEST] = gin_txq_test(&a.txq, ticket);
	a.out[E_RECV] = gin_rxq_recv(&a.rxq, 1, GIN_UNTIL_STOP, &run);
	a.out[E_RECV_AGAIN] = gin_rxq_recv(&a.rxq, 1, GIN_TRY, &run);
	do
		err = gin_txq_send(&a.txq, &pkt, NULL, GIN_UNTIL_STOP, &ticket);
	while (!err);
	a.out[E_FULL] = err;
}
