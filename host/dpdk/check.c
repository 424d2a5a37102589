/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be seen to be wrong before a driver is asked, in words that tell more than the driver's. */
#include "dpdk.h"
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int check_interface(const char *devargs, const char *key)
{
	char name[64];

	if (!sn_devargs_get(devargs, key, name, sizeof(name)) || if_nametoindex(name))
		return 0;
	dpdk_error("soft:%.200s: no interface %s here: ip -br link shows those that are", devargs, name);
	return -ENODEV;
}

static int check_driver(const char *devargs)
{
	char library[64], package[96];

	dpdk_driver_library(devargs, library, sizeof(library));
	if (!dpdk_driver_find(library, package, sizeof(package)))
		return 0;
	dpdk_error("soft:%.200s: DPDK's driver %s is not installed (Debian: apt-get install %s); start the program again then",
		   devargs, library, package);
	return -ENODEV;
}

static int check_tap(const char *devargs)
{
	char library[64], name[IFNAMSIZ];

	if (strcmp(sn_devargs_driver(devargs, library, sizeof(library)), "net_tap"))
		return 0;
	if (sn_devargs_get(devargs, "iface", name, sizeof(name)) && dpdk_tap_is_held(if_nametoindex(name))) {
		dpdk_error("soft:%.200s: another program or NIC holds %s, and each would get some of its packets: take another name",
			   devargs, name);
		return -EBUSY;
	}
	if (!access("/dev/net/tun", R_OK | W_OK))
		return 0;
	dpdk_error("soft:%.200s: /dev/net/tun: %s: sudo modprobe tun; in a container: --device /dev/net/tun; else run as root",
		   devargs, strerror(errno));
	return errno == EACCES ? -EACCES : -ENODEV;
}

/* DPDK takes the folder from the name: memif_socket.c, memif_check_socket_filename(). */
static int check_memif(const char *devargs)
{
	char library[64], path[SN_DEVARGS_MAX], abstract[8];

	if (strcmp(sn_devargs_driver(devargs, library, sizeof(library)), "net_memif") ||
	    !sn_devargs_get(devargs, "socket", path, sizeof(path)) ||
	    !sn_devargs_get(devargs, "socket-abstract", abstract, sizeof(abstract)) || strcmp(abstract, "no"))
		return 0;
	if (strchr(path, '/'))
		return 0;
	dpdk_error("soft:%.200s: DPDK wants the socket's folder too: socket=./%s", devargs, path);
	return -EINVAL;
}

/* "vfio-pci": the kernel driver that a PCI device is bound to; "" if none. */
static void bound_to(const char *address, char *driver, size_t size)
{
	char path[128], target[PATH_MAX];
	const char *slash;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", address);
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = 0;
	slash = strrchr(target, '/');
	snprintf(driver, size, "%s", slash ? slash + 1 : "");
}

/* Drivers that hand a device to user space, or share it with DPDK. */
static int is_usable(const char *driver)
{
	static const char *const words[] = { "vfio-pci", "uio_pci_generic", "igb_uio", "mlx5_core", "mlx4_core", "mana" };
	uint32_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(driver, words[i]))
			return 1;
	return 0;
}

static int check_pci(const char *devargs)
{
	char address[64], path[128], driver[64];

	snprintf(address, sizeof(address), "%.*s", (int)strcspn(devargs, ","), devargs);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s", address);
	if (access(path, F_OK)) {
		dpdk_error("soft:%.200s: no PCI device %s here: lspci shows those that are", devargs, address);
		return -ENODEV;
	}
	bound_to(address, driver, sizeof(driver));
	if (!is_usable(driver)) {
		dpdk_error("soft:%.200s: the device belongs to the kernel's driver %s: sudo dpdk-devbind.py -b vfio-pci %s takes it from there",
			   devargs, driver[0] ? driver : "(none)", address);
		return -EBUSY;
	}
	if (dpdk_eal_has_pci())
		return 0;
	dpdk_error("soft:%.200s: DPDK was started without PCI by an earlier NIC of this program: open the PCI one first", devargs);
	return -ENOTSUP;
}

int dpdk_check(const char *devargs)
{
	static const char *const interfaces[] = { "rx_iface", "rx_iface_in", "tx_iface", "remote" };
	char library[64];
	uint32_t i;
	int err;

	if (sn_devargs_is_pci(devargs))
		return check_pci(devargs);
	err = check_driver(devargs);
	for (i = 0; !err && i < sizeof(interfaces) / sizeof(interfaces[0]); i++)
		err = check_interface(devargs, interfaces[i]);
	if (!err && strcmp(sn_devargs_driver(devargs, library, sizeof(library)), "net_tap")) /* net_tap makes its own */
		err = check_interface(devargs, "iface");
	if (!err)
		err = check_tap(devargs);
	if (!err)
		err = check_memif(devargs);
	if (!err)
		err = dpdk_pcap_check_input(devargs);
	return err ? err : dpdk_pcap_check_output(devargs);
}
