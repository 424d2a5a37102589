/* SPDX-License-Identifier: BSD-3-Clause */
/* All that a kernel includes. */
#ifndef GINET_DEVICE_H
#define GINET_DEVICE_H
#include <ginet/dev/shim.h>
#include <ginet/dev/mem.h>
#include <ginet/dev/sq.h>
#include <ginet/dev/rxq.h>
#include <ginet/dev/txq.h>
#include <ginet/dev/pkt.h>
#endif
