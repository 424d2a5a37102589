/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * net_tap looks at its descriptor only after a real-time signal, one for each
 * packet, which the kernel sends to the process: any thread of the program may
 * be interrupted by it (DPDK 22.11, drivers/net/tap/rte_eth_tap.c: tun_alloc(),
 * pmd_rx_burst()). Here the descriptors send no signals, the program gets its
 * signal back, and the handler, which only moves the driver's trigger, is
 * called before each look instead. That also saves the signal for each packet.
 */
#define _GNU_SOURCE /* F_GETSIG */
#include "dpdk.h"
#include <fcntl.h>
#include <signal.h>

void dpdk_signals_look(struct dpdk_signals *s)
{
	struct sigaction sa;
	int sig;

	s->unused = 0;
	for (sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		if (!sigaction(sig, NULL, &sa) && sa.sa_handler == SIG_DFL)
			s->unused |= 1ull << (sig - 1);
}

/* The signal that fd sent, 0: none. */
static int silence(int fd)
{
	int sig = fcntl(fd, F_GETSIG), flags = fcntl(fd, F_GETFL);

	if (sig < SIGRTMIN || sig > SIGRTMAX || flags < 0 || !(flags & O_ASYNC))
		return 0;
	fcntl(fd, F_SETFL, flags & ~O_ASYNC);
	fcntl(fd, F_SETSIG, 0);
	return sig;
}

void dpdk_tap_silence(const struct dpdk_fds *before, const struct dpdk_signals *signals, struct dpdk_trigger *out)
{
	struct sigaction sa, none = { .sa_handler = SIG_DFL };
	struct dpdk_fds now;
	int fd, sig = 0;

	out->move = NULL;
	dpdk_fds_look(&now);
	for (fd = 0; fd < (int)MAX_FD; fd++)
		if (now.open[fd] && !before->open[fd])
			sig = silence(fd) ? : sig;
	if (!sig || sigaction(sig, NULL, &sa) || sa.sa_handler == SIG_DFL || sa.sa_handler == SIG_IGN)
		return;
	out->move = sa.sa_handler;
	out->signal = sig;
	if (signals->unused & 1ull << (sig - 1)) /* else another net_tap of the program uses it */
		sigaction(sig, &none, NULL);
}
