/* SPDX-License-Identifier: BSD-3-Clause */
/* What every wait in a kernel does between two looks. */
#ifndef GINET_DEV_WAIT_H
#define GINET_DEV_WAIT_H
#include <ginet/dev/mem.h>
#include <ginet/error.h>

/* Has a wait an end to look at the clock for? 292 years and more are for ever. */
GIN_FN int gin_wait_ends(uint64_t timeout_ns)
{
	return timeout_ns != GIN_TRY && (int64_t)timeout_ns >= 0;
}

/*
 * Call after a look that found nothing, with *deadline 0 the first time. 0:
 * look again; -ECANCELED: stopped; -EAGAIN: the time is over. The clock starts
 * at the first miss, so that a wait is never shorter than asked.
 */
GIN_FN int gin_wait_more(const uint32_t *stop, uint64_t timeout_ns, uint64_t *deadline)
{
	uint64_t now;

	if (gin_stopped(stop))
		return -ECANCELED;
	if (timeout_ns == GIN_TRY)
		return -EAGAIN;
	if (gin_wait_ends(timeout_ns)) {
		now = gin_time_ns();
		if (!*deadline)
			*deadline = now + timeout_ns;
		if (now >= *deadline)
			return -EAGAIN;
	}
	gin_pause();
	return 0;
}
#endif
