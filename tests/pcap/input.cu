/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/device.h>
#include "input.h"

/* One packet: back to where it came from. */
GIN_FN int echo(const struct input_args *a, const struct gin_run *run)
{
	struct gin_pkt pkt = gin_rxq_pkt(&a->rxq, run->first);
	uint64_t ticket;
	int err;

	gin_swap(pkt.data, pkt.data + 6, 6);
	err = gin_txq_send_own(&a->txq, &pkt, 0, GIN_UNTIL_STOP, &ticket);
	if (!err)
		gin_rxq_release_after(&a->rxq, run, &a->txq, ticket);
	return err;
}

/* Released at once; the answer is another frame. */
GIN_FN int answer(const struct input_args *a, const struct gin_run *run)
{
	struct gin_pkt pkt = { 0 };
	uint64_t ticket;

	gin_rxq_release(&a->rxq, run);
	pkt.data = (uint8_t *)(uintptr_t)a->answer.addr;
	pkt.len = 60;
	pkt.lkey = a->answer.key;
	return gin_txq_send_own(&a->txq, &pkt, 0, GIN_UNTIL_STOP, &ticket);
}

GIN_FN int take(const struct input_args *a, const struct gin_run *run)
{
	switch (a->what) {
	case INPUT_ECHO:
		return echo(a, run);
	case INPUT_ANSWER:
		return answer(a, run);
	case INPUT_RELEASE:
		gin_rxq_release(&a->rxq, run);
		return 0;
	default:
		return 0;
	}
}

GIN_KERNEL(input, struct input_args, a)
{
	struct gin_run run;
	int err;

	do {
		err = gin_rxq_recv(&a.rxq, 1, GIN_UNTIL_STOP, &run);
		if (!err) {
			gin_atomic_add64(&a.sums->taken, run.n);
			err = take(&a, &run);
		}
	} while (!err);
	a.sums->ended_with = (uint64_t)-err;
}
