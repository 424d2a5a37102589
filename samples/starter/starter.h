/* SPDX-License-Identifier: BSD-3-Clause */
/* What host.c hands to kernel.cu; packets: in memory that the CPU sees too. */
#include <ginet/ginet.h>

struct starter_args { struct gin_dev_rxq rxq; uint32_t *packets; };
GIN_KERNEL_DECLARE(starter);
