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
	if (!err && a->what == INPUT_ECHO_EARLY)
		gin_rxq_release(&a->rxq, run);
	else if (!err)
		gin_rxq_release_after(&a->rxq, run, &a->txq, ticket);
	return err;
}

GIN_KERNEL(input, struct input_args, a)
{
	struct gin_run run;
	int err;

	while (!(err = gin_rxq_recv(&a.rxq, 1, GIN_UNTIL_STOP, &run))) {
		gin_atomic_add64(&a.sums->taken, run.n);
		if (a.what == INPUT_RELEASE)
			gin_rxq_release(&a.rxq, &run);
		else if (a.what != INPUT_KEEP && (err = echo(&a, &run)))
			break;
	}
	a.sums->ended_with = (uint64_t)-err;
}
