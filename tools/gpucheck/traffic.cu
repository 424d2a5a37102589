/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbered frames, sent and received by a thread, a warp or a block. */
#include <ginet/device.h>
#include "kernels.h"

#define NUMBER 14u  /* where a frame's number stands: behind the Ethernet header */
#define PATTERN 18u /* what follows it */
#define ALL 0xffffffffu

GIN_FN uint32_t lanes_of(uint32_t scope)
{
	return scope == CHK_THREAD ? 1u : scope == CHK_WARP ? 32u : blockDim.x;
}

/* The leader's answer, for every lane. */
GIN_FN int from_leader(uint32_t scope, int v)
{
	GIN_SHARED(int, answer, 1);

	if (scope == CHK_THREAD)
		return v;
	if (scope == CHK_WARP)
		return __shfl_sync(ALL, v, 0);
	__syncthreads(); /* all have read the answer before this one */
	if (threadIdx.x == 0)
		answer[0] = v;
	__syncthreads();
	return answer[0];
}

/*
 * Sending.
 */

/* What stands at "at" of a frame of len bytes: addresses, type 0x88b5 (for experiments), number, pattern. */
GIN_FN void build(uint8_t *frame, uint32_t number, uint32_t len, const uint8_t *head)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		frame[i] = i < 12 ? head[i] : i == 12 ? 0x88 : i == 13 ? 0xb5
				: i < PATTERN ? (uint8_t)(number >> 8 * (PATTERN - 1 - i))
				: (uint8_t)(number * 31 + i * 7);
}

/* Wait until the receiver has given back all but a window's worth, so that slots and buffers are free. */
GIN_FN int wait_room(const struct chk_send_args *a, uint32_t sent, uint32_t lanes)
{
	int err = 0;

	if (threadIdx.x == 0)
		while (sent + lanes > gin_load64_gpu(a->got) + CHK_WINDOW) {
			if (gin_stopped(a->txq.sq.stop)) {
				err = -ECANCELED;
				break;
			}
			gin_pause();
		}
	return from_leader(a->scope, err);
}

GIN_FN int send_by(const struct chk_send_args *a, const struct gin_pkt *pkt, uint64_t *ticket)
{
	if (a->scope == CHK_THREAD)
		return a->own ? gin_txq_send_own(&a->txq, pkt, NULL, GIN_UNTIL_STOP, ticket)
			      : gin_txq_send(&a->txq, pkt, NULL, GIN_UNTIL_STOP, ticket);
	if (a->scope == CHK_WARP)
		return a->own ? gin_txq_send_own_warp(&a->txq, pkt, NULL, GIN_UNTIL_STOP, ticket)
			      : gin_txq_send_warp(&a->txq, pkt, NULL, GIN_UNTIL_STOP, ticket);
	return a->own ? gin_txq_send_own_block(&a->txq, pkt, NULL, GIN_UNTIL_STOP, ticket)
		      : gin_txq_send_block(&a->txq, pkt, NULL, GIN_UNTIL_STOP, ticket);
}

/* Frame "number" in its buffer, or none behind the last one. */
GIN_FN struct gin_pkt frame_of(const struct chk_send_args *a, uint32_t number)
{
	struct gin_pkt pkt = { 0 };

	if (number >= a->n)
		return pkt;
	pkt.data = a->frames + number % CHK_WINDOW * CHK_SLOT;
	pkt.len = a->min_len + number * 7 % a->span;
	pkt.lkey = a->lkey;
	if (a->fast && number >= CHK_WINDOW)
		gin_put32(pkt.data + NUMBER, number);
	else
		build(pkt.data, number, pkt.len, a->head);
	return pkt;
}

GIN_FN int send_all(const struct chk_send_args *a)
{
	uint32_t lanes = lanes_of(a->scope), sent;
	uint64_t ticket = 0;
	int err = 0;

	for (sent = 0; !err && sent < a->n; sent += lanes) {
		err = wait_room(a, sent, lanes);
		if (!err) {
			struct gin_pkt pkt = frame_of(a, sent + threadIdx.x);

			err = send_by(a, &pkt, &ticket);
		}
	}
	return err ? err : gin_txq_wait(&a->txq, ticket, GIN_UNTIL_STOP);
}

GIN_KERNEL(chk_send, struct chk_send_args, a)
{
	int err;

	if (threadIdx.x == 0)
		a.sums->start_ns = gin_time_ns();
	err = send_all(&a);
	if (err && threadIdx.x == 0)
		a.sums->err = err;
}

/*
 * Receiving.
 */

GIN_FN int recv_by(const struct gin_dev_rxq *q, uint32_t scope, struct gin_run *run)
{
	if (scope == CHK_THREAD)
		return gin_rxq_recv(q, 16, GIN_UNTIL_STOP, run);
	if (scope == CHK_WARP)
		return gin_rxq_recv_warp(q, 32, GIN_UNTIL_STOP, run);
	return gin_rxq_recv_block(q, blockDim.x, GIN_UNTIL_STOP, run);
}

GIN_FN void release_by(const struct gin_dev_rxq *q, uint32_t scope, const struct gin_run *run)
{
	if (scope == CHK_THREAD)
		gin_rxq_release(q, run);
	else if (scope == CHK_WARP)
		gin_rxq_release_warp(q, run);
	else
		gin_rxq_release_block(q, run);
}

