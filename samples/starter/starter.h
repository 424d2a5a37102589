/* SPDX-License-Identifier: BSD-3-Clause */
/* What host.c hands to kernel.cu. */
#include <ginet/ginet.h>

struct starter_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	struct gin_addr frame;
	uint32_t *packets; /* in memory that the CPU sees */
};
GIN_KERNEL_DECLARE(starter);
