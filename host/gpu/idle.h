/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread does while its lanes only wait: help, else yield the core, else nap. */
#ifndef HOST_GPU_IDLE_H
#define HOST_GPU_IDLE_H
#include <stdint.h>

struct gin_idle {
	uint32_t alone;       /* do not help: whoever else runs the NICs must do */
	uint32_t n;           /* passes in a row without a sign of work */
	uint32_t collectives; /* as of the last pass */
	uint32_t step;        /* and how many it took */
	uint32_t events;      /* what had happened before the last pass, see idle.c */
	uint64_t since_ns;    /* napping since */
	uint32_t disturbed;   /* the last nap ended by an event, which was not for this block: else it would have worked */
};

/* Every lane paused. collectives: a count that moves in step with the kernel's loop while it only polls. */
void gin_idle(struct gin_idle *idle, uint32_t collectives);
void gin_idle_host(void); /* the same for a thread that is no block */
#endif
