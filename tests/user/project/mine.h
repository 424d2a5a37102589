/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/ginet.h>

struct mine_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	struct gin_addr frame;
	uint32_t *len; /* of what came back */
};
GIN_KERNEL_DECLARE(mine);
