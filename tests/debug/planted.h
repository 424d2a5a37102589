/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels with a mistake each, for the tools that find them. */
#ifndef TESTS_DEBUG_PLANTED_H
#define TESTS_DEBUG_PLANTED_H
#include <ginet/ginet.h>

struct planted_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	struct gin_addr frame; /* 100 bytes, for ourselves */
	uint32_t slot_bytes;   /* of the receive queue */
	uint32_t eight;        /* no constant, or the compiler would see the mistake */
	uint32_t *out;
};
GIN_KERNEL_DECLARE(good);
GIN_KERNEL_DECLARE(slot_overrun);
GIN_KERNEL_DECLARE(slot_too_early);
GIN_KERNEL_DECLARE(slot_after_release);
GIN_KERNEL_DECLARE(sent_after_release);
GIN_KERNEL_DECLARE(no_release);
GIN_KERNEL_DECLARE(shared_overrun);
GIN_KERNEL_DECLARE(race);
GIN_KERNEL_DECLARE(look_inside);
#endif
