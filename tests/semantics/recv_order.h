/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of the kernel that misses barriers and fences; it is built once as it is, and once for each of them. */
#ifndef TESTS_SEMANTICS_RECV_ORDER_H
#define TESTS_SEMANTICS_RECV_ORDER_H
#include <ginet/hw/queue.h>
#include <ginet/launch.h>
#include "recv.h"

struct recv_order_log {
	uint32_t stale;       /* a packet was not there yet when recv had returned it */
	uint32_t overwritten; /* a packet was gone before it was given back */
	uint32_t runs;
	int last;
	uint64_t taken;
};

struct recv_order_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	struct recv_order_log *log;
	uint64_t seed;
	uint32_t scope;
	uint32_t after; /* 1: runs are sent out of their slots and go back after that */
};
#endif
