/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code: receive in the scope that an argument names. */
#ifndef TESTS_SEMANTICS_RECV_SCOPE_H
#define TESTS_SEMANTICS_RECV_SCOPE_H
#include <ginet/device.h>
#include "recv.h"

/* The same numbers in every lane that starts with the same state. */
GIN_FN uint32_t recv_draw(uint64_t *state, uint32_t below)
{
	uint64_t x = *state = *state * 6364136223846793005ull + 1442695040888963407ull;

	return (uint32_t)((x >> 33) * below >> 31);
}

GIN_FN uint32_t recv_lanes(uint32_t scope)
{
	return scope == RECV_THREAD ? 1 : scope == RECV_WARP ? 32 : blockDim.x;
}

GIN_FN int recv_take(const struct gin_dev_rxq *q, uint32_t scope, uint32_t max, uint64_t timeout_ns, struct gin_run *run)
{
	if (scope == RECV_THREAD)
		return gin_rxq_recv(q, max, timeout_ns, run);
	if (scope == RECV_WARP)
		return gin_rxq_recv_warp(q, max, timeout_ns, run);
	return gin_rxq_recv_block(q, max, timeout_ns, run);
}

GIN_FN void recv_release(const struct gin_dev_rxq *q, uint32_t scope, const struct gin_run *run)
{
	if (scope == RECV_THREAD)
		gin_rxq_release(q, run);
	else if (scope == RECV_WARP)
		gin_rxq_release_warp(q, run);
	else
		gin_rxq_release_block(q, run);
}

GIN_FN void recv_release_after(const struct gin_dev_rxq *q, uint32_t scope, const struct gin_run *run,
			       const struct gin_dev_txq *txq, uint64_t ticket)
{
	if (scope == RECV_THREAD)
		gin_rxq_release_after(q, run, txq, ticket);
	else if (scope == RECV_WARP)
		gin_rxq_release_after_warp(q, run, txq, ticket);
	else
		gin_rxq_release_after_block(q, run, txq, ticket);
}

/* Send the packets of a run out of their slots, packet "bad" with a wrong key; a thread sends them one by one. */
GIN_FN int recv_send(const struct gin_dev_rxq *q, uint32_t scope, const struct gin_run *run, const struct gin_dev_txq *txq,
		     uint64_t bad, uint64_t *ticket)
{
	struct gin_pkt pkt;
	uint64_t i;
	int err = 0;

	if (scope == RECV_THREAD) {
		for (i = run->first; !err && i < run->first + run->n; i++) {
			pkt = gin_rxq_pkt(q, i);
			pkt.lkey.raw ^= i == bad ? 0xffffffffu : 0;
			err = gin_txq_send_own(txq, &pkt, NULL, GIN_UNTIL_STOP, ticket);
		}
		return err;
	}
	pkt.len = 0;
	if (threadIdx.x < run->n)
		pkt = gin_rxq_pkt(q, run->first + threadIdx.x);
	if (pkt.len && run->first + threadIdx.x == bad)
		pkt.lkey.raw ^= 0xffffffffu;
	if (scope == RECV_WARP)
		return gin_txq_send_own_warp(txq, &pkt, NULL, GIN_UNTIL_STOP, ticket);
	return gin_txq_send_own_block(txq, &pkt, NULL, GIN_UNTIL_STOP, ticket);
}
#endif
