/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores of lanes that are not in memory yet: who sees them, and in which order they get there. */
#include "stores.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct entry *next;
	uint8_t *addr;
	uint32_t size;
	struct gin_lane_id by;
	uint8_t value[GIN_STORE_MAX];
};

/* In the order in which entries reached the level. GIN_SCOPE_SYS has no list: it is memory. */
static struct level {
	struct entry *first, **end;
} levels[GIN_SCOPE_SYS] = {
	{ NULL, &levels[GIN_SCOPE_LANE].first },
	{ NULL, &levels[GIN_SCOPE_CTA].first },
	{ NULL, &levels[GIN_SCOPE_GPU].first },
};
static uint32_t n_pending;

static void append(enum gin_scope at, struct entry *e)
{
	e->next = NULL;
	*levels[at].end = e;
	levels[at].end = &e->next;
}

/* p: the pointer to the entry. */
static struct entry *unlink_entry(enum gin_scope at, struct entry **p)
{
	struct entry *e = *p;

	*p = e->next;
	if (levels[at].end == &e->next)
		levels[at].end = p;
	return e;
}

static bool sees(struct gin_lane_id who, enum gin_scope at, const struct entry *e)
{
	if (at == GIN_SCOPE_GPU)
		return true;
	return e->by.block == who.block && (at == GIN_SCOPE_CTA || e->by.lane == who.lane);
}

static bool overlaps(const struct entry *e, const uint8_t *p, uint32_t size)
{
	uintptr_t a = (uintptr_t)e->addr, b = (uintptr_t)p;

	return a < b + size && b < a + e->size;
}

/*
 * The oldest entry that the lane sees and that touches these bytes, before
 * stop (NULL: of all). Oldest: wide levels first, see stores.h. NULL: none.
 */
static struct entry **oldest(struct gin_lane_id who, const uint8_t *p, uint32_t size, const struct entry *stop,
			     enum gin_scope *at)
{
	for (int l = GIN_SCOPE_GPU; l >= GIN_SCOPE_LANE; l--) {
		for (struct entry **e = &levels[l].first; *e; e = &(*e)->next) {
			if (*e == stop)
				return NULL;
			if (sees(who, l, *e) && overlaps(*e, p, size)) {
				*at = l;
				return e;
			}
		}
	}
	return NULL;
}

static void write_out(enum gin_scope at, struct entry **p)
{
	struct entry *e = unlink_entry(at, p);

	memcpy(e->addr, e->value, e->size);
	free(e);
	n_pending--;
}

/* Write to memory what the lane sees in these bytes up to stop, each behind its own predecessors. */
static void settle_until(struct gin_lane_id who, const uint8_t *p, uint32_t size, const struct entry *stop)
{
	enum gin_scope at;
	struct entry **e;

	while ((e = oldest(who, p, size, stop, &at))) {
		/* What comes before it in bytes that it has and [p, p + size) has not. Unlinks other entries only. */
		struct entry *found = *e;

		settle_until(found->by, found->addr, found->size, found);
		e = oldest(who, p, size, stop, &at);
		write_out(at, e);
	}
}

void gin_stores_settle(struct gin_lane_id by, const void *p, uint32_t size)
{
	settle_until(by, p, size, NULL);
}

void gin_stores_put(struct gin_lane_id by, void *p, const void *value, uint32_t size)
{
	struct entry *e = malloc(sizeof(*e));

	if (!e) { /* a buffer may be of any depth, also 0 */
		gin_stores_settle(by, p, size);
		memcpy(p, value, size);
		return;
	}
	e->addr = p;
	e->size = size;
	e->by = by;
	memcpy(e->value, value, size);
	append(GIN_SCOPE_LANE, e);
	n_pending++;
}

/* Lay what e has of [p, p + size) over value. */
static void overlay(const struct entry *e, const uint8_t *p, uint8_t *value, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++) {
		uintptr_t at = (uintptr_t)p + i - (uintptr_t)e->addr; /* huge when before it */

		if (at < e->size)
			value[i] = e->value[at];
	}
}

