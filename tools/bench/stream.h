/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbered frames of 64 bytes from one kernel through two NICs on a cable to another kernel. */
#ifndef TOOLS_BENCH_STREAM_H
#define TOOLS_BENCH_STREAM_H
#include <ginet/ginet.h>

enum {
	STREAM_FRAME = 64, /* bytes without FCS, as dpdk-testpmd's txonly sends by default */
	STREAM_SLOTS = 1024, /* entries of the send ring and of the receive ring */
	STREAM_BURST = 64,
	STREAM_SEQ = 42, /* offset of the number: behind Ethernet, IPv4 and UDP */
};

/* What the two kernels tell each other and the host; a line for each writer. */
struct stream_words {
	uint64_t taken; /* frames that the sink has given back */
	uint64_t pad[15];
	uint64_t seen, bad; /* the sink's sums, written at its end */
};

struct stream_args {
	struct gin_dev_txq txq;
	struct gin_dev_rxq rxq;
	uint8_t *frames; /* STREAM_SLOTS of them, headers filled in */
	struct stream_words *words;
	uint64_t n;
	struct gin_be32 lkey;
	uint32_t first; /* thread 0 of the block is: 0 the source, 1 the sink */
};
GIN_KERNEL_DECLARE(stream);
#endif
