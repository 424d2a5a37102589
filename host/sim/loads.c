/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads that wait: chance performs them one by one, in any order. */
#include "loads.h"

#include <stdlib.h>
#include <string.h>

struct load {
	struct load *next;
	struct gin_lane_id by;
	const void *p;
	void *to;
	uint32_t size;
};

static struct load *first;
static uint32_t n_pending;

/* at: the pointer to it. */
static void perform(struct load **at)
{
	struct load *l = *at;

	gin_stores_get(l->by, l->p, l->to, l->size); /* late or not, a lane sees its own stores */
	*at = l->next;
	free(l);
	n_pending--;
}

void gin_loads_put(struct gin_lane_id by, const void *p, void *to, uint32_t size)
{
	struct load *l = malloc(sizeof(*l));

	if (!l) { /* no load has to be late */
		memcpy(to, p, size);
		return;
	}
	*l = (struct load){ .next = first, .by = by, .p = p, .to = to, .size = size };
	first = l;
	n_pending++;
}

void gin_loads_do(struct gin_lane_id by)
{
	struct load **at = &first;

	while (*at) {
		if ((*at)->by.block == by.block && (*at)->by.lane == by.lane)
			perform(at);
		else
			at = &(*at)->next;
	}
}

static uint32_t pending_ready(void *ctx)
{
	(void)ctx;
	return n_pending;
}

static void pending_step(void *ctx, uint32_t which)
{
	struct load **at = &first;

	(void)ctx;
	while (which-- > 0)
		at = &(*at)->next;
	perform(at);
}

static uint64_t pending_next(void *ctx)
{
	(void)ctx;
	return GIN_SIM_NEVER;
}

static struct gin_actor pending_actor = {
	.name = "loads",
	.n_ready = pending_ready,
	.step = pending_step,
	.next_ns = pending_next,
};

void gin_loads_attach(struct gin_sim *sim)
{
	gin_sim_add(sim, &pending_actor);
}

void gin_loads_detach(struct gin_sim *sim)
{
	struct load *l;

	gin_sim_remove(sim, &pending_actor);
	while ((l = first)) {
		first = l->next;
		free(l);
	}
	n_pending = 0;
}
