/* SPDX-License-Identifier: BSD-3-Clause */
#include <ginet/ginet.h>

enum { CXX_BINS = 4 };

struct cxx_results {
	uint32_t packets, bytes, bins[CXX_BINS];
	float half_bytes;
	int32_t smallest;
};

struct cxx_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	struct gin_addr frame;
	struct cxx_results *results;
};
GIN_KERNEL_DECLARE(sizes);
