/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of set-up hand to kernel.cu. */
#ifndef TESTS_INPUT_KERNEL_H
#define TESTS_INPUT_KERNEL_H
#include <ginet/ginet.h>

struct wait_args { struct gin_dev_rxq rxq; };
GIN_KERNEL_DECLARE(wait_for_packet); /* returns each packet to its queue; ends by stop or error */
#endif
