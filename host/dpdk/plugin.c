/* SPDX-License-Identifier: BSD-3-Clause */
/* The one symbol that ginet-dpdk.so shows. */
#include "dpdk.h"

const struct sn_plugin_host *dpdk_host;

static int init(const struct sn_plugin_host *host, const char *devargs)
{
	dpdk_host = host;
	return dpdk_eal_start(devargs);
}

extern const struct sn_plugin gin_dpdk_plugin;
__attribute__((visibility("default"))) const struct sn_plugin gin_dpdk_plugin = {
	.version = SN_PLUGIN_VERSION,
	.init = init,
	.check = dpdk_check,
	.ethdev = &dpdk_wire_ethdev,
	.capture = &dpdk_capture,
};
