/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives in the scope that the host asks for, holds runs for random times, and writes down what it saw. */
#include <ginet/device.h>
#include "recv.h"
#include "recv_scope.h"

/* A lane takes packets lane, lane + lanes, ... of the run: with one lane all of them. */
GIN_FN void look(const struct recv_args *a, const struct gin_run *run)
{
	uint64_t i;

	for (i = run->first + threadIdx.x; i < run->first + run->n; i += recv_lanes(a->scope)) {
		struct gin_pkt pkt = gin_rxq_pkt(&a->rxq, i);
		struct recv_pkt *p = &a->log->pkts[(i - a->first) % RECV_PKTS];

		p->times++;
		p->hash = recv_hash(pkt.data, pkt.len);
		gin_copy(p->head, pkt.data, RECV_HEAD);
		p->len = pkt.len;
		p->tag = gin_pkt_tag(&pkt);
		p->verdict = gin_pkt_verdict(&pkt);
		p->time_ns = gin_pkt_time_ns(&pkt);
	}
}

GIN_FN void look_again(const struct recv_args *a, const struct gin_run *run)
{
	uint64_t i;

	for (i = run->first + threadIdx.x; i < run->first + run->n; i += recv_lanes(a->scope)) {
		struct gin_pkt pkt = gin_rxq_pkt(&a->rxq, i);

		a->log->pkts[(i - a->first) % RECV_PKTS].hash_again = recv_hash(pkt.data, pkt.len);
	}
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

GIN_FN void note_run(const struct recv_args *a, const struct gin_run *run, uint32_t max, int after)
{
	struct recv_log *log = a->log;
	uint32_t r = log->n_runs % RECV_RUNS;

	if (threadIdx.x)
		return;
	log->runs[r].first = run->first;
	log->runs[r].n = run->n;
	log->runs[r].max = max;
	log->runs[r].after = (uint32_t)after;
	log->n_runs++;
	log->taken += run->n;
	log->sent += after ? run->n : 0;
}

GIN_KERNEL(recv_all, struct recv_args, a)
{
	uint64_t rng = a.seed, ticket = 0, bad = a.bad_key == RECV_NO_PKT ? ~0ull : a.first + a.bad_key, timeout_ns;
	uint32_t max, i;
	struct gin_run run;
	int err, after;

	if (a.scope == RECV_THREAD && threadIdx.x)
		return;
	err = recv_take(&a.rxq, a.scope, 0, GIN_UNTIL_STOP, &run);
	if (threadIdx.x == 0)
		a.log->max_0 = err;
	for (;;) {
		max = 1 + recv_draw(&rng, recv_draw(&rng, 2) ? 4 : recv_lanes(a.scope) * 2);
		timeout_ns = recv_draw(&rng, 2) ? GIN_UNTIL_STOP : recv_draw(&rng, 4000);
		err = recv_take(&a.rxq, a.scope, max, timeout_ns, &run);
		compare(&a, err, &run);
		if (err == -EAGAIN && threadIdx.x == 0)
			a.log->misses++;
		if (err == -EAGAIN)
			continue;
		if (err)
			break;
		look(&a, &run);
		after = a.back == RECV_AFTER || (a.back == RECV_MIXED && recv_draw(&rng, 2));
		note_run(&a, &run, max, after);
		if (after) {
			err = recv_send(&a.rxq, a.scope, &run, &a.txq, bad, &ticket);
			if (err) {
				a.log->send_failed = 1;
				break;
			}
		}
		for (i = a.hold ? recv_draw(&rng, a.hold + 1) : 0; i; i--)
			gin_pause();
		look_again(&a, &run);
		if (after)
			recv_release_after(&a.rxq, a.scope, &run, &a.txq, ticket);
		else
			recv_release(&a.rxq, a.scope, &run);
	}
	if (threadIdx.x == 0)
		a.log->last = err;
	for (i = 0; i < 2; i++) {
		err = recv_take(&a.rxq, a.scope, 1, i ? GIN_UNTIL_STOP : GIN_TRY, &run);
		if (threadIdx.x == 0)
			a.log->again[i] = err;
	}
}
