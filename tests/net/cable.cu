/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/device.h>
#include "cable.h"

#define HEADER 18u /* Ethernet header and number */

/* Lengths from 60 to 1,514, all of them in the first 1,455 frames. */
GIN_FN uint32_t length_of(uint32_t seq)
{
	return 60 + seq * 7 % 1455;
}

GIN_FN uint8_t byte_of(uint32_t seq, uint32_t at)
{
	return (uint8_t)(seq * 31 + at * 7);
}

GIN_FN void build(uint8_t *frame, uint32_t seq, const struct cable_source_args *a)
{
	uint32_t i, len = length_of(seq);

	gin_copy(frame, a->peer, 6);
	gin_copy(frame + 6, a->mac, 6);
	gin_put16(frame + 12, 0x88b5); /* IEEE 802: for local experiments */
	gin_put32(frame + 14, seq);
	for (i = HEADER; i < len; i++)
		frame[i] = byte_of(seq, i);
}

/* Packet i of a queue whose frames are all numbered, from 0: number, length, bytes. */
GIN_FN void check(const struct gin_pkt *pkt, uint64_t i, struct cable_sums *sums)
{
	uint32_t at, seq = (uint32_t)i;
	int bad = pkt->len != length_of(seq) || gin_get32(pkt->data + 14) != seq;

	for (at = HEADER; !bad && at < pkt->len; at++)
		bad = pkt->data[at] != byte_of(seq, at);
	if (bad)
		gin_atomic_add64(&sums->bad, 1);
	gin_atomic_add64(&sums->seen, 1);
}

GIN_FN int send_some(const struct cable_source_args *a, uint32_t sent)
{
	struct gin_pkt pkt = { 0 };
	uint32_t seq = sent + threadIdx.x;
	uint64_t ticket;

	if (seq < a->n) {
		pkt.data = a->frames + seq % CABLE_WINDOW * CABLE_SLOT;
		pkt.len = length_of(seq);
		pkt.lkey = a->lkey;
		build(pkt.data, seq, a);
	}
	return gin_txq_send_own_warp(&a->txq, &pkt, 0, GIN_UNTIL_STOP, &ticket);
}

GIN_KERNEL(cable_source, struct cable_source_args, a)
{
	uint32_t sent = 0, got = 0;
	struct gin_run run;
	struct gin_pkt pkt;
	int err;

	while (got < a.n) {
		/* What came back has left: its slot may be built again. */
		int may_send = sent < a.n && sent - got <= CABLE_WINDOW - 32;

		if (may_send) {
			if (send_some(&a, sent))
				return;
			sent = a.n - sent < 32 ? a.n : sent + 32;
		}
		err = gin_rxq_recv_warp(&a.rxq, 32, may_send ? GIN_TRY : GIN_UNTIL_STOP, &run);
		if (err == -EAGAIN)
			continue;
		if (err)
			return;
		if (threadIdx.x < run.n) {
			pkt = gin_rxq_pkt(&a.rxq, run.first + threadIdx.x);
			check(&pkt, run.first + threadIdx.x, a.sums);
		}
		gin_rxq_release_warp(&a.rxq, &run);
		got += run.n;
	}
}

/* The frame of this lane, checked and turned round; empty for lanes behind the run's end. */
GIN_FN struct gin_pkt turned(const struct cable_echo_args *a, const struct gin_run *run, uint32_t lane)
{
	struct gin_pkt pkt = { 0 };

	if (lane >= run->n)
		return pkt;
	pkt = gin_rxq_pkt(&a->rxq, run->first + lane);
	check(&pkt, run->first + lane, a->sums);
	gin_swap(pkt.data, pkt.data + 6, 6);
	return pkt;
}

GIN_FN void by_thread(const struct cable_echo_args *a)
{
	struct gin_run run;
	struct gin_pkt pkt;
	uint64_t ticket = 0;
	uint32_t i;

	while (!gin_rxq_recv(&a->rxq, 7, GIN_UNTIL_STOP, &run)) {
		for (i = 0; i < run.n; i++) {
			pkt = turned(a, &run, i);
			if (gin_txq_send_own(&a->txq, &pkt, 0, GIN_UNTIL_STOP, &ticket))
				return;
		}
		gin_rxq_release_after(&a->rxq, &run, &a->txq, ticket);
	}
}

GIN_FN void by_warp(const struct cable_echo_args *a)
{
	struct gin_run run;
	struct gin_pkt pkt;
	uint64_t ticket;

	while (!gin_rxq_recv_warp(&a->rxq, 32, GIN_UNTIL_STOP, &run)) {
		pkt = turned(a, &run, threadIdx.x);
		if (gin_txq_send_own_warp(&a->txq, &pkt, 0, GIN_UNTIL_STOP, &ticket))
			return;
		gin_rxq_release_after_warp(&a->rxq, &run, &a->txq, ticket);
	}
}

GIN_FN void by_block(const struct cable_echo_args *a)
{
	struct gin_run run;
	struct gin_pkt pkt;
	uint64_t ticket;

	while (!gin_rxq_recv_block(&a->rxq, blockDim.x, GIN_UNTIL_STOP, &run)) {
		pkt = turned(a, &run, threadIdx.x);
		if (gin_txq_send_own_block(&a->txq, &pkt, 0, GIN_UNTIL_STOP, &ticket))
			return;
		gin_rxq_release_after_block(&a->rxq, &run, &a->txq, ticket);
	}
}

GIN_KERNEL(cable_echo, struct cable_echo_args, a)
{
	if (a.scope == CABLE_THREAD)
		by_thread(&a);
	else if (a.scope == CABLE_WARP)
		by_warp(&a);
	else
		by_block(&a);
}
