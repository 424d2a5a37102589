/* SPDX-License-Identifier: BSD-3-Clause */
/* Two packets go round; their runs are given back in the way that how says. */
#include <ginet/ginet.h>

enum check_how { CHECK_IN_ORDER, CHECK_SECOND_FIRST, CHECK_TWICE, CHECK_BEFORE_TAKEN };

struct check_order_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	struct gin_addr frame; /* 60 bytes, to all */
	uint32_t how;
};
GIN_KERNEL_DECLARE(check_order);
