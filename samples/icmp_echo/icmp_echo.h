/* SPDX-License-Identifier: BSD-3-Clause */
/* What host.c hands to kernel.cu. */
#include <ginet/ginet.h>

struct icmp_echo_args {
	struct gin_dev_rxq rxq;
	struct gin_dev_txq txq;
	uint8_t mac[6], ip[4];
};
GIN_KERNEL_DECLARE(icmp_echo);
