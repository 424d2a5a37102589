/* SPDX-License-Identifier: BSD-3-Clause */
/* What host.c hands to kernel.cu. */
#include <ginet/ginet.h>

enum rx_count_scope { RX_THREAD, RX_WARP, RX_BLOCK };

struct rx_count_sums { uint64_t packets, bytes; };

struct rx_count_args {
	struct gin_dev_rxq rxq;
	struct rx_count_sums *sums; /* in GPU memory: kernels do atomics there only */
	uint32_t scope;             /* enum rx_count_scope */
};
GIN_KERNEL_DECLARE(rx_count);
