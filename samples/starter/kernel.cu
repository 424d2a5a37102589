/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts packets, until none came for a second or the capture that they come from is used up. */
#include <ginet/device.h>
#include "starter.h"

GIN_KERNEL(starter, struct starter_args, a)
{
	struct gin_run run;

	while (!gin_rxq_recv(&a.rxq, 32, 1000000000, &run)) {
		*a.packets += run.n;
		gin_rxq_release(&a.rxq, &run);
	}
}