void gin_stores_get(struct gin_lane_id by, const void *p, void *value, uint32_t size)
{
	memcpy(value, p, size);
	for (int l = GIN_SCOPE_GPU; l >= GIN_SCOPE_LANE; l--) {
		for (const struct entry *e = levels[l].first; e; e = e->next) {
			if (sees(by, l, e) && overlaps(e, p, size))
				overlay(e, p, value, size);
		}
	}
}

/* Entries that the lane sees at one level go to the end of a wider one. */
static void lift_level(struct gin_lane_id by, enum gin_scope from, enum gin_scope to)
{
	struct entry **p = &levels[from].first;

	while (*p) {
		if (!sees(by, from, *p)) {
			p = &(*p)->next;
			continue;
		}
		append(to, unlink_entry(from, p));
	}
}

/*
 * All at once, and so in no order that anybody could see: that stores reach
 * memory one by one and out of order is the pending actor's work, before this.
 */
static void write_all_seen(struct gin_lane_id by)
{
	for (int l = GIN_SCOPE_GPU; l >= GIN_SCOPE_LANE; l--) {
		struct entry **p = &levels[l].first;

		while (*p) {
			if (sees(by, l, *p))
				write_out(l, p);
			else
				p = &(*p)->next;
		}
	}
}

void gin_stores_lift(struct gin_lane_id by, enum gin_scope scope)
{
	if (scope == GIN_SCOPE_SYS) {
		write_all_seen(by);
		return;
	}
	for (int l = (int)scope - 1; l >= GIN_SCOPE_LANE; l--)
		lift_level(by, l, scope);
}

uint32_t gin_stores_pending(void)
{
	return n_pending;
}

uint32_t gin_stores_pending_of(struct gin_lane_id by)
{
	uint32_t n = 0;

	for (int l = GIN_SCOPE_LANE; l < GIN_SCOPE_SYS; l++) {
		for (const struct entry *e = levels[l].first; e; e = e->next)
			n += e->by.block == by.block && e->by.lane == by.lane;
	}
	return n;
}

void gin_stores_drain(uint32_t which)
{
	for (int l = GIN_SCOPE_GPU; l >= GIN_SCOPE_LANE; l--) {
		for (struct entry **p = &levels[l].first; *p; p = &(*p)->next) {
			if (which-- > 0)
				continue;
			const struct entry *e = *p;

			settle_until(e->by, e->addr, e->size, e);
			/* Now it is the oldest of its bytes. */
			enum gin_scope at;
			struct entry **self = oldest(e->by, e->addr, e->size, NULL, &at);
			write_out(at, self);
			return;
		}
	}
}

static uint32_t pending_ready(void *ctx)
{
	(void)ctx;
	return n_pending;
}

static void pending_step(void *ctx, uint32_t which)
{
	(void)ctx;
	gin_stores_drain(which);
}

static uint64_t pending_next(void *ctx)
{
	(void)ctx;
	return GIN_SIM_NEVER;
}

static struct gin_actor pending_actor = {
	.name = "stores",
	.n_ready = pending_ready,
	.step = pending_step,
	.next_ns = pending_next,
};

static void forget_all(void)
{
	for (int l = GIN_SCOPE_LANE; l < GIN_SCOPE_SYS; l++) {
		struct entry *e = levels[l].first;

		while (e) {
			struct entry *next = e->next;

			free(e);
			e = next;
		}
		levels[l].first = NULL;
		levels[l].end = &levels[l].first;
	}
	n_pending = 0;
}

void gin_stores_attach(struct gin_sim *sim)
{
	gin_sim_add(sim, &pending_actor);
}

void gin_stores_detach(struct gin_sim *sim)
{
	forget_all();
	gin_sim_remove(sim, &pending_actor);
}
