/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/device.h>
#include "kernel.h"

GIN_KERNEL(wait_for_packet, struct wait_args, a)
{
	struct gin_run run;

	while (!gin_rxq_recv_block(&a.rxq, 1, GIN_UNTIL_STOP, &run))
		gin_rxq_release_block(&a.rxq, &run);
}
