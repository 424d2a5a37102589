/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives in the scope that the host asks for, holds runs for random times, and writes down what it saw. */
#include <ginet/device.h>
#include "recv.h"
#include "world.h"

/* The same numbers in every lane. */
GIN_FN uint32_t draw(uint64_t *state, uint32_t below)
{
	uint64_t x = *state = *state * 6364136223846793005ull + 1442695040888963407ull;

	return (uint32_t)((x >> 33) * below >> 31);
}

GIN_FN int receive(const struct recv_args *a, uint32_t max, uint64_t timeout_ns, struct gin_run *run)
{
	if (a->scope == RECV_THREAD)
		return gin_rxq_recv(&a->rxq, max, timeout_ns, run);
	if (a->scope == RECV_WARP)
		return gin_rxq_recv_warp(&a->rxq, max, timeout_ns, run);
	return gin_rxq_recv_block(&a->rxq, max, timeout_ns, run);
}

GIN_FN void release(const struct recv_args *a, const struct gin_run *run)
{
	if (a->scope == RECV_THREAD)
		gin_rxq_release(&a->rxq, run);
	else if (a->scope == RECV_WARP)
		gin_rxq_release_warp(&a->rxq, run);
	else
		gin_rxq_release_block(&a->rxq, run);
}

GIN_FN void release_after(const struct recv_args *a, const struct gin_run *run, uint64_t ticket)
{
	if (a->scope == RECV_THREAD)
		gin_rxq_release_after(&a->rxq, run, &a->txq, ticket);
	else if (a->scope == RECV_WARP)
		gin_rxq_release_after_warp(&a->rxq, run, &a->txq, ticket);
	else
		gin_rxq_release_after_block(&a->rxq, run, &a->txq, ticket);
}

GIN_FN uint32_t lanes(const struct recv_args *a)
{
	return a->scope == RECV_THREAD ? 1 : a->scope == RECV_WARP ? 32 : blockDim.x;
}

/* A lane takes packets lane, lane + lanes, ... of the run: with one lane all of them. */
GIN_FN void look(const struct recv_args *a, const struct gin_run *run)
{
	uint64_t i;

	for (i = run->first + threadIdx.x; i < run->first + run->n; i += lanes(a)) {
		struct gin_pkt pkt = gin_rxq_pkt(&a->rxq, i);
		struct recv_pkt *p = &a->log->pkts[(i - a->first) % RECV_PKTS];

		p->times++;
		p->whole = (uint32_t)world_frame_ok(pkt.data, pkt.len);
		p->seq = world_seq(pkt.data);
		p->len = pkt.len;
		p->tag = gin_pkt_tag(&pkt);
		p->verdict = gin_pkt_verdict(&pkt);
		p->time_ns = gin_pkt_time_ns(&pkt);
	}
}

GIN_FN void look_again(const struct recv_args *a, const struct gin_run *run)
{
	uint64_t i;

	for (i = run->first + threadIdx.x; i < run->first + run->n; i += lanes(a)) {
		struct gin_pkt pkt = gin_rxq_pkt(&a->rxq, i);
		struct recv_pkt *p = &a->log->pkts[(i - a->first) % RECV_PKTS];

		p->still_whole = world_frame_ok(pkt.data, pkt.len) && p->seq == world_seq(pkt.data) && p->len == pkt.len;
	}
}

/* One packet of each lane out of its slot. A thread sends the packets of its run one by one. */
GIN_FN int send_run(const struct recv_args *a, const struct gin_run *run, uint64_t *ticket)
{
	struct gin_pkt pkt;
	uint64_t i;
	int err = 0;

	if (a->scope == RECV_THREAD) {
		for (i = run->first; !err && i < run->first + run->n; i++) {
			pkt = gin_rxq_pkt(&a->rxq, i);
			err = gin_txq_send_own(&a->txq, &pkt, NULL, GIN_UNTIL_STOP, ticket);
		}
		return err;
	}
	pkt.len = 0;
	if (threadIdx.x < run->n)
		pkt = gin_rxq_pkt(&a->rxq, run->first + threadIdx.x);
	if (a->scope == RECV_WARP)
		return gin_txq_send_own_warp(&a->txq, &pkt, NULL, GIN_UNTIL_STOP, ticket);
	return gin_txq_send_own_block(&a->txq, &pkt, NULL, GIN_UNTIL_STOP, ticket);
}

/* Every lane has the leader's answer, or says so. */
GIN_FN void compare(const struct recv_args *a, int err, const struct gin_run *run)
{
	uint32_t leader_n = run->n;
	int leader_err = err;

	if (a->scope == RECV_THREAD)
		return;
	leader_n = __shfl_sync(0xffffffffu, leader_n, 0);
	leader_err = __shfl_sync(0xffffffffu, leader_err, 0);
	if (err != leader_err || run->n != leader_n)
		a->log->lanes_differ = 1;
}

GIN_FN void note_run(const struct recv_args *a, const struct gin_run *run, uint32_t max)
{
	struct recv_log *log = a->log;
	uint32_t r = log->n_runs % RECV_RUNS;

	if (threadIdx.x)
		return;
	log->runs[r].first = run->first;
	log->runs[r].n = run->n;
	log->runs[r].max = max;
	log->n_runs++;
	log->taken += run->n;
}

GIN_KERNEL(recv_all, struct recv_args, a)
{
	uint64_t rng = a.seed, ticket = 0, timeout_ns;
	uint32_t max, i;
	struct gin_run run;
	int err, after;

	if (a.scope == RECV_THREAD && threadIdx.x)
		return;
	for (;;) {
		max = a.max ? a.max : 1 + draw(&rng, draw(&rng, 2) ? 4 : lanes(&a) * 2);
		timeout_ns = draw(&rng, 2) ? GIN_UNTIL_STOP : draw(&rng, 4000);
		err = receive(&a, max, timeout_ns, &run);
		compare(&a, err, &run);
		if (err == -EAGAIN && threadIdx.x == 0)
			a.log->not_there++;
		if (err == -EAGAIN)
			continue;
		if (err)
			break;
		look(&a, &run);
		after = a.release == RECV_RELEASE_AFTER || (a.release == RECV_RELEASE_MIXED && draw(&rng, 2));
		if (after)
			err = send_run(&a, &run, &ticket);
		for (i = a.hold ? draw(&rng, a.hold + 1) : 0; i; i--)
			gin_pause();
		look_again(&a, &run);
		note_run(&a, &run, max);
		if (err) {
			a.log->send_err = err;
			break;
		}
		if (after)
			release_after(&a, &run, ticket);
		else
			release(&a, &run);
	}
	if (threadIdx.x == 0)
		a.log->last = err;
	for (i = 0; i < 2; i++) {
		err = receive(&a, 1, GIN_TRY, &run);
		if (threadIdx.x == 0)
			a.log->again[i] = err;
	}
}
