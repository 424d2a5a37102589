/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of life cycles hand to kernels.cu. */
#ifndef TESTS_LIFE_KERNELS_H
#define TESTS_LIFE_KERNELS_H
#include <ginet/ginet.h>

struct bounce_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	void *frame;           /* sent again and again, in the slots' key or a key of its own */
	struct gin_be32 lkey;
	uint32_t len;
	uint32_t n;
	uint64_t *bounced;     /* in GPU memory: frames that came back */
};
GIN_KERNEL_DECLARE(bounce); /* sends n frames and takes each back; then waits for the stop */

struct listen_args { struct gin_dev_rxq rxq; };
GIN_KERNEL_DECLARE(listen_only); /* takes packets until stop or error */

struct defer_args {
	struct bounce_args first; /* sends .frame and takes it back */
	struct gin_dev_txq txq;   /* of another NIC */
	struct gin_be32 lkey;     /* of the slots, for that NIC */
};
GIN_KERNEL_DECLARE(defer_one); /* sends a packet on out of its slot, which is released after that, and ends */

struct stubborn_args { const uint32_t *go; };
GIN_KERNEL_DECLARE(stubborn); /* ends when *go is set, whatever the stop says */
#endif