/* FNV-1a over all bytes: the host works out what it must be. */
GIN_FN uint64_t hash_of(const struct gin_pkt *pkt)
{
	uint64_t h = 0xcbf29ce484222325ull;
	uint32_t i;

	for (i = 0; i < pkt->len; i++)
		h = (h ^ pkt->data[i]) * 0x100000001b3ull;
	return h;
}

/* Packet i of the queue must be frame "number". */
GIN_FN void look(const struct chk_recv_args *a, uint64_t i, uint32_t number)
{
	struct gin_pkt pkt = gin_rxq_pkt(&a->rxq, i);

	if (number >= a->n)
		return;
	if (a->log) {
		a->log[number].hash = hash_of(&pkt);
		a->log[number].len = pkt.len;
		a->log[number].from = gin_get32(pkt.data + NUMBER);
	} else if (pkt.len != a->len || gin_get32(pkt.data + NUMBER) != number) {
		gin_atomic_add64(&a->sums->bad, 1);
		gin_atomic_cas64(&a->sums->first_bad, 0, (uint64_t)number + 1);
	}
}

GIN_KERNEL(chk_recv, struct chk_recv_args, a)
{
	uint32_t lanes = lanes_of(a.scope), got = 0, i;
	struct gin_run run;
	int err = 0;

	while (!err && got < a.n) {
		err = recv_by(&a.rxq, a.scope, &run);
		for (i = threadIdx.x; !err && i < run.n; i += lanes)
			look(&a, run.first + i, got + i);
		if (!err)
			release_by(&a.rxq, a.scope, &run);
		got += run.n;
		if (threadIdx.x == 0)
			gin_store64_gpu(a.got, got);
	}
	if (threadIdx.x)
		return;
	a.sums->end_ns = gin_time_ns();
	a.sums->seen = got;
	if (err)
		a.sums->err = err;
}

/*
 * Back out of the slots they came in; the slots go back once the NIC has read them.
 */

GIN_FN void turn(struct gin_pkt *pkt)
{
	gin_swap(pkt->data, pkt->data + 6, 6);
}

GIN_FN int echo_thread(const struct chk_echo_args *a, const struct gin_run *run, uint64_t *ticket)
{
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < run->n; i++) {
		struct gin_pkt pkt = gin_rxq_pkt(&a->rxq, run->first + i);

		turn(&pkt);
		err = gin_txq_send_own(&a->txq, &pkt, NULL, GIN_UNTIL_STOP, ticket);
	}
	return err;
}

GIN_FN int echo_lanes(const struct chk_echo_args *a, const struct gin_run *run, uint64_t *ticket)
{
	struct gin_pkt pkt = { 0 };

	if (threadIdx.x < run->n) {
		pkt = gin_rxq_pkt(&a->rxq, run->first + threadIdx.x);
		turn(&pkt);
	}
	return a->scope == CHK_WARP ? gin_txq_send_own_warp(&a->txq, &pkt, NULL, GIN_UNTIL_STOP, ticket)
				    : gin_txq_send_own_block(&a->txq, &pkt, NULL, GIN_UNTIL_STOP, ticket);
}

GIN_KERNEL(chk_echo, struct chk_echo_args, a)
{
	struct gin_run run;
	uint64_t ticket = 0;

	while (!recv_by(&a.rxq, a.scope, &run)) {
		if (a.scope == CHK_THREAD ? echo_thread(&a, &run, &ticket) : echo_lanes(&a, &run, &ticket))
			return;
		if (a.scope == CHK_THREAD)
			gin_rxq_release_after(&a.rxq, &run, &a.txq, ticket);
		else if (a.scope == CHK_WARP)
			gin_rxq_release_after_warp(&a.rxq, &run, &a.txq, ticket);
		else
			gin_rxq_release_after_block(&a.rxq, &run, &a.txq, ticket);
	}
}

/* Blocks 0, 3, ... send by thread, 1, 4, ... by warp, 2, 5, ... by block: all on one queue. */
GIN_KERNEL(chk_crowd, struct chk_crowd_args, a)
{
	uint32_t me = blockIdx.x * blockDim.x + threadIdx.x, form = blockIdx.x % 3, k;
	struct gin_pkt pkt = { 0 };
	uint64_t ticket;
	int err = 0;

	pkt.data = a.frames + (uint64_t)me * CHK_PADDED;
	pkt.len = CHK_PADDED;
	pkt.lkey = a.lkey;
	for (k = 0; !err && k < a.n_each; k++) {
		build(pkt.data, me << 8 | k, CHK_PADDED, a.head);
		err = form == 0 ? gin_txq_send(&a.txq, &pkt, NULL, GIN_UNTIL_STOP, &ticket)
		    : form == 1 ? gin_txq_send_warp(&a.txq, &pkt, NULL, GIN_UNTIL_STOP, &ticket)
				: gin_txq_send_block(&a.txq, &pkt, NULL, GIN_UNTIL_STOP, &ticket);
		if (err)
			break;
		err = gin_txq_wait(&a.txq, ticket, GIN_UNTIL_STOP); /* the buffer is mine again */
		if (form == 1)
			err = __any_sync(ALL, err) ? -EIO : 0; /* all go on, or none */
		else if (form == 2)
			err = __syncthreads_or(err) ? -EIO : 0;
	}
	if (err)
		*a.err = err;
}
