/* SPDX-License-Identifier: BSD-3-Clause */
/* A port of DPDK behind a wire: made from devargs, set up with one queue each way, promiscuous; and undone. */
#include "dpdk.h"
#include <errno.h>
#include <net/if.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define DESCRIPTORS 512u
#define ETH_OVERHEAD 18u  /* header and FCS, as DPDK counts them */
#define PORT_OVERHEAD 22u /* header and two VLAN tags, as the software NIC's port does */

static int is_driver(const struct ethdev *e, const char *name)
{
	char driver[64];

	return !strcmp(sn_devargs_driver(e->devargs, driver, sizeof(driver)), name);
}

/* Of the interface that sockets are bound to: these drivers always say "up". */
static int interface_is_up(const struct ethdev *e)
{
	struct ifreq ifr = { 0 };

	if (e->interface_socket < 0)
		return 1;
	memcpy(ifr.ifr_name, e->interface, sizeof(e->interface));
	return !ioctl(e->interface_socket, SIOCGIFFLAGS, &ifr) && (ifr.ifr_flags & IFF_UP) && (ifr.ifr_flags & IFF_RUNNING);
}

uint8_t port_link_is_up(const struct ethdev *e)
{
	struct rte_eth_link link = { 0 };

	if (rte_eth_link_get_nowait(e->port, &link))
		return 1;
	return link.link_status == RTE_ETH_LINK_UP && interface_is_up(e);
}

/* Drivers that have no better answer than -1 do not mean EPERM. */
static int said(const struct ethdev *e, const struct dpdk_said *s, const char *what, int err)
{
	const char *why = err == -1 ? "" : strerror(-err);

	dpdk_note(e->w.dev, GIN_LOG_ERROR, "soft:%.200s: %s: %s%s%s%s", e->devargs, what, s->text[0] || *why ? s->text : "it does not say why",
		  s->text[0] && *why ? ": " : "", why,
		  dpdk_driver_remedy(s->text, err));
	return err == -1 ? -EIO : err;
}

/* AF_XDP gives packets of the pool to the kernel. */
static int make_pool(struct ethdev *e, uint32_t mtu)
{
	static unsigned int n_pools;
	uint32_t n = is_driver(e, "net_af_xdp") ? 8191 : 4095, room = mtu + PORT_OVERHEAD;
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "ginet_%u", n_pools++);
	if (room < RTE_MBUF_DEFAULT_DATAROOM)
		room = RTE_MBUF_DEFAULT_DATAROOM;
	room = RTE_ALIGN_CEIL(RTE_PKTMBUF_HEADROOM + room, 64);
	e->rings.pool = rte_pktmbuf_pool_create(name, n, 0, 0, (uint16_t)room, SOCKET_ID_ANY);
	if (e->rings.pool)
		return 0;
	dpdk_note(e->w.dev, GIN_LOG_ERROR, "soft:%.200s: no memory in DPDK for %u packets of %u bytes (%s): close other NICs", e->devargs,
		  n, room, rte_strerror(rte_errno));
	return -ENOMEM;
}

static int find_port(struct ethdev *e)
{
	struct rte_dev_iterator it;
	uint16_t port;

	if (!sn_devargs_is_pci(e->devargs))
		return rte_eth_dev_get_port_by_name(e->name, &e->port);
	RTE_ETH_FOREACH_MATCHING_DEV(port, e->name, &it) {
		e->port = port;
		rte_eth_iterator_cleanup(&it);
		return 0;
	}
	return -ENODEV;
}

/* DPDK would hand out the port that is there a second time. */
static int check_unused(struct ethdev *e)
{
	if (find_port(e))
		return 0;
	dpdk_note(e->w.dev, GIN_LOG_ERROR, "soft:%.200s: this program has a %s already: take another%s", e->devargs, e->name,
		  sn_devargs_is_pci(e->devargs) ? "" : " number");
	return -EBUSY;
}

static int probe(struct ethdev *e)
{
	const char *bus = sn_devargs_is_pci(e->devargs) ? "pci" : "vdev", *comma = strchr(e->devargs, ',');
	struct rte_eth_dev_info info;
	struct dpdk_said s;
	int err;

	dpdk_log_keep(&s);
	err = rte_eal_hotplug_add(bus, e->name, comma ? comma + 1 : "");
	dpdk_log_keep(NULL);
	if (err)
		return said(e, &s, "DPDK's driver refuses", err);
	err = find_port(e);
	if (!err)
		err = rte_eth_dev_info_get(e->port, &info);
	if (err)
		return said(e, &s, "DPDK's driver made no port", err);
	e->device = info.device;
	return 0;
}

static int check_mtu(const struct ethdev *e, const struct rte_eth_dev_info *info, uint32_t mtu)
{
	uint32_t most = info->max_mtu, overhead = ETH_OVERHEAD;

	if (most != UINT16_MAX && info->max_rx_pktlen > most)
		overhead = info->max_rx_pktlen - most;
	if (info->max_rx_pktlen - overhead < most)
		most = info->max_rx_pktlen - overhead;
	if (mtu <= most)
		return 0;
	dpdk_note(e->w.dev, GIN_LOG_ERROR, "soft:%.200s: mtu=%u, but this driver carries at most %u: mtu=%u", e->devargs, mtu, most, most);
	return -EINVAL;
}

