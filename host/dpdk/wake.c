/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an idle engine waits for. Best is a descriptor: that of a queue's
 * interrupt, or the sockets that a driver opened, which are only waited on.
 * Drivers without one are looked at again after naps.
 */
#define _GNU_SOURCE
#include "dpdk.h"
#include <dirent.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <rte_interrupts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define ARM_AFTER 32u /* looks in vain */

void dpdk_fds_look(struct dpdk_fds *fds)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *d;
	int fd;

	memset(fds, 0, sizeof(*fds));
	while (dir && (d = readdir(dir))) {
		fd = atoi(d->d_name);
		if (fd > 0 && fd < (int)MAX_FD && fd != dirfd(dir))
			fds->open[fd] = 1;
	}
	if (dir)
		closedir(dir);
}

/* A packet socket of the driver: other threads may have opened some for other interfaces meanwhile. */
static int is_packet_socket(int fd, uint32_t interface)
{
	struct sockaddr_ll at = { 0 };
	socklen_t len = sizeof(int);
	int domain;

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len))
		return 0;
	if (domain == AF_XDP)
		return 1;
	len = sizeof(at);
	return domain == AF_PACKET && !getsockname(fd, (struct sockaddr *)&at, &len) &&
	       (!interface || (uint32_t)at.sll_ifindex == interface);
}

static void find_sockets(struct wake *k, const struct dpdk_fds *before, uint32_t interface)
{
	struct dpdk_fds now;
	int fd;

	dpdk_fds_look(&now);
	for (fd = 0; fd < (int)MAX_FD && k->n_sockets < MAX_SOCKETS; fd++)
		if (now.open[fd] && !before->open[fd] && is_packet_socket(fd, interface))
			k->sockets[k->n_sockets++] = fd;
}

/* One descriptor that stands for all. */
static void join_sockets(struct wake *k)
{
	struct epoll_event e = { .events = EPOLLIN };
	uint32_t i;

	if (k->n_sockets == 1)
		k->fd = k->sockets[0];
	if (k->n_sockets < 2)
		return;
	k->epoll = epoll_create1(EPOLL_CLOEXEC);
	for (i = 0; k->epoll >= 0 && i < k->n_sockets; i++) {
		if (!epoll_ctl(k->epoll, EPOLL_CTL_ADD, k->sockets[i], &e))
			continue;
		close(k->epoll);
		k->epoll = -1;
	}
	k->fd = k->epoll;
}

/* net_tap's needs no arming and is the TAP itself; a card's is armed before each sleep, and read by EAL. */
static void use_interrupt(struct wake *k, uint16_t port)
{
	if (rte_eth_dev_rx_intr_enable(port, 0)) {
		k->fd = rte_eth_dev_rx_intr_ctl_q_get_fd(port, 0);
		return;
	}
	rte_eth_dev_rx_intr_disable(port, 0);
	k->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (k->epoll < 0 || rte_eth_dev_rx_intr_ctl_q(port, 0, k->epoll, RTE_INTR_EVENT_ADD, NULL))
		return;
	k->fd = k->epoll;
	k->can_arm = 1;
}

void wake_open(struct wake *k, uint16_t port, const struct dpdk_fds *before, int has_interrupts, uint32_t interface)
{
	memset(k, 0, sizeof(*k));
	k->fd = k->epoll = -1;
	if (has_interrupts)
		use_interrupt(k, port);
	if (k->fd >= 0)
		return;
	find_sockets(k, before, interface);
	join_sockets(k);
}

void wake_close(struct wake *k)
{
	if (k->epoll >= 0)
		close(k->epoll);
	k->fd = k->epoll = -1;
}

static void disarm(struct wake *k, uint16_t port)
{
	struct rte_epoll_event event;

	rte_eth_dev_rx_intr_disable(port, 0);
	rte_epoll_wait(k->epoll, &event, 1, 0);
	k->armed = 0;
}

/* Armed, it is looked at once more before the engine sleeps: this is called in each look. */
void wake_found(struct wake *k, uint16_t port, uint32_t n)
{
	if (!k->can_arm)
		return;
	k->misses = n ? 0 : k->misses + 1;
	if (n && k->armed)
		disarm(k, port);
	else if (k->misses == ARM_AFTER && !k->armed)
		k->armed = !rte_eth_dev_rx_intr_enable(port, 0);
}

/* After an interface was down, its sockets report that for ever unless somebody asks. */
void wake_clear_errors(const struct wake *k)
{
	socklen_t len;
	uint32_t i;
	int err;

	for (i = 0; i < k->n_sockets; i++) {
		len = sizeof(err);
		getsockopt(k->sockets[i], SOL_SOCKET, SO_ERROR, &err, &len);
	}
}
