/* SPDX-License-Identifier: BSD-3-Clause */
/* The host API in one piece. Kernels include <ginet/device.h> instead. */
#ifndef GINET_GINET_H
#define GINET_GINET_H
#include <ginet/error.h>
#include <ginet/flow.h>
#include <ginet/gpu.h>
#include <ginet/launch.h>
#include <ginet/log.h>
#include <ginet/mr.h>
#include <ginet/nic.h>
#include <ginet/rxq.h>
#include <ginet/txq.h>
#include <ginet/version.h>
#endif
