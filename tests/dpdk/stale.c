/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin of another version, for plugin_test.c. */
#include <stdint.h>

extern const uint32_t gin_dpdk_plugin[16];
const uint32_t gin_dpdk_plugin[16] = { 0x00000007 };
