/* SPDX-License-Identifier: BSD-3-Clause */
/* Each thread of a block sends one packet that names it, then the block receives until all are back. */
#include <ginet/ginet.h>

struct partial_block_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	struct gin_addr packets; /* 64 bytes for each thread */
	uint32_t own;
	int32_t *err;
	uint8_t *seen; /* one for each thread */
};
GIN_KERNEL_DECLARE(partial_block);