static int set_up_queues(struct ethdev *e, const struct rte_eth_dev_info *info, int interrupts)
{
	struct rte_eth_conf conf = { 0 };
	uint16_t n_rx = DESCRIPTORS, n_tx = DESCRIPTORS;
	int err;

	conf.rxmode.mtu = dpdk_host->profile(e->w.dev)->mtu;
	conf.intr_conf.rxq = interrupts != 0;
	conf.txmode.offloads = info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	err = rte_eth_dev_configure(e->port, 1, 1, &conf);
	if (!err)
		err = rte_eth_dev_adjust_nb_rx_tx_desc(e->port, &n_rx, &n_tx);
	if (!err)
		err = rte_eth_rx_queue_setup(e->port, 0, n_rx, SOCKET_ID_ANY, NULL, e->rings.pool);
	return err ? err : rte_eth_tx_queue_setup(e->port, 0, n_tx, SOCKET_ID_ANY, NULL);
}

/* Cards that have no interrupts for queues say so here or there: then they are looked at after naps. */
static int start(struct ethdev *e, const struct rte_eth_dev_info *info, const struct dpdk_before *before, int interrupts)
{
	int err = set_up_queues(e, info, interrupts);

	if (err)
		return err;
	if (is_driver(e, "net_tap"))
		dpdk_tap_silence(&before->fds, &before->signals, &e->trigger);
	return rte_eth_dev_start(e->port);
}

/* Drivers of sockets set the interface's own flag, which would outlive them. */
static void be_promiscuous(struct ethdev *e)
{
	struct ifreq ifr = { 0 };

	memcpy(ifr.ifr_name, e->interface, sizeof(e->interface));
	e->made_promiscuous = e->interface_socket >= 0 && !ioctl(e->interface_socket, SIOCGIFFLAGS, &ifr) &&
			      !(ifr.ifr_flags & IFF_PROMISC);
	rte_eth_promiscuous_enable(e->port);
}

static int bring_up(struct ethdev *e, const struct dpdk_before *before, uint32_t interface)
{
	int interrupts = is_driver(e, "net_tap") || sn_devargs_is_pci(e->devargs), err;
	struct rte_eth_dev_info info;
	struct dpdk_said s;

	err = rte_eth_dev_info_get(e->port, &info);
	if (!err && check_mtu(e, &info, dpdk_host->profile(e->w.dev)->mtu))
		return -EINVAL;
	dpdk_log_keep(&s);
	if (!err)
		err = start(e, &info, before, interrupts);
	if (err && interrupts) {
		interrupts = 0;
		err = start(e, &info, before, 0);
	}
	dpdk_log_keep(NULL);
	if (err)
		return said(e, &s, "DPDK's driver does not start", err);
	e->started = 1;
	dpdk_log_keep(&s);
	be_promiscuous(e);
	wake_open(&e->wake, e->port, &before->fds, interrupts, interface);
	dpdk_log_keep(NULL);
	return 0;
}

/* The kernel's interface that the driver opens; net_tap reports on its own. */
static uint32_t watch_interface(struct ethdev *e)
{
	e->interface_socket = -1;
	if (is_driver(e, "net_tap") || !sn_devargs_get(e->devargs, "iface", e->interface, sizeof(e->interface)))
		return 0;
	e->interface_socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return if_nametoindex(e->interface);
}

static void use_own_mac(struct ethdev *e)
{
	struct rte_ether_addr mac;

	if (sn_devargs_is_pci(e->devargs) && !rte_eth_macaddr_get(e->port, &mac))
		dpdk_host->set_mac(e->w.dev, mac.addr_bytes);
}

/* Undoes what was done of opening. */
void port_close(struct ethdev *e)
{
	struct dpdk_talkers talkers;
	struct dpdk_said s;

	dpdk_talkers_hear(&talkers);
	dpdk_log_keep(&s);
	rings_empty(&e->rings);
	wake_close(&e->wake);
	if (e->made_promiscuous)
		rte_eth_promiscuous_disable(e->port);
	if (e->started)
		rte_eth_dev_stop(e->port);
	if (e->device) {
		rte_eth_dev_close(e->port);
		rte_dev_remove(e->device);
	}
	rte_mempool_free(e->rings.pool);
	dpdk_log_keep(NULL);
	dpdk_talkers_let(&talkers);
	if (e->interface_socket >= 0)
		close(e->interface_socket);
}

int port_open(struct ethdev *e)
{
	struct dpdk_before before;
	struct dpdk_talkers talkers;
	uint32_t interface = watch_interface(e);
	int err = check_unused(e);

	if (!err)
		err = make_pool(e, dpdk_host->profile(e->w.dev)->mtu);
	if (err)
		return err;
	dpdk_fds_look(&before.fds);
	dpdk_signals_look(&before.signals);
	dpdk_talkers_hear(&talkers);
	err = probe(e);
	if (!err)
		err = bring_up(e, &before, interface);
	dpdk_talkers_let(&talkers);
	if (err)
		return err;
	use_own_mac(e);
	e->up = port_link_is_up(e);
	e->link_tsc = rte_rdtsc();
	if (!e->up && e->interface_socket >= 0)
		dpdk_note(e->w.dev, GIN_LOG_WARNING, "soft:%.200s: the interface is down: link down until: ip link set %s up",
			  e->devargs, e->interface);
	return 0;
}
