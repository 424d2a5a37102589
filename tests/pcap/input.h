/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel that sees the end of an input. */
#ifndef TESTS_PCAP_INPUT_H
#define TESTS_PCAP_INPUT_H
#include <ginet/ginet.h>

enum input_what { INPUT_RELEASE, INPUT_KEEP, INPUT_ECHO, INPUT_ANSWER };

struct input_sums {
	uint64_t taken;      /* packets */
	uint64_t ended_with; /* what the last wait said, negated */
};

struct input_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	struct input_sums *sums;
	struct gin_addr answer; /* 60 bytes, for INPUT_ANSWER */
	uint32_t what;          /* enum input_what */
};
GIN_KERNEL_DECLARE(input); /* one thread */
#endif
