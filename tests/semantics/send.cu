/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the calls that the host planned, in the scope and mode that it asks for, and writes down what came back. */
#include <ginet/device.h>
#include "send.h"

/* name may be a macro: see send_order in CMakeLists.txt */
#define SEND_KERNEL(name) GIN_KERNEL(name, struct send_args, a)

GIN_FN int send_plain(const struct send_args *a, const struct gin_pkt *pkt, const struct send_call *c, uint64_t *ticket)
{
	struct gin_tx_opts opts;

	opts.flags = c->csum;
	if (a->scope == SEND_THREAD)
		return a->own ? gin_txq_send_own(&a->q, pkt, &opts, c->timeout_ns, ticket) :
				gin_txq_send(&a->q, pkt, &opts, c->timeout_ns, ticket);
	if (a->scope == SEND_WARP)
		return a->own ? gin_txq_send_own_warp(&a->q, pkt, &opts, c->timeout_ns, ticket) :
				gin_txq_send_warp(&a->q, pkt, &opts, c->timeout_ns, ticket);
	return a->own ? gin_txq_send_own_block(&a->q, pkt, &opts, c->timeout_ns, ticket) :
			gin_txq_send_block(&a->q, pkt, &opts, c->timeout_ns, ticket);
}

GIN_FN int send_segs(const struct send_args *a, const struct send_call *c, uint64_t *ticket)
{
	struct gin_seg segs[SEND_SEGS_MAX];
	struct gin_tx_opts opts;
	uint32_t i, at = 0;

	opts.flags = c->csum;
	for (i = 0; i < c->n_segs; i++) {
		segs[i].data = c->pkt[0].data + at;
		segs[i].len = c->segs[i];
		segs[i].lkey = c->pkt[0].lkey;
		at += c->segs[i];
	}
	return gin_txq_send_segs(&a->q, segs, c->n_segs, &opts, c->timeout_ns, ticket);
}

/* By one's own descriptors; only the last asks for a CQE. */
GIN_FN int send_raw(const struct send_args *a, const struct send_call *c, uint64_t *ticket)
{
	struct gin_pkt pkt;
	uint64_t first;
	uint32_t i;
	int err = gin_txq_reserve(&a->q, c->n_pkts, c->timeout_ns, &first);

	if (err)
		return err;
	pkt.rest = NULL;
	pkt.cqe = NULL;
	for (i = 0; i < c->n_pkts; i++) {
		pkt.data = c->pkt[i].data;
		pkt.len = c->pkt[i].len;
		pkt.lkey = c->pkt[i].lkey;
		gin_txq_put_pkt(&a->q, first + i, &pkt, 0, i + 1 == c->n_pkts ? GIN_CE_ALWAYS : 0);
	}
	gin_txq_submit(&a->q, first, c->n_pkts);
	*ticket = first + c->n_pkts;
	return 0;
}

GIN_FN int wait_for(const struct send_args *a, const struct send_call *c)
{
	int err;

	if (c->wait == 1)
		return gin_txq_wait(&a->q, c->ticket, GIN_UNTIL_STOP);
	do {
		err = gin_txq_test(&a->q, c->ticket);
		if (err == -EAGAIN && gin_stopped(a->q.sq.stop))
			err = -ECANCELED;
		if (err == -EAGAIN)
			gin_pause();
	} while (err == -EAGAIN);
	return err;
}

/* The memory is ours again: what the NIC reads from now on is rubbish. */
GIN_FN void write_over(const struct send_call *c)
{
	uint32_t i, k;

	for (k = 0; k < c->n_pkts; k++)
		for (i = 0; i < c->pkt[k].len; i++)
			c->pkt[k].data[i] = 0xee;
}

/* Any thread may wait for any ticket, in any order. */
GIN_FN void wait_for_others(const struct send_args *a, uint32_t thread)
{
	uint64_t x = a->seed + thread;
	uint32_t n = a->n_calls * gridDim.x * blockDim.x, i;
	int err;

	for (i = 0; i < a->others; i++) {
		struct send_call *c;

		x = x * 6364136223846793005ull + 1442695040888963407ull;
		c = &a->calls[(uint32_t)(x >> 33) % n];
		if (!atomicAdd(&c->posted, 0u) || c->err)
			continue;
		err = gin_txq_wait(&a->q, c->ticket, GIN_UNTIL_STOP);
		if (err)
			c->other_err = err;
		else
			write_over(c);
	}
}

SEND_KERNEL(send_plan)
{
	uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, i, k;
	struct gin_pkt pkt;

	pkt.rest = NULL;
	pkt.cqe = NULL;
	for (i = 0; i < a.n_calls; i++) {
		struct send_call *c = &a.calls[thread * a.n_calls + i];
		uint64_t ticket = 0;

		for (k = 0; k < c->pauses; k++)
			gin_pause();
		pkt.data = c->pkt[0].data;
		pkt.len = c->pkt[0].len;
		pkt.lkey = c->pkt[0].lkey;
		c->began_ns = gin_time_ns();
		if (c->kind == SEND_SEGS)
			c->err = send_segs(&a, c, &ticket);
		else if (c->kind == SEND_RAW)
			c->err = send_raw(&a, c, &ticket);
		else
			c->err = send_plain(&a, &pkt, c, &ticket);
		c->ended_ns = gin_time_ns();
		c->ticket = ticket;
		atomicExch(&c->posted, 1u);
		if (c->err || !c->wait)
			continue;
		c->wait_err = wait_for(&a, c);
		if (!c->wait_err)
			write_over(c);
	}
	wait_for_others(&a, thread);
}
