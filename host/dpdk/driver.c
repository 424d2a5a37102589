/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK's drivers are plugins in packages of their own: which one is missing, and what helps when one refuses. */
#include "dpdk.h"
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <rte_build_config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Their number is in the name of their folder: .../dpdk/pmds-23.0 */
static int abi(void)
{
	const char *dash = strrchr(RTE_EAL_PMD_PATH, '-');

	return dash ? atoi(dash + 1) : 0;
}

/* Debian: librte-net-tap23, and librte-net-mlx5-23 where a digit would meet a digit. */
static void package_name(const char *library, char *package, size_t size)
{
	size_t len = strlen(library);
	char *p;

	snprintf(package, size, "librte-%s%s%d", library, len && isdigit((unsigned char)library[len - 1]) ? "-" : "", abi());
	for (p = package; *p; p++)
		if (*p == '_')
			*p = '-';
}

int dpdk_driver_find(const char *library, char *package, size_t size)
{
	char name[96];
	void *handle;

	package_name(library, package, size);
	snprintf(name, sizeof(name), "librte_%s.so.%d", library, abi());
	handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return -ENOENT;
	dlclose(handle); /* gives back our count of it only */
	return 0;
}

void dpdk_driver_library(const char *devargs, char *library, size_t size)
{
	static const char *const others[][2] = {
		{ "net_virtio_user", "net_virtio" }, { "net_bonding", "net_bond" }, { "net_eth_bond", "net_bond" },
	};
	uint32_t i;

	sn_devargs_driver(devargs, library, size);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(library, others[i][0]))
			snprintf(library, size, "%s", others[i][1]);
}

const char *dpdk_driver_remedy(const char *said, int err)
{
	if (strstr(said, "TUNSETIFF") && strstr(said, "Invalid argument"))
		return ": an interface of that name is there, and it is no TAP of many queues: take another name";
	if (strstr(said, "busy") || strstr(said, "in use") || err == -EBUSY)
		return ": another process holds it: end that, or take another";
	if (strstr(said, "not permitted") || strstr(said, "Permission denied") || err == -EACCES || geteuid())
		return ": run it as root (CAP_NET_ADMIN, CAP_NET_RAW)";
	if (err == -ENOMEM)
		return ": free memory or huge pages";
	return "";
}
