/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel for CPU threads only: it looks at its thread. */
#include <ginet/device.h>
#include <signal.h>
#include "launch.h"

GIN_KERNEL(signal_mask, struct launch_args, a)
{
	sigset_t set;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	a.words[0] = (uint32_t)sigismember(&set, SIGINT);
	a.words[1] = (uint32_t)sigismember(&set, SIGTERM);
	a.words[2] = (uint32_t)sigismember(&set, SIGSEGV);
}
