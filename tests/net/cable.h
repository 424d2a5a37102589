/* SPDX-License-Identifier: BSD-3-Clause */
/* Two NICs on a cable: one kernel sends numbered frames, the other checks them and sends them back. */
#ifndef TESTS_NET_CABLE_H
#define TESTS_NET_CABLE_H
#include <ginet/ginet.h>

enum cable_scope { CABLE_THREAD, CABLE_WARP, CABLE_BLOCK };
/*
 * Frames under way, at most, and bytes of each. A slot whose frame has come
 * back is only free when the echo looks again: twice the window and a block's
 * run must fit into 1024 slots.
 */
enum { CABLE_WINDOW = 256, CABLE_SLOT = 1600 };

struct cable_sums { uint64_t seen, bad; };

struct cable_source_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	uint8_t *frames;      /* CABLE_WINDOW x CABLE_SLOT */
	struct cable_sums *sums;
	struct gin_be32 lkey;
	uint32_t n;
	uint8_t mac[6], peer[6];
};
GIN_KERNEL_DECLARE(cable_source); /* one warp; ends when n frames came back */

struct cable_echo_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	struct cable_sums *sums;
	uint32_t scope; /* enum cable_scope */
};
GIN_KERNEL_DECLARE(cable_echo); /* ends by stop */
#endif
